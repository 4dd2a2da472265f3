//! Building and unpacking tables.
//!
//! [`build`](mod@build) says which slices are missing and in which order they are solved. How a unit
//! is solved is the matter of a [`SliceBuilder`](context::SliceBuilder): [`rows`] works on whole rows
//! of positions, as bits; [`plain`] evaluates position by position until nothing changes, and is
//! what the former is compared with.

mod build;
mod checkpoint;
mod context;
mod directory;
mod estimate;
mod methods;
mod options;
mod plain;
mod progress;
mod rows;
mod schedule;
#[cfg(test)]
mod tests;
mod unpack;

pub use self::build::{BuildReport, build};
pub use self::estimate::{Estimate, SliceEstimate, estimate};
pub use self::options::{BuildOptions, Method, ParseMethodError};
pub use self::progress::{CheckpointEvent, Part, Phase, Progress, Stage, UnsavedCheckpoint};
pub use self::unpack::{UnpackOptions, UnpackReport, unpack};
