//! Values by search are those of boards solved in another way.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::common::{Random, analyze, board, positions, rules, solve, tables, value};
use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Board, Position, RuleSet, SplitMix64, Stones, Value};
use fanorona_proof::Bounds;
use fanorona_solver::{End, Limits, Solver, SolverError};
use fanorona_tablebase::{Metric, TableError, Tables};
use fanorona_tests::effort;
use fanorona_tests::partial::{leave_some, position_with};

/// Analyses a position and compares everything that is said of it.
fn check(
    solver: &mut Solver<'_>,
    position: &Position,
    threads: usize,
    value: impl Fn(&Position) -> Value,
) {
    let analysis = analyze(solver, position, threads);
    let expected = value(position);
    assert_eq!(analysis.search.bounds, Bounds::exact(expected), "{position}");
    assert_eq!(analysis.end, End::Proved);
    if let Some(turn) = &analysis.best {
        assert_eq!(-value(&position.play_unchecked(turn)), expected, "{position}");
    }
    let mut expected = expected;
    for turn in &analysis.line {
        assert_eq!((turn.value, -value(&turn.after)), (expected, expected), "{position}");
        expected = -expected;
    }
    // A position that is there again ends the line.
    let mut seen = vec![*position];
    for turn in &analysis.line {
        assert!(!seen[..seen.len() - 1].contains(&seen[seen.len() - 1]), "{position}");
        seen.push(turn.after);
    }
}

#[test]
fn every_position_of_3x3() {
    let names = [
        "standard",
        "free-capture",
        "forced-relay",
        "first-capture-single",
        "standard+no-turns-draw",
        "vela+stones-2",
        "vela+stones-2+victor-black+must-capture",
    ];
    for name in names {
        let rules = rules(name);
        let decided = solve(&rules);
        let all = if rules.vela().is_none() { effort(97, 1) } else { effort(199, 3) };
        // The least memory holds four nodes.
        for (memory, threads, step) in [
            (1 << 20, 1, all),
            (1 << 12, 1, effort(151, 5)),
            (0, 1, effort(211, 13)),
            (1 << 12, 3, effort(223, 17)),
        ] {
            let mut solver = Solver::new(rules, Board::telo(), None, memory).expect("memory");
            for position in positions().iter().step_by(step) {
                check(&mut solver, position, threads, |position| value(&decided, position));
            }
        }
    }
}

/// With a true bound given, only the other question is asked, and its answer completes the value.
#[test]
fn given_bounds_are_not_proved_again() {
    for name in ["standard", "free-capture", "standard+no-turns-draw"] {
        let rules = rules(name);
        let decided = solve(&rules);
        for position in positions().iter().step_by(effort(199, 7)) {
            let expected = value(&decided, position);
            for given in [
                Bounds { at_least: expected.min(Value::Draw), ..Bounds::UNKNOWN },
                Bounds { at_most: expected.max(Value::Draw), ..Bounds::UNKNOWN },
                Bounds::exact(expected),
            ] {
                let mut solver = Solver::new(rules, Board::telo(), None, 1 << 16).expect("memory");
                let limits = Limits::default().with_threads(1);
                let stop = AtomicBool::new(false);
                let analysis = solver.analyze_given(position, given, &limits, &stop, |_| {});
                let analysis = analysis.expect("no tables");
                let found = analysis.search.bounds;
                assert_eq!(analysis.end, End::Proved);
                assert_eq!(found.intersection(given), Bounds::exact(expected), "{position}");
                if rules.outcome(position).is_some() {
                    continue;
                }
                // In a draw, each question has one bound.
                if expected == Value::Draw && given != Bounds::exact(expected) {
                    let is_lower = given.at_least == Value::Draw;
                    let lower = Bounds { at_least: Value::Draw, ..Bounds::UNKNOWN };
                    let upper = Bounds { at_most: Value::Draw, ..Bounds::UNKNOWN };
                    assert_eq!(found, if is_lower { upper } else { lower }, "{position}");
                }
                if given == Bounds::exact(expected) {
                    assert_eq!((found, analysis.search.nodes), (Bounds::UNKNOWN, 0));
                }
            }
        }
    }
}

/// Bounds that are wrong do not keep the search from ending.
#[test]
fn wrong_bounds_end_the_search() {
    let rules = rules("standard");
    for position in positions().iter().step_by(effort(499, 31)) {
        for given in [
            Bounds::exact(Value::Win),
            Bounds::exact(Value::Loss),
            Bounds { at_least: Value::Draw, at_most: Value::Loss },
            Bounds { at_least: Value::Win, at_most: Value::Loss },
        ] {
            let mut solver = Solver::new(rules, Board::telo(), None, 1 << 16).expect("memory");
            let limits = Limits::default().with_threads(1);
            let stop = AtomicBool::new(false);
            let analysis = solver.analyze_given(position, given, &limits, &stop, |_| {});
            assert_eq!(analysis.expect("no tables").end, End::Proved, "{position}");
        }
    }
}

/// Random positions with more stones than the tables that help, against those that know.
fn sample(
    board: Board,
    rules: RuleSet,
    (help, know): (u32, u32),
    (memory, threads): (usize, usize),
    count: u32,
) {
    let known = tables(board, rules, know, Metric::Wdl);
    let helping = (help > 0).then(|| tables(board, rules, help, Metric::Wdl));
    let helping: Option<&Tables> = helping.as_ref().map(|built| &built.tables);
    let mut solver = Solver::new(rules, board, helping, memory).expect("memory");
    let mut random = Random::new(u64::from(count));
    for _ in 0..count {
        let least = (help + 1).max(2);
        let stones = least + random.below(know + 1 - least);
        let position = random.position(board, stones);
        check(&mut solver, &position, threads, |position| {
            known.tables.probe(position).expect("tables are there").value
        });
    }
}

#[test]
fn positions_of_5x3() {
    for name in ["standard", "free-capture", "forced-relay"] {
        let (stones, count) = effort((8, 100), (14, 400));
        sample(board("5x3"), rules(name), (0, stones), (1 << 24, 1), count);
        sample(board("5x3"), rules(name), (5, stones), (1 << 24, 2), count / 2);
        sample(board("5x3"), rules(name), (6, stones.min(10)), (1 << 13, 2), count / 4);
    }
}

#[test]
fn positions_of_5x5_with_few_stones() {
    for name in ["standard", "free-capture"] {
        let (stones, count) = effort((5, 50), (6, 150));
        sample(Board::dimy(), rules(name), (3, stones), (1 << 26, 1), count);
        sample(Board::dimy(), rules(name), (4, stones), (1 << 26, 2), count);
        sample(Board::dimy(), rules(name), (4, stones), (1 << 16, 2), count / 3);
    }
}

#[test]
fn starts_have_their_known_values() {
    let starts = [
        ("3x3", Value::Win),
        ("5x3", Value::Win),
        ("3x5", Value::Win),
        ("7x3", Value::Win),
        ("3x7", Value::Win),
        ("5x5", Value::Draw),
    ];
    // 5x5 takes as long as all others.
    for (name, expected) in starts.into_iter().take(effort(5, 6)) {
        let start = board(name).start();
        let built = (name == "5x5").then(|| tables(board(name), RuleSet::STANDARD, 6, Metric::Wdl));
        let built = built.as_ref().map(|built| &built.tables);
        let mut solver =
            Solver::new(RuleSet::STANDARD, board(name), built, 1 << 26).expect("memory");
        let analysis = analyze(&mut solver, &start, 0);
        assert_eq!(analysis.value(), Some(expected), "{name}");
        assert!(!analysis.line.is_empty() && analysis.line[0].turn == analysis.best.expect("one"));
    }
}

#[test]
fn tables_answer_where_they_reach_and_help_beyond() {
    let (board, rules) = (Board::telo(), RuleSet::STANDARD);
    let built = tables(board, rules, 5, Metric::Dtw);
    let decided = solve(&rules);
    let mut solver = Solver::new(rules, board, Some(&built.tables), 1 << 20).expect("memory");
    for position in positions().iter().step_by(effort(20, 3)) {
        let analysis = analyze(&mut solver, position, 1);
        let stones = Stones::of(position).count();
        assert_eq!(analysis.value(), Some(value(&decided, position)), "{position}");
        if stones > 5 {
            continue;
        }
        let distance = decided.get(position).map(|(_, distance)| *distance);
        assert_eq!(analysis.search.nodes, 0, "{position}");
        if let Some(distance) = distance {
            // Tables lead to the end on the shortest way.
            assert_eq!(analysis.line.len() as u32, distance, "{position}");
        }
    }
    let analysis = analyze(&mut solver, &board.start(), 1);
    assert_eq!(analysis.value(), Some(Value::Win));
    let last = analysis.line.last().expect("a line");
    assert_eq!(
        rules.outcome(&last.after).map(|o| o.value_for(last.after.to_move())),
        Some(Value::Loss)
    );
}

#[test]
fn limits_are_kept() {
    let start = Board::tsivy().start();
    let mut solver = Solver::new(RuleSet::STANDARD, start.board(), None, 1 << 24).expect("memory");
    let mut ask = |limits: &Limits, stop: bool| {
        let mut last = None;
        let stop = AtomicBool::new(stop);
        let report = |now: &fanorona_solver::SearchReport| last = Some(now.clone());
        let analysis = solver.analyze(&start, limits, &stop, report).expect("no tables");
        assert_eq!(analysis.value(), None);
        (analysis, last)
    };
    let (analysis, _) = ask(&Limits::default(), true);
    assert_eq!((analysis.end, analysis.search.nodes), (End::Stopped, 0));

    let time = Duration::from_millis(50);
    let (analysis, _) = ask(&Limits::default().with_time(time), false);
    assert_eq!(analysis.end, End::Time);
    assert!(analysis.search.elapsed >= time);

    // The threads together search no position more, also if they are many.
    for (nodes, threads) in [(1, 1), (63, 4), (1000, 1), (20_000, 3), (100_000, 2)] {
        let (analysis, _) = ask(&Limits::default().with_nodes(nodes).with_threads(threads), false);
        assert_eq!((analysis.end, analysis.search.nodes), (End::Nodes, nodes), "{threads}");
    }

    let (analysis, last) = ask(&Limits::default().with_nodes(100_000), false);
    let last = last.expect("it is reported");
    assert_eq!((last.nodes, last.questions), (analysis.search.nodes, analysis.search.questions));
    assert!(last.memory_filled > 0.0 && last.memory_filled <= 1.0);
    assert!(last.questions.iter().all(|state| state.proof > 1 && state.disproof > 1));
    assert_eq!((last.turns.len(), &last.turns), (5, &analysis.search.turns));
    for i in 0..2 {
        let below: u64 = last.turns.iter().map(|turn| turn.nodes[i]).sum();
        assert!((1..=analysis.search.nodes).contains(&below));
        assert!(last.turns.iter().all(|turn| turn.questions[i].answer.is_none()));
    }

    let other = Board::dimy().start();
    let refused = solver.analyze(&other, &Limits::default(), &AtomicBool::new(false), |_| {});
    assert!(matches!(refused, Err(SolverError::OtherBoard { .. })));
}

/// A proof counts what it took, and not what the threads had reserved: with one position less there is
/// none.
#[test]
fn a_proof_counts_what_it_took() {
    let start = "5x3".parse::<Board>().expect("a board").start();
    let ask = |limits: Limits| {
        let mut solver =
            Solver::new(RuleSet::STANDARD, start.board(), None, 1 << 24).expect("memory");
        let found =
            solver.analyze(&start, &limits.with_threads(1), &AtomicBool::new(false), |_| {});
        let found = found.expect("no tables");
        (found.end, found.search.nodes)
    };
    let (end, nodes) = ask(Limits::default());
    assert_eq!(end, End::Proved);
    assert_eq!(ask(Limits::default().with_nodes(nodes)), (End::Proved, nodes));
    assert_eq!(ask(Limits::default().with_nodes(nodes - 1)), (End::Nodes, nodes - 1));
}

#[test]
fn turns_to_the_same_position_are_told_once() {
    let (rules, board) = (RuleSet::STANDARD, Board::dimy());
    let position = "5/1B3/1W2B/5/BB2B w".parse().expect("a position");
    let mut solver = Solver::new(rules, board, None, 1 << 20).expect("memory");
    let limits = Limits::default().with_nodes(100);
    let found = solver.analyze(&position, &limits, &AtomicBool::new(false), |_| {});
    let told = found.expect("no tables").search.turns.len();
    let (turns, after) = (rules.turns(&position).len(), rules.successors(&position).len());
    assert!((1..=after).contains(&told) && after < turns, "{told} of {turns}");
}

/// Tables of another board or rule set would give wrong values, so they are refused.
#[test]
fn tables_of_another_game_are_refused() {
    let rules = RuleSet::STANDARD;
    let tables = tables(Board::telo(), rules, 3, Metric::Wdl);
    let other = [
        (rules, Board::dimy()),
        (RuleSet::FREE_CAPTURE, Board::telo()),
        ("standard+no-turns-draw".parse().expect("a rule set"), Board::telo()),
    ];
    for (rules, board) in other {
        let refused = Solver::new(rules, board, Some(&tables.tables), 0);
        let Err(SolverError::Tables(TableError::OtherGame { found_rules, .. })) = refused else {
            panic!("{rules} on {board}: {refused:?}");
        };
        assert_eq!(found_rules, RuleSet::STANDARD);
    }
    assert!(Solver::new(rules, Board::telo(), Some(&tables.tables), 0).is_ok());
    let refused = Solver::new(RuleSet::VELA, Board::telo(), None, 0);
    assert!(matches!(refused, Err(SolverError::Rules(_))), "{refused:?}");
}

/// Stopped just when the value is known, the analysis has no line of play: the memory holds nothing
/// of the successors. The best turn then is the one by which the value was proved.
#[test]
fn the_best_turn_is_that_of_the_proof() {
    let rules = RuleSet::STANDARD;
    let decided = solve(&rules);
    let limits = Limits::default().with_threads(1);
    let mut seen = [0; 3];
    for position in positions().iter().step_by(7) {
        let analyze = |nodes| {
            let mut solver = Solver::new(rules, Board::telo(), None, 0).expect("memory");
            let stop = AtomicBool::new(false);
            let stop_at_the_end = |now: &fanorona_solver::SearchReport| {
                stop.store(now.nodes >= nodes, Ordering::Relaxed);
            };
            solver.analyze(position, &limits, &stop, stop_at_the_end).expect("no tables")
        };
        // One thread needs the same number of positions each time.
        let analysis = analyze(analyze(u64::MAX).search.nodes);
        let expected = value(&decided, position);
        assert_eq!((analysis.end, analysis.search.bounds), (End::Proved, Bounds::exact(expected)));
        if let Some(best) = &analysis.best {
            assert_eq!(-value(&decided, &position.play_unchecked(best)), expected, "{position}");
            seen[expected as usize] += u32::from(analysis.line.is_empty());
        } else {
            assert!(rules.outcome(position).is_some(), "{position}");
        }
    }
    assert!(seen.iter().all(|seen| *seen > 0), "{seen:?}");
}

/// With any part of the tables, of either metric or both: less is known, but nothing else.
#[test]
fn a_part_of_the_tables_says_nothing_else_than_all() {
    let (board, rules, stones) = (Board::dimy(), RuleSet::STANDARD, 4);
    let dir = fanorona_tests::directory().expect("a directory");
    let stop = AtomicBool::new(false);
    for metric in Metric::ALL {
        let options = BuildOptions::new(dir.path(), board, rules, stones).with_metric(metric);
        build(&options, &(), &stop).expect("they can be built");
    }
    let open = |dir: &Path| Tables::open(dir, board, rules).expect("tables");
    let all = open(dir.path());
    let mut random = SplitMix64::new(56);
    let (mut distances, mut without) = (0, 0);
    for _ in 0..effort(60, 1000) {
        let some = fanorona_tests::directory().expect("a directory");
        leave_some(dir.path(), some.path(), &mut random).expect("links");
        let tables = open(some.path());
        let mut solver = Solver::new(rules, board, Some(&tables), 1 << 20).expect("a solver");
        for _ in 0..6 {
            let stones = 2 + random.below(3);
            let position = position_with(board, &rules, stones, &mut random);
            let truth = |position: &Position| all.probe(position).expect("they are complete");
            let mut limits = Limits::default();
            limits.nodes = Some(100);
            let found = solver.analyze(&position, &limits, &stop, |_| {}).expect("an analysis");
            let (bounds, so) = (found.bounds(), truth(&position));
            assert!((bounds.at_least..=bounds.at_most).contains(&so.value), "{position}");
            let dtw = tables.probe(&position).ok().and_then(|found| found.dtw);
            assert!(dtw.is_none() || dtw == so.dtw, "{position}: {found:?}");
            distances += u32::from(dtw.is_some());
            without += u32::from(bounds.value().is_some() && dtw.is_none());
            if let Some(best) = found.best {
                let value = -truth(&position.play_unchecked(&best)).value;
                assert!(value >= bounds.at_least, "{position}");
            }
            let mut mover = so.value;
            for turn in &found.line {
                assert_eq!((turn.value, -truth(&turn.after).value), (mover, mover), "{position}");
                mover = -mover;
            }
        }
    }
    assert!(distances > 50 && without > 50, "{distances} {without}");
}
