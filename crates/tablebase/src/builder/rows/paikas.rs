//! The paikas of a row.

use fanorona_core::{Direction, Paikas, Point, PointSet, Symmetry};

use super::state::SliceContext;
use crate::orbits::Member;

/// A paika of a row: the row that it leads to, and the points that forbid it.
pub(super) struct Paika {
    pub row: usize,
    pub symmetry: Symmetry,
    pub to: Point,
    /// If capturing is optional: the points where an opponent would make the step a capture.
    pub captures: [Option<Point>; 2],
}

/// The steps of an own set's stones to points without an own stone.
pub(super) fn paikas<'a>(
    context: &'a SliceContext<'_, '_>,
    own: PointSet,
) -> impl Iterator<Item = Paika> + 'a {
    let optional = context.rule.paikas == Paikas::NonCapturingStep;
    let board = context.board;
    own.iter().flat_map(move |from| {
        Direction::ALL.into_iter().filter_map(move |direction| {
            let to = (board.shift(from.into(), direction) - own).first()?;
            let Member { orbit: row, symmetry } = context.own.member((own - from) | to);
            let point = |set: PointSet| (set - own).first().filter(|_| optional);
            let beyond = point(board.shift(to.into(), direction));
            let behind = point(board.shift(from.into(), direction.opposite()));
            Some(Paika { row, symmetry, to, captures: [beyond, behind] })
        })
    })
}

/// The rows that are a step of one stone away from a row. A step can be taken back, so these are
/// the rows that paikas from the row lead to, and those from which paikas lead to it.
pub(super) fn neighbours<'a>(
    context: &'a SliceContext<'_, '_>,
    row: usize,
) -> impl Iterator<Item = usize> + 'a {
    paikas(context, context.own.representative(row)).map(|paika| paika.row)
}
