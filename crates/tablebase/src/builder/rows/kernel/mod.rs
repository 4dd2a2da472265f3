//! What a turn does to a row: captures, paikas, and the sets that are the columns of a row.
//!
//! The life of a row here: [`captures`] combines rows of smaller slices to its first values, once.
//! Then a [`pass`] combines it with the rows that its [`paikas`] lead to, whenever one of these has
//! changed.

pub(super) mod bits;
pub(super) mod capture_tree;
pub(super) mod captures;
pub(super) mod colex;
pub(super) mod columns;
pub(super) mod context;
pub(super) mod paikas;
pub(super) mod pass;
