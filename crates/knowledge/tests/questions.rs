//! Questions to tables and certificates together.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Board, PointSet, Position, RuleSet, Side, Stones, Value};
use fanorona_knowledge::Book;
use fanorona_knowledge::{
    BuildPlan, Knowledge, KnowledgeError, LineEnd, SliceStatistics, Source, StepTree,
};
use fanorona_proof::ClaimKind;
use fanorona_tablebase::{Metric, Selection, TableError, TableValue, Tables};
use serde_json::json;

const RULES: RuleSet = RuleSet::STANDARD;

fn proof(name: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs");
    root.join(format!("{name}-standard.proof"))
}

fn book(name: &str) -> Arc<Book> {
    Arc::new(Book::open([proof(name)]).expect("it is there"))
}

fn position(text: &str) -> Position {
    text.parse().expect("a position")
}

#[test]
fn rules_tables_and_certificates_answer_in_this_order() {
    let dir = tempfile::tempdir().expect("a directory");
    let options = BuildOptions::new(dir.path(), Board::telo(), RULES, 4).with_metric(Metric::Dtw);
    build(&options, &(), &AtomicBool::new(false)).expect("they can be built");
    let tables = Arc::new(Tables::open(dir.path(), Board::telo(), RULES).expect("tables"));
    let known = Knowledge::new(Board::telo(), RULES, Some(tables), Some(book("3x3"))).expect("one");
    let source = |text: &str| known.assess(&position(text)).expect("an answer").source;
    assert_eq!(source("3/1W1/3 b"), Some(Source::Rules));
    assert_eq!(source("B2/3/2W w"), Some(Source::Table));
    assert_eq!(source("BBB/B1W/WWW w"), Some(Source::Proof));

    let line = known.line(&Board::telo().start(), 100).expect("a line");
    assert_eq!((line.assessment.value(), line.end), (Some(Value::Win), LineEnd::Finished));
    // The opponent's turns are worth a loss, and the last turns have distances from tables.
    for (number, turn) in line.line.iter().enumerate() {
        let value = if number % 2 == 0 { Value::Win } else { Value::Loss };
        assert_eq!(turn.assessment.value(), Some(value));
    }
    assert_eq!(line.line.last().and_then(|turn| turn.assessment.dtw), Some(1));
    assert_eq!(known.line(&Board::telo().start(), 2).expect("a line").end, LineEnd::Length);
}

/// A table has the position, and the one that its turns lead to is missing.
#[test]
fn no_turn_is_worth_more_than_its_position() {
    let dir = tempfile::tempdir().expect("a directory");
    let board = Board::dimy();
    let options = BuildOptions::new(dir.path(), board, RULES, 4).with_metric(Metric::Wdl);
    build(&options, &(), &AtomicBool::new(false)).expect("they can be built");
    std::fs::remove_file(dir.path().join("5x5_standard_3v1.wdl.fano")).expect("it is there");
    let tables = Arc::new(Tables::open(dir.path(), board, RULES).expect("tables"));
    let known = Knowledge::new(board, RULES, Some(tables), None).expect("one game");
    let opponent: PointSet = board.all_points().iter().take(3).collect();
    let mut bounded = 0;
    for own in (board.all_points() - opponent).iter() {
        let stones = Stones { own: own.into(), opponent };
        let position = Position::from_mover(board, stones, Side::White).expect("a position");
        let look = known.look(&position).expect("an answer");
        let Some(value) = look.assessment.value() else { continue };
        for turn in look.turns().expect("turns") {
            assert!(turn.assessment.bounds.at_most <= value, "{position}");
            let alone = known.lookup(&turn.after).expect("an answer");
            bounded += u32::from(value < Value::Win && !alone.is_known());
        }
    }
    assert!(bounded > 0);
}

/// Without distances, the best turns can lead back to a position.
#[test]
fn a_line_ends_for_the_reason_it_says() {
    let dir = tempfile::tempdir().expect("a directory");
    let options = BuildOptions::new(dir.path(), Board::telo(), RULES, 3).with_metric(Metric::Wdl);
    build(&options, &(), &AtomicBool::new(false)).expect("they can be built");
    let tables = Arc::new(Tables::open(dir.path(), Board::telo(), RULES).expect("tables"));
    let known = Knowledge::new(Board::telo(), RULES, Some(tables.clone()), None).expect("one game");
    let mut ends = [0; 2];
    for listing in tables.listings(&Selection::all()).expect("they are there") {
        for listed in listing.positions(0, u64::MAX).expect("they can be read") {
            let line = known.line(&listed.position, 60).expect("a line");
            let first = known.line(&listed.position, 2).expect("a line").line;
            assert_eq!(first.len(), line.line.len().min(2));
            let mut after: Vec<_> = line.line.iter().map(|turn| turn.after).collect();
            let last = after.pop().expect("it has a turn");
            after.insert(0, listed.position);
            let distinct: HashSet<_> = after.iter().collect();
            assert_eq!(distinct.len(), after.len(), "{}", listed.position);
            let end = match distinct.contains(&last) {
                true => LineEnd::Repetition,
                false => LineEnd::Finished,
            };
            assert_eq!(line.end, end, "{}", listed.position);
            assert_eq!(RULES.outcome(&last).is_some(), end == LineEnd::Finished);
            ends[usize::from(end == LineEnd::Finished)] += 1;
        }
    }
    assert!(ends.iter().all(|lines| *lines > 0), "{ends:?}");
}

#[test]
fn what_is_missing_is_named() {
    let known = Knowledge::new(Board::dimy(), RULES, None, None).expect("one game");
    let missing = |text: &str| known.missing(&position(text)).expect("an answer");
    assert!(missing("5/5/1W3/5/5 b").is_none());
    assert!(missing("WBB2/BBB2/BBB2/5/5 w").is_none(), "White has no turn");
    let found = missing("WW3/W4/5/4B/3BB w").expect("a table is missing");
    assert_eq!((found.slice.to_string(), found.rules), ("3v3".to_owned(), RULES));
    let dir = tempfile::tempdir().expect("a directory");
    let plan = BuildPlan::new(dir.path(), found.board, found.rules, 6).expect("it can be built");
    assert!(plan.fits_here && plan.disk_bytes > 0 && plan.stones == 6);
    // No machine has room for the tables of the start of 9x5.
    assert_eq!(BuildPlan::new(dir.path(), Board::tsivy(), RULES, 44), None);

    let unknown = known.assess(&position("WW3/W4/5/4B/3BB w")).expect("an answer");
    assert!(!unknown.is_known() && unknown.source.is_none());
    let line = known.line(&position("WW3/W4/5/4B/3BB w"), 10).expect("a line");
    assert_eq!((line.line.len(), line.end), (0, LineEnd::Unknown));
}

/// In the first phase of the vela, one table serves both games, with either victor.
#[test]
fn tables_of_the_vela_are_named_by_the_game() {
    let dir = tempfile::tempdir().expect("a directory");
    let board = Board::telo();
    let white: RuleSet = "vela+stones-1".parse().expect("rules");
    let options = BuildOptions::new(dir.path(), board, white, 3).with_metric(Metric::Dtw);
    build(&options, &(), &AtomicBool::new(false)).expect("they can be built");
    for game in [white, white.with_colours_swapped()] {
        let tables = Arc::new(Tables::open(dir.path(), board, game).expect("tables"));
        let mut first_phase = 0;
        for table in tables.all().expect("they can be read") {
            let found = SliceStatistics::new(table, &game);
            if found.rules.vela().is_none() {
                continue;
            }
            first_phase += 1;
            assert_eq!(found.rules, game);
            let longest = [
                (Value::Win, found.max_win, found.max_win_position),
                (Value::Loss, found.max_loss, found.max_loss_position),
            ];
            for (value, dtw, position) in longest {
                let probed = position.map(|position| tables.probe(&position).expect("a value"));
                assert_eq!(probed, dtw.map(|dtw| TableValue { value, dtw: Some(dtw) }));
            }
        }
        assert_eq!(first_phase, 2);
        let known = Knowledge::new(board, game, Some(tables), None).expect("one game");
        for text in ["WW1/3/1BB w", "WW1/3/1BB b"] {
            let missing = known.missing(&position(text)).expect("an answer");
            assert_eq!(missing.map(|table| table.rules), Some(game), "{text}");
        }
    }
}

#[test]
fn sources_of_another_game_are_refused() {
    let other = Knowledge::new(Board::telo(), RULES, None, Some(book("5x3")));
    assert!(matches!(other, Err(KnowledgeError::OtherBook { .. })), "{other:?}");
    let dir = tempfile::tempdir().expect("a directory");
    let tables = Arc::new(Tables::open(dir.path(), Board::telo(), RULES).expect("tables"));
    let other = Knowledge::new(Board::dimy(), RULES, Some(tables), None);
    assert!(matches!(other, Err(KnowledgeError::Tables(_))), "{other:?}");
}

#[test]
fn the_cheap_lower_bound_is_that_of_a_lookup() {
    for name in ["3x5", "5x5"] {
        let book = book(name);
        let start = book.board().start();
        let known = Knowledge::new(book.board(), RULES, None, Some(book)).expect("one game");
        let mut found = [0; 3];
        for position in RULES.successors(&start).iter().flat_map(|after| RULES.successors(after)) {
            let least = known.at_least(&position).expect("an answer");
            let looked = known.lookup(&position).expect("an answer");
            assert_eq!(least, looked.bounds.at_least, "{position}");
            // Distances are those of wins.
            if let Some(entry) = known.book().and_then(|book| book.entry(&position).expect("one")) {
                assert_eq!(entry.distance.is_some(), entry.kind == ClaimKind::Wins, "{position}");
            }
            found[least as usize] += 1;
        }
        assert!(found[Value::Loss as usize] < found.iter().sum(), "{name} {found:?}");
    }
}

#[test]
fn values_that_are_not_known_are_missing() {
    let dir = tempfile::tempdir().expect("a directory");
    let options = BuildOptions::new(dir.path(), Board::dimy(), RULES, 2);
    build(&options, &(), &AtomicBool::new(false)).expect("they can be built");
    let tables = Arc::new(Tables::open(dir.path(), Board::dimy(), RULES).expect("tables"));
    let known = Knowledge::new(Board::dimy(), RULES, Some(tables), None).expect("one game");
    let check =
        |text: &str| known.check_values(&known.turns(&position(text)).expect("they can be listed"));
    assert!(check("B4/5/5/5/4W w").is_ok());
    let missing = check("BB3/5/5/5/2WWW w");
    assert!(
        matches!(&missing, Err(KnowledgeError::Tables(TableError::Missing { .. }))),
        "{missing:?}"
    );
}

#[test]
fn a_question_can_be_stopped() {
    let stop = Arc::new(AtomicBool::new(false));
    let known = Knowledge::new(Board::dimy(), RULES, None, None).expect("one game");
    let known = known.with_stop(stop.clone());
    assert!(known.look(&Board::dimy().start()).is_ok());
    stop.store(true, Ordering::Relaxed);
    let stopped = known.look(&Board::dimy().start());
    assert!(matches!(stopped, Err(KnowledgeError::Stopped)), "{stopped:?}");
}

#[test]
fn turns_and_steps_have_their_json() {
    let known = Knowledge::new(Board::dimy(), RULES, None, None).expect("one game");
    let position = position("5/5/1W1B1/5/5 w");
    let turns = known.turns(&position).expect("turns");
    assert_eq!(
        serde_json::to_value(&turns[0]).expect("JSON"),
        json!({
            "turn": "b3-c3A", "value": "win", "dtw": 1, "source": "rules",
            "position": "5/5/2W2/5/5 b", "captured": ["d3"],
        })
    );
    let steps = StepTree::of_turns(&RULES, &position, &turns);
    assert_eq!(
        serde_json::to_value(&steps[0]).expect("JSON"),
        json!({
            "from": "b3", "to": "c3", "kind": "approach", "captured": ["d3"], "turn": "b3-c3A",
            "value": "win", "dtw": 1, "source": "rules", "turn_index": 0, "next": [],
        })
    );
}

#[test]
fn steps_are_best_first() {
    let known = Knowledge::new("5x3".parse().expect("a board"), RULES, None, Some(book("5x3")));
    let known = known.expect("one game");
    let start = known.board().start();
    let mut turns = known.turns(&start).expect("turns");
    fn check(steps: &[StepTree]) {
        let order = |a: &StepTree, b: &StepTree| a.assessment.best_first(&b.assessment).is_le();
        assert!(steps.is_sorted_by(order), "{steps:?}");
        steps.iter().for_each(|step| check(&step.next));
    }
    for _ in 0..2 {
        let steps = StepTree::of_turns(&RULES, &start, &turns);
        assert!(steps.len() > 1);
        check(&steps);
        turns.reverse();
    }
}
