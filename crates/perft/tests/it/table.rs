//! Perft with a table counts what perft without one does.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Position, RuleSet};
use fanorona_perft::{
    Counting, ParallelPerft, PerftCounter, PerftNode, PerftTable, PerftTableError, perft,
};
use fanorona_tests::strategies::{
    boards, boards_up_to, cases, cases_of_play, depth_within, turns_up_to,
};
use proptest::prelude::*;

/// A table for these depths, of this size.
fn table_of(
    (rules, board): (RuleSet, Board),
    counting: Counting,
    max_depth: u8,
    bytes: usize,
) -> Result<PerftTable, PerftTableError> {
    PerftTable::new(&rules, board, counting, max_depth, bytes)
}

const SUMS: [Counting; 3] = [Counting::Turns, Counting::Positions, Counting::Steps];

/// A single bucket, some, and many.
const SIZES: [usize; 3] = [64, 1 << 11, 1 << 20];

#[test]
fn unique_positions_have_no_table() {
    let (rules, board) = (RuleSet::STANDARD, Board::telo());
    let table = table_of((rules, board), Counting::Unique, 3, 1 << 20);
    assert_eq!(table.err(), Some(PerftTableError::Unique));
}

#[test]
fn too_little_memory_is_an_error() {
    let (rules, board) = (RuleSet::STANDARD, Board::tsivy());
    let table = table_of((rules, board), Counting::Turns, 3, usize::MAX);
    let bytes = 1 << (usize::BITS - 1);
    assert_eq!(table.err(), Some(PerftTableError::Memory(bytes)));
}

#[test]
fn a_table_respects_its_size_limit() {
    let size = |board, bytes| {
        let table = table_of((RuleSet::STANDARD, board), Counting::Turns, 9, bytes);
        table.expect("there is memory").bytes()
    };
    assert_eq!(size(Board::tsivy(), 3 << 20), 2 << 20);
    assert_eq!(size(Board::tsivy(), 0), 64);
    // There are no more than 2^15 ways to set 9 points.
    assert_eq!(size(Board::telo(), 64 << 20), 2 << 20);
}

/// A table is for one board. Nodes of others are counted all the same, and leave no trace in it.
#[test]
fn nodes_of_other_boards_stay_out_of_a_table() {
    for counting in SUMS {
        let table = table_of((RuleSet::STANDARD, Board::telo()), counting, 9, 1 << 16).unwrap();
        let mut counter = PerftCounter::with_table(&table);
        for board in [Board::tsivy(), Board::dimy(), Board::telo()] {
            let start = board.start();
            let expected = perft(&RuleSet::STANDARD, &start, 4, counting);
            let node = PerftNode::new(&start);
            assert_eq!(counter.count(&node, 4), expected, "{board} {counting}");
            let stop = AtomicBool::new(false);
            let parallel = ParallelPerft::with_table(&table, &stop);
            assert_eq!(parallel.count(&node, 4), Some(expected), "{board} {counting}");
            assert_eq!(table.probes() > 0, board == Board::telo(), "{board} {counting}");
            if board != Board::telo() {
                table.insert(&node, 4, expected + 1);
                assert_eq!(table.get(&node, 4), None);
            }
        }
    }
}

/// The count, with everything that was counted before in a map.
fn remembered(
    rules: &RuleSet,
    position: Position,
    depth: u8,
    seen: &mut HashMap<(Position, u8), u128>,
) -> u128 {
    if depth == 0 {
        return 1;
    }
    if let Some(count) = seen.get(&(position, depth)) {
        return *count;
    }
    let turns = rules.turns(&position);
    let after = turns.iter().map(|turn| position.play_unchecked(turn));
    let count = after.map(|after| remembered(rules, after, depth - 1, seen)).sum();
    seen.insert((position, depth), count);
    count
}

/// Two stones that move forever: few positions, large depths.
#[test]
fn counts_that_are_wider_than_a_word_are_kept() {
    let rules = RuleSet::FREE_CAPTURE;
    let position: Position = "W2/3/2B w".parse().unwrap();
    let table = table_of((rules, position.board()), Counting::Turns, 255, 1 << 21).unwrap();
    let mut counter = PerftCounter::with_table(&table);
    let mut seen = HashMap::new();
    for depth in 1..=60 {
        let expected = remembered(&rules, position, depth, &mut seen);
        assert_eq!(counter.count(&PerftNode::new(&position), depth), expected, "depth {depth}");
        assert!(depth < 60 || expected > 1 << 64);
    }
    // No number is wide enough for this.
    assert_eq!(counter.count(&PerftNode::new(&position), 255), u128::MAX);
}

#[test]
fn starts_of_all_boards_are_counted() {
    for board in Board::all() {
        let start = board.start();
        for rules in RuleSet::PRESETS {
            if rules.check(board).is_err() {
                continue;
            }
            for counting in SUMS {
                let table = table_of((rules, board), counting, 5, 1 << 12).unwrap();
                let mut counter = PerftCounter::with_table(&table);
                for depth in 0..=5 {
                    let found = counter.count(&PerftNode::new(&start), depth);
                    let expected = perft(&rules, &start, depth, counting);
                    assert_eq!(found, expected, "{board}, {rules}, depth {depth}, {counting}");
                }
            }
        }
    }
}

/// Threads count the same tree, so they write the same buckets concurrently.
#[test]
fn threads_share_a_table() {
    let (rules, start) = (RuleSet::STANDARD, Board::tsivy().start());
    let expected = perft(&rules, &start, 6, Counting::Turns);
    for bytes in SIZES {
        let table = table_of((rules, start.board()), Counting::Turns, 6, bytes).unwrap();
        let count = || PerftCounter::with_table(&table).count(&PerftNode::new(&start), 6);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(count)).collect();
            for thread in threads {
                assert_eq!(thread.join().unwrap(), expected);
            }
        });
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn a_table_changes_no_count((rules, position) in cases_of_play(boards())) {
        prop_assume!(turns_up_to(1000, &rules, &position).is_some());
        let most = depth_within(300, 7, &rules, &position);
        let node = PerftNode::new(&position);
        for counting in SUMS {
            for bytes in SIZES {
                let table = table_of((rules, position.board()), counting, most, bytes).unwrap();
                let mut counter = PerftCounter::with_table(&table);
                // One depth after the other in the same table, and the last one again.
                for depth in (0..=most).chain([most]) {
                    let found = counter.count(&node, depth);
                    let expected = perft(&rules, &position, depth, counting);
                    prop_assert_eq!(found, expected, "depth {}, {}, {}", depth, rules, counting);
                }
            }
        }
    }

    #[test]
    fn positions_that_are_alike_are_found(
        (rules, position) in cases_of_play(boards_up_to(25)),
        number in 0..8_usize,
    ) {
        prop_assume!(turns_up_to(1000, &rules, &position).is_some());
        let board = position.board();
        let symmetries = board.symmetries();
        let image = position.transformed(symmetries[number % symmetries.len()]).unwrap();
        let table = table_of((rules, board), Counting::Turns, 9, 1 << 20).unwrap();
        table.insert(&PerftNode::new(&position), 5, 77);
        // Symmetry counts once half of the points are empty.
        let alike = image == position || position.empty().len() >= board.num_points().div_ceil(2);
        let found = table.get(&PerftNode::new(&image), 5);
        prop_assert_eq!(found, alike.then_some(77));
        prop_assert_eq!(table.get(&PerftNode::new(&image), 4), None);
        let swapped = table.get(&PerftNode::new(&image.with_colours_swapped()), 5);
        prop_assert_eq!(swapped, found.filter(|_| rules.vela().is_none()));
        let hits = [found, swapped].iter().flatten().count() as u64;
        prop_assert_eq!((table.probes(), table.hits()), (3, hits));
        // A depth that does not fit into an entry.
        table.insert(&PerftNode::new(&position), 16, 78);
        prop_assert_eq!(table.get(&PerftNode::new(&position), 16), None);
        prop_assert_eq!(table.get(&PerftNode::new(&position), 5), Some(77));
    }
}
