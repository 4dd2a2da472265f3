//! Solved rows: in tables, and in memory for the slices that capture into them.
//!
//! The life of a row here: when its unit is solved, its values and zugzwangs are counted
//! ([`count`], [`zugzwang`]), it is kept in transposed form if larger slices need it ([`solved`]),
//! and it is written in the order of the index ([`mod@write`], [`pack`], [`graded`]). A later build
//! reads it from its table ([`load`]).

pub(super) mod count;
pub(super) mod graded;
pub(super) mod load;
pub(super) mod pack;
pub(super) mod solved;
pub(super) mod write;
pub(super) mod zugzwang;
