//! Saved searches.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::common::{Random, analyze, board, tables};
use fanorona_core::{Position, RuleSet, Value};
use fanorona_solver::{Analysis, Bounds, End, Limits, QuestionState, Solver, SolverError};
use fanorona_tablebase::{Metric, Tables};
use serde_json::json;

/// Continues the search of a file for this number of positions.
fn resume(
    rules: RuleSet,
    position: &Position,
    tables: Option<&Tables>,
    nodes: u64,
    file: &Path,
) -> Result<Analysis, SolverError> {
    let mut solver = Solver::new(rules, position.board(), tables, 1 << 20).expect("memory");
    let limits = Limits::default().with_nodes(nodes).with_threads(1).with_resume(file);
    solver.analyze(position, &limits, &AtomicBool::new(false), |_| {})
}

/// Changes the first line and the table of a file. The checksum is right again afterwards.
fn edit(file: &Path, change: impl FnOnce(&mut serde_json::Value, &mut [u64])) {
    let content = fs::read(file).expect("it is there");
    let content = zstd::decode_all(&content[..]).expect("it is good");
    let end = content.iter().position(|byte| *byte == b'\n').expect("a line");
    let mut line = serde_json::from_slice(&content[..end]).expect("it is JSON");
    let words = content[end + 1..].chunks_exact(8);
    let mut words: Vec<_> =
        words.map(|word| u64::from_ne_bytes(word.try_into().expect("eight bytes"))).collect();
    change(&mut line, &mut words);
    let mut packed = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
    packed.include_checksum(true).expect("it can");
    packed.write_all(line.to_string().as_bytes()).expect("it is written");
    packed.write_all(b"\n").expect("it is written");
    words.iter().for_each(|word| packed.write_all(&word.to_ne_bytes()).expect("it is written"));
    fs::write(file, packed.finish().expect("it is written")).expect("it is written");
}

#[test]
fn a_search_is_resumed() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("search");
    let (rules, start) = (RuleSet::STANDARD, board("7x3").start());
    let mut solver = Solver::new(rules, start.board(), None, 1 << 20).expect("memory");
    let whole = analyze(&mut solver, &start, 1);

    let mut nodes = 0;
    let mut parts = 0;
    let last = loop {
        let analysis = resume(rules, &start, None, 30_000, &file).expect("it can be saved");
        assert!(analysis.search.nodes > nodes, "counts go on");
        assert!(analysis.search.memory_filled > 0.0 && analysis.search.memory_filled <= 1.0);
        nodes = analysis.search.nodes;
        parts += 1;
        if analysis.end == End::Proved {
            break analysis;
        }
        assert_eq!(analysis.end, End::Nodes);
    };
    assert_eq!(last.bounds(), whole.bounds());
    assert!(parts > 1, "it takes more than one part");
    // The file saves most of the work: each part begins with what the others know.
    let at_once = whole.search.nodes;
    assert!(nodes < 4 * at_once, "{nodes} positions in parts, {at_once} at once");

    // The file has the answer.
    let again = resume(rules, &start, None, u64::MAX, &file).expect("it is saved");
    assert_eq!((again.bounds(), again.end), (last.bounds(), End::Proved));
    assert_eq!(again.search.nodes, nodes);
    assert!(again.best.is_some());
    assert_eq!(fs::read_dir(&dir).expect("it is there").count(), 1, "nothing else is left");
}

/// The numbers of a search that must be equal in a resumed one.
fn numbers(analysis: &Analysis) -> impl PartialEq + std::fmt::Debug + use<> {
    let search = &analysis.search;
    let question = |state: QuestionState| match state.answer {
        Some(answer) => (Some(answer), 0, 0),
        None => (None, state.proof, state.disproof),
    };
    let turns: Vec<_> = search
        .turns
        .iter()
        .map(|turn| (turn.turn.clone(), turn.questions.map(question), turn.nodes))
        .collect();
    let questions = search.questions.map(question);
    (search.bounds, questions, turns, search.nodes, search.table_hits, search.memory_filled)
}

/// Positions for which the search proves one bound long before the other.
#[test]
fn a_resumed_search_knows_what_it_knew() {
    let rules = RuleSet::STANDARD;
    let (board, dir) = (board("5x5"), tempfile::tempdir().expect("a directory"));
    let know = tables(board, rules, 5, Metric::Wdl);
    let help = tables(board, rules, 3, Metric::Wdl);
    let mut random = Random::new(3);
    let mut seen = HashMap::new();
    for i in 0..100 {
        let position = random.position(board, 5);
        let help = (i % 2 == 0).then_some(&help.tables);
        for nodes in [17_000, 34_000, 60_000] {
            let file = dir.path().join(format!("{i}-{nodes}"));
            let first = resume(rules, &position, help, nodes, &file).expect("it can be saved");
            let bounds = first.bounds();
            // Without searching, everything is there.
            let again = resume(rules, &position, help, 0, &file).expect("it is saved");
            if first.end != End::Proved || !file.exists() {
                assert_eq!(numbers(&again), numbers(&first), "{position}");
            }
            *seen.entry((bounds, first.best.is_some())).or_insert(0) += 1;
            assert_eq!(again.bounds(), bounds, "{position}");
            if bounds.value().is_some() {
                continue;
            }
            // A bound that is proved has a turn that gets it.
            assert_eq!(again.best, first.best, "{position}");
            let best = first.best.map(|turn| position.play_unchecked(&turn));
            assert_eq!(best.is_some(), bounds.at_least == Value::Draw, "{position}");
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
fn numbers_out_of_range_do_no_harm() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("search");
    let (rules, start) = (RuleSet::STANDARD, board("5x5").start());
    let with = |change: &dyn Fn(&mut serde_json::Value, &mut [u64])| {
        let _ = fs::remove_file(&file);
        resume(rules, &start, None, 20_000, &file).expect("it can be saved");
        edit(&file, |line, words| change(line, words));
        resume(rules, &start, None, 20_000, &file)
    };
    let most = json!(u64::MAX);
    for (field, value) in [
        ("nodes", &most),
        ("table_hits", &most),
        ("slice", &most),
        ("slice", &json!(0)),
        ("seconds", &json!(1e300)),
        ("below", &json!([[u64::MAX, u64::MAX], []])),
        ("below", &json!([vec![1; 10_000], []])),
    ] {
        let found = with(&|line, _| line[field] = value.clone());
        assert_eq!(found.expect("it can be used").end, End::Nodes, "{field} {value}");
    }
    let refused = |found: Result<Analysis, SolverError>, what: &str| match found {
        Err(SolverError::NotASavedSearch { reason, .. }) => {
            assert!(reason.contains(what), "{reason}, not {what}");
        }
        Err(SolverError::Memory { .. }) if what == "memory" => {}
        found => panic!("{what}: {found:?}"),
    };
    for (field, value, what) in [
        ("format", json!("fanorona-search-1"), "its format is fanorona-search-1"),
        ("seconds", json!(-1), "-1 seconds"),
        ("memory", json!((1 << 20) - 16), "no whole buckets"),
        ("memory", json!(0), "no whole buckets"),
        ("memory", json!(1 << 21), "failed to fill whole buffer"),
        ("memory", json!(1 << 19), "more bytes than it should"),
        ("memory", most.clone(), "memory"),
        ("nodes", json!(-1), "its first line"),
    ] {
        refused(with(&|line, _| line[field] = value.clone()), what);
    }
    // An open node with a number of 0, and a proof of height 0.
    for bits in [1 << 2, 1 | 1 << 2] {
        refused(with(&|_, words| words[2 * 77 + 1] = bits), "the entry at byte 1232 of its table");
    }
}

#[test]
fn a_stopped_analysis_leaves_the_file_alone() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("search");
    let (rules, start) = (RuleSet::STANDARD, board("7x3").start());
    resume(rules, &start, None, 30_000, &file).expect("it can be saved");
    let before = fs::read(&file).expect("it is there");
    let mut solver = Solver::new(rules, start.board(), None, 1 << 20).expect("memory");
    let limits = Limits::default().with_resume(&file);
    let analysis = solver.analyze(&start, &limits, &AtomicBool::new(true), |_| {});
    let analysis = analysis.expect("it is no error");
    assert_eq!((analysis.end, analysis.search.not_saved), (End::Stopped, None));
    assert_eq!(fs::read(&file).expect("it is there"), before);
}

#[test]
fn a_file_for_something_else_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("search");
    let (rules, start) = (RuleSet::STANDARD, board("5x5").start());
    let saved = resume(rules, &start, None, 20_000, &file).expect("it can be saved");
    assert_eq!(saved.end, End::Nodes);

    let difference = |result: Result<Analysis, SolverError>| match result {
        Err(SolverError::OtherSearch { difference, .. }) => difference,
        other => panic!("{other:?}"),
    };
    let found = resume(RuleSet::FORCED_RELAY, &start, None, 1, &file);
    assert_eq!(difference(found), "rule set");
    let other = start.with_colours_swapped();
    assert_eq!(difference(resume(rules, &other, None, 1, &file)), "position");
    let built = tables(start.board(), rules, 3, Metric::Wdl);
    let found = resume(rules, &start, Some(&built.tables), 1, &file);
    assert_eq!(difference(found), "set of tables");
    let error = resume(rules, &start, Some(&built.tables), 1, &file).expect_err("refused");
    assert!(error.to_string().contains("none, not 1v1 wdl"), "{error}");
}

#[test]
fn a_damaged_file_is_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("search");
    let start = board("5x5").start();
    let search = || resume(RuleSet::STANDARD, &start, None, 20_000, &file);
    search().expect("it can be saved");
    let good = fs::read(&file).expect("it is there");
    let refused = |bytes: &[u8]| {
        fs::write(&file, bytes).expect("it can be written");
        let error = search().expect_err("it is damaged");
        assert!(matches!(error, SolverError::NotASavedSearch { .. }), "{error}");
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
    search().expect("it is good again");
}

#[test]
fn a_search_that_cannot_be_saved_is_finished() {
    let dir = tempfile::tempdir().expect("a directory");
    let (rules, start) = (RuleSet::STANDARD, board("3x5").start());
    let good = dir.path().join("search");
    let missing = dir.path().join("none").join("search");
    for (path, failed) in [(&good, false), (&missing, true)] {
        let analysis = resume(rules, &start, None, u64::MAX, path).expect("it is finished");
        assert_eq!((analysis.end, analysis.value()), (End::Proved, Some(Value::Win)));
        let why = analysis.search.not_saved;
        assert_eq!(why.is_some(), failed, "{why:?}");
        assert!(why.is_none_or(|why| why.contains("none: No such file")));
    }
}

#[cfg(unix)]
#[test]
fn a_saved_search_has_the_permissions_of_any_file() {
    use std::os::unix::fs::PermissionsExt;

    let dir = tempfile::tempdir().expect("a directory");
    let [file, usual] = ["search", "usual"].map(|name| dir.path().join(name));
    fs::write(&usual, "").expect("it can be written");
    resume(RuleSet::STANDARD, &board("5x5").start(), None, 1000, &file).expect("it can be saved");
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode();
    assert_eq!(mode(&file), mode(&usual));
}

#[test]
fn the_time_of_all_parts_is_told() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("search");
    let start = board("7x3").start();
    let elapsed = |nodes| {
        let found = resume(RuleSet::STANDARD, &start, None, nodes, &file).expect("it can be saved");
        found.search.elapsed
    };
    elapsed(1000);
    edit(&file, |line, _| line["seconds"] = json!(4000.5));
    for _ in 0..2 {
        let found = elapsed(1);
        assert!(found.as_secs_f64() >= 4000.5, "{found:?}");
    }
}
