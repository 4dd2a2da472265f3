//! The entries of tables: from the order of the index to rows and columns, and back.

use arrayvec::ArrayVec;
use fanorona_core::{PointSet, SymmetryGroup};
use fanorona_tablebase::Code;
use fanorona_tablebase::index::SliceIndex;
use fanorona_tablebase::orbits::{Member, Orbits, choose, rank, set_after, set_of_rank};

use super::plane::Plane;
use super::select::{renumber, restore};
use super::state::{SliceContext, WorkingSlice};
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
    context: &SliceContext<'_, '_>,
    first: u64,
    count: usize,
    mut visit: impl FnMut(Entry),
) {
    let (words, ranks) = (context.tools.words, &context.tools.ranks);
    let (own, columns) = (context.build.orbits(context.slice.own), context.index().columns());
    let stones = u32::from(context.slice.opponent);
    let low_points = (1_u64 << LOW_POINTS) - 1;
    let (mut row, mut column) = ((first / columns) as usize, first % columns);
    let mut left = count as u64;
    // For each number of points, the lower parts.
    let mut lists: [Vec<LowPart>; LOW_POINTS as usize + 1] = Default::default();
    while left > 0 {
        let mut here = left.min(columns - column);
        let own = own.representative(row).bits();
        let free = context.tools.board.all_points().bits() & !own;
        let (free_low, free_high) = (free & low_points, free & !low_points);
        let (count_low, count_high) = (free_low.count_ones(), free_high.count_ones());
        lists.iter_mut().for_each(Vec::clear);
        let begin = set_of_rank(column, stones, free.count_ones()).bits();
        let mut skipped = rank(PointSet::from_bits(begin & ((1 << count_low) - 1))) as usize;
        let mut upper = begin >> count_low;
        loop {
            // The next upper part with a possible number of points.
            let points = upper.count_ones();
            if points > stones {
                upper += upper & upper.wrapping_neg();
                continue;
            }
            if points + count_low < stones {
                upper |= upper + 1;
                continue;
            }
            debug_assert!(upper >> count_high == 0, "the row is not at its end");
            let high = restore(words, upper, free_high);
            let number = stones - points;
            let list = &mut lists[number as usize];
            if list.is_empty() {
                list_low_parts(context, own & low_points, free_low, number, list);
            }
            // The share of the upper part depends on the number of lower points, and that of the
            // lowest ones is 0.
            let lowest = |count: u32| (1_u64 << count) - 1;
            let count_below = number + (own & low_points).count_ones();
            let occupied_high = high | own & !low_points;
            let upper_row = ranks.rank(lowest(count_below) | occupied_high);
            let column_high = renumber(words, high, occupied_high) << count_below;
            let upper_column = ranks.rank(lowest(number) | column_high);
            let together = (list.len() - skipped).min(here as usize);
            for low in &list[skipped..skipped + together] {
                visit(Entry {
                    row: upper_row + low.row as usize,
                    column: upper_column + low.column as usize,
                    own: PointSet::from_bits(own),
                    opponent: PointSet::from_bits(high | low.set),
                });
            }
            here -= together as u64;
            left -= together as u64;
            if here == 0 {
                break;
            }
            skipped = 0;
            upper += 1;
        }
        (row, column) = (row + 1, 0);
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
    context: &SliceContext<'_, '_>,
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
    context: &SliceContext<'_, '_>,
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

/// Finds the lowest index of positions.
pub(super) struct LowestIndex<'p> {
    group: &'p SymmetryGroup,
    index: SliceIndex<'p>,
    own: &'p Orbits,
    context: &'p SliceContext<'p, 'p>,
}

impl<'p> LowestIndex<'p> {
    pub(super) fn new(context: &'p SliceContext<'p, 'p>) -> Self {
        let (group, own) = (context.tools.group, context.build.orbits(context.slice.own));
        Self { group, index: context.index(), own, context }
    }

    /// The lowest index of a position that is below a number.
    pub(super) fn below(&self, limit: u64, own: PointSet, opponent: PointSet) -> Option<u64> {
        let Member { orbit, .. } = self.own.member(own);
        let first = orbit as u64 * self.index.columns();
        if first >= limit {
            return None;
        }
        let representative = self.own.representative(orbit);
        let free = self.context.tools.board.all_points() - representative;
        let by =
            self.group.symmetries().iter().filter(|g| self.group.apply(**g, own) == representative);
        let indexes = by.map(|g| {
            let opponent = self.group.apply(*g, opponent).bits();
            first
                + rank(PointSet::from_bits(renumber(
                    self.context.tools.words,
                    opponent,
                    free.bits(),
                )))
        });
        indexes.min().filter(|index| *index < limit)
    }
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
pub(super) fn code_of(context: &SliceContext<'_, '_>, solved: &SolvedSlice, entry: &Entry) -> Code {
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
pub(super) fn orbit_and_column(context: &SliceContext<'_, '_>, entry: &Entry) -> (usize, usize) {
    let number = context.rows.number_of_rank(entry.row as u64);
    let Member { orbit, symmetry } = context.rows.member_with_number(number as usize);
    let opponent = context.tools.image_of_set(symmetry.inverse(), entry.opponent);
    (orbit, context.opponents_column(context.rows.representative(orbit), opponent))
}
