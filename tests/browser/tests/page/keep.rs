//! Things that are kept for a player: the game after a reload or a restart, one's own games, undo, settings.

use fanorona_browser_tests::View;

use crate::common::{PERSON, action, listen, open, play, position, press, with_players};

/// Opens the list of one's own games.
async fn open_list(view: &View) {
    view.run("document.querySelector('#fold-games').open = true").await;
}

async fn part_of_address(view: &View, name: &str) -> String {
    view.evaluate(&format!(
        "new URLSearchParams(location.hash.slice(1)).get({name:?})?.replaceAll(' ', '_') ?? ''"
    ))
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn each_game_has_a_seed_of_its_own() {
    let (server, browser, view) = with_players("board=9x5", PERSON, "1").await;
    let first = part_of_address(&view, "seed").await;
    view.run(
        "window.seeds = []; const before = window.fetch;
         window.fetch = (address, init) => {
           if (String(address).endsWith('/opponent')) seeds.push(String(JSON.parse(init.body).seed));
           return before(address, init); };",
    )
    .await;
    play(&view, "d3-e3A").await;
    view.wait("window.seeds.length === 1").await;
    assert_eq!(view.evaluate::<Vec<String>>("window.seeds").await, [first.as_str()]);
    view.go_to(&server.page("board=5x5")).await;
    let second = part_of_address(&view, "seed").await;
    assert!(!first.is_empty() && !second.is_empty() && first != second, "{first} {second}");
    // A link keeps it.
    view.go_to(&server.page("board=5x5&seed=17")).await;
    assert_eq!(part_of_address(&view, "seed").await, "17");
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_finger_drags_stones_and_swipes_through_turns() {
    let (_server, browser, view) =
        with_players("board=9x5&start=9/9/2W1B4/9/B8_w", PERSON, PERSON).await;
    view.resize(390, 844).await;
    view.drag_finger("[data-point=c3]", "[data-point=d3]").await;
    view.wait("document.body.dataset.position === '9/9/3W5/9/B8 b'").await;
    let address: String = view.evaluate("location.pathname").await;
    let length: u32 = view.evaluate("history.length").await;
    view.drag_finger("[data-point=h4]", "[data-point=b4]").await;
    view.wait("document.body.dataset.position.endsWith(' w')").await;
    view.drag_finger("[data-point=b4]", "[data-point=h4]").await;
    view.wait("document.body.dataset.position === '9/9/3W5/9/B8 b'").await;
    assert_eq!(view.evaluate::<String>("location.pathname").await, address);
    assert_eq!(view.evaluate::<u32>("history.length").await, length);
    // The board does not let the browser make a gesture of its own out of it.
    let own: String =
        view.evaluate("getComputedStyle(document.querySelector('#board')).touchAction").await;
    assert!(!own.contains("pan-x") && own != "auto" && own != "manipulation", "{own}");
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn persons_and_programs_sound_different_and_only_a_win_is_celebrated() {
    let (server, browser, view) = with_players("board=9x5", PERSON, "1").await;
    listen(&view).await;
    play(&view, "d3-e3A").await;
    view.wait("sounds.some((name) => name.startsWith('program-'))").await;
    assert_eq!(view.evaluate::<String>("sounds[0]").await, "person-take");

    // The last stone is captured: by the person, or by the program.
    let is_celebrated = "sounds.some((name) => name.startsWith('celebration-'))";
    for (white, black, wins) in [(PERSON, "1", true), ("1", PERSON, false)] {
        let players = format!("{{\"players\":{{\"white\":{white},\"black\":{black}}}}}");
        view.run(&format!("localStorage.setItem('fanorona', {players:?})")).await;
        view.go_to(&server.page("board=3x3&start=3/W1B/3_w")).await;
        listen(&view).await;
        match wins {
            true => play(&view, "a2-b2A").await,
            false => press(&view, "resume").await,
        }
        view.wait("document.body.dataset.state === 'over'").await;
        assert_eq!(view.evaluate::<bool>(is_celebrated).await, wins);
        // Whoever looks at the end again hears nothing new.
        view.run("window.sounds = []").await;
        press(&view, "back").await;
        view.wait("document.body.dataset.state !== 'over'").await;
        press(&view, "forward").await;
        view.wait("document.body.dataset.state === 'over'").await;
        assert!(!view.evaluate::<bool>(is_celebrated).await);
    }
    // A draw that was agreed.
    view.run("localStorage.setItem('fanorona', '{\"players\":{\"black\":\"person\"}}')").await;
    view.go_to(&server.page("board=9x5")).await;
    listen(&view).await;
    play(&view, "d3-e3A").await;
    press(&view, "agree-draw").await;
    view.wait("document.body.dataset.state === 'over'").await;
    assert!(!view.evaluate::<bool>(is_celebrated).await);
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn undo_works_after_a_reload() {
    let (_server, browser, view) = with_players("board=9x5", PERSON, PERSON).await;
    let start = position(&view).await;
    play(&view, "d3-e3A").await;
    let after = position(&view).await;
    play(&view, "d4-d3A").await;
    view.reload().await;
    press(&view, "undo").await;
    view.wait(&format!("document.body.dataset.position === {after:?}")).await;
    press(&view, "undo").await;
    view.wait(&format!("document.body.dataset.position === {start:?}")).await;
    view.reload().await;
    press(&view, "redo").await;
    view.wait(&format!("document.body.dataset.position === {after:?}")).await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn results_survive_a_reload() {
    for (name, reason) in [("resign", "resigned"), ("agree-draw", "agreed")] {
        let (_server, browser, view) = with_players("board=9x5", PERSON, PERSON).await;
        play(&view, "d3-e3A").await;
        press(&view, name).await;
        view.wait("document.body.dataset.state === 'over'").await;
        let result = view.text("#status").await;
        view.reload().await;
        assert_eq!(view.evaluate::<String>("document.body.dataset.state").await, "over");
        assert_eq!(view.text("#status").await, result);
        assert!(part_of_address(&view, "end").await.contains(reason));
        browser.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repetition_is_claimed_and_stays_claimed() {
    // Both sides go to and fro.
    let turns = "a2-a3,i4-i3,a3-a2,i3-i4,a2-a3,i4-i3,a3-a2,i3-i4";
    let fragment = format!("board=9x5&start=9/8B/9/W8/9_w&turns={turns}");
    let (_server, browser, view) = with_players(&fragment, PERSON, PERSON).await;
    press(&view, "claim").await;
    view.wait("document.body.dataset.state === 'over'").await;
    view.reload().await;
    assert_eq!(view.evaluate::<String>("document.body.dataset.state").await, "over");
    assert_eq!(part_of_address(&view, "end").await, "draw-threefold-8");
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_illegal_turn_in_a_link_leaves_the_legal_part() {
    let fragment = "board=9x5&turns=d3-e3A,a1-a2,b1-b2&view=play";
    let (_server, browser, view) = with_players(fragment, PERSON, PERSON).await;
    assert!(position(&view).await.ends_with(" b"));
    let notice = view.text("#notice").await;
    assert!(notice.contains("a1-a2"), "{notice}");
    assert_eq!(view.evaluate::<String>("location.hash").await, format!("#{fragment}"));
    // It is one's own game as soon as it goes on.
    play(&view, "d4-d3A").await;
    view.wait("new URLSearchParams(location.hash.slice(1)).get('turns') === 'd3-e3A,d4-d3A'").await;
    browser.close().await;
}

/// A game that the server refuses for its length has no illegal turn.
#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_is_refused_is_told_why() {
    let turns = ["a2-a3", "i4-i3", "a3-a2", "i3-i4"].into_iter().cycle().take(2001);
    let turns = turns.collect::<Vec<_>>().join(",");
    let fragment = format!("board=9x5&start=9/8B/9/W8/9_w&turns={turns}");
    let (_server, browser, view) = with_players(&fragment, PERSON, PERSON).await;
    view.wait("document.querySelector('#notice')?.textContent.includes('2001 turns')").await;
    let notice = view.text("#notice").await;
    assert!(!notice.contains("not legal"), "{notice}");
    browser.close().await;
}

const RECORD: &str = "[Board \"9x5\"]\n[White \"Rakoto\"]\n[Black \"Rasoa\"]\n[Date \"2001-02-03\"]\n\
    [Draws \"without-capture-50\"]\n[Result \"0-1\"]\n\n1. d3-e3A! {The usual turn.} (1. d2-e3A {Another}) 1... d4-d3A 0-1\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_is_loaded_is_exported_as_it_was() {
    let (_server, browser, view) = with_players("board=9x5", PERSON, "1").await;
    view.wait("document.querySelector('#record') !== null").await;
    view.set("#record", RECORD).await;
    press(&view, "load-record").await;
    view.wait("location.hash.includes('d3-e3A(')").await;
    for _ in 0..2 {
        // The text is asked for when a person looks at it.
        view.wait("document.querySelector('#fold-share') !== null").await;
        view.run("document.querySelector('#fold-share').open = true").await;
        view.wait("document.querySelector('#record').value.includes('d4-d3A')").await;
        let text: String = view.evaluate("document.querySelector('#record').value").await;
        for part in [
            "[White \"Rakoto\"]",
            "[Black \"Rasoa\"]",
            "[Date \"2001-02-03\"]",
            "[Draws \"without-capture-50\"]",
            "[Result \"0-1\"]",
            "1. d3-e3A! {The usual turn.} (1. d2-e3A",
            "{Another}",
            "0-1\n",
        ] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
        let turns = part_of_address(&view, "turns").await;
        assert_eq!(turns, "d3-e3A(d2-e3A),d4-d3A");
        // The same again after a reload.
        view.reload().await;
    }
    assert_eq!(view.evaluate::<String>("document.body.dataset.state").await, "over");
    assert!(view.text("#status").await.contains("lost"), "{}", view.text("#status").await);
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_tabs_keep_each_others_settings() {
    let (server, browser, first) = with_players("board=9x5&view=settings", PERSON, PERSON).await;
    let second = browser.open(&server.page("board=9x5&view=settings"), 1280, 800).await;
    first.set("#coordinates", "false").await;
    second.wait("document.querySelector('#coordinates').checked === false").await;
    second.set("#sound", "false").await;
    first.set("#hints", "true").await;
    first.wait("JSON.parse(localStorage.getItem('fanorona')).settings.hints === true").await;
    let kept: Vec<Option<bool>> = first
        .evaluate(
            "(({ coordinates, sound, hints }) => [coordinates, sound, hints])(
               JSON.parse(localStorage.getItem('fanorona')).settings)",
        )
        .await;
    assert_eq!(kept, [Some(false), Some(false), Some(true)]);
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_game_goes_on_when_the_server_answers_again() {
    for by_button in [false, true] {
        let (_server, browser, view) =
            with_players("board=9x5&start=9/9/2W1B4/9/B8_w", PERSON, "1").await;
        view.run(
            "window.real = window.fetch;
             window.fetch = () => Promise.reject(new TypeError('the server is gone'))",
        )
        .await;
        // A touch needs no server, but the position after the turn does, and the program's turn.
        view.click("[data-point=c3]").await;
        view.click("[data-point=d3]").await;
        view.wait_for(&action("retry-request")).await;
        view.run("window.fetch = window.real").await;
        if by_button {
            press(&view, "retry-request").await;
        }
        view.wait("!document.querySelector('[data-action=retry-request]')").await;
        view.wait("document.body.dataset.state === 'ready'").await;
        view.wait("location.hash.includes('turns=c3-d3A,')").await;
        assert!(view.evaluate::<bool>("Boolean(window.real)").await, "the page was loaded again");
        press(&view, "undo").await;
        view.wait("document.body.dataset.position === '9/9/2W1B4/9/B8 w'").await;
        browser.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_running_game_and_the_list_of_games_are_kept() {
    let (server, browser, view) = with_players("board=9x5", PERSON, PERSON).await;
    play(&view, "d3-e3A").await;
    play(&view, "d4-d3A").await;
    let here = position(&view).await;
    // The browser is opened anew, without an address of a game.
    open_list(&view).await;
    view.wait("document.querySelectorAll('.game').length === 1").await;
    view.go_to(server.page("").trim_end_matches('#')).await;
    assert_eq!(position(&view).await, here);
    press(&view, "resign").await;
    open_list(&view).await;
    view.wait("document.querySelector('.game b')?.textContent === 'Black wins.'").await;
    view.go_to(&server.page("board=5x5")).await;
    play(&view, "b3-c3A").await;
    open_list(&view).await;
    view.wait("document.querySelectorAll('.game').length === 2").await;
    // All of them as one text.
    view.run(
        "const address = URL.createObjectURL; window.saved = ''; URL.createObjectURL = (blob) => {
           blob.text().then((text) => { window.saved = text; }); return address.call(URL, blob); };",
    )
    .await;
    press(&view, "export-games").await;
    view.wait("window.saved !== ''").await;
    let saved: String = view.evaluate("window.saved").await;
    assert_eq!(saved.matches("[Board ").count(), 2, "{saved}");
    assert!(saved.contains("1. d3-e3A d4-d3A 0-1") && saved.contains("1. b3-c3A *"), "{saved}");
    // The first is opened again, and deleted.
    view.run("document.querySelectorAll('[data-action=open-game]')[1].click()").await;
    view.wait(&format!("document.body.dataset.position === {here:?}")).await;
    view.wait("document.body.dataset.state === 'over'").await;
    view.run("document.querySelectorAll('[data-action=delete-game]')[1].click()").await;
    view.wait("document.querySelectorAll('.game').length === 1").await;
    view.reload().await;
    open_list(&view).await;
    view.wait("document.querySelectorAll('.game').length === 1").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hint_shows_a_turn_and_plays_none() {
    let (_server, browser, view) =
        with_players("board=9x5&start=9/9/2W1B4/9/9_w&turns=c3-d3A&ply=0", PERSON, "1").await;
    let before = position(&view).await;
    press(&view, "hint").await;
    view.wait_for(".preview").await;
    view.wait("document.querySelector('#announcer').textContent.includes('c3-d3A')").await;
    assert_eq!(view.text("#status").await, "Hint: c3-d3A");
    assert_eq!(position(&view).await, before);
    browser.close().await;
}

/// The list says who one was and how it went. An old game that is opened again celebrates nothing.
#[tokio::test(flavor = "multi_thread")]
async fn a_game_of_ones_own_is_told_from_ones_side() {
    let (server, browser, view) = with_players("board=9x5", PERSON, "1").await;
    play(&view, "d3-e3A").await;
    view.wait("document.body.dataset.position.endsWith(' w')").await;
    press(&view, "resign").await;
    view.wait_for(".result-card").await;
    // The result is the status, and told nowhere else.
    let told = "document.querySelector('main').innerText.split('You resigned.').length - 1";
    assert_eq!(view.evaluate::<usize>(told).await, 1);
    open_list(&view).await;
    view.wait("document.querySelector('.game b')?.textContent === 'lost'").await;
    let row = view.text(".game").await;
    assert!(row.contains("White against 1 · beginner"), "{row}");
    let time =
        "/\\b\\d{4}\\b.*\\b\\d{1,2}:\\d{2}/.test(document.querySelector('.game').textContent)";
    assert!(view.evaluate::<bool>(time).await, "{row}");
    view.go_to(&server.page("board=5x5")).await;
    open_list(&view).await;
    press(&view, "open-game").await;
    view.wait("document.body.dataset.state === 'over'").await;
    assert!(!view.evaluate::<bool>("Boolean(document.querySelector('.result-card'))").await);
    view.wait_for(&action("again")).await;
    browser.close().await;
}

/// Clocks that are on are seen where the game begins, without opening anything.
#[tokio::test(flavor = "multi_thread")]
async fn clocks_of_the_next_game_are_seen() {
    let (_server, browser, view) = with_players("board=9x5", PERSON, PERSON).await;
    assert!(!view.evaluate::<bool>("Boolean(document.querySelector('#clock-on'))").await);
    let _: bool = view.evaluate("document.querySelector('#fold-more').open = true").await;
    view.set("#new-clock", "5+5").await;
    view.reload().await;
    let text = view.text("#clock-on").await;
    assert!(text.contains("5+5"), "{text}");
    view.click(&action("clock-off")).await;
    view.wait("!document.querySelector('#clock-on')").await;
    press(&view, "new-game").await;
    play(&view, "d3-e3A").await;
    assert!(!view.evaluate::<bool>("Boolean(document.querySelector('[data-clock]'))").await);
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_game_is_lost_on_time() {
    let (server, browser, view) = with_players("board=9x5", PERSON, PERSON).await;
    let settings = "{\"players\":{\"white\":\"person\",\"black\":\"person\"},\"settings\":{\"clock\":\"1+0\"}}";
    view.run(&format!("localStorage.setItem('fanorona', {settings:?})")).await;
    view.go_to(&server.page("board=9x5")).await;
    press(&view, "new-game").await;
    view.wait_for("[data-clock=white]").await;
    assert_eq!(view.text("[data-clock=black]").await, "1:00");
    play(&view, "d3-e3A").await;
    view.wait("document.querySelector('[data-clock=black]').classList.contains('running')").await;
    // A minute passes.
    view.run("const now = Date.now; Date.now = () => now() + 61000").await;
    view.wait("document.body.dataset.state === 'over'").await;
    assert!(view.text("#status").await.contains("White"));
    view.reload().await;
    assert_eq!(view.evaluate::<String>("document.body.dataset.state").await, "over");
    browser.close().await;
}

/// The page comes in few requests, and is small.
#[tokio::test(flavor = "multi_thread")]
async fn the_page_comes_in_few_requests() {
    let (_server, browser, view) = open("board=9x5").await;
    let entries = "performance.getEntriesByType('resource')";
    let count: usize = view.evaluate(&format!("{entries}.length")).await;
    let bytes: u64 = view
        .evaluate(&format!("{entries}.reduce((sum, entry) => sum + entry.transferSize, 0)"))
        .await;
    assert!(count <= 12, "{count} requests");
    assert!((1..200_000).contains(&bytes), "{bytes} bytes");
    browser.close().await;
}

/// A puzzle, an edited position or a link leaves the game where it was, and Play offers to resume it, after
/// the page was loaded again, too.
#[tokio::test(flavor = "multi_thread")]
async fn a_game_that_something_else_replaces_is_resumed() {
    let (server, browser, view) = with_players("board=9x5", PERSON, PERSON).await;
    play(&view, "d3-e3A").await;
    play(&view, "d4-d3A").await;
    let here = position(&view).await;
    assert!(
        !view
            .evaluate::<bool>("Boolean(document.querySelector('[data-action=resume-game]'))")
            .await
    );
    for what in ["puzzle", "edit", "link", "reload"] {
        match what {
            "puzzle" => {
                view.click("[data-tab=puzzles]").await;
                press(&view, "puzzle-next").await;
            }
            "edit" => {
                view.click("[data-tab=edit]").await;
                press(&view, "edit-mirror").await;
                press(&view, "edit-play").await;
            }
            "link" => view.run("location.hash = '#board=5x5&turns=b3-c3A'").await,
            _ => view.go_to(&server.page("board=3x3")).await,
        }
        view.wait(&format!("document.body.dataset.position !== {here:?}")).await;
        view.click("[data-tab=play]").await;
        view.click(&action("resume-game")).await;
        view.wait(&format!("document.body.dataset.position === {here:?}")).await;
        view.wait("document.body.dataset.view === 'play' && document.querySelector('#game-card')")
            .await;
        view.wait("!document.querySelector('[data-action=resume-game]')").await;
    }
    // It is the same game: the list has one, and it goes on.
    play(&view, "f2-f3A").await;
    open_list(&view).await;
    assert_eq!(view.evaluate::<usize>("document.querySelectorAll('.game').length").await, 1);
    browser.close().await;
}

/// A text that cannot be read stays in its field, with a sentence for a player.
#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_is_refused_stays() {
    let (_server, browser, view) = with_players("board=9x5", PERSON, PERSON).await;
    view.run("document.querySelector('#fold-share').open = true").await;
    view.wait("document.querySelector('#record') !== null").await;
    let text = "document.querySelector('#record').value";
    for wrong in ["1. d3-e3A nonsense", "[Board \"9x5\"]\n\n1. d3-e3A a1-a1 *"] {
        view.set("#record", wrong).await;
        press(&view, "load-record").await;
        let told = view.text("#record-error").await;
        assert!(told.starts_with("This is not the text of a game."), "{told}");
        for word in ["line 1", "column", "record"] {
            assert!(!view.text("main").await.contains(word), "{word}");
        }
        assert_eq!(view.evaluate::<String>(text).await, wrong);
        view.wait("document.activeElement.id === 'record' && document.activeElement.ariaInvalid === 'true'").await;
        // It stays while one mends it, and the message goes.
        view.type_text(" ").await;
        view.wait("!document.querySelector('#record-error')").await;
        assert!(view.evaluate::<String>(text).await.len() > wrong.len());
    }
    view.set("#record", RECORD).await;
    press(&view, "load-record").await;
    view.wait("location.hash.includes('d3-e3A(')").await;
    view.wait(&format!("{text}.includes('Rasoa')")).await;
    browser.close().await;
}

/// "Back" and "forward" of the browser go through tabs, games and explored positions, and stay on the page.
#[tokio::test(flavor = "multi_thread")]
async fn back_leads_through_tabs_games_and_positions() {
    let (_server, browser, view) = with_players("board=9x5", PERSON, PERSON).await;
    view.run("window.same = true").await;
    let place = "document.body.dataset.view + ' ' + document.body.dataset.position";
    play(&view, "d3-e3A").await;
    let mut places: Vec<String> = vec![view.evaluate(place).await];
    for step in
        ["settings", "explore", "turn", "edit", "new", "puzzles", "puzzle", "play", "resume"]
    {
        match step {
            "turn" => play(&view, "d4-d3A").await,
            "new" => view.press("n").await,
            "puzzle" => press(&view, "puzzle-next").await,
            "resume" => press(&view, "resume-game").await,
            tab => view.click(&format!("[data-tab={tab}]")).await,
        }
        let last = places.last().expect("a place");
        view.wait(&format!("{place} !== {last:?} && document.body.dataset.state === 'ready'"))
            .await;
        places.push(view.evaluate(place).await);
    }
    for (act, order) in
        [("back", places.iter().rev().collect::<Vec<_>>()), ("forward", places.iter().collect())]
    {
        for expected in &order[1..] {
            view.run(&format!("history.{act}()")).await;
            view.wait(&format!(
                "{place} === {expected:?} && document.body.dataset.state === 'ready'"
            ))
            .await;
        }
    }
    assert!(view.evaluate::<bool>("window.same").await, "the page was loaded again");
    // Turns of a game are no entries: "undo" is for them.
    let length: u32 = view.evaluate("history.length").await;
    play(&view, "f2-f3A").await;
    assert_eq!(view.evaluate::<u32>("history.length").await, length);
    // An entry from before the page was loaded again is opened from its address.
    view.run("history.back()").await;
    view.wait(&format!("{place} === {:?}", places[8])).await;
    view.run("location.reload()").await;
    view.wait("!window.same && document.body?.dataset.ready === 'true'").await;
    view.run("history.back()").await;
    view.wait("document.body.dataset.view === 'puzzles'").await;
    view.wait(&format!("{place} === {:?}", places[7])).await;
    browser.close().await;
}

/// Each game has a picture of its last position, and how it went. Those that go on come first, and all of
/// them can be resumed, in a new tab too.
#[tokio::test(flavor = "multi_thread")]
async fn every_game_that_goes_on_is_resumed() {
    let (server, browser, view) = with_players("board=9x5", PERSON, PERSON).await;
    let mut ends = Vec::new();
    for (fragment, turn) in
        [("board=5x5", "b3-c3A"), ("board=9x5", "d3-e3A"), ("board=9x5", "f2-e3A")]
    {
        view.go_to(&server.page(fragment)).await;
        play(&view, turn).await;
        ends.push(position(&view).await);
        if ends.len() == 3 {
            press(&view, "resign").await;
            view.wait("document.body.dataset.state === 'over'").await;
        }
        // It is in the database before the page goes.
        view.run(&format!(
            "window.stored = 0; const look = ({{ target: {{ result }} }}) => {{
               const all = result.transaction('games').objectStore('games').getAll();
               all.onsuccess = () => {{ window.stored = all.result.length; result.close();
                 if (stored < {}) indexedDB.open('fanorona', 1).onsuccess = look; }} }};
             indexedDB.open('fanorona', 1).onsuccess = look;",
            ends.len()
        ))
        .await;
        view.wait(&format!("window.stored === {}", ends.len())).await;
    }
    // The last game is over; another tab would have none.
    view.run("sessionStorage.clear()").await;
    let rows = "[...document.querySelectorAll('.game')]";
    for (row, end) in [(0, &ends[1]), (1, &ends[0])] {
        view.go_to(&server.page("board=3x3")).await;
        view.wait_for(&action("resume-game")).await;
        open_list(&view).await;
        view.wait(&format!(
            "{rows}.length === 3 && {rows}.every((row) => row.querySelector('svg'))"
        ))
        .await;
        // As many stones as the position has.
        let stones: Vec<usize> = view
            .evaluate(&format!("{rows}.map((row) => row.querySelectorAll('circle').length)"))
            .await;
        let count = |end: &String| end.matches(['W', 'B']).count();
        assert_eq!(stones, [count(&ends[1]), count(&ends[0]), count(&ends[2])]);
        let told: Vec<String> = view
            .evaluate(&format!("{rows}.map((row) => row.querySelector('b').textContent)"))
            .await;
        assert_eq!(told, ["not finished", "not finished", "White wins."]);
        view.screenshot("games").await;
        view.run(&format!("{rows}[{row}].querySelector('[data-action=open-game]').click()")).await;
        view.wait(&format!("document.body.dataset.position === {end:?}")).await;
        view.wait("document.querySelector('#game-card') !== null").await;
    }
    browser.close().await;
}
