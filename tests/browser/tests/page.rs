//! The explorer's page, used as a person would use it.
//!
//! Every test has a server and a browser of its own.

use std::path::Path;

use fanorona_browser_tests::{Browser, Server, View};
use fanorona_core::{Board, RuleSet};
use fanorona_tests::scripted::{self, Script};
use fanorona_ugi::client::ProgramCommand;
use serde_json::Value;

/// A server, a browser and a page with this fragment of the address.
async fn open(fragment: &str) -> (Server, Browser, View) {
    let (server, browser) = (Server::start(), Browser::start().await);
    let view = browser.open(&server.page(fragment), 1280, 800).await;
    (server, browser, view)
}

fn point(name: &str) -> String {
    format!("[data-point={name:?}]")
}

fn action(name: &str) -> String {
    format!("[data-action={name:?}]")
}

/// Waits until a person can move or the game is over, and says whether it is over.
async fn is_over(view: &View) -> bool {
    view.wait("['ready', 'over'].includes(document.body.dataset.state)").await;
    view.evaluate("document.body.dataset.state === 'over'").await
}

/// The points that can be touched now.
async fn usable(view: &View) -> Vec<String> {
    view.evaluate("[...document.querySelectorAll('.point.usable')].map((p) => p.dataset.point)")
        .await
}

async fn position(view: &View) -> String {
    view.evaluate("document.body.dataset.position").await
}

/// How a person touches a point.
#[derive(Clone, Copy)]
enum Hand {
    Mouse,
    Keyboard,
}

impl Hand {
    async fn touch(self, view: &View, name: &str) {
        match self {
            Self::Mouse => view.click(&point(name)).await,
            Self::Keyboard => {
                walk_to(view, name).await;
                view.press("Enter").await;
            }
        }
    }

    async fn act(self, view: &View, name: &str, key: &str) {
        match self {
            Self::Mouse => view.click(&action(name)).await,
            Self::Keyboard => view.press(key).await,
        }
    }
}

/// Moves the focus on the board to a point with the arrow keys.
async fn walk_to(view: &View, name: &str) {
    let focus = "document.activeElement.dataset?.point ?? ''";
    while view.evaluate::<String>(focus).await.is_empty() {
        view.press("Tab").await;
    }
    loop {
        let at: String = view.evaluate(focus).await;
        let (at, to) = (at.as_bytes(), name.as_bytes());
        let key = match (to[0].cmp(&at[0]), to[1].cmp(&at[1])) {
            (std::cmp::Ordering::Less, _) => "ArrowLeft",
            (std::cmp::Ordering::Greater, _) => "ArrowRight",
            (_, std::cmp::Ordering::Less) => "ArrowDown",
            (_, std::cmp::Ordering::Greater) => "ArrowUp",
            _ => return,
        };
        view.press(key).await;
    }
}

/// A point that a person can touch to go on with a turn: where the stone goes, before another stone.
/// `None` if the turn can end.
async fn next_touch(view: &View) -> Option<String> {
    view.evaluate(
        "(() => {
           if (document.querySelector('[data-action=end-turn]')) return null;
           const points = [...document.querySelectorAll('.point.usable')]
             .map((point) => point.dataset.point);
           const free = points.filter((p) => !document.querySelector(`[data-stone=\"${p}\"]`));
           return free[0] ?? points[0]; })()",
    )
    .await
}

/// Plays White against the lowest level until the game is over.
async fn whole_game(hand: Hand) {
    let (_server, browser, view) = open("board=3x3").await;
    view.set("#player-white", "person").await;
    view.set("#player-black", "1").await;
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
    assert!(
        ["White", "Black", "draw", "Draw"].iter().any(|word| result.contains(word)),
        "{result}"
    );
    view.screenshot("game-over").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_game_by_mouse() {
    whole_game(Hand::Mouse).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_game_by_keyboard() {
    whole_game(Hand::Keyboard).await;
}

/// White's stone on d3 can go to e3 and capture either f3 or c3, and then e5 on the way to e4.
const RELAY: &str = "board=9x5&start=4B4/9/2BW1B3/9/B8_w";

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_with_a_choice_and_an_early_end() {
    let (_server, browser, view) = open(RELAY).await;
    for side in ["white", "black"] {
        view.set(&format!("#player-{side}"), "person").await;
    }
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
    for side in ["white", "black"] {
        view.set(&format!("#player-{side}"), "person").await;
    }
    view.drag(&point("c3"), &point("d3")).await;
    view.wait("document.body.dataset.position === '9/9/3W5/9/B8 b'").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_are_typed() {
    let (_server, browser, view) = open("board=9x5").await;
    for side in ["white", "black"] {
        view.set(&format!("#player-{side}"), "person").await;
    }
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

/// The engine of the test below.
#[test]
fn scripted_engine() {
    scripted::run_if_asked();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_external_engine_is_chosen_and_plays() {
    let script = Script::player("first");
    let command = ProgramCommand::new(script.program(), script.arguments());
    let (server, browser) = (Server::start_with_engine(command), Browser::start().await);
    let view = browser.open(&server.page("board=9x5"), 1280, 800).await;
    view.wait("document.querySelector(\"#player-black [value='engine:first']\") !== null").await;
    view.set("#player-white", "person").await;
    view.set("#player-black", "engine:first").await;
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
    view.screenshot("edit").await;
    view.click(&action("edit-explore")).await;
    view.wait("document.body.dataset.view === 'explore'").await;
    view.wait("document.querySelectorAll('[data-turn]').length > 0").await;
    browser.close().await;
}

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
async fn the_page_speaks_french_and_dutch() {
    let (_server, browser, view) = open("board=9x5&view=settings").await;
    let tab = "[data-tab=explore]";
    let english = view.text(tab).await;
    for language in ["fr", "nl"] {
        view.set("#language", language).await;
        view.wait(&format!("document.documentElement.lang === {language:?}")).await;
        view.wait(&format!("document.querySelector({tab:?}).textContent.trim() !== {english:?}"))
            .await;
        view.screenshot(language).await;
    }
    // It is kept.
    view.reload().await;
    view.wait("document.documentElement.lang === 'nl'").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proof_is_watched_to_its_end() {
    let (_server, browser, view) = open("board=5x3&view=explore").await;
    view.click(&action("prove")).await;
    view.wait("document.querySelector('#proof-progress')?.dataset.end === 'proved'").await;
    view.wait_for(&action("save-certificate")).await;
    view.screenshot("proof").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_search_is_watched_and_stopped() {
    let (_server, browser, view) = open("board=9x5&view=explore").await;
    view.click(&action("prove")).await;
    view.wait("document.querySelector('#proof-progress')?.dataset.end === 'running'").await;
    view.click(&action("stop")).await;
    view.wait("document.querySelector('#proof-progress')?.dataset.end === 'stopped'").await;
    // The button to start again is back.
    view.wait_for(&action("prove")).await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn values_stand_beside_turns() {
    let (_server, browser, view) = open("board=9x5&start=9/9/2W1B4/9/9_w&view=explore").await;
    view.wait("document.querySelectorAll('[data-turn]').length > 0").await;
    let first: String = view.evaluate("document.querySelector('[data-turn]').dataset.turn").await;
    assert_eq!(first, "c3-d3A");
    let value = view.text("#value").await;
    assert!(value.to_lowercase().contains("win"), "{value}");
    // The best turn is announced to screen readers too.
    view.wait("document.querySelector('#announcer').textContent.length > 0").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_is_played_up_to_a_turn() {
    let (_server, browser, view) = open("board=9x5&start=9/4W4/3W5/9/8B_b&view=explore").await;
    view.wait_for("[data-line='2']").await;
    view.click("[data-line='2']").await;
    view.wait("new URLSearchParams(location.hash.slice(1)).get('turns')?.split(',').length === 3")
        .await;
    view.wait("document.body.dataset.position.endsWith(' w')").await;
    browser.close().await;
}

/// axe-core from the npm registry finds no violation in any view, at two sizes, light and dark.
#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_accessible() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("node_modules/axe-core/axe.min.js");
    let axe = std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!("{}: {error}; run npm ci in {}", path.display(), env!("CARGO_MANIFEST_DIR"))
    });
    let (server, browser, view) = open("board=5x5").await;
    let mut violations = Vec::new();
    for (width, height) in [(1280, 800), (360, 740)] {
        for scheme in ["light", "dark"] {
            for view_name in ["play", "explore", "edit", "tables", "drill", "settings"] {
                let fragment =
                    format!("board=9x5&start=9/9/2W1B4/9/B8_w&turns=c3-d3A&ply=0&view={view_name}");
                view.resize(width, height).await;
                view.prefer("prefers-color-scheme", scheme).await;
                view.go_to(&server.page(&fragment)).await;
                view.wait(&format!("document.body.dataset.view === {view_name:?}")).await;
                view.wait("document.body.dataset.state !== 'loading'").await;
                view.run(&axe).await;
                view.run("axe.run().then((found) => { window.found = found.violations; }); 0")
                    .await;
                view.wait("window.found").await;
                let found: Vec<Value> = view
                    .evaluate(
                        "window.found.map(({ id, help, nodes }) =>
                             ({ id, help, nodes: nodes.map((node) => node.html.slice(0, 200)) }))",
                    )
                    .await;
                let place = format!("{view_name}-{width}-{scheme}");
                violations.extend(found.into_iter().map(|violation| (place.clone(), violation)));
                view.screenshot(&place).await;
            }
        }
    }
    assert!(violations.is_empty(), "{violations:#?}");
    browser.close().await;
}

/// The page asks nobody but its own server, and breaks no rule of its content security policy.
#[tokio::test(flavor = "multi_thread")]
async fn no_request_leaves_the_page() {
    let (server, browser, view) = open("board=9x5").await;
    for name in ["explore", "edit", "tables", "drill", "settings", "play"] {
        view.click(&format!("[data-tab={name}]")).await;
        view.wait(&format!("document.body.dataset.view === {name:?}")).await;
    }
    let requests: Vec<String> =
        view.evaluate("performance.getEntriesByType('resource').map((entry) => entry.name)").await;
    assert!(requests.len() > 5, "{requests:?}");
    let own = server.page("");
    let own = own.trim_end_matches("/#");
    for request in requests {
        assert!(request.starts_with(own), "{request}");
    }
    browser.close().await;
}
