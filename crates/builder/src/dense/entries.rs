//! The entries of tables: from the order of the index to rows and columns, and back.

use std::ops::RangeInclusive;

use arrayvec::ArrayVec;
use fanorona_core::{PointSet, Stones, Symmetry};
use fanorona_tablebase::Code;
use fanorona_tablebase::orbits::{Member, choose, rank, set_after, set_of_rank};

use super::plane::Plane;
use super::select::{renumber, restore};
use super::state::{DenseContext, WorkingSlice};
use crate::solved::SolvedSlice;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// The number of the occupied points among all sets of their size.
    pub row: usize,
    /// The column of the opponent's set.
    pub column: usize,
    pub own: PointSet,
    pub opponent: PointSet,
}

/// The points of a set of the opponent that change most often: the lowest ones.
const LOW_POINTS: u32 = 9;

/// The lower part of a set of the opponent.
#[derive(Clone, Copy)]
struct LowPart {
    set: u64,
    /// Its share of the number of the row, and of the column.
    row: u32,
    column: u32,
}

/// Visits `count` entries from index `first` on. Takes a few nanoseconds each.
///
/// In the order of the index, sets of the opponent with the same upper part follow each other. Then
/// the lower parts have the same number of points, and add the same to row and column whatever the
/// upper part is. So they are listed once.
#[inline(always)]
pub(super) fn for_each_entry(
    context: &DenseContext<'_, '_>,
    first: u64,
    count: usize,
    mut visit: impl FnMut(Entry),
) {
    let (words, ranks) = (context.tools.words, &context.tools.ranks);
    let (orbits, columns) = (context.build.orbits(context.slice.own), context.index().columns());
    let stones = u32::from(context.slice.opponent);
    let lowest = |count: u32| (1_u64 << count) - 1;
    let low_points = lowest(LOW_POINTS);
    let (mut row, mut column) = ((first / columns) as usize, first % columns);
    let mut left = count;
    // For each number of points, the lower parts.
    let mut lists: [Vec<LowPart>; LOW_POINTS as usize + 1] = Default::default();
    while left > 0 {
        let mut here = left.min((columns - column) as usize);
        left -= here;
        let own = orbits.representative(row).bits();
        let free = context.tools.board.all_points().bits() & !own;
        let (free_low, free_high) = (free & low_points, free & !low_points);
        let count_low = free_low.count_ones();
        lists.iter_mut().for_each(Vec::clear);
        let begin = set_of_rank(column, stones, free.count_ones()).bits();
        let mut skipped = rank(PointSet::from_bits(begin & lowest(count_low))) as usize;
        let mut upper = begin >> count_low;
        while here > 0 {
            upper = next_with_points(upper, stones.saturating_sub(count_low)..=stones);
            debug_assert!(upper >> free_high.count_ones() == 0, "the row is not at its end");
            let high = restore(words, upper, free_high);
            let number = stones - upper.count_ones();
            let list = &mut lists[number as usize];
            if list.is_empty() {
                list_low_parts(context, own & low_points, free_low, number, list);
            }
            // The share of the upper part depends on the number of lower points, and that of the
            // lowest ones is 0.
            let count_below = number + (own & low_points).count_ones();
            let occupied_high = high | own & !low_points;
            let upper_row = ranks.rank(lowest(count_below) | occupied_high);
            let column_high = renumber(words, high, occupied_high) << count_below;
            let upper_column = ranks.rank(lowest(number) | column_high);
            let together = (list.len() - skipped).min(here);
            for low in &list[skipped..skipped + together] {
                visit(Entry {
                    row: upper_row + low.row as usize,
                    column: upper_column + low.column as usize,
                    own: PointSet::from_bits(own),
                    opponent: PointSet::from_bits(high | low.set),
                });
            }
            (here, skipped, upper) = (here - together, 0, upper + 1);
        }
        (row, column) = (row + 1, 0);
    }
}

/// The first set from `set` on, as a number, that has a possible number of points.
#[inline(always)]
fn next_with_points(mut set: u64, possible: RangeInclusive<u32>) -> u64 {
    loop {
        let points = set.count_ones();
        if points > *possible.end() {
            set += set & set.wrapping_neg();
        } else if points < *possible.start() {
            set |= set + 1;
        } else {
            return set;
        }
    }
}

/// The most entries that [`for_each_batch`] visits together.
pub(super) const BATCH: usize = 256;

/// Visits `count` entries from index `first` on, some at a time.
///
/// Entries that follow each other are far from each other in memory. If each step of the work is
/// done for all entries of a batch, the processor waits for many of them at the same time.
#[inline(always)]
pub(super) fn for_each_batch(
    context: &DenseContext<'_, '_>,
    first: u64,
    count: usize,
    mut visit: impl FnMut(&[Entry]),
) {
    let mut batch = ArrayVec::<Entry, BATCH>::new();
    for_each_entry(context, first, count, |entry| {
        batch.push(entry);
        if batch.is_full() {
            visit(&batch);
            batch.clear();
        }
    });
    visit(&batch);
}

/// Lists the lower parts with a number of points.
fn list_low_parts(
    context: &DenseContext<'_, '_>,
    own: u64,
    free: u64,
    number: u32,
    list: &mut Vec<LowPart>,
) {
    let (words, ranks) = (context.tools.words, &context.tools.ranks);
    let sets = choose(free.count_ones(), number);
    let mut set = set_of_rank(0, number, free.count_ones());
    for i in 1..=sets {
        let opponent = restore(words, set.bits(), free);
        let occupied = own | opponent;
        list.push(LowPart {
            set: opponent,
            row: ranks.rank(occupied) as u32,
            column: ranks.rank(renumber(words, opponent, occupied)) as u32,
        });
        if i < sets {
            set = set_after(set);
        }
    }
}

/// The lowest index of a position, if it is below a limit.
pub(super) fn lowest_index(
    context: &DenseContext<'_, '_>,
    limit: u64,
    own: PointSet,
    opponent: PointSet,
) -> Option<u64> {
    let (index, group) = (context.index(), context.tools.group);
    let row = context.build.orbits(context.slice.own).member(own).orbit as u64;
    if row * index.columns() >= limit {
        return None;
    }
    let images = group.symmetries().iter().filter(|g| group.apply(**g, own) == own);
    let index_of = |g: &Symmetry| {
        let opponent = group.apply(*g, opponent);
        index.index(Stones { own, opponent })
    };
    images.map(index_of).min().filter(|index| *index < limit)
}

impl WorkingSlice {
    /// The value of a position of a solved slice without distances.
    #[inline(always)]
    pub(super) fn code(&self, entry: &Entry) -> Code {
        let bit = |plane: &Plane| plane.bit(entry.row, entry.column);
        Code::of_bits(bit(&self.win), bit(&self.loss))
    }
}

/// The value of a position of a solved slice.
#[inline(always)]
pub(super) fn code_of(context: &DenseContext<'_, '_>, solved: &SolvedSlice, entry: &Entry) -> Code {
    let (orbit, column) = orbit_and_column(context, entry);
    match solved {
        SolvedSlice::Values { win, loss } => {
            Code::of_bits(win.bit(orbit, column), loss.bit(orbit, column))
        }
        SolvedSlice::Distances { grades, .. } => {
            let column = context.columns.of_other_side(column);
            grades.code(orbit, column)
        }
    }
}

/// The orbit of an entry's row, and its column there.
#[inline(always)]
pub(super) fn orbit_and_column(context: &DenseContext<'_, '_>, entry: &Entry) -> (usize, usize) {
    let number = context.rows.number_of_rank(entry.row as u64);
    let Member { orbit, symmetry } = context.rows.member_with_number(number as usize);
    let opponent = context.tools.image_of_set(symmetry.inverse(), entry.opponent);
    (orbit, context.opponents_column(context.rows.representative(orbit), opponent))
}
