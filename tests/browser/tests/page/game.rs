//! Games and turns, by mouse and by keyboard.

use crate::common::{
    Hand, action, is_over, next_touch, open, point, position, set_players, usable,
};

/// Plays White against the lowest level until the game is over.
async fn whole_game(hand: Hand, (width, height): (u32, u32)) {
    let (_server, browser, view) = open("board=3x3&seed=1").await;
    view.resize(width, height).await;
    set_players(&view, "person", "1").await;
    let mut turns = 0;
    while !is_over(&view).await {
        let before = position(&view).await;
        let has_moved = format!("document.body.dataset.position !== {before:?}");
        let mut touches = 0;
        loop {
            // The page is busy between a touch and the next.
            let can_touch = "document.querySelector('.point.usable, [data-action=end-turn]')";
            view.wait(&format!("{has_moved} || {can_touch}")).await;
            if view.evaluate(&has_moved).await {
                break;
            }
            match next_touch(&view).await {
                Some(next) => hand.touch(&view, &next).await,
                None => hand.act(&view, "end-turn", "e").await,
            }
            touches += 1;
            assert!(touches < 100, "no turn from {before}");
        }
        turns += 1;
        assert!(turns < 200, "the game does not end: {before}");
    }
    assert!(turns > 0);
    let result = view.text("#status").await;
    assert!(["You won", "You lost", "Draw"].iter().any(|word| result.contains(word)), "{result}");
    view.screenshot("game-over").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_game_by_mouse() {
    whole_game(Hand::Mouse, (1280, 800)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_game_by_keyboard() {
    whole_game(Hand::Keyboard, (1280, 800)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_game_by_finger_upright() {
    whole_game(Hand::Finger, (390, 844)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_game_by_finger_on_its_side() {
    whole_game(Hand::Finger, (844, 390)).await;
}

/// White's stone on d3 can go to e3 and capture either f3 or c3, and then e5 on the way to e4.
pub(crate) const RELAY: &str = "board=9x5&start=4B4/9/2BW1B3/9/B8_w";

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_with_a_choice_and_an_early_end() {
    let (_server, browser, view) = open(RELAY).await;
    set_players(&view, "person", "person").await;
    view.click(&point("d3")).await;
    view.wait("document.querySelector('[data-point=d3]').ariaPressed === 'true'").await;
    view.click(&point("e3")).await;
    view.wait_for(&action("choose-approach")).await;
    // The stones to choose from can be touched.
    let choice = usable(&view).await;
    assert!(choice.contains(&"f3".to_owned()) && choice.contains(&"c3".to_owned()), "{choice:?}");
    view.screenshot("choice").await;
    view.click(&point("f3")).await;
    view.wait("!document.querySelector('[data-stone=f3]')").await;
    assert!(view.evaluate::<bool>("document.querySelector('[data-stone=c3]') !== null").await);

    // Undo and redo each touch.
    view.click(&action("undo")).await;
    view.wait("document.querySelector('[data-stone=f3]') !== null").await;
    view.click(&action("undo")).await;
    view.click(&action("undo")).await;
    view.wait("!document.querySelector('.selected')").await;
    for _ in 0..3 {
        view.click(&action("redo")).await;
    }
    view.wait("!document.querySelector('[data-stone=f3]')").await;

    // The relay could go on to e4; it ends here.
    assert!(usable(&view).await.contains(&"e4".to_owned()));
    view.click(&action("end-turn")).await;
    view.wait("document.body.dataset.position === '4B4/9/2B1W4/9/B8 b'").await;

    // Back to before the turn, and the other way: withdrawal, by keyboard.
    view.click(&action("back")).await;
    view.wait("document.body.dataset.position === '4B4/9/2BW1B3/9/B8 w'").await;
    Hand::Keyboard.touch(&view, "d3").await;
    Hand::Keyboard.touch(&view, "e3").await;
    view.wait_for(&action("choose-withdrawal")).await;
    view.press("w").await;
    view.wait("!document.querySelector('[data-stone=c3]')").await;
    Hand::Keyboard.touch(&view, "e4").await;
    view.wait("!document.querySelector('[data-stone=e5]')").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stone_is_dragged() {
    let (_server, browser, view) = open("board=9x5&start=9/9/2W1B4/9/B8_w").await;
    set_players(&view, "person", "person").await;
    view.drag(&point("c3"), &point("d3")).await;
    view.wait("document.body.dataset.position === '9/9/3W5/9/B8 b'").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_are_typed() {
    let (_server, browser, view) = open("board=9x5").await;
    set_players(&view, "person", "person").await;
    view.click("#turn-text").await;
    view.type_text("a1-a2").await;
    view.press("Enter").await;
    let error = view.text("#turn-error").await;
    assert!(error.contains("a2"), "{error}");
    view.set("#turn-text", "").await;
    view.click("#turn-text").await;
    view.type_text("d3e3A").await;
    view.press("Enter").await;
    view.wait("document.body.dataset.position.endsWith(' b')").await;
    browser.close().await;
}

/// The status says that one must capture, and a stone that cannot says why it stays.
#[tokio::test(flavor = "multi_thread")]
async fn who_must_capture_is_told_so() {
    let fragment = "board=9x5&start=8B/9/2W1B4/9/W7W_w";
    let (_server, browser, view) = open(fragment).await;
    set_players(&view, "person", "person").await;
    for language in ["fr", "mg", "nl", "en"] {
        view.run(&format!(
            "window.texts = null; fetch('assets/lang/{language}.json').then((it) => it.json())
               .then((texts) => {{ window.texts = texts; }}); 0"
        ))
        .await;
        view.click("[data-tab=settings]").await;
        view.set("#language", language).await;
        view.wait(&format!("window.texts && document.documentElement.lang === {language:?}")).await;
        let text = |key: &str, values: &str| {
            format!("texts[{key:?}].replace(/\\{{(\\w+)\\}}/g, (_, name) => ({values})[name])")
        };
        let status = "document.querySelector('#status').textContent";
        let must = text("status.must_capture.one", "{ side: texts['side.white'] }");
        view.wait(&format!("{status} === {must}")).await;
        let cannot = text("status.cannot_capture", "{ point: 'a1', points: 'c3' }");
        view.click(&point("a1")).await;
        view.wait(&format!("{status} === {cannot}")).await;
        view.wait(&format!("document.querySelector('#announcer').textContent.trim() === {cannot}"))
            .await;
        // Another touch is an answer of its own.
        view.click(&point("c3")).await;
        view.wait(&format!("{status} !== {cannot}")).await;
        view.click(&point("c3")).await;
        view.wait(&format!("{status} === {must}")).await;
    }
    // After the capture none is possible, and nothing is said of it.
    for name in ["c3", "d3"] {
        view.click(&point(name)).await;
    }
    view.wait("document.querySelector('#status').textContent.includes('Black to move')").await;
    browser.close().await;
}
