//! Builds and unpacks endgame tables of Fanorona, which `fanorona-tablebase` reads.
//!
//! Estimate and build the tables of a small board up to four stones:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use fanorona_builder::{BuildOptions, build, estimate};
//! use fanorona_core::{Board, RuleSet};
//!
//! let dir = tempfile::tempdir()?;
//! // Memory and disk space in bytes, and seconds.
//! let options = BuildOptions::new(dir.path(), Board::telo(), RuleSet::STANDARD, 4);
//! let needs = estimate(&options)?;
//! assert!(needs.least_memory <= needs.memory);
//! // What is missing is built. Set the flag from another thread to stop.
//! let report = build(&options, &(), &AtomicBool::new(false))?;
//! assert_eq!(report.written, needs.slices.len());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | know what a build takes | [`estimate()`], with [`BuildOptions`]; [`estimate_distributed`] |
//! | build what is missing in a directory | [`build()`]; [`build_distributed`] for several processes |
//! | probe faster, from larger files | [`unpack()`] |
//! | connect the processes of a build | [`ProcessGroup`] |
//! | know how it works | `docs/BUILDING.md` in the crate's directory |
//!
//! # Inside
//!
//! `build.rs` finds out which slices are missing and in which order to solve them.
//! `plans.rs` chooses how, among the backends (`backend.rs`). There are three: `rows` and `dense` work
//! on whole rows of positions, as bits. `plain` evaluates one position after the other until nothing
//! changes, and is the reference for the others. Only `method.rs` names them.

#![deny(unsafe_code)]

mod backend;
mod bits;
mod build;
mod checkpoint;
mod context;
mod count;
mod dense;
mod directions;
mod directory;
mod estimate;
mod grade_rows;
mod grades;
mod instructions;
mod matrix;
mod memory;
mod method;
mod options;
mod plain;
mod plans;
mod processes;
mod progress;
mod rows;
mod sizes;
mod solved;
#[cfg(test)]
mod tests;
mod unpack;
mod work;

pub use self::build::{BuildReport, build, build_distributed};
pub use self::estimate::{Estimate, SliceEstimate, estimate, estimate_distributed};
pub use self::method::Method;
pub use self::options::BuildOptions;
pub use self::processes::{Alone, ProcessGroup};
pub use self::progress::{Activity, CheckpointEvent, Part, Progress, Stage};
pub use self::unpack::{UnpackOptions, UnpackReport, unpack};
