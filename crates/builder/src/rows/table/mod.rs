//! Solved rows: in tables, and in memory for the slices that capture into them.
//!
//! The life of a row here: when its unit is solved, its values and zugzwangs are counted
//! ([`count`], [`zugzwang`]), it is kept in transposed form if larger slices need it ([`solved`]),
//! and it is written in the order of the index ([`mod@write`], [`pack`], [`graded`]). A later build
//! reads it from its table ([`load`]).

mod count;
mod graded;
mod load;
mod pack;
mod solved;
mod write;
mod zugzwang;

pub(super) use self::load::{copy_values, load};
pub(super) use self::solved::solved_of;
pub(super) use self::write::write;
pub(super) use self::zugzwang::count_zugzwangs;
