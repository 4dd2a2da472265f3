//! Values, turns, lines and proofs.

use std::fs;

use fanorona_browser_tests::{Browser, Server};
use fanorona_core::Position;
use fanorona_proof::Certificate;

use crate::common::{action, in_sight, open, open_modules, position};

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
    // The turns push down what is below them.
    view.wait("document.querySelectorAll('[data-turn]').length > 0").await;
    view.click(&action("prove")).await;
    view.wait("document.querySelector('#proof-progress')?.dataset.end === 'running'").await;
    // By its key: the engine's lines above still grow, and would move it from under the mouse.
    view.wait_for(&action("stop")).await;
    view.run(&format!("document.querySelector({:?}).focus()", action("stop"))).await;
    view.press("Enter").await;
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

/// A phone goes back and forward with buttons in the bar.
#[tokio::test(flavor = "multi_thread")]
async fn a_phone_goes_back_and_forward() {
    let (_server, browser, view) = open("board=5x5&turns=c2-c3A,d4-c5W-c4A&view=explore").await;
    for (width, height) in [(390, 844), (844, 390)] {
        view.resize(width, height).await;
        let last = position(&view).await;
        assert!(in_sight(&view, &action("back")).await, "{width}");
        view.click(&action("back")).await;
        view.wait(&format!("document.body.dataset.position !== {last:?}")).await;
        view.click(&action("forward")).await;
        view.wait(&format!("document.body.dataset.position === {last:?}")).await;
    }
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

/// What failed while the server was away is asked for again when it answers.
#[tokio::test(flavor = "multi_thread")]
async fn a_line_that_failed_is_asked_for_again() {
    let (_server, browser, view) = open("board=9x5&start=9/4W4/3W5/9/8B_w&view=explore").await;
    view.wait_for("#line [data-line]").await;
    view.run(
        "window.ask = window.fetch;
         window.fetch = (address, init) => String(address).includes('api/v1/')
           ? Promise.reject(new TypeError('away')) : window.ask(address, init);",
    )
    .await;
    view.click(&action("refutation")).await;
    view.wait("document.querySelector('.refutation')?.textContent.includes('does not answer')")
        .await;
    view.run("window.fetch = window.ask; window.dispatchEvent(new Event('online'))").await;
    view.wait_for(".refutation [data-line]").await;
    browser.close().await;
}

/// A certificate that rests on tables is saved under a name of its own, with a command that checks it.
#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_saved_under_its_name_with_a_command_that_checks_it() {
    let (server, browser, view) = open("board=9x5").await;
    let mut names = Vec::new();
    // Four stones: the proof goes on in the tables of three.
    for start in ["9/9/2W1B4/9/W7B_w", "9/9/2W1B4/9/1W6B_w"] {
        view.go_to(&server.page(&format!("board=9x5&start={start}&view=explore"))).await;
        view.run(
            "window.saved = null; const address = URL.createObjectURL;
             URL.createObjectURL = (blob) => {
               blob.arrayBuffer().then((it) => { window.bytes = [...new Uint8Array(it)]; });
               return address.call(URL, blob); };
             HTMLAnchorElement.prototype.click = function () { window.saved = this.download; }",
        )
        .await;
        let is_open = "document.querySelector('#fold-proof').open = true";
        assert!(view.evaluate::<bool>(is_open).await);
        view.click(&action("prove")).await;
        view.click(&action("save-certificate")).await;
        view.wait("window.saved && window.bytes").await;
        let name: String = view.evaluate("window.saved").await;
        let command = view.text(".certificate .command code").await;
        assert!(command.starts_with("fanorona check "), "{command}");
        assert!(command.contains(&name) && command.contains(" --tables "), "{name}: {command}");
        let bytes: Vec<u8> = view.evaluate("window.bytes").await;
        let dir = tempfile::tempdir().expect("a directory");
        fs::write(dir.path().join(&name), bytes).expect("the name is one of a file");
        let certificate = Certificate::open(dir.path().join(&name)).expect("it is a certificate");
        let position: Position = start.replace('_', " ").parse().expect("a position");
        assert_eq!(certificate.position(), position);
        names.push(name);
    }
    assert_ne!(names[0], names[1]);
    browser.close().await;
}

/// Without distances no turn is known to make progress: no line that wanders, and no words about numbers.
#[tokio::test(flavor = "multi_thread")]
async fn without_distances_turns_that_win_take_the_place_of_a_line() {
    let fragment = "board=9x5&start=9/4W4/3W5/9/8B_w&view=explore";
    for (server, has_line) in [(Server::start(), true), (Server::start_without_distances(), false)]
    {
        let browser = Browser::start().await;
        let view = browser.open(&server.page(fragment), 1280, 800).await;
        view.wait("document.querySelector('#value .chip.win')").await;
        view.wait("document.querySelector('#line [data-line], #line [data-keep]')").await;
        let count = |selector: &str| format!("document.querySelectorAll('{selector}').length");
        let lines: usize = view.evaluate(&count("#line [data-line]")).await;
        let keep: usize = view.evaluate(&count("#line [data-keep]")).await;
        assert_eq!((lines > 1, keep > 0), (has_line, !has_line));
        let says =
            |text: &str| format!("document.querySelector('#panel').textContent.includes({text:?})");
        assert_eq!(view.evaluate::<bool>(&says("Number:")).await, has_line);
        assert_eq!(view.evaluate::<bool>(&says("Main line")).await, has_line);
        let numbers = "[...document.querySelectorAll('#panel .chip-number')]
            .filter((number) => number.textContent !== '').length";
        assert_eq!(view.evaluate::<usize>(numbers).await > 0, has_line);
        browser.close().await;
    }
}

/// The memory that a build needs is a matter of the build, and not of what the server holds just now.
#[tokio::test(flavor = "multi_thread")]
async fn the_figures_of_a_build_stay_as_they_are() {
    let (_server, browser, view) = open("board=9x5&view=tables").await;
    let figures = view.text(".build .quiet").await;
    assert!(figures.contains("B of memory"), "{figures}");
    // The server takes and frees memory: a search, and a level that thinks.
    view.run(
        "window.answers = 0;
         const body = JSON.stringify({ turns: ['d3-e3A'], level: 8, seconds: 0.5 });
         const headers = { 'content-type': 'application/json' };
         for (const each of [
           fetch('api/v1/opponent', { method: 'POST', headers, body }),
           fetch('api/v1/search?board=5x3&seconds=5').then((it) => it.text()),
         ]) each.then(() => { window.answers += 1; })",
    )
    .await;
    view.wait("window.answers === 2").await;
    for _ in 0..3 {
        view.reload().await;
        assert_eq!(view.text(".build .quiet").await, figures);
    }
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn numbers_have_their_forms_in_every_language() {
    let (_server, browser, view) = open_modules("board=3x3").await;
    view.run(
        "window.said = null;
         import('./assets/js/i18n.js').then(async ({ loadLanguage, t, LANGUAGES }) => {
           const found = {};
           for (const language of Object.keys(LANGUAGES)) {
             await loadLanguage(language);
             found[language] = [1, 2].map((n) => t('explore.keep_least', { n, all: 5 }));
           }
           window.said = found; }); 0",
    )
    .await;
    view.wait("window.said").await;
    for (language, one, other) in [
        ("en", "At least 1 of 5 turns keeps the value", "At least 2 of 5 turns keep the value"),
        (
            "fr",
            "Au moins 1 coup sur 5 conserve la valeur",
            "Au moins 2 coups sur 5 conservent la valeur",
        ),
        (
            "nl",
            "Minstens 1 van de 5 zetten behoudt de waarde",
            "Minstens 2 van de 5 zetten behouden de waarde",
        ),
        (
            "mg",
            "Dia 1 farafahakeliny amin’ny 5 no mitana ny vokatra",
            "Dia 2 farafahakeliny amin’ny 5 no mitana ny vokatra",
        ),
    ] {
        let said: Vec<String> = view.evaluate(&format!("window.said.{language}")).await;
        assert_eq!(said, [one, other]);
    }
    browser.close().await;
}

/// Where nothing is known, the engine's percentage stands in the place of the value. It is asked for by
/// itself after a moment, and no longer once one leaves.
#[tokio::test(flavor = "multi_thread")]
async fn an_estimate_stands_for_an_unknown_value() {
    let (_server, browser, view) = open("board=9x5&turns=d3-e3A,d4-d3A").await;
    view.run(
        "window.asked = []; window.said = new Set(); const ask = fetch;
         window.fetch = (address, init) => {
           if (String(address).includes('analysis')) asked.push([String(address), init.signal]);
           return ask(address, init); };
         new MutationObserver(() => said.add(document.querySelector('#value strong')?.textContent))
           .observe(document.body, { subtree: true, childList: true, characterData: true });",
    )
    .await;
    view.click("[data-tab=explore]").await;
    let is_told = "/^\\d+\\s%$/.test(document.querySelector('#value .chip-number')?.textContent)";
    view.wait(is_told).await;
    let told = view.text("#value").await;
    assert!(told.contains("White’s chances: ") && told.contains("not proved"), "{told}");
    // So do the turns of the engine's lines.
    view.wait(
        "document.querySelectorAll('[data-engine-turn]').length > 1
         && [...document.querySelectorAll('[data-engine-turn]')].every(({ dataset, previousSibling }) =>
           document.querySelector(`[data-turn=\"${dataset.engineTurn}\"] .chip`).textContent
             === previousSibling.textContent)",
    )
    .await;
    // Who steps through the game asks only where one stays.
    assert_eq!(view.evaluate::<usize>("asked.length").await, 1);
    view.run(
        "asked.length = 0;
         for (const _ of [1, 2]) document.querySelector('[data-action=back]').click()",
    )
    .await;
    view.wait("document.body.dataset.position.startsWith('BBBBBBBBB/BBBBBBBBB')").await;
    view.wait(is_told).await;
    assert_eq!(view.evaluate::<usize>("asked.length").await, 1);
    view.click("[data-tab=play]").await;
    view.wait("asked.length === 1 && asked[0][1].aborted").await;
    let said: Vec<String> = view.evaluate("[...said].filter(Boolean)").await;
    assert!(!said.iter().any(|text| text.contains("unknown")), "{said:?}");
    browser.close().await;
}

/// Who explores plays no side: both players have one card, which fits, and the board stays where it is.
#[tokio::test(flavor = "multi_thread")]
async fn both_players_have_one_card() {
    let (server, browser, view) = open("board=9x5").await;
    let board = "(({ x, y, width, height }) => [x, y + scrollY, width, height].map(Math.round))(
        document.querySelector('#board-box').getBoundingClientRect())";
    for language in ["en", "fr", "mg", "nl"] {
        view.run(&format!(
            "localStorage.setItem('fanorona', '{{\"settings\":{{\"language\":\"{language}\"}}}}')"
        ))
        .await;
        view.go_to(&server.page("board=9x5")).await;
        for (width, height) in [(390, 844), (844, 390), (1280, 800), (2560, 1440)] {
            view.resize(width, height).await;
            view.click("[data-tab=play]").await;
            view.wait("document.querySelectorAll('.strip .player').length === 2").await;
            let before: [i32; 4] = view.evaluate(board).await;
            view.click("[data-tab=explore]").await;
            view.wait("document.querySelectorAll('#strip-far .player').length === 2").await;
            assert_eq!(view.evaluate::<[i32; 4]>(board).await, before, "{language} {width}");
            let cut = "[...document.querySelectorAll('.player, .player > *')]
                .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 0
                  || each.getBoundingClientRect().right > each.parentElement.getBoundingClientRect().right + 1)
                .map((each) => each.textContent)";
            assert_eq!(view.evaluate::<Vec<String>>(cut).await, [""; 0], "{language} {width}");
        }
    }
    browser.close().await;
}

/// Of the turns that keep the value, the one that is hardest to answer is marked by a word that is explained.
#[tokio::test(flavor = "multi_thread")]
async fn the_trickiest_turn_is_marked() {
    let (_server, browser, view) = open("board=9x5&start=9/3B5/4B4/9/7W1_w&view=explore").await;
    view.wait_for("#turns .trickiest").await;
    let marked: Vec<String> = view
        .evaluate(
            "[...document.querySelectorAll('#turns .trickiest')].flatMap((mark) =>
               [mark.closest('[data-turn]').dataset.turn, mark.textContent, mark.title])",
        )
        .await;
    assert_eq!(marked[..2], ["h1-h2", "trickiest"]);
    assert!(marked.len() == 3 && marked[2].contains("fewest good replies"), "{marked:?}");
    // In a won position the other side cannot go wrong.
    view.run("location.hash = '#board=9x5&start=9/9/2W1B4/9/9_w&view=explore'").await;
    view.wait(
        "document.querySelector('#turns [data-turn=\"c3-d3A\"]')?.textContent.includes('repl')",
    )
    .await;
    assert!(!view.evaluate::<bool>("document.querySelector('.trickiest') !== null").await);
    browser.close().await;
}
