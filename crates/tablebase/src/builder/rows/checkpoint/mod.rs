//! Checkpoints of a unit in work.
//!
//! The life of a row here: it is in a part with the other rows that captures decided since the last
//! checkpoint. When rounds have changed it, the parts of its stripes replace that part.

mod parts;
mod resume;
mod saved;

pub(super) use self::resume::{Restored, UnitCheckpoints};
