//! Modules of the page by themselves, which need no server and draw nothing.

use fanorona_browser_tests::View;
use serde_json::{Value, json};

use crate::common::open_modules;

/// The value of a function body that has the modules `tree`, `value`, `puzzlescore` and `clock`.
async fn result(view: &View, body: &str) -> Value {
    view.run(
        "for (const name of ['tree', 'value', 'puzzlescore', 'clock'])
           import(`/assets/js/${name}.js`).then((it) => { (window.modules ??= {})[name] = it; })",
    )
    .await;
    view.wait("Object.keys(window.modules ?? {}).length === 4").await;
    let from = "const { tree, value, puzzlescore, clock } = window.modules;";
    view.evaluate(&format!("(() => {{ {from} {body} }})()")).await
}

/// Whatever is played, removed, promoted and visited: the turn visited last is one of those that are
/// there.
#[tokio::test(flavor = "multi_thread")]
async fn a_game_with_variations_stays_whole() {
    let (_server, browser, view) = open_modules("board=3x3").await;
    let body = "
        let seed = 7;
        const below = (n) => (seed = (seed * 48271) % 2147483647) % n;
        let game = tree.newTree('x w');
        const below_ = (id) => [id, ...tree.nodeAt(game, id).children.flatMap(below_)];
        let [removed, wrong] = [0, 0];
        for (let i = 0; i < 3000; i += 1) {
          const ids = below_(0);
          const at = tree.nodeAt(game, ids[below(ids.length)]);
          const kind = below(5);
          if (kind < 2) {
            const position = at.toMove === 'white' ? 'x b' : 'x w';
            const turn = { turn: `t${below(3)}`, path: [], captured: [], position };
            game = tree.playTurn(game, at.id, turn).tree;
          } else if (kind === 2 && ids.length > 25 && at.id !== 0) {
            game = tree.removeBranch(game, at.id);
            removed += 1;
            if (below_(0).includes(at.id)) wrong += 1;
          } else if (kind === 3) game = tree.promote(game, at.id);
          else game = tree.visit(game, at.id);
          const there = below_(0);
          for (const node of there.map((id) => tree.nodeAt(game, id))) {
            const turns = node.children.map((id) => tree.nodeAt(game, id).turn);
            if (new Set(turns).size !== turns.length) wrong += 1;
            if (node.next !== null && !node.children.includes(node.next)) wrong += 1;
          }
          if (tree.lineThrough(game, 0).some(({ id }) => !there.includes(id))) wrong += 1;
        }
        return [removed > 50, wrong];";
    assert_eq!(result(&view, body).await, json!([true, 0]));
    browser.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_value_is_turned_to_the_other_side() {
    let (_server, browser, view) = open_modules("board=3x3").await;
    let body = "
        const some = [
          { value: 'win', dtw: 3 }, { value: 'draw' }, { value: 'loss', dtw: 4 },
          { value: 'unknown', at_least: 'draw', at_most: 'win' },
          { value: 'unknown', at_least: 'loss', at_most: 'draw' },
          { value: 'unknown', at_least: 'loss', at_most: 'win' },
        ];
        const twice = some.map((one) => value.reverse(value.reverse(one)));
        return [some.map((one) => value.verdict(value.reverse(one))), twice, some];";
    let found = result(&view, body).await;
    let verdicts = ["loss", "draw", "win", "draw-or-loss", "draw-or-win", "unknown"];
    assert_eq!(found[0], json!(verdicts));
    assert_eq!(found[1], found[2]);
    browser.close().await;
}

/// The first attempt at a puzzle counts, and no other.
#[tokio::test(flavor = "multi_thread")]
async fn only_first_attempts_count() {
    let (_server, browser, view) = open_modules("board=3x3").await;
    let body = "
        const attempts = [
          ['a', true, null], ['a', true, null], ['a', false, null], ['b', true, null],
          ['c', false, null], ['a', true, 9], ['d', true, null], ['b', false, 11],
        ];
        return attempts.map(([position, solved, day]) => {
          puzzlescore.keepResult({ position, rating: 700 }, solved, day);
          const { streak, best, done, day: last } = puzzlescore.kept();
          return [streak, best, Object.keys(done).length, last];
        });";
    let expected = json!([
        [1, 1, 1, -1],
        [1, 1, 1, -1],
        [1, 1, 1, -1],
        [2, 2, 2, -1],
        [0, 2, 3, -1],
        [0, 2, 3, 9],
        [1, 2, 4, 9],
        [1, 2, 4, 9]
    ]);
    assert_eq!(result(&view, body).await, expected);
    browser.close().await;
}

/// The clock begins after the first turn. Each turn takes its time from the side that made it, and gives
/// it the increment.
#[tokio::test(flavor = "multi_thread")]
async fn turns_take_and_add_time() {
    let (_server, browser, view) = open_modules("board=3x3").await;
    let body = "
        const real = Date.now;
        let now = 0;
        Date.now = () => now;
        const app = {
          state: {
            view: 'play', drill: null, ended: null, answer: null, facts: new Map(), offline: false,
            paused: false, players: { white: 'person', black: 'person' },
            tree: tree.newTree('x w'), node: 0, clock: clock.newClock('1+5'),
          },
          dispatch: (action) => { app.state = { ...app.state, clock: action.clock }; },
          refresh: () => {},
        };
        const update = clock.createClock(app);
        const left = [];
        for (const seconds of [30, 10, 7, 2]) {
          now += 1000 * seconds;
          const before = app.state;
          const { toMove } = tree.nodeAt(before.tree, before.node);
          const position = toMove === 'white' ? 'x b' : 'x w';
          const turn = { turn: `t${seconds}`, path: [], captured: [], position };
          const played = tree.playTurn(before.tree, before.node, turn);
          app.state = { ...before, tree: played.tree, node: played.id };
          update(before);
          const { left: { white, black }, running } = app.state.clock;
          left.push([white / 1000, black / 1000, running]);
        }
        const before = app.state;
        app.state = { ...before, clock: null };
        update(before);
        Date.now = real;
        return left;";
    let expected =
        json!([[60, 60, "black"], [60, 55, "white"], [58, 55, "black"], [58, 58, "white"]]);
    assert_eq!(result(&view, body).await, expected);
    browser.close().await;
}
