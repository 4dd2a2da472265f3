//! Checkpoints: the state of a unit at work, saved to a file from time to time, so that a build that
//! is killed loses minutes and not the unit.
//!
//! A checkpoint is for the program that wrote it and of no use to others. One that is not exactly as
//! expected (version, content, the tables that it depends on, checksum) is not used, and the unit is
//! built from the beginning. `docs/BUILDING.md` describes what is in it.

mod items;
mod store;
mod stream;

pub(super) use self::items::{Item, read_items, write_items};
pub(super) use self::store::{CHECKPOINT_FILE, CheckpointStore};
pub(super) use self::stream::damaged;
