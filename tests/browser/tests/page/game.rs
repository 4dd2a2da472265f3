//! Games and turns, by mouse and by keyboard.

use crate::common::{
    Hand, PERSON, action, in_sight, is_over, next_touch, open, play, point, position, press,
    set_players, usable, with_players,
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
    let height = "(() => { const box = document.querySelector('#action');
        if (box.scrollHeight > box.clientHeight) return -1;
        return box.getBoundingClientRect().height; })()";
    for (width, height_of_window) in [(1280, 800), (390, 844), (844, 390)] {
        for language in ["en", "fr", "mg", "nl"] {
            let kept = format!(
                r#"{{"players":{{"white":"person","black":"person"}},"settings":{{"clock":"3+2","language":{language:?}}}}}"#
            );
            view.run(&format!("localStorage.setItem('fanorona', {kept:?})")).await;
            view.resize(width, height_of_window).await;
            view.go_to(&server.page(RELAY)).await;
            view.wait("document.querySelector('.movable circle')").await;
            let before: f64 = view.evaluate(height).await;
            let same = async |what: &str| {
                let now: f64 = view.evaluate(height).await;
                assert_eq!(now, before, "{what} in {language} at {width}x{height_of_window}");
            };
            view.click(&point("d3")).await;
            view.wait("document.querySelector('.target-dot')").await;
            same("target").await;
            view.click(&point("e3")).await;
            view.wait_for(&action("choose-approach")).await;
            same("choice").await;
            view.click(&point("f3")).await;
            view.wait_for(&action("end-turn")).await;
            same("end").await;
            set_players(&view, "person", "4").await;
            view.run("document.querySelector('[data-action=end-turn]').click()").await;
            view.wait("!document.querySelector('[data-action=end-turn]')").await;
            same("after").await;
            view.go_to(&server.page(&RELAY.replace("_w", "_b"))).await;
            view.wait_for(&action("resume")).await;
            same("waiting").await;
        }
    }
    view.run(&format!("localStorage.setItem('fanorona', {kept:?})")).await;
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

/// A player's line has the stones that he has captured, by how many he is ahead, and a large clock whose
/// digits are of one width. Its height is always the same.
#[tokio::test(flavor = "multi_thread")]
async fn the_players_lines_tell_what_was_captured() {
    let (server, browser, view) = open("board=9x5").await;
    for (width, height) in [(1280, 800), (390, 844), (844, 390)] {
        view.resize(width, height).await;
        let kept =
            r#"{"settings":{"clock":"10+10"},"players":{"white":"person","black":"person"}}"#;
        view.run(&format!("localStorage.setItem('fanorona', {kept:?})")).await;
        view.go_to(&server.page("board=9x5")).await;
        view.click(&action("new-game")).await;
        view.wait_for("#strip-near .clock").await;
        let heights = "['far', 'near'].map((place) =>
            document.querySelector(`#strip-${place}`).getBoundingClientRect().height)";
        let before: Vec<f64> = view.evaluate(heights).await;
        play(&view, "d3-e3A").await;
        play(&view, "d4-d3A").await;
        let found: Vec<(usize, String, String)> = view
            .evaluate(
                "['far', 'near'].map((place) => {
                   const of = (name) => document.querySelector(`#strip-${place} ${name}`);
                   return [of('.captives').children.length, of('.captives').ariaLabel,
                     of('.strip-ahead').textContent]; })",
            )
            .await;
        let position = position(&view).await;
        let left = |side: char| position.split(' ').next().unwrap().matches(side).count();
        let (white, black) = (left('W'), left('B'));
        let captives = |left: usize| format!("{} captured", 22 - left);
        assert_eq!((found[0].0, found[1].0), (22 - white, 22 - black), "{position}");
        assert!(found[0].1.ends_with(&captives(white)), "{found:?}");
        assert!(found[1].1.ends_with(&captives(black)), "{found:?}");
        let ahead = |own: usize, other: usize| {
            if own > other { format!("+{}", own - other) } else { String::new() }
        };
        assert_eq!((&found[0].2, &found[1].2), (&ahead(black, white), &ahead(white, black)));
        assert_eq!(view.evaluate::<Vec<f64>>(heights).await, before, "{width}");
        // Nothing in a line is cut or covers its neighbour, but for names, which end in dots.
        let cut: Vec<String> = view
            .evaluate(
                "[...document.querySelectorAll('.strip')].flatMap((strip) =>
                   [...strip.children].filter((each) => getComputedStyle(each).position === 'static')
                     .filter((each, i, all) => {
                     const [box, line] = [each, strip].map((it) => it.getBoundingClientRect());
                     const next = all[i + 1]?.getBoundingClientRect();
                     return box.width > 1 && (box.right > line.right + 0.5 || box.top < line.top - 0.5
                       || box.bottom > line.bottom + 0.5 || next?.width > 1 && next.left < box.right - 0.5);
                   }).map((each) => each.getAttribute('class')))",
            )
            .await;
        assert!(cut.is_empty(), "{cut:?} at {width}");
        let clock: (f64, String) = view
            .evaluate(
                "(() => { const style = getComputedStyle(document.querySelector('.clock'));
                   return [parseFloat(style.fontSize), style.fontVariantNumeric]; })()",
            )
            .await;
        assert!(clock.0 >= if height < 500 { 14.0 } else { 20.0 }, "{clock:?}");
        assert_eq!(clock.1, "tabular-nums");
    }
    browser.close().await;
}

/// On a phone the tabs are at the bottom, once, and what one needs in a game stands under the board (or
/// beside it), whole in every language.
#[tokio::test(flavor = "multi_thread")]
async fn a_phone_has_its_tools_under_the_board() {
    let (server, browser, view) = open("board=9x5").await;
    for (width, height) in [(390, 844), (360, 740), (844, 390)] {
        for language in ["en", "fr", "mg", "nl"] {
            view.resize(width, height).await;
            let kept = format!(r#"{{"settings":{{"language":{language:?}}}}}"#);
            view.run(&format!("localStorage.setItem('fanorona', {kept:?})")).await;
            view.go_to(&server.page("board=9x5")).await;
            view.click(&action("new-game")).await;
            view.wait_for(&action("resign")).await;
            let place = format!("{language} {width}x{height}");
            for name in ["undo", "hint", "resign"] {
                assert!(in_sight(&view, &action(name)).await, "{name} in {place}");
            }
            let faults: Vec<String> = view
                .evaluate(
                    "(() => {
                       const box = (name) => document.querySelector(name).getBoundingClientRect();
                       const [tabs, tools, board] = ['#tabs', '#controls', '#board'].map(box);
                       const faults = [];
                       if (Math.abs(tabs.bottom - innerHeight) > 1) faults.push('tabs not at the bottom');
                       if (tools.bottom > tabs.top) faults.push('tools under the tabs');
                       if (tools.top < board.bottom && tools.left < board.right) faults.push('tools on the board');
                       if (document.querySelector('#controls [data-action^=open-]')) faults.push('a second navigation');
                       for (const each of document.querySelectorAll('#tabs button, #controls button'))
                         if (each.scrollWidth > each.clientWidth + 1) faults.push(each.textContent);
                       return faults; })()",
                )
                .await;
            assert!(faults.is_empty(), "{faults:?} in {place}");
        }
    }
    browser.close().await;
}

/// On a phone that is held upright, 9x5 can be turned by a right angle: it has two thirds of the height,
/// and fingers, keys, names and the motion of stones follow. It is kept, and the phone on its side has the
/// board as usual.
#[tokio::test(flavor = "multi_thread")]
async fn a_wide_board_is_turned_on_request() {
    let (_server, browser, view) = open(RELAY).await;
    set_players(&view, "person", "person").await;
    view.resize(390, 844).await;
    view.wait_for(&action("upright")).await;
    view.click(&action("new-game")).await;
    view.wait_for(&action("resign")).await;
    view.click(&action("upright")).await;
    view.wait("document.querySelector('[data-action=upright]').ariaPressed === 'true'").await;
    let place = "(point) => { const { x, y } = document.querySelector(`[data-point=${point}]`)
        .getBoundingClientRect(); return [Math.round(x), Math.round(y)]; }";
    let lies = format!(
        "(() => {{ const [a1, a5, i1, i5] = ['a1', 'a5', 'i1', 'i5'].map({place});
           return [a1[0] < a5[0], a1[1] === a5[1], a1[1] < i1[1], a1[0] === i1[0], i5[0] === a5[0]]; }})()"
    );
    assert_eq!(view.evaluate::<Vec<bool>>(&lies).await, [true; 5]);
    let share: f64 = view
        .evaluate("document.querySelector('#board').getBoundingClientRect().height / innerHeight")
        .await;
    assert!(share >= 0.66, "{share}");
    for seen in ["#board", "#strip-far", "#strip-near", "#action", "#controls"] {
        assert!(in_sight(&view, seen).await, "{seen}");
    }
    // The names stand beside the points that they name.
    let names: Vec<String> = view
        .evaluate(
            "['.file', '.rank'].map((kind) =>
               [...document.querySelectorAll(`.coordinates ${kind}`)].map((name) => name.textContent).join(''))",
        )
        .await;
    assert_eq!(names, ["12345", "abcdefghi"]);
    // Keys go by what is seen, and the stone slides to where it stands.
    view.run(
        "window.slides = []; const animate = Element.prototype.animate;
         Element.prototype.animate = function (frames, options) {
           if (this.dataset.stone) slides.push(frames[0].transform);
           return animate.call(this, frames, options); }; 0",
    )
    .await;
    Hand::Keyboard.touch(&view, "d3").await;
    view.wait("document.querySelector('.target-dot')").await;
    Hand::Keyboard.touch(&view, "e3").await;
    view.wait_for(&action("choose-approach")).await;
    view.wait("window.slides.length > 0").await;
    assert_eq!(view.evaluate::<String>("slides[0]").await, "translate(0px, -100px)");
    view.press("Escape").await;
    Hand::Finger.touch(&view, "d3").await;
    Hand::Finger.touch(&view, "e3").await;
    view.wait_for(&action("choose-approach")).await;
    view.reload().await;
    view.wait("document.body.dataset.ready === 'true'").await;
    assert_eq!(view.evaluate::<Vec<bool>>(&lies).await, [true; 5]);
    view.resize(844, 390).await;
    view.wait(&format!(
        "(() => {{ const [a, b] = ['a1', 'i1'].map({place}); return a[1] === b[1]; }})()"
    ))
    .await;
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
    view.click(&action("new-game")).await;
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
