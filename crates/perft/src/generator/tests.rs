//! The generator, compiled for other processors than this one, counts the same.

use std::path::Path;

use fanorona_core::{Board, Modern, Position, RuleSet, SplitMix64};
use fanorona_tests::effort;

use super::kernel::{Generate, generator, generator_of};
use super::version::{Newer, Portable, Version};
use crate::counter::PerftCounter;
use crate::counting::Counting;
use crate::node::PerftNode;
use crate::suite::{Entry, parse};

/// Rules that settle early, under which the last ply is counted in other ways.
const RULES: [RuleSet; 3] = [RuleSet::STANDARD, RuleSet::FORCED_RELAY, RuleSet::FREE_CAPTURE];

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
fn count(
    version: impl Version,
    rules: &RuleSet,
    position: &Position,
    counting: Counting,
    depth: u8,
) -> Option<u128> {
    let settled = rules.is_settled(position);
    let generator = settled.then(|| generator_of(version, rules, position.board()))?;
    Some(count_with(generator, rules, position, counting, depth))
}

fn count_with(
    generator: Box<dyn Generate>,
    rules: &RuleSet,
    position: &Position,
    counting: Counting,
    depth: u8,
) -> u128 {
    let mut counter = PerftCounter::new(rules, position.board(), counting);
    counter.successors.generator = generator;
    counter.count(&PerftNode::new(position), depth)
}

fn compare(version: impl Version) {
    let mut compared = [0; 4];
    for entry in entries() {
        for (&depth, &nodes) in
            entry.counts.iter().filter(|(_, nodes)| **nodes <= effort(10_000, 50_000))
        {
            let Entry { rules, position, counting, .. } = &entry;
            if let Some(found) = count(version, rules, position, *counting, depth) {
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
        Some(modern) => {
            compare(Newer::<false>(modern));
            compare(Newer::<true>(modern));
        }
        None => println!("this processor does not have the instructions"),
    }
}

/// Ten thousand turns, below one position and below many: queues run full, and stones are taken to
/// their ends one by one.
#[test]
fn full_queues_make_no_difference() {
    let text = "W1BWBBBBB/1BB2BB2/BW1B2B1B/WBW1B2B1/2BWBBB1B w";
    let position: Position = text.parse().expect("a position");
    let rules = RuleSet::STANDARD;
    let count = |generator, depth| count_with(generator, &rules, &position, Counting::Turns, depth);
    let mut listed = [0; 2];
    rules.for_each_turn(&position, |turn| {
        listed[0] += 1;
        listed[1] += rules.turns(&position.play_unchecked(turn)).len() as u128;
    });
    for (depth, listed) in (1..).zip(listed) {
        assert_eq!(count(generator_of(Portable, &rules, position.board()), depth), listed);
        assert_eq!(count(generator(&rules, position.board()), depth), listed);
    }
}

/// Two plies of random games on every board: those of the last ply are counted together.
#[test]
fn the_loops_count_what_is_listed_on_every_board() {
    let mut random = SplitMix64::new(61);
    for (board, rules) in Board::all().flat_map(|board| RULES.map(|rules| (board, rules))) {
        for _ in 0..effort(3, 30) {
            let mut position = board.start();
            for _ in 0..random.below(16) {
                let turns = rules.turns(&position);
                let chosen = random.below(turns.len() as u64) as usize;
                position = turns.get(chosen).map_or(position, |turn| position.play_unchecked(turn));
            }
            let mut listed = 0;
            rules.for_each_turn(&position, |turn| {
                rules.for_each_turn(&position.play_unchecked(turn), |_| listed += 1);
            });
            let check = |found: Option<u128>| {
                assert!(found.is_none_or(|found| found == listed), "{rules}, {position}");
            };
            check(count(Portable, &rules, &position, Counting::Turns, 2));
            if let Some(modern) = Modern::detect() {
                check(count(Newer::<false>(modern), &rules, &position, Counting::Turns, 2));
                check(count(Newer::<true>(modern), &rules, &position, Counting::Turns, 2));
            }
        }
    }
}
