//! Values, turns, lines and proofs.

use crate::common::{action, open};

#[tokio::test(flavor = "multi_thread")]
async fn a_proof_is_watched_to_its_end() {
    let (_server, browser, view) = open("board=5x3&view=explore").await;
    view.click(&action("prove")).await;
    view.wait("document.querySelector('#proof-progress')?.dataset.end === 'proved'").await;
    view.wait_for(&action("save-certificate")).await;
    view.screenshot("proof").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_is_watched_and_stopped() {
    let (_server, browser, view) = open("board=9x5&view=explore").await;
    view.click(&action("prove")).await;
    view.wait("document.querySelector('#proof-progress')?.dataset.end === 'running'").await;
    view.click(&action("stop")).await;
    view.wait("document.querySelector('#proof-progress')?.dataset.end === 'stopped'").await;
    // The button to start again is back.
    view.wait_for(&action("prove")).await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn values_stand_beside_turns() {
    let (_server, browser, view) = open("board=9x5&start=9/9/2W1B4/9/9_w&view=explore").await;
    view.wait("document.querySelectorAll('[data-turn]').length > 0").await;
    let first: String = view.evaluate("document.querySelector('[data-turn]').dataset.turn").await;
    assert_eq!(first, "c3-d3A");
    let value = view.text("#value").await;
    assert!(value.to_lowercase().contains("win"), "{value}");
    // The best turn is announced to screen readers too.
    view.wait("document.querySelector('#announcer').textContent.length > 0").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_is_played_up_to_a_turn() {
    let (_server, browser, view) = open("board=9x5&start=9/4W4/3W5/9/8B_b&view=explore").await;
    view.wait_for("[data-line='2']").await;
    view.click("[data-line='2']").await;
    view.wait("new URLSearchParams(location.hash.slice(1)).get('turns')?.split(',').length === 3")
        .await;
    view.wait("document.body.dataset.position.endsWith(' w')").await;
    browser.close().await;
}
