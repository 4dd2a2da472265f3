//! Games and turns, by mouse and by keyboard.

use crate::common::{
    Hand, PERSON, action, is_over, next_touch, open, point, position, press, set_players, usable,
    with_players,
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
    // In the hand it is over all else on the board.
    view.wait("document.querySelector('.movable circle')").await;
    view.run(
        "(() => { const [from, to] = ['c3', 'd3'].map((name) => {
             const box = document.querySelector(`[data-point=${name}]`).getBoundingClientRect();
             return { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 }; });
           const point = document.querySelector('[data-point=c3]');
           for (const [type, at] of [['pointerdown', from], ['pointermove', to], ['pointermove', to]])
             point.dispatchEvent(new PointerEvent(type, { ...at, bubbles: true, pointerId: 9 })); })()",
    )
    .await;
    view.wait("document.querySelector('.selected')").await;
    assert!(view.evaluate::<bool>("document.querySelector('#ghosts .stone.white') !== null").await);
    let under: String = view
        .evaluate("getComputedStyle(document.querySelector('[data-stone=c3]')).visibility")
        .await;
    assert_eq!(under, "hidden");
    view.run("dispatchEvent(new PointerEvent('pointercancel', { pointerId: 9 }))").await;
    view.wait("!document.querySelector('#ghosts .stone')").await;
    let back: String = view
        .evaluate("getComputedStyle(document.querySelector('[data-stone=c3]')).visibility")
        .await;
    assert_eq!(back, "visible");
    view.drag(&point("c3"), &point("d3")).await;
    view.wait("document.body.dataset.position === '9/9/3W5/9/B8 b'").await;
    browser.close().await;
}

/// The second click of a double click leaves the stone in the hand; another click lets go of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_double_click_is_a_click() {
    let (_server, browser, view) = open("board=9x5&start=9/9/2W1B4/9/B8_w").await;
    set_players(&view, "person", "person").await;
    view.click(&point("c3")).await;
    view.wait("document.querySelector('.selected')").await;
    view.run(
        "document.querySelector('[data-point=c3]')
           .dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 2 }))",
    )
    .await;
    view.click("[data-tab=play]").await;
    assert!(view.evaluate::<bool>("document.querySelector('.selected') !== null").await);
    view.click(&point("c3")).await;
    view.wait("!document.querySelector('.selected')").await;
    browser.close().await;
}

/// The box that says what to do keeps its height, and the clocks keep their place.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_around_the_board_jumps() {
    let (server, browser, view) = open("board=3x3").await;
    let kept = r#"{"players":{"white":"person","black":"person"},"settings":{"clock":"3+2"}}"#;
    view.run(&format!("localStorage.setItem('fanorona', {kept:?})")).await;
    let height = "document.querySelector('#action').getBoundingClientRect().height";
    for (width, height_of_window) in [(1280, 800), (390, 844)] {
        view.resize(width, height_of_window).await;
        view.go_to(&server.page(RELAY)).await;
        view.wait("document.querySelector('.movable circle')").await;
        let before: f64 = view.evaluate(height).await;
        view.click(&point("d3")).await;
        view.wait("document.querySelector('.target-dot')").await;
        assert_eq!(view.evaluate::<f64>(height).await, before);
        view.click(&point("e3")).await;
        view.wait_for(&action("choose-approach")).await;
        assert_eq!(view.evaluate::<f64>(height).await, before);
        view.click(&point("f3")).await;
        view.wait_for(&action("end-turn")).await;
        assert_eq!(view.evaluate::<f64>(height).await, before);
    }
    view.resize(1280, 800).await;
    view.go_to(&server.page("board=5x5")).await;
    view.click(&action("new-game")).await;
    view.wait_for("[data-clock=white]").await;
    let places = "['white', 'black'].map((side) => {
        const { x, width } = document.querySelector(`[data-clock=${side}]`).getBoundingClientRect();
        return [x, width]; })";
    let before: Vec<(f64, f64)> = view.evaluate(places).await;
    assert_eq!(before[0], before[1], "the clocks stand in one column");
    view.click("#turn-text").await;
    let example: String = view.evaluate("document.querySelector('#turn-text').placeholder").await;
    view.type_text(&example).await;
    view.press("Enter").await;
    view.wait("document.body.dataset.position.endsWith(' b')").await;
    view.wait("document.querySelector('#strip-far .turn-mark')").await;
    assert_eq!(view.evaluate::<Vec<(f64, f64)>>(places).await, before);
    browser.close().await;
}

/// While the program's turn is shown, it does not think any more.
#[tokio::test(flavor = "multi_thread")]
async fn a_shown_turn_is_no_thought() {
    let fragment = RELAY.replace("board=9x5", "board=9x5&rules=forced-relay");
    let (_server, browser, view) = with_players(&fragment, "1", PERSON).await;
    view.run(
        "window.marks = [];
         new MutationObserver(() => {
           if (document.body.dataset.state === 'showing')
             marks.push(document.querySelector('.turn-mark').textContent);
         }).observe(document.body, { attributes: true, childList: true, subtree: true }); 0",
    )
    .await;
    view.click(&action("resume")).await;
    view.wait("document.body.dataset.position.endsWith(' b')").await;
    let marks: Vec<String> = view.evaluate("[...new Set(marks)]").await;
    assert_eq!(marks, ["to move"]);
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

/// Where tables decide all turns, level 9 looks no further.
#[tokio::test(flavor = "multi_thread")]
async fn the_level_that_cannot_lose_answers_at_once_where_all_is_known() {
    let (_server, browser, view) = with_players("board=3x3&start=BB1/1B1/WWB_w", "9", PERSON).await;
    view.run(
        "const ask = fetch; window.fetch = async (address, init) => {
           const reply = await ask(address, init);
           if (String(address).endsWith('opponent')) window.reply = await reply.clone().json();
           return reply; };",
    )
    .await;
    press(&view, "new-game").await;
    view.wait("window.reply !== undefined").await;
    let told: (u32, String) = view.evaluate("[reply.depth, reply.value]").await;
    assert!(told.0 <= 1 && told.1 == "draw", "{told:?}");
    browser.close().await;
}
