//! The order of positions: sets, orbits, and indexes.

use std::collections::HashSet;

use fanorona_core::{Board, PointSet, Stones, Symmetry, SymmetryGroup};
use fanorona_tablebase::index::{Entry, SliceIndex};
use fanorona_tablebase::orbits::{
    self, Member, OrbitSets, choose, num_sets, rank, set_after, set_of_rank,
};
use fanorona_tablebase::{Slice, TableError};
use fanorona_tests::strategies::cases;
use proptest::prelude::*;

use crate::common::{board, placements, sets, slices};

/// Boards, with the largest number of stones for which every position is visited. The first and the
/// last are square.
const BOARDS: [(&str, u32); 5] = [("3x3", 8), ("5x3", 5), ("3x5", 5), ("7x3", 4), ("5x5", 4)];

#[test]
fn binomials_are_those_of_pascals_triangle() {
    assert_eq!(choose(45, 1), 45);
    assert_eq!(choose(45, 4), 148_995);
    assert_eq!(choose(63, 31), 916_312_070_471_295_267);
    assert_eq!(choose(9, 0), 1);
    assert_eq!(choose(5, 6), 0);
    assert_eq!(choose(5, 1000), 0);
    for n in 0..=63 {
        let sum: u64 = (0..=n).map(|k| choose(n, k)).sum();
        assert_eq!(sum, 1 << n);
    }
}

#[test]
fn sets_are_ranked_in_the_order_of_their_numbers() {
    for (points, most) in [(9, 9), (15, 8), (25, 3)] {
        for stones in 1..=most {
            let all = sets(points, stones);
            assert_eq!(all.len() as u64, choose(points, stones));
            for (place, set) in all.iter().enumerate() {
                assert_eq!(rank(*set), place as u64);
                assert_eq!(set_of_rank(place as u64, stones, points), *set);
                if let Some(next) = all.get(place + 1) {
                    assert_eq!(set_after(*set), *next);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn large_sets_have_ranks_too(points in 1_u32..=63, stones in 1_u32..=31, part: u64) {
        prop_assume!(stones <= points);
        let sets = choose(points, stones);
        let place = part % sets;
        let set = set_of_rank(place, stones, points);
        prop_assert_eq!(set.len(), stones);
        prop_assert_eq!(set.bits() >> points, 0);
        prop_assert_eq!(rank(set), place);
        if place + 1 < sets {
            prop_assert_eq!(rank(set_after(set)), place + 1);
        }
    }
}

#[test]
fn extreme_sets_have_ranks() {
    assert_eq!(rank(PointSet::EMPTY), 0);
    assert_eq!(rank(PointSet::from_bits(u64::MAX)), 0);
    assert_eq!(set_of_rank(0, 0, 9), PointSet::EMPTY);
}

/// Counts of more than 64 bits, and more stones than a board has points.
#[test]
fn placements_of_the_largest_slices_are_exact() {
    let board = board("9x7");
    let all = orbits::placements(board, 31, 31);
    assert_eq!(all, 916_312_070_471_295_267 * 32);
    assert!(all > u64::MAX.into());
    let canonical = orbits::placements_up_to_symmetry(board, 31, 31);
    assert!((all / 4..all / 4 + all / 1000).contains(&canonical), "{canonical}");
    assert!(orbits::placements_up_to_symmetry(board, 23, 20) > u64::MAX.into());
    for (own, opponent) in [(64, 0), (0, 64), (32, 32), (u32::MAX, 1), (1, u32::MAX)] {
        assert_eq!(orbits::placements(board, own, opponent), 0, "{own}v{opponent}");
        assert_eq!(orbits::placements_up_to_symmetry(board, own, opponent), 0, "{own}v{opponent}");
    }
}

#[test]
fn sets_that_cannot_be_numbered_are_refused() {
    let board = board("9x7");
    for stones in [9, 31, 54, 64, u32::MAX] {
        assert_eq!(num_sets(board, stones), None);
    }
    let sets = OrbitSets::new(board);
    for stones in [9_u8, 31, 32, 255] {
        assert!(sets.of(stones).is_none());
    }
    for (own, opponent) in [(9, 1), (31, 31), (0, 1), (1, 0), (1, 200), (200, 1)] {
        let slice = Slice::new(own, opponent);
        let error = SliceIndex::new(&sets, slice).unwrap_err();
        assert!(matches!(error, TableError::TooLarge { slice: s, .. } if s == slice), "{error}");
    }
}

#[test]
fn positions_outside_the_slice_have_no_index() {
    let sets = OrbitSets::new(board("3x3"));
    let index = SliceIndex::new(&sets, Slice::new(2, 1)).unwrap();
    let place = |own, opponent| index.index_of(Stones::from_bits(own, opponent));
    assert!(place(0b11, 0b100).is_some());
    let others = [(0b11, 0b1), (0b11, 0), (0, 0b1), (0b11, 0b1100), (0b111, 0b1000)];
    for (own, opponent) in others.into_iter().chain([(0b11, 1 << 9), (3 << 9, 1), (u64::MAX, 1)]) {
        assert_eq!(place(own, opponent), None, "{own:b} {opponent:b}");
    }
}

fn image(symmetry: Symmetry, board: Board, set: PointSet) -> PointSet {
    set.iter().map(|point| symmetry.apply(board, point).unwrap()).collect()
}

#[test]
fn groups_agree_with_their_symmetries() {
    for board in Board::all() {
        let group = SymmetryGroup::new(board);
        let symmetries = board.symmetries();
        assert_eq!(group.symmetries(), symmetries);
        let mut bits: u64 = 0x9e37_79b9_7f4a_7c15;
        for _ in 0..50 {
            bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d).rotate_left(17);
            let set = PointSet::from_bits(bits) & board.all_points();
            for &g in symmetries {
                assert_eq!(group.apply(g, set), image(g, board, set), "{board}");
                assert_eq!(group.apply(g.inverse(), group.apply(g, set)), set, "{board}");
            }
        }
    }
}

#[test]
fn orbits_are_numbered_by_their_lowest_sets() {
    for (name, most) in BOARDS {
        let board = board(name);
        let all = OrbitSets::new(board);
        let group = all.group();
        for stones in 1..=most.min(board.max_stones()) {
            let orbits = all.of(stones as u8).unwrap();
            let mut lowest = HashSet::new();
            for set in sets(board.num_points(), stones) {
                let symmetries = group.symmetries().iter();
                let images: Vec<_> = symmetries.clone().map(|g| group.apply(*g, set)).collect();
                let first = *images.iter().min().unwrap();
                lowest.insert(first);
                let Member { orbit, symmetry } = orbits.member(set);
                assert_eq!(orbits.representative(orbit), first);
                let least = symmetries.clone().find(|g| group.apply(**g, first) == set);
                assert_eq!(Some(&symmetry), least, "the least symmetry that leads to the set");
                let distinct: HashSet<_> = images.into_iter().collect();
                assert_eq!(usize::from(orbits.size(orbit)), distinct.len());
            }
            assert_eq!(orbits.count(), lowest.len());
            let numbered: Vec<_> = (0..orbits.count()).map(|i| orbits.representative(i)).collect();
            assert!(numbered.is_sorted());
        }
    }
}

#[test]
fn the_entry_at_a_positions_index_is_symmetric_to_it() {
    for (name, stones) in BOARDS {
        let board = board(name);
        let sets = OrbitSets::new(board);
        for slice in slices(board, stones) {
            let index = SliceIndex::new(&sets, slice).unwrap();
            let entries: Vec<Entry> = index.entries(0).collect();
            assert_eq!(entries.len() as u64, index.len());
            assert_eq!(index.rows() * index.columns(), index.len());
            assert!(!index.is_empty());
            let mut used = vec![0_u32; entries.len()];
            for position in placements(board, slice) {
                let stones = Stones::of(&position);
                let place = index.index_of(stones).unwrap() as usize;
                let entry = entries[place];
                let symmetric = board.symmetries().iter().any(|g| {
                    let map = |set| image(*g, board, set);
                    entry.stones.map(map) == stones
                });
                assert!(symmetric, "{position} has index {place}, but its entry is {entry:?}");
                used[place] += 1;
            }
            // The weight of an entry is the number of positions that it represents.
            for (place, entry) in entries.iter().enumerate() {
                assert_eq!(used[place], u32::from(entry.weight), "{name} {slice} {entry:?}");
            }
        }
    }
}

#[test]
fn entries_have_the_index_that_they_are_found_at() {
    for (name, stones) in BOARDS {
        let board = board(name);
        let sets = OrbitSets::new(board);
        for slice in slices(board, stones) {
            let index = SliceIndex::new(&sets, slice).unwrap();
            let all: Vec<Entry> = index.entries(0).collect();
            let mut weights = 0;
            for (place, entry) in all.iter().enumerate() {
                assert_eq!(index.index_of(entry.stones), Some(place as u64));
                weights += u64::from(entry.weight);
            }
            let (own, opponent) = (slice.own.into(), slice.opponent.into());
            assert_eq!(u128::from(weights), orbits::placements(board, own, opponent));
            // From the first and the last index, the borders of rows, and some indexes in between.
            let columns = index.columns();
            let firsts = [0, 1, columns - 1, columns, columns + 1, index.len() - 1];
            for first in firsts.into_iter().chain((0..index.len()).step_by(97)) {
                let some = index.entries(first).take(200);
                assert!(some.eq(all.iter().skip(first as usize).take(200).copied()));
            }
            assert_eq!(index.entry(index.len()), None);
            // Any stretch of entries represents as many positions as their weights say.
            let weight = |first: u64, count: u64| -> u64 {
                let some = all.iter().skip(first as usize).take(count as usize);
                some.map(|entry| u64::from(entry.weight)).sum()
            };
            for first in firsts.into_iter().chain([index.len()]) {
                for count in [0, 1, 2, columns - 1, columns, columns + 1, index.len(), u64::MAX] {
                    let found = index.positions(first, count);
                    assert_eq!(found, weight(first, count), "{name} {slice} {first} {count}");
                }
            }
        }
    }
}

#[test]
fn positions_up_to_symmetry_are_counted_by_burnside() {
    for (name, stones) in BOARDS {
        let board = board(name);
        for slice in slices(board, stones) {
            let orbits: HashSet<_> = placements(board, slice)
                .into_iter()
                .map(|position| {
                    let images =
                        board.symmetries().iter().map(|g| position.transformed(*g).unwrap());
                    images.map(|image| Stones::of(&image)).min().unwrap()
                })
                .collect();
            let (own, opponent) = (slice.own.into(), slice.opponent.into());
            let counted = orbits::placements_up_to_symmetry(board, own, opponent);
            assert_eq!(counted, orbits.len() as u128, "{name} {slice}");
        }
    }
}

#[test]
fn the_largest_boards_have_an_index() {
    for board in Board::all() {
        let sets = OrbitSets::new(board);
        for slice in slices(board, 3) {
            let index = SliceIndex::new(&sets, slice).unwrap();
            for place in (0..index.len()).step_by(1009) {
                let entry = index.entry(place).unwrap();
                for g in board.symmetries() {
                    let map = |set| image(*g, board, set);
                    let place = index.index_of(entry.stones.map(map)).unwrap();
                    let found = index.entry(place).unwrap();
                    let symmetric = board.symmetries().iter().any(|h| {
                        let map = |set| image(*h, board, set);
                        found.stones.map(map) == entry.stones
                    });
                    assert!(symmetric, "{board} {slice} {entry:?}");
                }
            }
        }
    }
}
