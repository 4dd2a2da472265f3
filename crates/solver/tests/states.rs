//! Searches that are kept in a file.

mod common;

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use common::{Random, analyze, board, tables};
use fanorona_core::{Position, RuleSet, Value};
use fanorona_proof::Bounds;
use fanorona_solver::{Analysis, End, Limits, Solver, SolverError};
use fanorona_tablebase::{Metric, Tables};

/// Searches so many positions, and keeps the search in a file.
fn go_on(
    rules: RuleSet,
    position: &Position,
    tables: Option<&Tables>,
    nodes: u64,
    file: &Path,
) -> Result<Analysis, SolverError> {
    let mut solver = Solver::new(rules, position.board(), tables, 1 << 20).expect("memory");
    let limits =
        Limits { nodes: Some(nodes), threads: 1, resume: Some(file.into()), ..Limits::default() };
    solver.analyze(position, &limits, &AtomicBool::new(false), |_| {})
}

#[test]
fn a_search_goes_on_where_it_was() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("search");
    let (rules, start) = (RuleSet::STANDARD, board("7x3").start());
    let mut solver = Solver::new(rules, start.board(), None, 1 << 20).expect("memory");
    let whole = analyze(&mut solver, &start, 1);

    let mut nodes = 0;
    let mut parts = 0;
    let last = loop {
        let analysis = go_on(rules, &start, None, 20_000, &file).expect("it can be kept");
        assert!(analysis.nodes > nodes, "counts go on");
        assert!(analysis.memory_filled > 0.0 && analysis.memory_filled <= 1.0);
        nodes = analysis.nodes;
        parts += 1;
        if analysis.end == End::Proved {
            break analysis;
        }
        assert_eq!(analysis.end, End::Nodes);
    };
    assert_eq!(last.bounds, whole.bounds);
    assert!(parts > 1, "it takes more than one part");
    // What was kept saves most of the work: each part begins again with what the others know.
    assert!(nodes < 4 * whole.nodes, "{nodes} positions in parts, {} at once", whole.nodes);

    // Once it is proved, nothing is searched again but the line of play.
    let again = go_on(rules, &start, None, 20_000, &file).expect("it is kept");
    assert_eq!((again.bounds, again.nodes, again.end), (last.bounds, last.nodes, End::Proved));
    assert!(again.best.is_some());
    assert_eq!(fs::read_dir(&dir).expect("it is there").count(), 1, "nothing else is left");
}

/// Everything that an analysis says of a position.
fn known(analysis: &Analysis) -> impl PartialEq + std::fmt::Debug + use<> {
    let Analysis { bounds, best, line, turns, nodes, table_hits, .. } = analysis.clone();
    let answers = analysis.questions.map(|state| state.answer);
    (bounds, best, line, answers, turns, nodes, table_hits, analysis.memory_filled)
}

/// Positions for which the search proves one bound long before the other.
#[test]
fn a_resumed_search_knows_what_it_knew() {
    let rules = RuleSet::STANDARD;
    let (board, dir) = (board("5x5"), tempfile::tempdir().expect("a directory"));
    let know = tables(board, rules, 5, Metric::Wdl);
    let help = tables(board, rules, 3, Metric::Wdl);
    let mut random = Random(3);
    let mut seen = HashMap::new();
    for i in 0..100 {
        let position = random.position(board, 5);
        let help = (i % 2 == 0).then_some(&help.tables);
        for nodes in [17_000, 34_000, 60_000] {
            let file = dir.path().join(format!("{i}-{nodes}"));
            let first = go_on(rules, &position, help, nodes, &file).expect("it can be kept");
            // It may look at nothing more.
            let again = go_on(rules, &position, help, 0, &file).expect("it is kept");
            assert_eq!(known(&again), known(&first), "{position}");
            *seen.entry((first.bounds, first.best.is_some())).or_insert(0) += 1;
            if first.bounds.value().is_some() {
                continue;
            }
            // A bound that is proved has a turn that gets it.
            let best = first.best.map(|turn| position.play_unchecked(&turn));
            assert_eq!(best.is_some(), first.bounds.at_least == Value::Draw, "{position}");
            if let Some(after) = best {
                let value = -know.tables.probe(&after).expect("it is there").value;
                assert!(value >= Value::Draw, "{position}");
            }
        }
    }
    let unknown = |at_least, at_most| Bounds { at_least, at_most };
    for bounds in [
        (unknown(Value::Draw, Value::Win), true),
        (unknown(Value::Loss, Value::Draw), false),
        (Bounds::UNKNOWN, false),
        (Bounds::exact(Value::Win), true),
        (Bounds::exact(Value::Loss), true),
    ] {
        assert!(seen.contains_key(&bounds), "{bounds:?}: {seen:?}");
    }
}

#[test]
fn a_file_for_something_else_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("search");
    let (rules, start) = (RuleSet::STANDARD, board("5x5").start());
    let kept = go_on(rules, &start, None, 20_000, &file).expect("it can be kept");
    assert_eq!(kept.end, End::Nodes);

    let what = |result: Result<Analysis, SolverError>| match result {
        Err(SolverError::OtherState { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    assert_eq!(what(go_on(RuleSet::FORCED_RELAY, &start, None, 1, &file)), "rule set");
    let other = start.with_colours_swapped();
    assert_eq!(what(go_on(rules, &other, None, 1, &file)), "position");
    let built = tables(start.board(), rules, 3, Metric::Wdl);
    assert_eq!(what(go_on(rules, &start, Some(&built.tables), 1, &file)), "tables");
    let message = go_on(rules, &start, Some(&built.tables), 1, &file).expect_err("refused");
    assert!(message.to_string().contains("none, not 1v1 wdl"), "{message}");
}

#[test]
fn a_damaged_file_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("search");
    let start = board("5x5").start();
    let go_on = || go_on(RuleSet::STANDARD, &start, None, 20_000, &file);
    go_on().expect("it can be kept");
    let good = fs::read(&file).expect("it is there");
    let refused = |bytes: &[u8]| {
        fs::write(&file, bytes).expect("it can be written");
        let error = go_on().expect_err("it is damaged");
        assert!(matches!(error, SolverError::NotAState { .. }), "{error}");
        assert!(error.to_string().contains("search"), "{error}");
    };
    refused(b"");
    refused(b"something else");
    for part in [1, 10, 100] {
        refused(&good[..good.len() * part / 101]);
    }
    let content = zstd::decode_all(&good[..]).expect("it is good");
    let mut harmless = 0;
    for i in (0..good.len()).step_by(good.len() / 40) {
        let mut bytes = good.clone();
        bytes[i] ^= 0x10;
        // A few bits of a zstd frame mean nothing.
        if zstd::decode_all(&bytes[..]).is_ok_and(|altered| altered == content) {
            harmless += 1;
        } else {
            refused(&bytes);
        }
    }
    assert!(harmless < 5);
    let mut longer = good.clone();
    longer.extend_from_slice(&good);
    refused(&longer);
    fs::write(&file, &good).expect("it can be written");
    go_on().expect("it is good again");
}

#[test]
fn a_search_that_cannot_be_kept_is_finished() {
    let dir = tempfile::tempdir().expect("a directory");
    let (rules, start) = (RuleSet::STANDARD, board("3x5").start());
    let good = dir.path().join("search");
    let missing = dir.path().join("none").join("search");
    for (path, failed) in [(&good, None), (&missing, Some(&missing))] {
        let analysis = go_on(rules, &start, None, u64::MAX, path).expect("it is finished");
        assert_eq!((analysis.end, analysis.bounds.value()), (End::Proved, Some(Value::Win)));
        assert_eq!(analysis.not_saved.as_ref().map(|failure| &failure.path), failed);
        let why = analysis.not_saved.map_or(String::new(), |failure| failure.to_string());
        assert!(failed.is_none() || why.contains("none: No such file"), "{why}");
    }
}

#[cfg(unix)]
#[test]
fn a_kept_search_has_the_permissions_of_any_file() {
    use std::os::unix::fs::PermissionsExt;

    let dir = tempfile::tempdir().expect("a directory");
    let [file, usual] = ["search", "usual"].map(|name| dir.path().join(name));
    fs::write(&usual, "").expect("it can be written");
    go_on(RuleSet::STANDARD, &board("5x5").start(), None, 1000, &file).expect("it can be kept");
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode();
    assert_eq!(mode(&file), mode(&usual));
}
