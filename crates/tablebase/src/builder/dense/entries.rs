//! The entries of tables: from the order of the index to rows and columns, and back.

use fanorona_core::{PointSet, SymmetryGroup};

use super::state::{SliceContext, SolvedSlice, WorkingSlice};
use crate::index::SliceIndex;
use crate::orbits::{Member, Orbits, rank, set_after, set_of_rank};
use crate::value::Code;

/// Visits the positions of `count` entries from index `first` on, as own and opponent's sets.
pub(super) fn for_each_position(
    context: &SliceContext<'_, '_>,
    first: u64,
    count: usize,
    mut visit: impl FnMut(PointSet, PointSet),
) {
    let bits = context.tools.bits;
    let (own, columns) = (context.build.orbits(context.slice.own), context.index().columns());
    let stones = context.slice.opponent.into();
    let (mut row, mut column) = ((first / columns) as usize, first % columns);
    let mut left = count as u64;
    while left > 0 {
        let here = left.min(columns - column);
        let own = own.representative(row);
        let free = context.tools.board.all_points() - own;
        let mut set = set_of_rank(column, stones, free.len());
        for place in 1..=here {
            visit(own, PointSet::from_bits(bits.restore(set.bits(), free.bits())));
            if place < here {
                set = set_after(set);
            }
        }
        left -= here;
        (row, column) = (row + 1, 0);
    }
}

/// Finds the lowest index of positions.
pub(super) struct Places<'p> {
    group: &'p SymmetryGroup,
    index: SliceIndex<'p>,
    own: &'p Orbits,
    context: &'p SliceContext<'p, 'p>,
}

impl<'p> Places<'p> {
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
        let by = (0..self.group.order()).filter(|g| self.group.apply(*g, own) == representative);
        let places = by.map(|g| {
            let opponent = self.group.apply(g, opponent).bits();
            first + rank(PointSet::from_bits(self.context.tools.bits.renumber(opponent, free.bits())))
        });
        places.min().filter(|place| *place < limit)
    }
}

impl WorkingSlice {
    /// The value of a position of a solved slice without distances.
    #[inline]
    pub(super) fn code(
        &self,
        context: &SliceContext<'_, '_>,
        own: PointSet,
        opponent: PointSet,
    ) -> Code {
        let occupied = own | opponent;
        let row = context.row_of(occupied);
        let column = context.opponents_column(occupied, opponent);
        let (win, loss) = (self.win.bit(row, column), self.loss.bit(row, column));
        Code(u16::from(loss) | u16::from(win) << 1)
    }
}

impl SolvedSlice {
    /// The value of a position.
    #[inline]
    pub(super) fn code(
        &self,
        context: &SliceContext<'_, '_>,
        own: PointSet,
        opponent: PointSet,
    ) -> Code {
        let occupied = own | opponent;
        let Member { orbit, symmetry } = context.member_of(occupied);
        let back = context.tools.group.inverse(symmetry);
        let opponent = context.tools.group.apply(back, opponent);
        let column = context.opponents_column(context.rows.representative(orbit), opponent);
        match self {
            Self::Values { win, loss } => {
                let (win, loss) = (win.bit(orbit, column), loss.bit(orbit, column));
                Code(u16::from(loss) | u16::from(win) << 1)
            }
            Self::Distances { grades, .. } => {
                let columns = context.columns;
                grades.code(orbit * columns.count() + columns.of_other_side(column))
            }
        }
    }
}
