//! An external engine as opponent.

use fanorona_browser_tests::{Browser, Server};
use fanorona_core::{Board, RuleSet};
use fanorona_tests::scripted::Script;
use fanorona_ugi::client::ProgramCommand;

use crate::common::set_players;

#[tokio::test(flavor = "multi_thread")]
async fn an_external_engine_is_chosen_and_plays() {
    let script = Script::player("first");
    let command = ProgramCommand::new(script.program(), script.arguments());
    let (server, browser) = (Server::start_with_engine(command), Browser::start().await);
    let view = browser.open(&server.page("board=9x5"), 1280, 800).await;
    view.wait("document.querySelector(\"#player-black [value='engine:first']\") !== null").await;
    set_players(&view, "person", "engine:first").await;
    view.click("#turn-text").await;
    view.type_text("d3e3A").await;
    view.press("Enter").await;
    let (rules, start) = (RuleSet::STANDARD, Board::tsivy().start());
    let turn = rules.parse_turn(&start, "d3-e3A").expect("it is legal");
    let before = start.play_unchecked(&turn);
    // The scripted engine plays the first turn of the list.
    let after = before.play_unchecked(&rules.turns(&before)[0]);
    view.wait(&format!("document.body.dataset.position === '{after}'")).await;
    view.screenshot("engine").await;
    assert_eq!(script.wrong(), None);
    browser.close().await;
}
