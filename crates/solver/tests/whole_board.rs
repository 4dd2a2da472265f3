//! The search against the whole board 3x3, solved by going over all positions until nothing changes.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Position, RuleSet, Setup, Side, Value};
use fanorona_solver::{Analysis, Bounds, End, Limits, analyze};
use fanorona_tablebase::{BuildOptions, Metric, Tables, build};

/// Values and distances of all positions of 3x3 with White to move that are no draws.
fn solve(rules: &RuleSet) -> (Vec<Position>, HashMap<Position, (Value, u16)>) {
    let board = Board::telo();
    let positions: Vec<Position> = (0..1 << 9)
        .flat_map(|white| (0..1 << 9).map(move |black| (white, black)))
        .filter_map(|(white, black)| {
            Position::try_from(Setup { board, white, black, to_move: Side::White }).ok()
        })
        .collect();
    let mut decided = HashMap::new();
    for position in &positions {
        match rules.outcome(position).map(|outcome| outcome.value_for(Side::White)) {
            None | Some(Value::Draw) => {}
            Some(value) => drop(decided.insert(*position, (value, 0))),
        }
    }
    for distance in 1.. {
        let mut found = Vec::new();
        for position in positions.iter().filter(|p| !decided.contains_key(p)) {
            let after: Vec<_> = rules
                .successors(position)
                .iter()
                .map(|after| decided.get(&after.with_colours_swapped()).map(|(value, _)| *value))
                .collect();
            if after.contains(&Some(Value::Loss)) {
                found.push((*position, (Value::Win, distance)));
            } else if !after.is_empty() && after.iter().all(|value| *value == Some(Value::Win)) {
                found.push((*position, (Value::Loss, distance)));
            }
        }
        if found.is_empty() {
            break;
        }
        decided.extend(found);
    }
    (positions, decided)
}

fn search(rules: &RuleSet, position: &Position, depth: u16, memory: usize) -> Analysis {
    let limits = Limits { depth: Some(depth), time: None, memory };
    analyze(rules, position, None, &limits, &AtomicBool::new(false), |_| {}).expect("no tables")
}

#[test]
fn proofs_are_true_and_found_at_their_depth() {
    const DEPTH: u16 = 9;
    for rules in ["standard", "free-capture+no-turns-draw"] {
        let rules: RuleSet = rules.parse().expect("a rule set");
        let (positions, decided) = solve(&rules);
        for position in positions.iter().step_by(29) {
            for memory in [1 << 20, 0] {
                let analysis = search(&rules, position, DEPTH, memory);
                match decided.get(position) {
                    Some(&(value, distance)) if distance <= DEPTH => {
                        assert_eq!(analysis.bounds.value(), Some(value), "{position}");
                        assert!(analysis.depth <= distance, "{position}");
                        assert_eq!(analysis.end, End::Proved);
                        assert_eq!(analysis.best.is_some(), distance > 0, "{position}");
                    }
                    exact => {
                        // Bounds may be nearer than nothing, but never wrong.
                        let value = exact.map_or(Value::Draw, |(value, _)| *value);
                        let bounds = analysis.bounds;
                        assert!(bounds.at_least <= value && value <= bounds.at_most, "{position}");
                        // Nothing else makes draws under the standard rules.
                        if rules == RuleSet::STANDARD && exact.is_none() {
                            assert_eq!(bounds, Bounds::UNKNOWN, "{position}");
                        }
                    }
                }
                if let Some(turn) = analysis.best {
                    let after = position.play_unchecked(&turn).with_colours_swapped();
                    let value = decided.get(&after).map_or(Value::Draw, |(value, _)| -*value);
                    assert!(value >= analysis.bounds.at_least, "{position}");
                }
            }
        }
    }
}

#[test]
fn starts_are_won_within_the_known_number_of_turns() {
    for (board, distance) in [("3x3", 11), ("5x3", 11), ("3x5", 13)] {
        let start = board.parse::<Board>().expect("a board").start();
        let analysis = search(&RuleSet::STANDARD, &start, distance, 1 << 26);
        assert_eq!(analysis.bounds.value(), Some(Value::Win), "{board}");
        let analysis = search(&RuleSet::STANDARD, &start, 5, 1 << 26);
        assert_eq!((analysis.bounds.value(), analysis.end), (None, End::Depth), "{board}");
    }
}

#[test]
fn tables_answer_where_they_reach_and_help_beyond() {
    let dir = tempfile::tempdir().expect("a directory");
    let (board, rules, never) = (Board::telo(), RuleSet::STANDARD, AtomicBool::new(false));
    let options = BuildOptions::new(dir.path(), board, rules, 5, Metric::Dtw);
    build(&options, &(), &never).expect("it can be built");
    let tables = Tables::open(dir.path(), board, rules).expect("tables are there");
    let limits = Limits { depth: Some(20), ..Limits::default() };
    let ask = |position: &Position| {
        analyze(&rules, position, Some(&tables), &limits, &never, |_| {}).expect("tables are good")
    };
    let (positions, decided) = solve(&rules);
    for position in positions.iter().step_by(31) {
        let analysis = ask(position);
        let value = decided.get(position).map_or(Value::Draw, |(value, _)| *value);
        let stones = (position.own() | position.opponent()).count_ones();
        if stones <= 5 {
            assert_eq!((analysis.nodes, analysis.bounds.value()), (1, Some(value)), "{position}");
            assert_eq!(analysis.dtw, decided.get(position).map(|(_, distance)| *distance));
            let ranking = analysis.ranking.expect("tables rank");
            assert_eq!(ranking.len(), rules.turns(position).len());
        } else if let Some(proved) = analysis.bounds.value() {
            // Draws too, where every line that matters comes down to the tables.
            assert_eq!(proved, value, "{position}");
        }
    }
    let analysis = ask(&board.start());
    assert_eq!(analysis.bounds.value(), Some(Value::Win));
    assert!(analysis.depth < 11, "tables make the proof shorter, and it is {}", analysis.depth);
}

#[test]
fn limits_are_kept() {
    let start = Board::tsivy().start();
    let stopped = AtomicBool::new(true);
    let limits = Limits::default();
    let analysis = analyze(&RuleSet::STANDARD, &start, None, &limits, &stopped, |_| {});
    let analysis = analysis.expect("no tables");
    assert_eq!((analysis.end, analysis.bounds.value()), (End::Stopped, None));

    let limits = Limits { time: Some(std::time::Duration::from_millis(50)), ..Limits::default() };
    let never = AtomicBool::new(false);
    let mut depths = Vec::new();
    let analysis = analyze(&RuleSet::STANDARD, &start, None, &limits, &never, |progress| {
        depths.push(progress.depth);
    });
    let analysis = analysis.expect("no tables");
    assert_eq!(analysis.end, End::Time);
    assert_eq!(depths, (1..=analysis.depth).collect::<Vec<_>>());
}
