//! Reviews of games, the engine's view, arrows, and what a search proves.

use fanorona_browser_tests::View;

use crate::common::{action, open, point, position};

/// Waits until the turns of the position are listed, and returns them, best first.
async fn turns(view: &View) -> Vec<String> {
    view.wait("document.querySelectorAll('#turns [data-turn]').length > 0").await;
    view.evaluate("[...document.querySelectorAll('#turns [data-turn]')].map((t) => t.dataset.turn)")
        .await
}

/// White gives the win of 3x3 away. The review says so, a key leads there, and another turn holds.
#[tokio::test(flavor = "multi_thread")]
async fn a_mistake_is_found_and_tried_again() {
    let (_server, browser, view) = open("board=3x3&view=explore").await;
    let all = turns(&view).await;
    let (best, worst) = (&all[0], all.last().expect("turns"));
    let start = position(&view).await;
    view.click(&format!("#turns [data-turn={worst:?}]")).await;
    view.wait(&format!("document.body.dataset.position !== {start:?}")).await;
    view.click(&action("review")).await;
    let summary = view.text("#review-summary").await;
    assert!(summary.contains("1 mistake") && summary.contains("2 of 2 positions"), "{summary}");
    // The mistake is marked in the list of turns and in the graph.
    view.wait_for("[data-ply='1'] .mark").await;
    view.wait("document.querySelector('.graph-mistake') !== null").await;
    let share = view.text("#review-share").await;
    assert!(share.contains(&format!("of {}", all.len())), "{share}");
    view.screenshot("review").await;
    view.press("Home").await;
    view.wait(&format!("document.body.dataset.position === {start:?}")).await;
    view.press("j").await;
    view.wait(&format!("document.body.dataset.position !== {start:?}")).await;

    view.click(&action("try-again")).await;
    view.wait(&format!("document.body.dataset.position === {start:?}")).await;
    view.wait("document.querySelector('#review-try')?.dataset.try === 'open'").await;
    turns(&view).await;
    view.click(&format!("#turns [data-turn={best:?}]")).await;
    view.wait("document.querySelector('#review-try')?.dataset.try === 'holds'").await;
    // The same turn is no better the second time.
    view.click(&action("try-again")).await;
    view.wait(&format!("document.body.dataset.position === {start:?}")).await;
    turns(&view).await;
    view.click(&format!("#turns [data-turn={worst:?}]")).await;
    view.wait("/(loses|misses)_win/.test(document.querySelector('#review-try')?.dataset.try)")
        .await;
    browser.close().await;
}

/// Who has lost is led to the first mistake of that side.
#[tokio::test(flavor = "multi_thread")]
async fn a_loser_sees_what_went_wrong() {
    let (server, browser, view) = open("board=3x3&view=explore").await;
    let worst = turns(&view).await.pop().expect("turns");
    view.click(&format!("#turns [data-turn={worst:?}]")).await;
    view.wait("document.body.dataset.position.endsWith(' b')").await;
    let reply = turns(&view).await.remove(0);
    let game = format!("board=3x3&turns={worst},{reply}&end=black-resigned-2");
    view.resize(390, 844).await;
    view.go_to(&server.page(&game)).await;
    assert_eq!(view.text(&action("review-game")).await, "What went wrong");
    view.click(&action("review-game")).await;
    view.wait("new URLSearchParams(location.hash.slice(1)).get('ply') === '1'").await;
    view.wait("document.querySelector('.review-turn [data-action=try-again]') !== null").await;
    let mistake = view.text(".review-turn").await;
    assert!(mistake.contains("win"), "{mistake}");
    // It is in sight on a phone, above the bar.
    view.wait(
        "document.querySelector('.review-turn').getBoundingClientRect().bottom
           <= document.querySelector('#tabs').getBoundingClientRect().top",
    )
    .await;
    view.screenshot("what-went-wrong").await;
    browser.close().await;
}

/// A game on 5x5 that White wins.
const WON: &str = "c2-c3A,d4-c5W-c4A,b3-c3A-c2W,b4-b3A,c1-b2A-b1W,a4-a3A,e2-e3A,a3-b3,b1-b2A,a5-a4,e3-d4,\
    b5-a5,d4-d3W,a5-b5,c2-c3,b5-b4,b2-b3A,a4-a3,c3-c4,a3-a2,e1-e2,a2-a1,d2-e1,a1-a2,c4-d4,a2-a1,d4-e3,\
    a1-a2,e3-e4,a2-a1,b3-b2,a1-a2,b2-c2W";

const CURRENT_ROW_IS_WHOLE: &str = "(() => {
    const [row, list] = ['.turn-row:has(.here)', '.turn-list']
      .map((name) => document.querySelector(name)?.getBoundingClientRect());
    return !row || (row.top >= list.top && row.bottom <= list.bottom); })()";

/// A review has the colours of the person's side, one count of what is known, and places that stay when
/// one goes through the game by the graph.
#[tokio::test(flavor = "multi_thread")]
async fn a_review_stands_still_and_takes_the_persons_side() {
    let (server, browser, view) = open("board=3x3").await;
    view.go_to(&server.page(&format!("board=5x5&turns={WON}&view=explore"))).await;
    // White is the person, and has won.
    view.wait("document.querySelector('#value.win .chip.win') !== null").await;
    view.wait("document.querySelector('#value').textContent.includes('White wins')").await;
    view.click(&action("review")).await;
    let summary = view.text("#review-summary").await;
    let label: String = view.evaluate("document.querySelector('.value-graph').ariaLabel").await;
    let number = |text: &str, of: &str| {
        let (before, _) = text.split_once(of).expect(of);
        before.rsplit(|c: char| !c.is_ascii_digit()).next().map(str::to_owned)
    };
    assert_eq!(number(&summary, " of 34"), number(&label, " of 34"), "{summary} {label}");
    // What Black wins or loses is told from White's side, too.
    let lost: bool = view
        .evaluate("document.querySelector('[data-ply=\"33\"] .chip, [data-ply=\"32\"] .chip').matches('.win')")
        .await;
    assert!(lost, "the last turns");
    let places = "['.value-graph', '.turn-list', '#review-summary', '.engine'].map((name) =>
        document.querySelector(name).getBoundingClientRect().top
          + document.querySelector('#panel').scrollTop + scrollY)";
    let before: Vec<f64> = view.evaluate(places).await;
    for part in [0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.99] {
        let last = position(&view).await;
        view.run(&format!(
            "(() => {{ const graph = document.querySelector('.value-graph');
               const {{ left, width }} = graph.getBoundingClientRect();
               graph.dispatchEvent(new MouseEvent('click', {{ clientX: left + {part} * width }})); }})()"
        ))
        .await;
        view.wait(&format!("document.body.dataset.position !== {last:?}")).await;
        assert_eq!(view.evaluate::<Vec<f64>>(places).await, before, "while it loads, at {part}");
        view.wait("['ready', 'over'].includes(document.body.dataset.state)").await;
        view.wait("!document.querySelector('.engine').textContent.includes('Loading')").await;
        assert_eq!(view.evaluate::<Vec<f64>>(places).await, before, "at {part}");
        let whole: bool = view.evaluate(CURRENT_ROW_IS_WHOLE).await;
        assert!(whole, "the turn on the board is cut off in the list, at {part}");
        let share: String =
            view.evaluate("document.querySelector('#review-share')?.textContent ?? ''").await;
        let numbers: Vec<&str> =
            share.split(' ').filter(|word| word.parse::<u32>().is_ok()).collect();
        assert!(numbers.is_empty() || numbers[0] != numbers[1], "{share}");
    }
    view.screenshot("review-won").await;
    browser.close().await;
}

/// Where nothing is known the engine's view comes in, deeper and deeper, until one leaves.
#[tokio::test(flavor = "multi_thread")]
async fn an_open_position_has_estimates_until_one_leaves() {
    let (_server, browser, view) = open("board=9x5&turns=d3-e3A,d4-d3A&view=explore").await;
    view.wait_for("#turns").await;
    let place = "document.querySelector('#turns').getBoundingClientRect().top + scrollY";
    let before: f64 = view.evaluate(place).await;
    view.wait("Number(document.querySelector('#engine-lines')?.dataset.depth) > 3").await;
    view.wait_for("#evaluation").await;
    assert_eq!(view.evaluate::<f64>(place).await, before, "nothing below the lines jumps");
    view.wait("document.querySelector('.arrow.best') !== null").await;
    view.screenshot("engine-lines").await;
    view.click("[data-tab=settings]").await;
    view.wait("document.querySelector('.arrow') === null").await;
    let open =
        "performance.getEntriesByType('resource').filter((e) => e.name.includes('/analysis'))";
    // The stream has ended: its entry is complete.
    view.wait(&format!("{open}.length === 1 && {open}[0].responseEnd > 0")).await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_right_button_draws_and_the_wheel_turns_pages() {
    let (_server, browser, view) = open("board=9x5&turns=d3-e3A,d4-d3A&view=explore").await;
    let last = position(&view).await;
    view.drag_right(&point("a1"), &point("a2")).await;
    view.wait("document.querySelector('g.arrow.own') !== null").await;
    view.drag_right(&point("i5"), &point("i5")).await;
    view.wait("document.querySelector('circle.arrow.own') !== null").await;
    view.drag_right(&point("a1"), &point("a2")).await;
    view.wait("document.querySelector('g.arrow.own') === null").await;
    view.press("ArrowLeft").await;
    view.wait(&format!("document.body.dataset.position !== {last:?}")).await;
    view.wait("document.querySelector('.arrow.own') === null").await;
    view.press("ArrowRight").await;
    view.wait(&format!("document.body.dataset.position === {last:?}")).await;
    let wheel = |by: i32| {
        format!(
            "document.querySelector('#board').dispatchEvent(
                 new WheelEvent('wheel', {{ deltaY: {by}, bubbles: true, cancelable: true }}))"
        )
    };
    view.run(&wheel(-120)).await;
    view.wait("new URLSearchParams(location.hash.slice(1)).get('ply') === '0'").await;
    view.run(&wheel(60)).await;
    view.wait("new URLSearchParams(location.hash.slice(1)).get('ply') === '1'").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_threat_is_shown() {
    // If White passes, Black captures.
    let (_server, browser, view) = open("board=9x5&start=9/9/2W1B4/9/9_w&view=explore").await;
    view.click(&action("threat")).await;
    let threat = view.text("#threat").await;
    assert!(threat.contains("e3-d3A"), "{threat}");
    view.wait("document.querySelector('.arrow.menace') !== null").await;
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_openings_have_what_is_proved() {
    let (_server, browser, view) = open("board=3x5&view=explore").await;
    view.click("#fold-openings summary").await;
    view.wait("document.querySelectorAll('[data-opening] .chip.win').length > 0").await;
    view.screenshot("openings").await;
    view.click("[data-opening]").await;
    view.wait("document.body.dataset.position.endsWith(' b')").await;
    browser.close().await;
}

/// The headline and the turns say what the search has proved.
#[tokio::test(flavor = "multi_thread")]
async fn a_proof_reaches_the_values() {
    let (_server, browser, view) = open("board=5x3&view=explore").await;
    view.wait("document.querySelector('#value .chip.unknown') !== null").await;
    view.click(&action("prove")).await;
    view.wait("document.querySelector('#proof-progress')?.dataset.end === 'proved'").await;
    view.wait("document.querySelector('#value .chip.win') !== null").await;
    view.wait("document.querySelector('#turns [data-turn] .chip.win') !== null").await;
    // It is still known when one comes back.
    view.click("#turns [data-turn]").await;
    view.wait("document.body.dataset.position.endsWith(' b')").await;
    view.press("ArrowLeft").await;
    view.wait("document.querySelector('#value .chip.win') !== null").await;
    browser.close().await;
}

/// A draw has no line of best play: the page lists the turns that keep it.
#[tokio::test(flavor = "multi_thread")]
async fn a_draw_has_turns_that_keep_it_and_no_line() {
    let (_server, browser, view) = open("board=9x5&start=B8/9/9/9/8W_w&view=explore").await;
    view.wait_for("#keep [data-keep]").await;
    view.wait("document.querySelector('#line [data-line]') === null").await;
    let text = view.text("#turns").await;
    assert!(!text.is_empty());
    let legend: bool =
        view.evaluate("document.querySelector('#panel').textContent.includes('Number:')").await;
    assert!(!legend, "there is no number");
    browser.close().await;
}

/// The server's errors are said in the language of the page.
#[tokio::test(flavor = "multi_thread")]
async fn errors_are_in_the_language_of_the_page() {
    let (_server, browser, view) = open("board=9x5&view=settings").await;
    view.set("#language", "fr").await;
    view.wait("document.documentElement.lang === 'fr'").await;
    view.click("[data-tab=explore]").await;
    view.click("#turn-text").await;
    view.type_text("a1-a2").await;
    view.press("Enter").await;
    let error = view.text("#turn-error").await;
    assert_eq!(error, "Ce coup est illisible ou n’est pas permis ici.");
    browser.close().await;
}
