//! Links to a game.

use crate::common::{open, position};

#[tokio::test(flavor = "multi_thread")]
async fn a_shared_address_shows_the_same_game() {
    let (_server, browser, view) = open("board=9x5&turns=d3-e3A&view=explore").await;
    view.wait("document.body.dataset.position.endsWith(' b')").await;
    view.wait("document.querySelectorAll('[data-turn]').length > 0").await;
    view.click("[data-turn]").await;
    view.wait("document.body.dataset.position.endsWith(' w')").await;
    view.wait("location.hash.includes(',') || location.hash.includes('ply=2')").await;
    let (shown, address): (String, String) =
        (position(&view).await, view.evaluate("location.href").await);
    let other = browser.open(&address, 360, 740).await;
    assert_eq!(position(&other).await, shown);
    assert_eq!(other.evaluate::<String>("document.body.dataset.view").await, "explore");
    other.screenshot("shared-360").await;
    browser.close().await;
}
