//! Tables that lie without contradicting themselves: wins that support each other in a circle.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, PointSet, Position, RuleSet, Side};

use super::*;
use crate::builder::{BuildOptions, build};
use crate::format::write_table;
use crate::index::{Entry, SliceIndex};
use crate::key::TableKey;

const RULES: RuleSet = RuleSet::STANDARD;
const BOARD: &str = "5x3";
const STRONGER: Slice = Slice { own: 2, opponent: 1 };

fn built(dir: &Path, metric: Metric) -> Tables {
    let board: Board = BOARD.parse().expect("a board");
    let options = BuildOptions::new(dir, board, RULES, 3).with_metric(metric);
    build(&options, &(), &AtomicBool::new(false)).expect("it builds");
    Tables::open(dir, board, RULES).expect("it is there")
}

fn run(tables: &Tables, thoroughness: Thoroughness<'_>) -> Vec<SliceCheck> {
    let checks = verify(tables, u32::MAX, thoroughness, &AtomicBool::new(false), |_| {});
    checks.expect("it can be verified")
}

/// The slices in which something is wrong, and what.
fn wrong(checks: Vec<SliceCheck>) -> Vec<(String, String)> {
    let wrong =
        checks.into_iter().filter_map(|c| c.error.map(|error| (c.slice.to_string(), error)));
    wrong.collect()
}

/// All quiet positions of a slice, no symmetry taken out; some more than once.
fn quiet_positions(tables: &Tables, slice: Slice) -> Vec<Position> {
    let board = tables.board();
    let index = SliceIndex::new(tables.sets(), slice).expect("it fits");
    let position = |Entry { own, opponent, .. }| {
        Position::from_mover(board, own, opponent, Side::White).expect("an entry")
    };
    let images = |p: Position| {
        board
            .symmetries()
            .iter()
            .map(move |symmetry| p.transformed(*symmetry).expect("a symmetry of the board"))
    };
    index.entries(0).map(position).filter(|p| !RULES.has_capture(p)).flat_map(images).collect()
}

/// As many drawn positions as can be called won for the stronger side without a contradiction:
/// every one called won has a turn to one called lost, and all turns of one called lost lead to wins.
fn circle(tables: &Tables) -> HashSet<(PointSet, PointSet)> {
    let drawn = |slice| {
        let positions = quiet_positions(tables, slice).into_iter();
        positions.filter(|p| tables.code(p, Metric::Wdl).expect("it is there") == Code::DRAW)
    };
    let key = |position: &Position| (position.own(), position.opponent());
    let mut open: Vec<Position> = drawn(STRONGER).chain(drawn(STRONGER.swapped())).collect();
    loop {
        let claimed: HashSet<_> = open.iter().map(key).collect();
        let before = open.len();
        open.retain(|position| {
            let successors = RULES.successors(position);
            let mut claims = successors.iter().map(|after| claimed.contains(&key(after)));
            if Slice::of(position) == Some(STRONGER) {
                claims.any(|claimed| claimed)
            } else {
                let won = |after: &Position| tables.code(after, Metric::Wdl).expect("it is there");
                claims.zip(&successors).all(|(claimed, after)| claimed || won(after) == Code::WIN)
            }
        });
        if open.len() == before {
            return claimed;
        }
    }
}

/// Rewrites the tables so that the positions of a circle are won and lost; counts and checksums are
/// those of what stands there then.
fn lie(dir: &Path, tables: &Tables, circle: &HashSet<(PointSet, PointSet)>) {
    for slice in [STRONGER, STRONGER.swapped()] {
        let table = tables.table(slice, Metric::Wdl).expect("it is whole").expect("it is there");
        let index = SliceIndex::new(tables.sets(), slice).expect("it fits");
        let claim = if slice == STRONGER { Code::WIN } else { Code::LOSS };
        let mut metadata = table.metadata().clone();
        let codes: Vec<Code> = index
            .entries(0)
            .zip(table.codes(0, index.len()).expect("it is whole"))
            .map(|(Entry { own, opponent, weight }, code)| {
                if !circle.contains(&(own, opponent)) {
                    return code;
                }
                let statistics = &mut metadata.statistics;
                statistics.draw -= u64::from(weight);
                *(if claim == Code::WIN { &mut statistics.win } else { &mut statistics.loss }) +=
                    u64::from(weight);
                claim
            })
            .collect();
        let path = dir.join(
            TableKey { board: tables.board(), rules: RULES, slice, metric: Metric::Wdl }
                .file_name(),
        );
        write_table(&path, &metadata, |first, values| {
            values.copy_from_slice(&codes[first as usize..][..values.len()]);
        })
        .expect("it can be written");
    }
}

#[test]
fn wins_that_support_each_other_in_a_circle_are_noticed() {
    let (dir, truth) =
        (tempfile::tempdir().expect("a directory"), tempfile::tempdir().expect("one"));
    let tables = built(dir.path(), Metric::Wdl);
    let distances = built(truth.path(), Metric::Dtw);
    for thoroughness in [Thoroughness::Full, Thoroughness::Against(&distances)] {
        assert_eq!(wrong(run(&tables, thoroughness)), []);
    }

    let circle = circle(&tables);
    lie(dir.path(), &tables, &circle);
    let tables = Tables::open(dir.path(), tables.board(), RULES).expect("it is there");
    let won = |position: &&Position| tables.code(position, Metric::Wdl).expect("read") == Code::WIN;
    let claimed = quiet_positions(&tables, STRONGER);
    assert!(claimed.iter().filter(won).any(|p| circle.contains(&(p.own(), p.opponent()))));

    // Nothing contradicts anything: no position's value differs from what its turns make of it.
    let sample = Thoroughness::Sample { positions: 20_000, seed: 1 };
    assert_eq!(wrong(run(&tables, sample)), []);
    assert_eq!(wrong(run(&tables, Thoroughness::Quick)), []);

    for thoroughness in [Thoroughness::Full, Thoroughness::Against(&distances)] {
        let wrong = wrong(run(&tables, thoroughness));
        let slices: Vec<_> = wrong.iter().map(|(slice, _)| slice.as_str()).collect();
        assert_eq!(slices, ["2v1", "1v2"]);
        for ((slice, error), (found, expected)) in
            wrong.iter().zip([("win", "draw"), ("loss", "draw")])
        {
            assert!(error.contains(&format!(" is {found}, and ")), "{slice}: {error}");
            assert!(error.contains(expected), "{slice}: {error}");
        }
    }
}
