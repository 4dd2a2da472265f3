//! Checkpoints of a unit in work.
//!
//! The life of a row here: it is in the frames of its panels, in the file of its process. A checkpoint
//! writes those that have changed in memory, and an index of all. Another number of processes copies
//! it to the panels that it has then.

mod copy;
mod resume;

pub(super) use self::resume::restore;
