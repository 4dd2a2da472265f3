//! Checkpoints: the state of a unit, saved to files at intervals, so that a killed build loses
//! minutes of work instead of the unit. A checkpoint writes only the parts that have changed.
//!
//! Only the same version of this program reads a checkpoint. If its version, identity, checksum or
//! the tables that it depends on differ, it is not used, and the unit is built from the beginning.
//! `docs/BUILDING.md` describes the content.

mod items;
mod store;
mod stream;

pub(super) use self::items::{read_items, write_items};
pub(super) use self::store::{
    CHECKPOINT_FILE, CheckpointStore, PartFile, PartWriter, remove_checkpoint,
};
pub(super) use self::stream::{damaged, read_number};
