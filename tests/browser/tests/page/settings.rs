//! Settings of the browser.

use crate::common::open;

#[tokio::test(flavor = "multi_thread")]
async fn the_colour_blind_view_takes_effect_at_once() {
    let (_server, browser, view) = open("board=9x5&start=9/9/2W1B4/9/B8_w&view=settings").await;
    let colours = "JSON.stringify([...document.querySelectorAll('.stone .body')]
        .map((stone) => getComputedStyle(stone).fill).concat(
            getComputedStyle(document.documentElement).getPropertyValue('--win')))";
    let before: String = view.evaluate(colours).await;
    view.click("#colour-blind").await;
    view.wait(&format!("{colours} !== {before:?}")).await;
    view.screenshot("colour-blind").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_speaks_other_languages() {
    let (_server, browser, view) = open("board=9x5&view=settings").await;
    let tab = "[data-tab=explore]";
    let english = view.text(tab).await;
    let names = "[...document.querySelector('#language').options].map((it) => it.text).join()";
    let names: String = view.evaluate(names).await;
    assert_eq!(names, "English,Français,Malagasy,Nederlands");
    for language in ["fr", "mg", "nl"] {
        view.set("#language", language).await;
        view.wait(&format!("document.documentElement.lang === {language:?}")).await;
        view.wait(&format!("document.querySelector({tab:?}).textContent.trim() !== {english:?}"))
            .await;
        // A text that nobody has checked says so.
        let is_unreviewed = "document.querySelector('#unreviewed') !== null";
        view.wait(&format!("{is_unreviewed} === {}", language == "mg")).await;
        view.screenshot(language).await;
    }
    // It is kept.
    view.reload().await;
    view.wait("document.documentElement.lang === 'nl'").await;
    browser.close().await;
}
