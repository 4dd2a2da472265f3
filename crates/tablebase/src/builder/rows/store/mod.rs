//! The matrices of a unit in work: how they are cut, where they are, and what processes send each
//! other.
//!
//! The life of a row here: it arrives when captures have decided it, and is cut into the panels of
//! the processes ([`layout`], [`tiles`]). A pass takes a stripe of panels, changes it and puts it
//! back, and reads the rows of the swapped slice that have changed, transposed ([`after`],
//! [`changes`]). With distances, the [`log`] records what each round decides. In the end the row is
//! put together again, to be written.

pub(super) mod after;
pub(super) mod changes;
pub(super) mod exchange;
pub(super) mod exchange_changes;
pub(super) mod grades;
pub(super) mod input;
pub(super) mod layout;
pub(super) mod log;
pub(super) mod matrix;
pub(super) mod rowset;
pub(super) mod slices;
pub(super) mod tiles;
