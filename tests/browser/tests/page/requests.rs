//! How often the page asks for a turn.

use fanorona_browser_tests::View;
use fanorona_core::{Board, RuleSet, SplitMix64};

use crate::common::{is_over, next_touch, open, point, position, press, set_players};

/// Counts the requests of the API from here on.
async fn count(view: &View) {
    settle(view).await;
    view.run(
        "window.asked ??= []; window.asked.length = 0;
         window.without ??= fetch;
         window.fetch = (address, init) => {
           if (String(address).includes('api/')) asked.push(String(address).slice(7, 15));
           return window.without(address, init); }",
    )
    .await;
}

/// Waits until the page has asked for nothing for a while.
async fn settle(view: &View) {
    let asked = "(window.asked ?? []).length + document.body.dataset.state";
    loop {
        let before: String = view.evaluate(asked).await;
        tokio::time::sleep(std::time::Duration::from_millis(400)).await;
        if before == view.evaluate::<String>(asked).await && !before.ends_with("thinking") {
            return;
        }
    }
}

async fn asked(view: &View) -> Vec<String> {
    settle(view).await;
    view.evaluate("asked").await
}

/// Plays turns of persons by touches.
async fn play(view: &View, turns: usize) {
    for _ in 0..turns {
        assert!(!is_over(view).await, "the game is too short");
        let before = position(view).await;
        let has_moved = format!("document.body.dataset.position !== {before:?}");
        loop {
            let can_touch = "document.querySelector('.point.usable, [data-action=end-turn]')";
            view.wait(&format!("{has_moved} || {can_touch}")).await;
            if view.evaluate(&has_moved).await {
                break;
            }
            match next_touch(view).await {
                Some(next) => view.click(&point(&next)).await,
                None => press(view, "end-turn").await,
            }
        }
        settle(view).await;
    }
}

/// Each turn is one request: of five against the program and of its replies, and of ten by two people.
#[tokio::test(flavor = "multi_thread")]
async fn a_turn_is_one_request() {
    for (other, turns) in [("1", 5), ("person", 10)] {
        let (_server, browser, view) = open("board=9x5&seed=1").await;
        set_players(&view, "person", other).await;
        count(&view).await;
        play(&view, turns).await;
        let asked = asked(&view).await;
        assert_eq!(asked.len(), 10, "{other}: {asked:?}");
        browser.close().await;
    }
}

/// A game with this number of turns, by chance.
fn game_of(length: usize) -> Vec<String> {
    let (board, rules) = (Board::tsivy(), RuleSet::STANDARD);
    let play = |seed| {
        let (mut random, mut position) = (SplitMix64::new(seed), board.start());
        let mut texts = Vec::new();
        while texts.len() < length {
            let turns = rules.turns(&position);
            let turn = turns.get(random.below(turns.len().max(1) as u64) as usize)?;
            texts.push(turn.text(board).to_string());
            position = position.play_unchecked(turn);
        }
        Some(texts)
    };
    (0..1000).find_map(play).expect("some games are that long")
}

/// A game that was loaded asks once for each position that is looked at, and for none again.
#[tokio::test(flavor = "multi_thread")]
async fn a_step_through_a_loaded_game_is_one_request() {
    let fragment = format!("board=9x5&turns={}&ply=0", game_of(60).join(","));
    let (_server, browser, view) = open(&fragment).await;
    count(&view).await;
    let to_end = async || {
        for _ in 0..60 {
            press(&view, "forward").await;
            view.wait("document.body.dataset.state !== 'loading'").await;
            // A person looks before the next step.
            settle(&view).await;
        }
    };
    to_end().await;
    let first = asked(&view).await;
    press(&view, "first").await;
    to_end().await;
    let second = asked(&view).await;
    assert_eq!((first.len(), second.len()), (60, 60), "{first:?} {:?}", &second[first.len()..]);
    browser.close().await;
}

/// The console has nothing to complain of, whichever game the address names, and the icon comes once.
#[tokio::test(flavor = "multi_thread")]
async fn the_console_is_silent_and_the_icon_comes_once() {
    let (server, browser, view) = open("board=9x5").await;
    let heard = view.hear().await;
    for fragment in ["board=9x5", "board=5x5", "board=9x5&turns=d3-e3A"] {
        view.go_to(&server.page(fragment)).await;
        // Chromium complains of what was asked for in vain after some seconds.
        tokio::time::sleep(std::time::Duration::from_secs(6)).await;
    }
    for tab in ["explore", "edit", "settings", "puzzles", "play"] {
        view.click(&format!("[data-tab={tab}]")).await;
        view.wait(&format!("location.hash.includes('view={tab}')")).await;
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
    }
    let heard = heard.lock().expect("nobody panics").clone();
    let (icons, complaints): (Vec<_>, Vec<_>) =
        heard.into_iter().partition(|text| text.ends_with("icon.svg"));
    assert!(complaints.is_empty(), "{complaints:?}");
    assert!(icons.len() <= 1, "{icons:?}");
    browser.close().await;
}
