//! Checkpoints: the state of a unit, saved to files at intervals, so that a killed build loses
//! minutes of work instead of the unit. A checkpoint writes only what has changed in memory: what
//! does not fit there is already in its [file](extents).
//!
//! Only the same version of this program reads a checkpoint. If its version, identity, checksum or
//! the tables that it depends on differ, it is not used, and the unit is built from the beginning.
//! `docs/BUILDING.md` describes the content.

mod extents;
mod store;
mod unit_progress;

pub(super) use self::extents::{CHECKPOINT_FILE, Extent, ExtentFile, damaged, of_system};
pub(super) use self::store::{CheckpointStore, remove_checkpoint};
pub(super) use self::unit_progress::{DistanceRounds, SliceSize, UnitProgress};
