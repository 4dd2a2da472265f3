//! The entries of tables: from the order of the index to rows and columns, and back.

use arrayvec::ArrayVec;
use fanorona_core::{PointSet, Position, RuleSet, Side, Stones, Symmetry};
use fanorona_tablebase::orbits::{Member, set_after, set_of_rank};

use super::select::restore;
use super::state::DenseContext;

/// The most entries that are listed together.
///
/// Entries that follow each other are far from each other in memory. If each step of the work is
/// done for all entries of a batch, the processor waits for many of them at the same time.
pub(super) const BATCH: usize = 256;

/// The positions of up to [`BATCH`] entries from index `first` on.
#[inline(always)]
pub(super) fn list_positions(
    context: &DenseContext<'_, '_>,
    first: u64,
    count: usize,
) -> ArrayVec<Stones, BATCH> {
    let (orbits, columns) = (context.build.orbits(context.slice.own), context.index().columns());
    let (mut row, mut column) = ((first / columns) as usize, first % columns);
    let mut batch = ArrayVec::new();
    while batch.len() < count {
        let own = orbits.representative(row);
        let free = context.tools.board.all_points() - own;
        let here = (columns - column).min((count - batch.len()) as u64);
        let mut set = set_of_rank(column, context.slice.opponent.into(), free.len());
        for i in 1..=here {
            let opponent = restore(context.tools.words, set.bits(), free.bits());
            batch.push(Stones { own, opponent: PointSet::from_bits(opponent) });
            if i < here {
                set = set_after(set);
            }
        }
        (row, column) = (row + 1, 0);
    }
    batch
}

impl DenseContext<'_, '_> {
    /// The orbit of the row of a position, and the column of the opponent's set there.
    #[inline(always)]
    pub(super) fn place_of(&self, stones: Stones) -> (usize, usize) {
        let Member { orbit, symmetry } = self.tools.member_of(self.rows, stones.occupied());
        let opponent = self.tools.image_of_set(symmetry.inverse(), stones.opponent);
        (orbit, self.opponents_column(self.rows.representative(orbit), opponent))
    }

    /// Whether the side to move can capture.
    pub(super) fn has_capture(&self, rules: &RuleSet, stones: Stones) -> bool {
        let position = Position::from_mover(self.tools.board, stones, Side::White);
        rules.has_capture(&position.expect("an entry is a position"))
    }
}

/// The lowest index of a position, if it is below a limit.
pub(super) fn lowest_index(
    context: &DenseContext<'_, '_>,
    limit: u64,
    stones: Stones,
) -> Option<u64> {
    let (index, group) = (context.index(), context.tools.group);
    let row = context.build.orbits(context.slice.own).member(stones.own).orbit as u64;
    if row * index.columns() >= limit {
        return None;
    }
    let index_of = |g: &Symmetry| index.index(stones.map(|set| group.apply(*g, set)));
    let all = group.symmetries().iter().filter(|g| group.apply(**g, stones.own) == stones.own);
    all.map(index_of).min().filter(|index| *index < limit)
}
