//! The paikas of a row.

use fanorona_core::{Direction, Point, PointSet, Symmetry};
use fanorona_tablebase::orbits::Member;

use super::context::SliceContext;
use crate::rows::store::RowSet;

/// If more than one in this number of rows has changed, passes look at all rows.
const DENSE: usize = 16;

/// A paika of a row: the row that it leads to, and the points that forbid it.
pub(crate) struct Paika {
    pub row: usize,
    pub symmetry: Symmetry,
    pub to: Point,
    /// If capturing is optional: the points where an opponent would make the step a capture.
    pub captures: [Option<Point>; 2],
}

/// The steps of an own set's stones to points without an own stone.
pub(crate) fn paikas<'a>(
    context: &'a SliceContext<'_, '_>,
    own: PointSet,
) -> impl Iterator<Item = Paika> + 'a {
    let optional = context.rule.captures_are_optional();
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
fn neighbours<'a>(
    context: &'a SliceContext<'_, '_>,
    row: usize,
) -> impl Iterator<Item = usize> + 'a {
    paikas(context, context.own.representative(row)).map(|paika| paika.row)
}

/// The rows that are a step away from a set of rows; all of them if that is quicker.
pub(crate) fn near(context: &SliceContext<'_, '_>, rows: &RowSet) -> RowSet {
    let count = context.own.count();
    match rows.is_dense(count, DENSE) {
        true => RowSet::All,
        false => rows.related(count, |row| neighbours(context, row)),
    }
}
