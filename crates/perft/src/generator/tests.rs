//! The generator, compiled for other processors than this one, counts the same.

use std::path::Path;

use fanorona_core::{Modern, Position, RuleSet};
use fanorona_tests::effort;

use super::Successors;
use super::kernel::{Portable, Version, generator, generator_of};
use crate::counting::Counting;
use crate::node::PerftNode;
use crate::stop::NEVER;
use crate::suite::{Entry, parse};

/// The entries of the suites under `data/perft`.
fn entries() -> Vec<Entry> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/perft");
    let files = std::fs::read_dir(folder).expect("the suites are there");
    let paths = files.map(|file| file.expect("it can be listed").path());
    let suites = paths.filter(|path| path.extension().is_some_and(|end| end == "perft"));
    let read = |path| parse(&std::fs::read_to_string(path).expect("a text")).expect("a suite");
    suites.flat_map(read).collect()
}

/// The count with a generator for the given instructions; `None` if another generator does the
/// work, because the rule has not settled.
fn count(version: impl Version, entry: &Entry, depth: u8) -> Option<u128> {
    let Entry { rules, position, counting, .. } = entry;
    let board = position.board();
    let settled = rules.is_settled(position);
    let generator = settled.then(|| generator_of(version, rules, board))?;
    let mut successors = Successors::with_generator(rules, board, generator);
    Some(successors.count(&PerftNode::new(position), depth, *counting, &NEVER))
}

fn compare(version: impl Version) {
    let mut compared = [0; 4];
    for entry in entries() {
        for (&depth, &nodes) in
            entry.counts.iter().filter(|(_, nodes)| **nodes <= effort(10_000, 50_000))
        {
            if let Some(found) = count(version, &entry, depth) {
                assert_eq!(found, nodes, "{} at depth {depth}", entry.id);
                compared[entry.counting as usize] += 1;
            }
        }
    }
    assert!(compared.iter().all(|number| *number > 100), "{compared:?}");
}

#[test]
fn the_portable_loops_count_as_the_suites_say() {
    compare(Portable);
}

#[test]
fn the_loops_for_modern_processors_count_as_the_suites_say() {
    match Modern::detect() {
        Some(modern) => compare(modern),
        None => println!("this processor does not have the instructions"),
    }
}

/// Ten thousand turns: queues run full, and stones are taken to their ends one by one.
#[test]
fn full_queues_make_no_difference() {
    let text = "W1BWBBBBB/1BB2BB2/BW1B2B1B/WBW1B2B1/2BWBBB1B w";
    let position: Position = text.parse().expect("a position");
    let rules = RuleSet::STANDARD;
    let count = |generator| {
        let mut successors = Successors::with_generator(&rules, position.board(), generator);
        successors.count(&PerftNode::new(&position), 2, Counting::Turns, &NEVER)
    };
    let portable = count(generator_of(Portable, &rules, position.board()));
    assert_eq!(portable, count(generator(&rules, position.board())));
    let mut listed = 0;
    rules.for_each_turn(&position, |turn| {
        listed += rules.turns(&position.play_unchecked(turn)).len() as u128;
    });
    assert_eq!(portable, listed);
}
