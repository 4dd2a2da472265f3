//! Puzzles: solved, failed, shown, kept, and the one of the day.

use fanorona_browser_tests::View;
use serde_json::Value;

use crate::common::{Hand, action, open, open_modules, point, position};

/// The puzzle on the board: its turns.
async fn line(view: &View) -> Vec<String> {
    view.wait("document.body.dataset.state === 'ready'").await;
    let found = "window.found = fetch('assets/data/puzzles.json').then((file) => file.json())
        .then(({ puzzles }) => { window.puzzles = puzzles; }); 0";
    view.run(found).await;
    view.wait("window.puzzles").await;
    let here = position(view).await;
    let line: String =
        view.evaluate(&format!("puzzles.find((each) => each.position === {here:?}).line")).await;
    line.split(' ').map(str::to_owned).collect()
}

/// Plays a turn as it is written, by touching its points.
async fn play(view: &View, hand: Hand, turn: &str) {
    view.wait("document.body.dataset.state === 'ready'").await;
    let before = position(view).await;
    for (i, part) in turn.split('-').enumerate() {
        hand.touch(view, &part[..2]).await;
        if i > 0 {
            let choice = "document.querySelector('[data-action^=choose-]')";
            let moved = format!("document.body.dataset.position !== {before:?}");
            let stands = format!("document.querySelector('[data-stone=\"{}\"]')", &part[..2]);
            view.wait(&format!("{choice} || {stands} || {moved}")).await;
            if view.evaluate::<bool>(&format!("Boolean({choice})")).await {
                let kind = if part.ends_with('A') { "approach" } else { "withdrawal" };
                view.click(&action(&format!("choose-{kind}"))).await;
            }
        }
    }
    let moved = format!("document.body.dataset.position !== {before:?}");
    view.wait(&format!("{moved} || document.querySelector('[data-action=end-turn]')")).await;
    if !view.evaluate::<bool>(&moved).await {
        view.click(&action("end-turn")).await;
    }
    view.wait(&moved).await;
}

/// Plays the solution to its end; the page plays the replies.
async fn solve(view: &View, hand: Hand) {
    let line = line(view).await;
    for (i, turn) in line.iter().enumerate() {
        if i % 2 == 0 {
            play(view, hand, turn).await;
        } else {
            let turns = "new URLSearchParams(location.hash.slice(1)).get('turns') ?? ''";
            view.wait(&format!("({turns}).split(',').length === {}", i + 1)).await;
        }
    }
    view.wait_for("#puzzle-solved").await;
}

async fn kept(view: &View) -> Value {
    let kept: String = view.evaluate("localStorage.getItem('fanorona-puzzles')").await;
    serde_json::from_str(&kept).expect("it is JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_puzzle_is_solved_and_kept() {
    let (_server, browser, view) = open("board=9x5&view=play").await;
    let read = "performance.getEntriesByType('resource').some(({ name }) => name.includes('puzzles.json'))";
    assert!(!view.evaluate::<bool>(read).await, "puzzles are read when they are wanted");
    view.click("[data-tab=puzzles]").await;
    view.wait("document.querySelector('[data-action=puzzle-next]:not([disabled])')").await;
    view.click(&action("puzzle-next")).await;
    view.wait_for("#puzzle-task").await;
    assert!(!view.evaluate::<bool>("Boolean(document.querySelector('#puzzle-about'))").await);
    solve(&view, Hand::Mouse).await;
    let about = view.text("#puzzle-about").await;
    assert!(about.contains("of 5"), "{about}");
    view.screenshot("puzzle-solved").await;
    let score = kept(&view).await;
    assert_eq!((&score["streak"], &score["best"]), (&1.into(), &1.into()));
    assert!(score["rating"].as_i64() > Some(700), "{score}");
    // It is there after a reload, and a puzzle that was solved counts once.
    view.reload().await;
    assert!(view.text("#puzzle-score").await.contains("1 of "));
    browser.close().await;
}

/// Who has solved nothing yet gets wins that are played to their end in a few turns.
#[tokio::test(flavor = "multi_thread")]
async fn beginners_get_short_puzzles() {
    let (server, browser, view) = open_modules("board=9x5&view=puzzles").await;
    view.run(
        "window.first = null;
         Promise.all([import('./assets/js/puzzlescore.js'),
           fetch('assets/data/puzzles.json').then((file) => file.json())])
         .then(([{ expectedNext }, { puzzles }]) => {
           window.first = Array.from({ length: 60 }, () => expectedNext(puzzles)); }); 0",
    )
    .await;
    view.wait("window.first").await;
    let first: Vec<Value> = view.evaluate("window.first").await;
    assert_eq!(first.len(), 60);
    for puzzle in &first {
        assert_eq!(puzzle["value"], "win", "{puzzle}");
        assert!(puzzle["distance"].as_u64().is_some_and(|turns| turns <= 9), "{puzzle}");
        assert!(puzzle["line"].as_str().unwrap().split(' ').count() <= 5, "{puzzle}");
    }
    // After a right turn the page says so, and how many are left.
    let long =
        "puzzles => puzzles.find(({ line, grade }) => grade === 1 && line.split(' ').length === 3)";
    view.run(&format!(
        "window.puzzle = null; fetch('assets/data/puzzles.json').then((file) => file.json())
           .then(({{ puzzles }}) => {{ window.puzzle = ({long})(puzzles); }}); 0"
    ))
    .await;
    view.wait("window.puzzle").await;
    let start: String = view.evaluate("window.puzzle.position.replace(' ', '_')").await;
    view.go_to(&server.page(&format!("board=9x5&start={start}&view=puzzles"))).await;
    view.wait_for("#puzzle-task").await;
    let line = line(&view).await;
    play(&view, Hand::Mouse, &line[0]).await;
    view.wait("document.querySelector('#announcer').textContent.includes('Right: 1 turn to go.')")
        .await;
    view.wait("new URLSearchParams(location.hash.slice(1)).get('turns')?.split(',').length === 2")
        .await;
    view.wait("document.body.dataset.state === 'ready'").await;
    assert_eq!(view.text("#status").await, "Right: 1 turn to go.");
    assert!(view.text("#puzzle-task").await.contains("Right: 1 turn to go."));
    play(&view, Hand::Mouse, &line[2]).await;
    view.wait_for("#puzzle-solved").await;
    assert_eq!(view.text("#status").await, "Solved.");
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_puzzle_is_failed_and_its_solution_shown() {
    let (_server, browser, view) = open("board=9x5&view=puzzles").await;
    view.wait("document.querySelector('[data-action=puzzle-next]:not([disabled])')").await;
    view.click(&action("puzzle-next")).await;
    let line = line(&view).await;
    // A turn of the list that is not a beginning of another one, and wrong.
    let turns = "window.answer = fetch(`api/v1/position?detail=turns&position=${
        encodeURIComponent(document.body.dataset.position)}`).then((it) => it.json())
        .then(({ turns }) => { window.turns = turns.map(({ turn }) => turn); }); 0";
    view.run(turns).await;
    view.wait("window.turns").await;
    let turns: Vec<String> = view.evaluate("window.turns").await;
    let goes_on = |turn: &str| turns.iter().any(|other| other.starts_with(&format!("{turn}-")));
    let wrong = turns.iter().find(|turn| **turn != line[0] && !goes_on(turn));
    play(&view, Hand::Keyboard, wrong.expect("there are others")).await;
    view.wait_for("#puzzle-failed").await;
    let better = "document.body.innerText.split('Better:').length";
    assert_eq!(view.evaluate::<u32>(better).await, 1, "the solution is not told");
    assert_eq!(kept(&view).await["streak"], 0);
    // After another attempt it is solved, and still counts as failed.
    view.click(&action("puzzle-again")).await;
    solve(&view, Hand::Keyboard).await;
    let score = kept(&view).await;
    assert_eq!((&score["streak"], &score["best"]), (&0.into(), &0.into()));
    // The solution of another one plays itself.
    view.click(&action("puzzle-next")).await;
    view.wait_for("#puzzle-task").await;
    // It stays after a reload.
    let here = position(&view).await;
    view.reload().await;
    view.wait_for("#puzzle-task").await;
    assert_eq!(position(&view).await, here);
    view.click(&action("puzzle-solution")).await;
    view.wait_for("#puzzle-shown").await;
    view.screenshot("puzzle-shown").await;
    assert_eq!(kept(&view).await["done"].as_object().map(serde_json::Map::len), Some(2));
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn everybody_has_the_same_puzzle_of_the_day() {
    let (server, browser, view) = open_modules("board=9x5&view=puzzles").await;
    let other = browser.open(&server.page("board=9x5&view=puzzles"), 360, 740).await;
    let mut positions = Vec::new();
    for view in [&view, &other] {
        view.wait("document.querySelector('[data-action=puzzle-daily]:not([disabled])')").await;
        view.click(&action("puzzle-daily")).await;
        view.wait_for("#puzzle-task").await;
        positions.push(position(view).await);
    }
    assert_eq!(positions[0], positions[1]);
    other.screenshot("puzzle-360").await;
    solve(&view, Hand::Mouse).await;
    view.wait("document.querySelector('[data-action=puzzle-daily]').textContent.includes('✓')")
        .await;
    // It is not the same every day.
    view.run(
        "window.days = import('./assets/js/puzzlescore.js').then(({ puzzleOfDay }) => {
        window.chosen = [0, 1, 2, 3].map((day) => puzzleOfDay(puzzles, day).position); }); 0",
    )
    .await;
    view.wait("window.chosen").await;
    let mut chosen: Vec<String> = view.evaluate("window.chosen").await;
    chosen.dedup();
    assert_eq!(chosen.len(), 4, "{chosen:?}");
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drill_says_once_what_was_better_and_keeps_its_streak() {
    let (_server, browser, view) = open("board=9x5&view=puzzles").await;
    view.run("localStorage.setItem('fanorona-puzzles', JSON.stringify({ drill: { streak: 3, best: 5 } }))")
        .await;
    view.reload().await;
    view.click("input[name=puzzle-part][value=drill]").await;
    view.set("#drill-stones", "3").await;
    view.wait("document.body.innerText.includes('In a row: 3. Best: 5.')").await;
    view.click(&action("drill-start")).await;
    view.wait_for("#drill-task").await;
    // Any turn that gives the value away.
    view.run(
        "window.answer = fetch(`api/v1/position?detail=turns&position=${
        encodeURIComponent(document.body.dataset.position)}`).then((it) => it.json())
        .then(({ turns }) => { window.turns = turns.filter(({ holds }) => !holds)
            .map(({ turn }) => turn).filter((turn, _, all) =>
                !turns.some((other) => other.turn.startsWith(`${turn}-`))); }); 0",
    )
    .await;
    view.wait("window.turns").await;
    let turns: Vec<String> = view.evaluate("window.turns").await;
    play(&view, Hand::Mouse, turns.first().expect("a drill can be failed")).await;
    view.wait_for("#drill-lost").await;
    view.wait("document.body.innerText.split('Better:').length === 2").await;
    assert_eq!(kept(&view).await["drill"]["streak"], 0);
    assert_eq!(kept(&view).await["drill"]["best"], 5);
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chosen_stone_is_announced() {
    let (_server, browser, view) = open("board=9x5&start=9/9/2W1B4/9/B8_w&view=explore").await;
    view.wait("document.body.dataset.state === 'ready'").await;
    view.click(&point("c3")).await;
    view.wait("document.querySelector('#announcer').textContent.includes('c3 chosen')").await;
    let said = view.text("#announcer").await;
    assert!(said.contains("d3"), "{said}");
    browser.close().await;
}
