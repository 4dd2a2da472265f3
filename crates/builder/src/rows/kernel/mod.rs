//! Turns as operations on rows: captures, paikas, and the sets that are the columns of a row.
//!
//! The life of a row here: [`captures`] combines rows of smaller slices to its first values, once.
//! Then a [`pass`] combines it with the rows that its [`paikas`] lead to, whenever one of these has
//! changed.

mod capture_tree;
pub(super) mod captures;
mod colex;
mod columns;
mod context;
mod decide;
mod paikas;
pub(super) mod pass;
pub(super) mod spread;

pub(super) use self::colex::{ColexOrder, LEAF, Mask};
pub(super) use self::columns::check_columns;
pub(super) use self::context::{RowsContext, SliceContext, UnitContext};
pub(super) use self::decide::{SliceRows, closed, decide_rows, due, new_rows};
pub(super) use self::paikas::near;
pub(super) use self::pass::Pass;
