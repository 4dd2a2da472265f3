//! The first minute: a board to play on, and a new game.

use fanorona_browser_tests::{Server, View};

use crate::common::{action, in_sight, open, play, point, position, press, set_players};

async fn flag(view: &View, expression: &str) -> bool {
    view.evaluate(&format!("Boolean({expression})")).await
}

/// The board can be played on before anything is chosen, and the program answers.
#[tokio::test(flavor = "multi_thread")]
async fn the_board_is_ready_to_play_on() {
    let (_server, browser, view) = open("board=5x5").await;
    view.wait_for(&action("learn")).await;
    view.wait("document.querySelectorAll('.point.usable').length > 0").await;
    // The first tab stop on the board is a stone that can move.
    let stop = "document.querySelector('[data-point][tabindex=\"0\"]')";
    assert!(flag(&view, &format!("{stop}.classList.contains('usable')")).await);
    browser.close().await;
}

/// Choices for a new game are seen at once around the board, and no turn is played before Start. The
/// keyboard is on the board after.
#[tokio::test(flavor = "multi_thread")]
async fn a_new_game_begins_at_start() {
    let (_server, browser, view) = open("board=5x5").await;
    let name =
        |place: &str| format!("document.querySelector('#strip-{place} .strip-name').textContent");
    view.click("input[name=level][value='1']").await;
    view.wait(&format!("{} === '1 · beginner'", name("far"))).await;
    view.click("input[name=colour][value=black]").await;
    view.wait("document.querySelector('#strip-near .stone-icon.black')").await;
    view.wait(&format!("{} === 'You' && {} === '1 · beginner'", name("near"), name("far"))).await;
    view.click("input[name=opponent][value=person]").await;
    view.wait(&format!("{} === 'Person' && {} === 'Person'", name("near"), name("far"))).await;
    view.click("input[name=opponent][value=program]").await;
    view.click("input[name=level][value='1']").await;
    view.click("input[name=colour][value=black]").await;
    let _: bool = view.evaluate("document.querySelector('#fold-more').open = true").await;
    view.set("#new-clock", "5+5").await;
    view.wait("document.querySelector('[data-clock=white]').textContent === '5:00'").await;
    view.set("#new-board", "3x3").await;
    view.wait("location.hash.includes('board=3x3')").await;
    view.wait("document.body.dataset.state === 'ready'").await;
    // The program has White, and waits.
    let before = position(&view).await;
    tokio::time::sleep(std::time::Duration::from_millis(700)).await;
    assert_eq!(position(&view).await, before);
    assert_eq!(view.evaluate::<String>("document.body.dataset.state").await, "ready");
    view.click(&action("new-game")).await;
    // The program has White and moves; Black is at the bottom.
    view.wait("document.body.dataset.position.endsWith(' b')").await;
    view.wait("document.querySelector('#strip-near .stone-icon.black')").await;
    view.wait("document.activeElement.dataset.point !== undefined").await;
    browser.close().await;
}

/// The first touch begins the game that is chosen, without Start.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_touch_begins_the_game_that_was_chosen() {
    let (_server, browser, view) = open("board=5x5").await;
    view.click("input[name=opponent][value=person]").await;
    let _: bool = view.evaluate("document.querySelector('#fold-more').open = true").await;
    view.click("input[name=first][value=black]").await;
    view.wait("document.body.dataset.position.endsWith(' b')").await;
    view.wait("document.querySelectorAll('.point.usable').length > 0").await;
    play(&view, "d3-c3A").await;
    view.wait("document.body.dataset.position.endsWith(' w')").await;
    // The other person moves, no program.
    tokio::time::sleep(std::time::Duration::from_millis(700)).await;
    assert_eq!(view.evaluate::<String>("document.body.dataset.state").await, "ready");
    assert_eq!(view.text("#strip-far .strip-name").await, "Person");
    browser.close().await;
}

/// A level whose files are missing cannot be chosen, and one sentence says so. Where a level was chosen before,
/// or turns out to be missing, the one below plays.
#[tokio::test(flavor = "multi_thread")]
async fn a_level_that_cannot_play_is_grey_or_replaced() {
    let (server, browser, view) = open("board=9x5").await;
    view.wait("document.querySelector('input[name=level][value=\"9\"]')?.disabled").await;
    view.wait(
        "document.querySelector('.levels p').textContent.startsWith('Level 9 cannot play here')",
    )
    .await;
    assert!(
        flag(&view, "document.querySelector('#player-black option[value=\"9\"]').disabled").await
    );
    let level = "JSON.parse(localStorage.getItem('fanorona')).players.black";
    let nine =
        "localStorage.setItem('fanorona', '{\"players\":{\"white\":\"person\",\"black\":9}}')";
    view.run(nine).await;
    view.go_to(&server.page("board=9x5")).await;
    view.wait("document.querySelector('#strip-far .strip-name').textContent.startsWith('8 · ')")
        .await;
    assert!(view.text("#notice").await.contains("Level 8 plays instead."));
    assert_eq!(view.evaluate::<u8>(level).await, 8);
    // So it is with other boards and rules: there are tables of all 3x3, for the usual rules only.
    let can_play = "document.querySelector('input[name=level][value=\"9\"]')?.disabled === false";
    view.run(nine).await;
    view.go_to(&server.page("board=3x3")).await;
    view.wait(can_play).await;
    assert_eq!(view.evaluate::<u8>(level).await, 9);
    view.run("document.querySelector('#fold-more').open = true").await;
    for (field, value) in [("#new-rules", "free-capture"), ("#new-board", "5x5")] {
        view.set(field, value).await;
        view.wait(&format!("!({can_play}) && document.querySelector('.levels p') !== null")).await;
        view.wait("document.querySelector('#notice').textContent.includes('8 plays instead')")
            .await;
        assert_eq!(view.evaluate::<u8>(level).await, 8);
        view.run(nine).await;
        view.go_to(&server.page("board=3x3")).await;
        view.wait(can_play).await;
        view.run("document.querySelector('#fold-more').open = true").await;
    }
    view.go_to(&server.page("board=5x5")).await;
    view.wait("document.querySelector('input[name=level][value=\"9\"]')?.disabled").await;
    view.wait("document.querySelector('#notice').textContent.includes('8 plays instead')").await;
    play(&view, "b3-c3A").await;
    view.wait("document.body.dataset.state === 'ready' && location.hash.includes('b3-c3A,')").await;
    assert_eq!(view.evaluate::<u8>(level).await, 8);
    browser.close().await;
}

/// The names of the levels as the form, the lists and the bars have them.
#[tokio::test(flavor = "multi_thread")]
async fn a_level_has_one_name_in_words() {
    let (server, browser, view) = open("board=3x3").await;
    for (language, last) in [
        ("en", "9 · cannot lose"),
        ("fr", "9 · ne peut pas perdre"),
        ("nl", "9 · kan niet verliezen"),
        ("mg", "9 · tsy mety resy"),
    ] {
        speak(&server, &view, language, "board=3x3").await;
        view.wait("document.querySelector('input[name=level][value=\"9\"]')").await;
        let names =
            |of: &str| format!("[...document.querySelectorAll('{of}')].map((e) => e.textContent)");
        let form: Vec<String> = view.evaluate(&names(".levels .unseen")).await;
        let list: Vec<String> =
            view.evaluate(&names("#player-black option:not([value=person])")).await;
        assert_eq!(form, list, "{language}");
        assert_eq!(form[8], last);
        let words: std::collections::BTreeSet<_> = form.iter().map(|name| &name[1..]).collect();
        assert_eq!(words.len(), form.len(), "{form:?}");
        view.click("input[name=level][value='9']").await;
        view.wait(&format!(
            "document.querySelector('#strip-far .strip-name').textContent === {last:?}"
        ))
        .await;
    }
    browser.close().await;
}

/// Opens the page in a language, as for somebody who has never been there.
async fn speak(server: &Server, view: &View, language: &str, fragment: &str) {
    let settings = format!("{{\"settings\":{{\"language\":{language:?}}}}}");
    view.run(&format!("localStorage.clear(); localStorage.setItem('fanorona', {settings:?})"))
        .await;
    view.go_to(&server.page(fragment)).await;
    view.wait(&format!("document.documentElement.lang === {language:?}")).await;
}

/// The first screen shows how stones are captured, offers to learn as it offers to play, and asks for no
/// turn to be typed. After the first game this is gone.
#[tokio::test(flavor = "multi_thread")]
async fn the_first_screen_is_for_who_does_not_know_the_game() {
    let (server, browser, view) = open("board=9x5").await;
    let shown = "(() => { const shown = (turn) => getComputedStyle(turn).visibility === 'visible';
        return [...document.querySelectorAll('.capture-turn')].map(shown); })()";
    let moving = "document.querySelector('.capture').getAnimations({ subtree: true }).length";
    let typed = "getComputedStyle(document.querySelector('#turn-text')).visibility === 'visible'";
    for (width, height) in [(390, 844), (844, 390), (1280, 800), (2560, 1440)] {
        view.resize(width, height).await;
        for language in ["en", "fr", "nl", "mg"] {
            let place = format!("{language} at {width}x{height}");
            speak(&server, &view, language, "board=9x5").await;
            view.wait("document.querySelectorAll('.capture .preview').length === 2").await;
            let boxes: Vec<[f64; 3]> = view
                .evaluate(
                    "['new-game', 'learn'].map((name) => document.querySelector(`[data-action=${name}]`))
                       .map((button) => [button, button.getBoundingClientRect()])
                       .map(([button, { y, width, height }]) =>
                         [y, Math.round(width), height - Math.max(0, button.scrollWidth - button.clientWidth)])",
                )
                .await;
            assert_eq!(boxes[0], boxes[1], "Start and Learn: {place}");
            assert!(!flag(&view, typed).await, "a turn to type: {place}");
        }
    }
    assert!(flag(&view, &format!("{moving} > 0")).await);
    // The one capture, then the other.
    for now in ["[true,false]", "[false,true]"] {
        view.wait(&format!("JSON.stringify({shown}) === {now:?}")).await;
    }
    view.prefer("prefers-reduced-motion", "reduce").await;
    assert!(flag(&view, &format!("{moving} === 0")).await);
    assert_eq!(view.evaluate::<Vec<bool>>(shown).await, [true, false]);
    view.screenshot("first").await;

    view.click(&action("new-game")).await;
    view.wait("!document.querySelector('.capture')").await;
    assert!(flag(&view, typed).await, "a running game has the field");
    play(&view, "d3-e3A").await;
    press(&view, "resign").await;
    press(&view, "set-up").await;
    view.wait_for(&action("new-game")).await;
    assert!(!flag(&view, "document.querySelector('.welcome, .start [data-action=learn]')").await);
    browser.close().await;
}

/// Start lies over no choice, however high the board is: neither at first, nor when one scrolls to a choice.
#[tokio::test(flavor = "multi_thread")]
async fn start_lies_over_no_choice() {
    let (server, browser, view) = open("board=5x5").await;
    view.resize(390, 844).await;
    for board in ["5x5", "9x5", "3x3"] {
        view.go_to(&server.page(&format!("board={board}"))).await;
        view.wait_for(&action("new-game")).await;
        for place in ["", "input.scrollIntoView({ block: 'center' });"] {
            let hidden: Vec<String> = view
                .evaluate(&format!(
                    "[...document.querySelectorAll('.new-game > :is(.segments, .levels) input')].filter((input) => {{
                       {place}
                       const {{ x, y, width, height }} = input.getBoundingClientRect();
                       const start = document.querySelector('[data-action=new-game]').parentElement;
                       const top = document.elementFromPoint(x + width / 2, y + height / 2);
                       return top !== null && start.contains(top);
                     }}).map(({{ name, value }}) => `${{name}} ${{value}}`)"
                ))
                .await;
            assert!(hidden.is_empty(), "{board}, {place}: {hidden:?}");
        }
    }
    browser.close().await;
}

/// A game that a new one replaces can be resumed, and resigning can be taken back.
#[tokio::test(flavor = "multi_thread")]
async fn new_game_and_resign_have_a_way_back() {
    let (_server, browser, view) = open("board=5x5&turns=").await;
    set_players(&view, "person", "person").await;
    view.click("#turn-text").await;
    let turn: String = view.evaluate("document.querySelector('.point.usable').dataset.point").await;
    view.click(&point(&turn)).await;
    view.wait("document.querySelector('.target-dot')").await;
    let target = "[...document.querySelectorAll('.point.usable')].map((p) => p.dataset.point)
        .find((p) => !document.querySelector(`[data-stone=\"${p}\"]`))";
    let target: String = view.evaluate(target).await;
    view.click(&point(&target)).await;
    view.wait(
        "document.querySelector('[data-action=end-turn], [data-action^=choose]') ||
        document.body.dataset.position.endsWith(' b')",
    )
    .await;
    if flag(&view, "document.querySelector('[data-action^=choose]')").await {
        view.click("[data-action^=choose]").await;
    }
    view.wait(
        "document.querySelector('[data-action=end-turn]') ||
        document.body.dataset.position.endsWith(' b')",
    )
    .await;
    if flag(&view, "document.querySelector('[data-action=end-turn]')").await {
        view.click(&action("end-turn")).await;
    }
    view.wait("document.body.dataset.position.endsWith(' b')").await;
    let played = position(&view).await;

    view.click(&action("resign")).await;
    view.wait("document.body.dataset.state === 'over'").await;
    view.wait_for(".result-card").await;
    view.click(&action("take-back")).await;
    view.wait("document.body.dataset.state === 'ready'").await;
    assert_eq!(position(&view).await, played);

    view.click(&action("set-up")).await;
    view.wait(&format!("document.body.dataset.position !== {played:?}")).await;
    view.click(&action("resume-game")).await;
    view.wait(&format!("document.body.dataset.position === {played:?}")).await;
    // The way back is the whole game: its turn can be undone.
    view.click(&action("undo")).await;
    view.wait("document.body.dataset.position.endsWith(' w')").await;
    browser.close().await;
}

/// The result stands under the board, as the person sees it.
#[tokio::test(flavor = "multi_thread")]
async fn the_result_is_told_from_the_persons_side() {
    for (players, text) in [
        (["person", "1"], "You won."),
        (["1", "person"], "You lost."),
        (["person", "person"], "White wins."),
    ] {
        let (_server, browser, view) = open("board=3x3&start=1B1/3/1W1_w").await;
        set_players(&view, players[0], players[1]).await;
        if players[0] == "person" {
            let from: String =
                view.evaluate("document.querySelector('.point.usable').dataset.point").await;
            view.click(&point(&from)).await;
            view.wait("document.querySelector('.target-dot')").await;
            let to = "[...document.querySelectorAll('.point.usable')].map((p) => p.dataset.point)
                .find((p) => !document.querySelector(`[data-stone=\"${p}\"]`))";
            let to: String = view.evaluate(to).await;
            view.click(&point(&to)).await;
        } else {
            view.click(&action("resume")).await;
        }
        view.wait("document.body.dataset.state === 'over'").await;
        assert_eq!(view.text(".result-card strong").await, text);
        let status = view.text("#status").await;
        assert!(status.starts_with(text));
        let alone = players.contains(&"1");
        assert_eq!(status.contains("Against 1 · beginner."), alone, "{status}");
        // Only a person's win is celebrated; who has lost gets a kind word.
        let won = players[0] == "person";
        assert_eq!(flag(&view, "document.body.dataset.won === 'white'").await, won);
        let glows = "(() => { const { stroke, animationName } = getComputedStyle(
            document.querySelector('#board .stone .body'));
            return stroke === 'rgb(255, 207, 61)' && animationName === 'hop'; })()";
        assert_eq!(flag(&view, glows).await, won);
        view.prefer("prefers-reduced-motion", "reduce").await;
        assert!(!flag(&view, glows).await, "stones hop with reduced motion");
        assert_eq!(status.contains("Well fought."), !won, "{status}");
        let review = view.text("#result [data-action=review-game]").await;
        assert_eq!(review, if won { "Review the game" } else { "What went wrong" });
        view.screenshot(&format!("result-{}-{}", players[0], players[1])).await;
        view.click(&action("close-result")).await;
        view.wait("!document.querySelector('.result-card')").await;
        browser.close().await;
    }
}

/// The result is a sheet under the board, comes after the last capture has been seen, takes the focus,
/// and gives it back to the board when Esc closes it.
#[tokio::test(flavor = "multi_thread")]
async fn the_result_is_a_sheet_under_the_board() {
    let (server, browser, view) = open("board=3x3").await;
    for (width, height, fragment, [from, to]) in [
        (1280, 800, "board=9x5&start=9/9/2W1BB3/9/9_w", ["c3", "d3"]),
        (390, 844, "board=9x5&start=9/9/2W1BB3/9/9_w", ["c3", "d3"]),
        (844, 390, "board=9x5&start=9/9/2W1BB3/9/9_w", ["c3", "d3"]),
        (1280, 800, "board=3x3&start=1B1/3/1W1_w", ["b1", "b2"]),
    ] {
        let place = format!("{fragment} at {width}x{height}");
        view.resize(width, height).await;
        view.go_to(&server.page(fragment)).await;
        view.run(
            "window.ghosts = [];
             new MutationObserver(() => {
               const [card, ghost] = ['.result-card', '.ghost']
                 .map((name) => document.querySelector(name) !== null);
               if (card || ghost) ghosts.push([card, ghost]);
             }).observe(document.body, { childList: true, subtree: true }); 0",
        )
        .await;
        view.click(&point(from)).await;
        view.wait("document.querySelector('.target-dot')").await;
        view.click(&point(to)).await;
        view.wait("document.activeElement.id === 'result'").await;
        let seen: Vec<(bool, bool)> = view.evaluate("ghosts").await;
        assert!(seen.contains(&(false, true)), "no capture is seen: {place}");
        assert!(!seen.contains(&(true, true)), "the result comes too early: {place}");
        let free = "(() => { const [card, board] = ['#result', '#board']
            .map((name) => document.querySelector(name).getBoundingClientRect());
            return card.top >= board.bottom || card.left >= board.right; })()";
        assert!(flag(&view, free).await, "the result covers the board: {place}");
        for selector in ["#board", "[data-action=again]", "[data-action=review-game]"] {
            assert!(in_sight(&view, selector).await, "{selector}: {place}");
        }
        let fits = "document.documentElement.scrollHeight <= innerHeight || innerWidth < 900";
        assert!(flag(&view, fits).await, "the page scrolls: {place}");
        view.screenshot(&format!("result-{width}")).await;
        view.press("Escape").await;
        view.wait("!document.querySelector('#result')").await;
        view.wait("document.activeElement.dataset.point !== undefined").await;
    }
    browser.close().await;
}

/// A drill as Black shows Black at the bottom; the next game does not.
#[tokio::test(flavor = "multi_thread")]
async fn a_drill_does_not_leave_the_board_turned() {
    let (_server, browser, view) = open("board=3x3&view=puzzles").await;
    view.click("input[name=puzzle-part][value=drill]").await;
    view.set("#drill-stones", "3").await;
    let near = "document.querySelector('#strip-near .stone-icon.black') !== null";
    let mut turned = false;
    for _ in 0..40 {
        let before = position(&view).await;
        view.click(&action("drill-start")).await;
        view.wait(&format!("document.body.dataset.position !== {before:?}")).await;
        if view.evaluate::<bool>(near).await {
            turned = true;
            break;
        }
    }
    assert!(turned, "no drill as Black");
    view.click("[data-tab=play]").await;
    view.click(&action("set-up")).await;
    view.wait_for(&action("new-game")).await;
    view.click("input[name=level][value='1']").await;
    view.click("input[name=colour][value=white]").await;
    view.click(&action("new-game")).await;
    view.wait(&format!("!({near})")).await;
    browser.close().await;
}

/// Board, status and the button that ends a turn are on the screen of a phone on its side, and points
/// are large enough to touch.
#[tokio::test(flavor = "multi_thread")]
async fn a_phone_on_its_side_shows_all_one_needs() {
    let (_server, browser, view) = open(crate::game::RELAY).await;
    set_players(&view, "person", "person").await;
    for (width, height) in [(844, 390), (932, 430), (740, 360)] {
        view.resize(width, height).await;
        view.click(&point("d3")).await;
        view.wait("document.querySelector('.target-dot')").await;
        view.click(&point("e3")).await;
        view.click(&action("choose-approach")).await;
        view.wait_for(&action("end-turn")).await;
        for selector in ["#status", "[data-action=end-turn]", "#board", "[data-action=undo]"] {
            assert!(in_sight(&view, selector).await, "{selector} at {width}x{height}");
        }
        let side: f64 =
            view.evaluate("document.querySelector('.hit').getBoundingClientRect().width").await;
        assert!(side >= 44.0, "{side} at {width}x{height}");
        view.screenshot(&format!("landscape-{width}")).await;
        view.click(&action("undo")).await;
        view.click(&action("undo")).await;
        view.click(&action("undo")).await;
        view.wait("!document.querySelector('.selected')").await;
    }
    browser.close().await;
}

/// On a phone on its side nothing lies over the choices of a new game, and no column of a table is lost.
#[tokio::test(flavor = "multi_thread")]
async fn a_phone_on_its_side_hides_no_choice_and_no_column() {
    let (server, browser, view) = open("board=9x5").await;
    view.resize(844, 390).await;
    for language in ["en", "fr", "nl", "mg"] {
        let settings = format!("{{\"settings\":{{\"language\":{language:?}}}}}");
        view.run(&format!("localStorage.setItem('fanorona', {settings:?})")).await;
        view.go_to(&server.page("board=9x5")).await;
        view.wait(&format!("document.documentElement.lang === {language:?}")).await;
        let hidden: Vec<String> = view
            .evaluate(
                "[...document.querySelectorAll('input[name=level], input[name=colour]')].filter((input) => {
                   const { x, y, width, height } = input.getBoundingClientRect();
                   return document.elementFromPoint(x + width / 2, y + height / 2) !== input;
                 }).map(({ name, value }) => `${name} ${value}`)",
            )
            .await;
        assert!(hidden.is_empty(), "{language}: {hidden:?}");
        view.click("[data-tab=tables]").await;
        view.wait_for("table.slices").await;
        let fits = "document.querySelector('table.slices').getBoundingClientRect().right
            <= document.querySelector('#panel').getBoundingClientRect().right";
        assert!(flag(&view, fits).await, "the table in {language}");
    }
    browser.close().await;
}

/// The names of files that a ring around a point covers: the ring ends 4 % of the distance of two points
/// before the touchable square does, and a letter is lower than its line.
const COVERED: &str = "[...document.querySelectorAll('.coordinates .file')].filter((name) =>
    [...document.querySelectorAll('.hit')].some((hit) => {
      const [text, square] = [name, hit].map((each) => each.getBoundingClientRect());
      return square.left < text.right && text.left < square.right
        && text.top < square.bottom - 0.06 * square.height; })).map((name) => name.textContent)";

/// Start is above the bar at the bottom of a phone in every language, and after it the page shows the
/// game that runs: the board, the sides and whose turn it is.
#[tokio::test(flavor = "multi_thread")]
async fn start_is_in_sight_and_shows_the_game() {
    let (server, browser, view) = open("board=9x5").await;
    view.resize(360, 640).await;
    for language in ["en", "fr", "nl", "mg"] {
        let settings = format!("{{\"settings\":{{\"language\":{language:?}}}}}");
        view.run(&format!("localStorage.setItem('fanorona', {settings:?})")).await;
        view.go_to(&server.page("board=9x5")).await;
        view.wait(&format!("document.documentElement.lang === {language:?}")).await;
        let free: bool = view
            .evaluate(
                "document.querySelector('[data-action=new-game]').getBoundingClientRect().bottom
                   <= document.querySelector('#tabs').getBoundingClientRect().top",
            )
            .await;
        assert!(free, "Start in {language}");
    }
    view.run("scrollTo(0, 500)").await;
    view.click(&action("new-game")).await;
    view.wait_for("#game-card .turn-mark").await;
    view.wait("!document.querySelector('.welcome')").await;
    for seen in ["#board", "#status", "#game-card .sides"] {
        assert!(in_sight(&view, seen).await, "{seen}");
    }
    browser.close().await;
}

/// No board makes the page wider than the window, at any size.
#[tokio::test(flavor = "multi_thread")]
async fn no_board_overflows() {
    let (server, browser, view) = open("board=5x5").await;
    for board in ["3x21", "21x3", "9x5", "3x3", "7x7"] {
        for (width, height) in [(360, 740), (844, 390), (1280, 800)] {
            view.resize(width, height).await;
            view.go_to(&server.page(&format!("board={board}"))).await;
            let wide: f64 = view.evaluate("document.documentElement.scrollWidth").await;
            assert!(wide <= f64::from(width), "{board} at {width}x{height}: {wide}");
            let board_height: f64 = view
                .evaluate("document.querySelector('#board-box').getBoundingClientRect().height")
                .await;
            assert!(
                board_height <= f64::from(height),
                "{board} at {width}x{height}: {board_height}"
            );
            // A larger board scrolls, so that its points can be touched.
            let side: f64 =
                view.evaluate("document.querySelector('.hit').getBoundingClientRect().width").await;
            assert!(side >= 31.9, "{board} at {width}x{height}: points of {side}");
            // The rings of the lowest points leave the names of files free.
            let covered: Vec<String> = view.evaluate(COVERED).await;
            assert!(covered.is_empty(), "{board} at {width}x{height}: {covered:?}");
        }
    }
    browser.close().await;
}
