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
pub mod index;
pub mod orbits;
mod probe;
mod slice;
mod value;
mod verify;
mod zugzwang;

use fanorona_core::{Board, Capturing, RuleSet};

pub use builder::estimate::{Estimate, SliceEstimate, estimate, memory_available};
pub use builder::unpack::{UnpackOptions, UnpackReport, unpack};
pub use builder::{BuildOptions, Checkpoint, Goal, Method, Part, Phase, Progress, Report, build};
pub use clock::Spent;
pub use error::{Result, TableError};
pub use format::{
    Access, Metadata, OLDEST_VERSION, Statistics, TableFile, UNPACKED_VERSION, UnpackedFile,
    UnpackedMetadata, VERSION,
};
pub use probe::{RankedTurn, Tables};
pub use slice::{ParseSliceError, Slice, Unit};
pub use value::{Code, Metric, TableValue};
pub use verify::{SliceCheck, Thoroughness, verify};
pub use zugzwang::{Zugzwang, ZugzwangCount, Zugzwangs};

/// Whether a capture decides a position: then smaller slices do.
fn captures_decide(rules: &RuleSet) -> bool {
    rules.capturing == Capturing::Mandatory
}

/// Whether a table holds values at positions in which the mover can capture.
///
/// It need not where captures decide: those are three quarters of all positions, leaving them out
/// halves the files, and a prober finds them by looking up some ten positions of smaller slices.
/// But each of those can have captures again, so the search grows quickly where stones stand
/// close. Where more than one point in five has a stone, it is better to look up.
fn captures_are_stored(board: Board, rules: &RuleSet, slice: Slice) -> bool {
    !captures_decide(rules) || 5 * slice.stones() > board.num_points()
}

/// The name of a table in its directory.
fn file_name(board: Board, rules: &RuleSet, slice: Slice, metric: Metric) -> String {
    format!("{board}_{rules}_{slice}.{}.{}", metric.name(), format::EXTENSION)
}

/// How the names of unpacked tables end.
const UNPACKED_ENDING: &str = ".unpacked.fano";

/// The name of an unpacked table.
fn unpacked_name(board: Board, rules: &RuleSet, slice: Slice, metric: Metric) -> String {
    format!("{board}_{rules}_{slice}.{}{UNPACKED_ENDING}", metric.name())
}
