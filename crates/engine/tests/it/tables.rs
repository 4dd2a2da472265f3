//! Play by tables, and search compared with tables.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Board, PointSet, Position, RuleSet, Side, SplitMix64, Stones, Turn, Value};
use fanorona_engine::{Analysis, Choice, Engine, Game, GameEnd, Known, Limits, Options, Score};
use fanorona_knowledge::Knowledge;
use fanorona_tablebase::{Metric, Tables};
use fanorona_tests::effort;
use fanorona_tests::partial::{Told, leave_some, position_with};

fn built(dir: &Path, board: Board, rules: RuleSet, stones: u32, metric: Metric) -> Arc<Tables> {
    let options = BuildOptions::new(dir, board, rules, stones).with_metric(metric);
    build(&options, &(), &AtomicBool::new(false)).expect("it can be built");
    Arc::new(Tables::open(dir, board, rules).expect("they are there"))
}

fn engine(rules: RuleSet, board: Board, tables: Option<Arc<Tables>>) -> Engine {
    let mut options = Options::default();
    options.memory = 4 << 20;
    let known = Knowledge::new(board, rules, tables, None).expect("they are of the game");
    Engine::new(known, options).expect("an engine")
}

fn think(engine: &mut Engine, game: &Game, limits: Limits) -> Analysis {
    let stop = AtomicBool::new(false);
    let found = engine.analyze(game.position(), game.earlier(), &limits, &stop, |_| {});
    found.expect("the tables can be read")
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

/// A random position with this number of stones, which is not over.
fn random_position(
    rules: &RuleSet,
    board: Board,
    stones: u32,
    random: &mut SplitMix64,
) -> Position {
    let points: Vec<_> = board.all_points().iter().collect();
    loop {
        let mut sides = [PointSet::EMPTY; 2];
        while (sides[0] | sides[1]).len() < stones {
            let point = points[random.below(points.len() as u64) as usize];
            if !(sides[0] | sides[1]).contains(point) {
                sides[random.below(2) as usize] |= point;
            }
        }
        if let Ok(position) =
            Position::from_mover(board, Stones { own: sides[0], opponent: sides[1] }, Side::White)
            && rules.outcome(&position).is_none()
        {
            return position;
        }
    }
}

/// The value of a turn for its mover.
fn worth(tables: &Tables, position: &Position, turn: &Turn) -> Value {
    -tables.probe(&position.play_unchecked(turn)).expect("a value").value
}

#[test]
fn what_a_search_proves_is_what_tables_say() {
    let dir = fanorona_tests::directory().expect("a directory");
    for (board, stones) in [(Board::telo(), 8), (Board::new(5, 3).expect("a board"), 6)] {
        for rules in RuleSet::PRESETS.into_iter().filter(|rules| rules.vela().is_none()) {
            let tables = built(dir.path(), board, rules, stones, Metric::Dtw);
            let mut engine = engine(rules, board, None);
            let mut random = SplitMix64::new(7);
            let (mut compared, mut wins, mut losses) = (0, 0, 0);
            for _ in 0..60 {
                let count = 3 + random.below(u64::from(stones) - 2) as u32;
                let position = random_position(&rules, board, count, &mut random);
                if rules.endgame_of(&position) != rules {
                    continue;
                }
                compared += 1;
                let table = tables.probe(&position).expect("a value");
                let game = Game::new(rules, position);
                let found = think(&mut engine, &game, nodes(30_000));
                match found.score {
                    Score::Proved(known) => {
                        assert_eq!(known.value, table.value, "{position} {rules}");
                        let turns = known.turns.expect("there are no tables without distances");
                        let dtw = table.dtw.expect("a distance");
                        assert!(turns >= dtw, "{position} {rules}: {turns}, not {dtw}");
                        let turn = found.turn.expect("a turn");
                        assert_eq!(worth(&tables, &position, &turn), table.value, "{position}");
                        wins += u32::from(known.value == Value::Win);
                        losses += u32::from(known.value == Value::Loss);
                    }
                    Score::Estimate(_) => {
                        let is_near = table.dtw.is_some_and(|turns| turns <= 4);
                        assert!(!is_near, "{position} {rules} is a {} near by", table.value);
                    }
                    Score::Exact(_) => panic!("there are no tables"),
                }
            }
            // With few stones the option of the first capture no longer matters.
            assert!(compared > 0 || rules == RuleSet::FIRST_CAPTURE_SINGLE);
            let enough = compared < 30 || (wins >= 10 && losses >= 1);
            assert!(enough, "{board} {rules}: {wins} wins, {losses} losses");
        }
    }
}

/// A search that is stopped at any moment proves nothing that is not so.
#[test]
fn half_a_search_proves_no_loss() {
    let dir = fanorona_tests::directory().expect("a directory");
    let (board, rules) = (Board::dimy(), RuleSet::STANDARD);
    let tables = built(dir.path(), board, rules, 5, Metric::Wdl);
    let mut random = SplitMix64::new(17);
    let mut options = Options::default();
    options.memory = 1 << 16;
    let mut engine = Engine::new(Knowledge::of_rules(board, rules), options).expect("an engine");
    let mut proved = [0; 3];
    for _ in 0..effort(200, 2_000) {
        let position = random_position(&rules, board, 5, &mut random);
        let value = tables.probe(&position).expect("a value").value;
        let game = Game::new(rules, position);
        for limit in 1..150 {
            engine.clear();
            let found = think(&mut engine, &game, nodes(limit));
            if let Some(found) = found.score.value() {
                assert_eq!(found, value, "{position} with {limit} positions");
                proved[value as usize] += 1;
            }
        }
    }
    assert!(proved[Value::Win as usize] > 10 && proved[Value::Loss as usize] > 10, "{proved:?}");
}

#[test]
fn with_distances_it_wins_soonest_and_loses_latest() {
    let dir = fanorona_tests::directory().expect("a directory");
    let (board, rules) = (Board::dimy(), RuleSet::STANDARD);
    let tables = built(dir.path(), board, rules, 4, Metric::Dtw);
    let mut engine = engine(rules, board, Some(tables.clone()));
    let mut random = SplitMix64::new(3);
    let mut decided = 0;
    while decided < 30 {
        let position = random_position(&rules, board, 4, &mut random);
        let Some(dtw) = tables.probe(&position).expect("a value").dtw else { continue };
        decided += 1;
        // Both sides play by the tables, so the game takes as long as they say.
        let mut game = Game::new(rules, position);
        let first = think(&mut engine, &game, nodes(1_000));
        assert_eq!(first.line.len(), usize::from(dtw), "{position}");
        assert!(matches!(first.score, Score::Exact(known) if known.turns == Some(dtw)));
        while game.end().is_none() {
            let found = think(&mut engine, &game, nodes(1_000));
            game.play(found.turn.expect("the game goes on"));
        }
        assert_eq!(game.turns().len(), usize::from(dtw), "{position}");
        assert!(matches!(game.end(), Some(GameEnd::Won(_))));
    }
}

/// Distances to four stones, and values alone for five: a win of known length is played at once, with
/// that length, and a loss in 2 only if there is no other turn.
#[test]
fn with_some_distances_no_turn_known_to_be_worst_is_played() {
    let dir = fanorona_tests::directory().expect("a directory");
    let (board, rules) = (Board::dimy(), RuleSet::STANDARD);
    built(dir.path(), board, rules, 5, Metric::Wdl);
    let mixed = built(dir.path(), board, rules, 4, Metric::Dtw);
    let distances = fanorona_tests::directory().expect("a directory");
    let perfect = built(distances.path(), board, rules, 5, Metric::Dtw);
    let mut engine = engine(rules, board, Some(mixed.clone()));
    let mut random = SplitMix64::new(13);
    // Wins of known length, and losses that can be put off.
    let mut seen = [0; 2];
    while seen.iter().any(|seen| *seen < effort(20, 200)) {
        let position = random_position(&rules, board, 5, &mut random);
        let ranking = perfect.rank(&position).expect("values");
        let (best, worst) = (ranking[0].value, ranking[ranking.len() - 1].value);
        let found = think(&mut engine, &Game::new(rules, position), nodes(200));
        let turn = found.turn.clone().expect("the game goes on");
        let played = ranking.iter().find(|ranked| ranked.turn == turn).expect("a legal turn");
        assert_eq!(found.assessment().value(), Some(best.value), "{position}");
        if let Some(turns) = found.assessment().dtw {
            assert_eq!(Some(turns), played.value.dtw, "{position}");
            seen[0] += u32::from(best.value == Value::Win && turns > 1);
        }
        if best.value == Value::Loss && worst.dtw == Some(2) && best.dtw > Some(4) {
            assert_ne!(played.value.dtw, Some(2), "{position}");
            seen[1] += 1;
        }
    }
}

#[test]
fn without_distances_it_keeps_values_and_wins() {
    let dir = fanorona_tests::directory().expect("a directory");
    let (board, rules) = (Board::dimy(), RuleSet::STANDARD);
    let tables = built(dir.path(), board, rules, 5, Metric::Wdl);
    let distances = fanorona_tests::directory().expect("a directory");
    let perfect = built(distances.path(), board, rules, 5, Metric::Dtw);
    let mut random = SplitMix64::new(11);
    let mut games = [0; 3];
    while games[Value::Win as usize] < 12 || games[Value::Draw as usize] < 4 {
        let position = random_position(&rules, board, 5, &mut random);
        let value = tables.probe(&position).expect("a value").value;
        let longest = perfect.probe(&position).expect("a value").dtw.unwrap_or(0);
        // Wins that take a while, and a few draws.
        if value == Value::Loss
            || (value == Value::Win && longest < 7)
            || games[value as usize] >= 12
        {
            continue;
        }
        games[value as usize] += 1;
        let mut engine = engine(rules, board, Some(tables.clone()));
        let mut game = Game::new(rules, position);
        while game.end().is_none() && game.turns().len() < 200 {
            let now = *game.position();
            if now.to_move() == position.to_move() {
                let found = think(&mut engine, &game, nodes(4_000));
                let turn = found.turn.expect("the game goes on");
                let before = tables.probe(&now).expect("a value").value;
                assert_eq!(worth(&tables, &now, &turn), before, "{now}: a value is given up");
                assert_eq!(found.score.value(), Some(before), "{now}");
                game.play(turn);
            } else {
                // The opponent resists as long as it can.
                let ranking = perfect.rank(&now).expect("values");
                game.play(ranking[0].turn.clone());
            }
        }
        let end = game.end();
        match value {
            Value::Win => assert_eq!(end, Some(GameEnd::Won(position.to_move())), "{position}"),
            _ => assert_ne!(end, Some(GameEnd::Won(position.to_move().other())), "{position}"),
        }
    }
}

#[test]
fn tables_are_leaves_of_a_search() {
    // Five stones, with tables to four: wins whose end no search of this size sees are found.
    let dir = fanorona_tests::directory().expect("a directory");
    let (board, rules) = (Board::dimy(), RuleSet::STANDARD);
    let small = built(dir.path(), board, rules, 4, Metric::Dtw);
    let distances = fanorona_tests::directory().expect("a directory");
    let large = built(distances.path(), board, rules, 5, Metric::Dtw);
    let mut engines = [engine(rules, board, Some(small)), engine(rules, board, None)];
    let mut random = SplitMix64::new(5);
    let mut proved = [0; 2];
    for _ in 0..40 {
        let game = Game::new(rules, random_position(&rules, board, 5, &mut random));
        let truth = large.probe(game.position()).expect("a value");
        for (engine, proved) in engines.iter_mut().zip(&mut proved) {
            let found = think(engine, &game, nodes(3_000));
            assert!(!matches!(found.score, Score::Exact(_)), "no table holds the position");
            if let Some(value) = found.score.value() {
                assert_eq!(value, truth.value, "{}", game.position());
                *proved += 1;
            }
        }
    }
    assert!(proved[0] > proved[1], "with tables {}, without {}", proved[0], proved[1]);
}

#[test]
fn a_damaged_table_is_an_error() {
    let dir = fanorona_tests::directory().expect("a directory");
    let (board, rules) = (Board::telo(), RuleSet::STANDARD);
    drop(built(dir.path(), board, rules, 4, Metric::Wdl));
    for file in std::fs::read_dir(dir.path()).expect("a directory") {
        let path = file.expect("it can be listed").path();
        if path.to_string_lossy().contains("2v2") {
            std::fs::write(path, b"nothing").expect("it can be written");
        }
    }
    let tables = Arc::new(Tables::open(dir.path(), board, rules).expect("a directory"));
    let known = Knowledge::new(board, rules, Some(tables), None).expect("they are of the game");
    assert!(Engine::new(known, Options::default()).is_err());
}

/// With any part of the tables, of either metric or both: what the engine calls exact is so, and what it
/// calls a bound is one.
#[test]
fn a_part_of_the_tables_says_nothing_else_than_all() {
    let (board, rules, stones) = (Board::dimy(), RuleSet::STANDARD, 4);
    let dir = fanorona_tests::directory().expect("a directory");
    for metric in Metric::ALL {
        built(dir.path(), board, rules, stones, metric);
    }
    let all = Tables::open(dir.path(), board, rules).expect("they are there");
    let truth = |position: &Position| all.probe(position).expect("a value");
    let mut random = SplitMix64::new(8);
    let (mut exact, mut bounds, mut without) = (0, 0, 0);
    for _ in 0..effort(150, 1500) {
        let some = fanorona_tests::directory().expect("a directory");
        leave_some(dir.path(), some.path(), &mut random).expect("links");
        let tables = Tables::open(some.path(), board, rules).expect("they are there");
        let mut engine = engine(rules, board, Some(Arc::new(tables)));
        for _ in 0..4 {
            let stones = 3 + random.below(u64::from(stones) - 2);
            let position = position_with(board, &rules, stones, &mut random);
            let limits = Limits { depth: Some(2), ..Limits::default() };
            let choice = Choice { lines: 3, ..Choice::default() };
            let stop = AtomicBool::new(false);
            let lines = engine.analyze_lines(&position, &[], &choice, &limits, &stop, |_| {});
            let lines = lines.expect("the tables can be read");
            let here = truth(&position);
            let whole = lines[0].assessment();
            let told = Told {
                at_least: whole.bounds.at_least,
                at_most: whole.bounds.at_most,
                dtw: whole.dtw,
            };
            assert!(told.is_true((here.value, here.dtw)), "{position}: {told:?}, {here:?} is so");
            for (number, line) in lines.iter().enumerate() {
                let turn = line.turn.as_ref().expect("the game goes on");
                let there = truth(&position.play_unchecked(turn)).before_turn();
                let so = if number == 0 { here } else { there };
                match line.score {
                    Score::Exact(Known { value, turns }) => {
                        assert_eq!((value, there.value), (so.value, so.value), "{position}");
                        assert!(turns.is_none() || turns == so.dtw, "{position}: {line:?}");
                        exact += u32::from(turns.is_some());
                        without += u32::from(turns.is_none() && so.dtw.is_some());
                    }
                    Score::Proved(Known { value, turns }) => {
                        assert_eq!((value, there.value), (so.value, so.value), "{position}");
                        assert!(turns.is_none() || turns >= there.dtw, "{position}: {line:?}");
                        bounds += u32::from(turns.is_some());
                    }
                    Score::Estimate(_) => {}
                }
            }
        }
    }
    // The cases came up.
    assert!(exact > 100 && bounds > 10 && without > 100, "{exact} {bounds} {without}");
}
