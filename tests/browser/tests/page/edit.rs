//! The editor of positions.

use crate::common::{action, open, point};

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
