//! Large depths: time and memory depend on the tree, not on the requested depth.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fanorona_core::{Board, Position, RuleSet};
use fanorona_perft::{
    Counting, LevelOptions, Levels, ParallelPerft, PerftCounter, PerftNode, PerftTable, branches,
    parallel_perft, perft,
};

static NEVER: AtomicBool = AtomicBool::new(false);

fn position(text: &str) -> Position {
    text.parse().expect("a position")
}

/// Trees that end: after no turn, after one, after two.
fn short_trees() -> [(RuleSet, Position, u8); 3] {
    [
        (RuleSet::STANDARD, position("BBB6/WBB6/BBB6/9/9 w"), 0),
        (RuleSet::STANDARD, position("3/1W1/2B w"), 1),
        (RuleSet::STANDARD, position("BW1/3/2B w"), 2),
    ]
}

#[test]
fn counts_below_the_end_of_the_game_are_zero() {
    for (rules, position, turns) in short_trees() {
        let node = PerftNode::new(&position);
        for counting in Counting::ALL {
            let plies = if counting == Counting::Steps { 10 } else { turns };
            for depth in [plies + 1, 100, 255] {
                assert_eq!(perft(&rules, &position, depth, counting), 0, "{position} {counting}");
                let parallel = ParallelPerft::new(&rules, counting, &NEVER);
                assert_eq!(parallel.count(&node, depth), Some(0));
                let lines = parallel.divide(&position, depth).expect("nobody stops it");
                assert_eq!(lines.len(), branches(&rules, &position, counting).len());
                assert!(lines.iter().all(|line| line.nodes == 0), "{position} {counting}");
                let found = parallel_perft(&rules, &position, depth, counting, &NEVER);
                assert_eq!(found.expect("there is room on the disk"), Some(0));
            }
        }
        if turns > 0 {
            assert!(perft(&rules, &position, turns, Counting::Turns) > 0, "{position}");
        }
        let mut levels = Levels::new(&rules, &position, &LevelOptions::default());
        let size = levels.size_at(u32::MAX, &NEVER).expect("there is room").expect("it ends");
        assert_eq!((size.positions, size.canonical), (0, 0));
    }
}

/// Sets a flag after some milliseconds, and returns the result of `count`.
fn stopped<T>(count: impl FnOnce(&AtomicBool) -> T) -> T {
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(30));
            stop.store(true, Ordering::Relaxed);
        });
        count(&stop)
    })
}

/// Every way to count below the start of a board, and below a position whose paikas never end.
/// Without the flag, none of these counts would be done in a lifetime.
#[test]
fn endless_counts_are_stopped() {
    let endless = position("9/2W3B2/4W4/1B4WB1/9 w");
    for position in [Board::tsivy().start(), endless] {
        let node = PerftNode::new(&position);
        for rules in
            [RuleSet::STANDARD, RuleSet::FREE_CAPTURE, RuleSet::FIRST_CAPTURE_SINGLE, RuleSet::VELA]
        {
            for counting in Counting::ALL {
                let mut counter = PerftCounter::new(&rules, position.board(), counting);
                assert_eq!(stopped(|stop| counter.count_until(&node, 255, stop)), None);
                // The counter can be used again.
                let expected = perft(&rules, &position, 3, counting);
                assert_eq!(counter.count(&node, 3), expected, "{rules} {counting}");

                let count = |stop: &AtomicBool| {
                    ParallelPerft::new(&rules, counting, stop).count(&node, 255)
                };
                assert_eq!(stopped(count), None, "{rules} {counting}");
                let count = |stop: &AtomicBool| {
                    ParallelPerft::new(&rules, counting, stop).divide(&position, 255)
                };
                assert_eq!(stopped(count), None, "{rules} {counting}");
            }
        }
    }
}

/// A stopped count leaves no wrong entries in the table.
#[test]
fn a_stopped_count_does_not_corrupt_the_table() {
    let (rules, position) = (RuleSet::STANDARD, position("9/2W3B2/4W4/1B4WB1/9 w"));
    let node = PerftNode::new(&position);
    for counting in [Counting::Turns, Counting::Positions, Counting::Steps] {
        let table = PerftTable::new(&rules, position.board(), counting, 255, 1 << 22);
        let table = table.expect("there is memory");
        for depth in [20, 255] {
            let count = |stop: &AtomicBool| {
                PerftCounter::with_table(&table).count_until(&node, depth, stop)
            };
            assert_eq!(stopped(count), None);
            let count =
                |stop: &AtomicBool| ParallelPerft::with_table(&table, stop).count(&node, depth);
            assert_eq!(stopped(count), None);
        }
        assert!(table.hits() > 0, "{counting}: nothing was kept");
        for depth in 0..=6 {
            let found = PerftCounter::with_table(&table).count(&node, depth);
            assert_eq!(found, perft(&rules, &position, depth, counting), "{counting} {depth}");
        }
    }
}

/// Bindings count on threads with small stacks: no frame of a ply may hold the memory of the last.
#[test]
fn counting_needs_little_stack() {
    let count = || perft(&RuleSet::STANDARD, &Board::tsivy().start(), 4, Counting::Turns);
    let thread = std::thread::Builder::new().stack_size(128 << 10).spawn(count);
    assert_eq!(thread.expect("a thread").join().expect("a count"), 18_026);
}
