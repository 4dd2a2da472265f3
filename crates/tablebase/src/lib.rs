//! Endgame tables of Fanorona: building them, the files they are kept in, probing and verifying.
//!
//! - A [`Slice`] is all positions with the same numbers of stones, a [`Unit`] a slice and its
//!   swapped one; units are solved one after the other, fewer stones first.
//! - [`build`] makes what is missing in a directory, [`estimate`] tells what that takes.
//! - [`Tables`] opens a directory and probes; [`TableFile`] is one file of it.
//! - [`unpack`] makes [unpacked](UnpackedFile) tables beside the packed ones, which are large and
//!   quick to look into.
//! - [`verify`] compares tables with an independent computation.
//!
//! The pages in this crate's `docs` folder describe the file format, the builder by rows, and what
//! the tables of 9x5 say.

#![deny(unsafe_code)]

mod builder;
mod clock;
mod error;
mod format;
mod goal;
pub mod index;
mod key;
pub mod orbits;
mod probe;
mod resources;
mod slice;
mod stop;
mod value;
mod verify;
mod zugzwang;

pub use builder::{
    BuildOptions, BuildReport, CheckpointEvent, Estimate, Method, ParseMethodError, Part, Phase,
    Progress, SliceEstimate, Stage, UnpackOptions, UnpackReport, UnsavedCheckpoint, build,
    estimate, unpack,
};
pub use clock::Spent;
pub use error::{Resource, Result, TableError, Task};
pub use format::{
    Access, Metadata, OLDEST_VERSION, Statistics, TableFile, UNPACKED_VERSION, UnpackedFile,
    UnpackedMetadata, VERSION,
};
pub use goal::Goal;
pub use key::{Layout, ParseTableKeyError, TableKey};
pub use probe::{RankedTurn, Tables};
pub use resources::memory_available;
pub use slice::{FirstPhaseError, ParseSliceError, Slice, Unit};
pub use value::{Code, Metric, ParseMetricError, TableValue};
pub use verify::{CountSource, Fault, HeaderFault, SliceCheck, Thoroughness, ValueSource, verify};
pub use zugzwang::{ParseZugzwangError, Zugzwang, ZugzwangCount, Zugzwangs};
