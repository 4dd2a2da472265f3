//! Building and unpacking tables.
//!
//! [`build`](mod@build) finds out which slices are missing and in which order to solve them.
//! [`plans`] chooses how, among the [backends](backend). There are three: [`rows`] and [`dense`] work
//! on whole rows of positions, as bits. [`plain`] evaluates one position after the other until nothing
//! changes, and is the reference for the others. Only [`method`] names them.

mod backend;
mod build;
mod checkpoint;
mod context;
mod count;
mod dense;
mod directions;
mod directory;
mod estimate;
mod first_phase;
mod grade_rows;
mod grades;
mod instructions;
mod matrix;
mod memory;
mod method;
mod options;
mod plain;
mod plans;
mod progress;
mod ranks;
mod rows;
mod schedule;
mod solved;
#[cfg(test)]
mod tests;
mod unit_build;
mod unpack;
mod work;

pub use self::build::{build, build_distributed};
pub use self::estimate::{Estimate, SliceEstimate, estimate, estimate_distributed};
pub use self::method::{Method, ParseMethodError};
pub use self::options::BuildOptions;
pub use self::progress::{CheckpointEvent, Part, Phase, Progress, Stage, UnsavedCheckpoint};
pub use self::ranks::{Alone, Ranks};
pub use self::unit_build::BuildReport;
pub use self::unpack::{
    UnpackEstimate, UnpackOptions, UnpackReport, UnpackedTableEstimate, estimate_unpacking, unpack,
};
