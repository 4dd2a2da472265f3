//! The editor of positions.

use crate::common::{PERSON, action, open, play, point, position, with_players};

#[tokio::test(flavor = "multi_thread")]
async fn the_editor_says_what_is_valid() {
    let (_server, browser, view) = open("board=9x5&view=edit").await;
    view.click(&action("edit-clear")).await;
    view.wait_for("#edit-valid .error").await;
    view.click(&point("c3")).await;
    view.click("input[name=tool][value=black]").await;
    view.click(&point("e3")).await;
    view.wait_for("#edit-valid .fine").await;
    let text: String = view.evaluate("document.querySelector('#edit-text').value").await;
    assert_eq!(text, "9/9/2W1B4/9/9 w");
    view.click(&action("edit-mirror")).await;
    view.wait("document.querySelector('#edit-text').value === '9/9/4B1W2/9/9 w'").await;
    view.click(&action("edit-swap")).await;
    view.wait("document.querySelector('#edit-text').value === '9/9/4W1B2/9/9 b'").await;
    // Nothing moves any more when the answer is there.
    view.wait_for("#edit-valid .fine").await;
    view.screenshot("edit").await;
    view.click(&action("edit-explore")).await;
    view.wait("document.body.dataset.view === 'explore'").await;
    view.wait("document.querySelectorAll('[data-turn]').length > 0").await;
    browser.close().await;
}

/// "Play from here" plays from there, and so does Start in a game that begins with a position of its own.
#[tokio::test(flavor = "multi_thread")]
async fn an_edited_position_is_played_from() {
    let (server, browser, view) = with_players("board=9x5&view=edit", PERSON, "1").await;
    view.click(&action("edit-clear")).await;
    view.click(&point("c3")).await;
    view.click("input[name=tool][value=black]").await;
    for stone in ["e3", "a5"] {
        view.click(&point(stone)).await;
    }
    view.wait_for("#edit-valid .fine").await;
    view.click(&action("edit-play")).await;
    view.wait_for("#game-card.begins").await;
    assert_eq!(position(&view).await, "B8/9/2W1B4/9/9 w");
    play(&view, "c3-d3A").await;
    view.wait(
        "document.body.dataset.position === '1B7/9/3W5/9/9 w' || location.hash.includes('c3-d3A,')",
    )
    .await;
    // The same position from a link, by Start.
    view.go_to(&server.page("board=9x5&start=B8/9/2W1B4/9/9_w")).await;
    view.click("input[name=level][value='2']").await;
    view.click(&action("new-game")).await;
    view.wait_for("#game-card.begins").await;
    assert_eq!(position(&view).await, "B8/9/2W1B4/9/9 w");
    // The usual start is one touch away.
    view.click(&action("set-up")).await;
    view.wait("document.body.dataset.position.startsWith('BBBBBBBBB/')").await;
    view.go_to(&server.page("board=9x5&start=B8/9/2W1B4/9/9_w")).await;
    view.click(&action("board-start")).await;
    view.wait("document.body.dataset.position.startsWith('BBBBBBBBB/')").await;
    view.wait("!document.querySelector('[data-action=board-start]')").await;
    browser.close().await;
}

/// A stroke over the board sets stones, or takes away what it began with; by mouse and by finger.
#[tokio::test(flavor = "multi_thread")]
async fn stones_are_painted_by_a_stroke() {
    let (_server, browser, view) = open("board=9x5&view=edit").await;
    view.click(&action("edit-clear")).await;
    let is = |text: &str| format!("document.querySelector('#edit-text').value === '{text} w'");
    view.drag(&point("a3"), &point("c3")).await;
    view.wait(&is("9/9/WWW6/9/9")).await;
    view.click("input[name=tool][value=black]").await;
    view.drag_finger(&point("b2"), &point("b4")).await;
    view.wait(&is("9/1B7/WBW6/1B7/9")).await;
    // It does not go on after its end, and a touch is still one stone.
    view.click(&point("e1")).await;
    view.wait(&is("9/1B7/WBW6/1B7/4B4")).await;
    view.drag(&point("b4"), &point("b2")).await;
    view.wait(&is("9/9/W1W6/9/4B4")).await;
    view.click("input[name=tool][value=empty]").await;
    view.drag(&point("a3"), &point("c3")).await;
    view.wait(&is("9/9/9/9/4B4")).await;
    browser.close().await;
}
