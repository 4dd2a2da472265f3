//! "How to play", played through on the board.

use fanorona_browser_tests::View;
use serde_json::Value;

use crate::common::{action, in_sight, open, point, position};

/// The touches of a pupil in each step: points, or buttons with a `#`.
const LESSON: [(&str, &[&str]); 9] = [
    ("move", &["d1", "d2"]),
    ("approach", &["a3", "b3"]),
    ("withdrawal", &["c3", "b3"]),
    ("must", &["b3", "c3"]),
    ("choice", &["b3", "c3", "a3"]),
    ("relay", &["b2", "b3", "c3", "c2"]),
    ("direction", &["b2", "b3", "c3"]),
    ("end", &["b3", "c3"]),
    ("draw", &["a2", "a1", "#claim"]),
];

async fn touch(view: &View, what: &str) {
    match what.strip_prefix('#') {
        Some(button) => view.click(&action(button)).await,
        None => {
            view.wait(&format!("document.querySelector('.point.usable[data-point={what}]')")).await;
            view.click(&point(what)).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_lesson_is_played_through() {
    let (_server, browser, view) = open("board=9x5&turns=d3-e3A").await;
    let before = position(&view).await;
    view.click(&action("help")).await;
    view.click(&action("learn")).await;
    for (i, (name, touches)) in LESSON.iter().enumerate() {
        view.wait(&format!("document.body.dataset.lesson === {name:?}")).await;
        view.wait("document.body.dataset.state === 'ready'").await;
        for what in *touches {
            touch(&view, what).await;
        }
        view.wait(&format!("document.body.dataset.lesson === '{name} done'")).await;
        view.wait_for("#lesson-done").await;
        // A phone shows the board, what the turn was and the way on at once.
        for (width, height) in [(360, 640), (390, 844), (844, 390)] {
            view.resize(width, height).await;
            for seen in ["#board", "#lesson-done", "#lesson .primary"] {
                assert!(in_sight(&view, seen).await, "{seen} of {name} at {width}x{height}");
            }
        }
        view.resize(1280, 800).await;
        view.screenshot(&format!("lesson-{name}")).await;
        let next = if i + 1 < LESSON.len() { "lesson-next" } else { "lesson-end" };
        view.click(&action(next)).await;
    }
    // The game from before is on the board again.
    view.wait("document.body.dataset.lesson === ''").await;
    assert_eq!(position(&view).await, before);
    browser.close().await;
}

/// A legal turn that is not what a step is about does not count, and can be tried again.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_asks_for_its_own_turn() {
    let (_server, browser, view) = open("board=5x5").await;
    view.click(&action("learn")).await;
    for (name, touches) in &LESSON[..5] {
        view.wait(&format!("document.body.dataset.lesson === {name:?}")).await;
        for what in *touches {
            touch(&view, what).await;
        }
        view.click(&action("lesson-next")).await;
    }
    view.wait("document.body.dataset.lesson === 'relay'").await;
    for what in ["b2", "b3", "#end-turn"] {
        touch(&view, what).await;
    }
    view.wait_for("#lesson-wrong").await;
    view.click(&action("lesson-again")).await;
    view.wait("!document.querySelector('#lesson-wrong')").await;
    for what in ["b2", "b3", "c3", "c2"] {
        touch(&view, what).await;
    }
    view.wait("document.body.dataset.lesson === 'relay done'").await;
    // Its two persons are not the players of the next game.
    let kept = "JSON.parse(localStorage.getItem('fanorona') ?? '{}').players?.black ?? null";
    assert_ne!(view.evaluate::<Value>(kept).await, "person");
    browser.close().await;
}
