//! The order of turns in directories with tables of both metrics, against complete distances.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Position, RuleSet, SplitMix64, Stones, Value};
use fanorona_knowledge::{Knowledge, RankedTurn};
use fanorona_tablebase::{BuildOptions, Metric, TableValue, Tables, build};
use fanorona_tests::effort;

/// The most stones of the tables.
const STONES: u32 = 6;

fn board() -> Board {
    "5x3".parse().expect("a board")
}

fn build_all(dir: &Path, rules: RuleSet) {
    for metric in Metric::ALL {
        let options = BuildOptions::new(dir, board(), rules, STONES).with_metric(metric);
        build(&options, &(), &AtomicBool::new(false)).expect("they can be built");
    }
}

/// Copies the table of one metric of each slice, or of both.
fn copy_some(from: &Path, to: &Path, random: &mut SplitMix64) {
    let tables = Tables::open(from, board(), RuleSet::STANDARD).expect("they are there");
    for table in tables.all().expect("they are readable") {
        if table.metadata().metric != Metric::Wdl {
            continue;
        }
        let wdl = table.path();
        let dtw = wdl.to_str().expect("text").replace(".wdl.", ".dtw.");
        let kept: &[&Path] = match random.below(3) {
            0 => &[wdl],
            1 => &[Path::new(&dtw)],
            _ => &[wdl, Path::new(&dtw)],
        };
        for path in kept {
            let name = path.file_name().expect("a name");
            std::fs::copy(path, to.join(name)).expect("it can be copied");
        }
    }
}

fn random_position(random: &mut SplitMix64) -> Position {
    loop {
        let stones = 3 + random.below(u64::from(STONES) - 2);
        let mut points: Vec<_> = board().all_points().iter().collect();
        let mut sides = [Vec::new(), Vec::new()];
        for _ in 0..stones {
            let at = random.below(points.len() as u64) as usize;
            sides[random.below(2) as usize].push(points.swap_remove(at));
        }
        let [own, opponent] = sides.map(|points| points.into_iter().collect());
        let side =
            [fanorona_core::Side::White, fanorona_core::Side::Black][random.below(2) as usize];
        let position =
            Position::from_mover(board(), Stones { own, opponent }, side).expect("a position");
        if RuleSet::STANDARD.outcome(&position).is_none() {
            return position;
        }
    }
}

/// The worst that a turn can be, by what is known of it.
fn worst_of(turn: &RankedTurn) -> TableValue {
    let known = turn.assessment.table_value().expect("the tables are complete");
    let worst = match known.value {
        Value::Win => Some(u16::MAX),
        Value::Draw => None,
        Value::Loss => Some(2),
    };
    TableValue { dtw: known.dtw.or(worst), ..known }
}

#[test]
fn no_turn_that_may_be_better_stands_behind_one_known_to_be_worst() {
    let complete = tempfile::tempdir().expect("a directory");
    build_all(complete.path(), RuleSet::STANDARD);
    let truth = Tables::open(complete.path(), board(), RuleSet::STANDARD).expect("tables");
    let mut random = SplitMix64::new(37);
    let (mut without, mut with, mut deeper) = (0, 0, 0);
    for _ in 0..8 {
        let some = tempfile::tempdir().expect("a directory");
        copy_some(complete.path(), some.path(), &mut random);
        let mixed = Tables::open(some.path(), board(), RuleSet::STANDARD).expect("tables");
        let mixed = Arc::new(mixed);
        let known = Knowledge::new(board(), RuleSet::STANDARD, Some(mixed.clone()), None)
            .expect("one game");
        for _ in 0..effort(250, 2500) {
            let position = random_position(&mut random);
            let turns = known.turns(&position).expect("tables");
            let after = |turn: &RankedTurn| truth.probe(&turn.after).expect("tables").before_turn();
            let truths: Vec<_> = turns.iter().map(after).collect();
            for (turn, truth) in turns.iter().zip(&truths) {
                // What is known is true.
                assert_eq!(turn.assessment.value(), Some(truth.value), "{position}");
                match turn.assessment.dtw {
                    Some(dtw) => assert_eq!(Some(dtw), truth.dtw, "{position}"),
                    None => without += usize::from(truth.dtw.is_some()),
                }
                let probed = mixed.probe(&turn.after).expect("tables").dtw;
                with += usize::from(probed.is_some());
                deeper += usize::from(probed.is_none() && turn.assessment.dtw.is_some());
            }
            assert!(turns.is_sorted_by(|a, b| a.assessment.best_first(&b.assessment).is_le()));
            let found = known.assess(&position).expect("tables");
            assert_eq!(found.value(), turns[0].assessment.value(), "{position}");

            let (first, others) = turns.split_first().expect("the game goes on");
            let first = worst_of(first);
            let is_worst = others.iter().all(|other| worst_of(other).best_first(&first).is_le());
            let is_exceeded = truths[1..].iter().any(|other| other.best_first(&truths[0]).is_lt());
            let is_known = turns[0].assessment.dtw.is_some();
            assert!(!(is_known && is_worst && is_exceeded), "{position}");
            // A loss in 2 is as bad as a turn can be: nothing better comes after it.
            let in_2 = turns.iter().position(|turn| {
                turn.assessment.table_value()
                    == Some(TableValue { value: Value::Loss, dtw: Some(2) })
            });
            let behind = in_2.map_or(&[][..], |at| &truths[at..]);
            assert!(behind.iter().all(|truth| truth.dtw == Some(2)), "{position}");
        }
    }
    // The cases came up.
    assert!(without > 100 && with > 1000 && deeper > 100, "{without} {with} {deeper}");
}
