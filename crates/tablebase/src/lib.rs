//! Endgame tables of Fanorona: building, file format, probing and verifying.
//!
//! To build the tables of a small board up to four stones, and probe a position:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use fanorona_core::{Position, RuleSet, Value};
//! use fanorona_tablebase::{BuildOptions, Tables, build};
//!
//! let dir = tempfile::tempdir()?;
//! let board = "3x3".parse()?;
//! let options = BuildOptions::new(dir.path(), board, RuleSet::STANDARD, 4);
//! build(&options, &(), &AtomicBool::new(false))?;
//!
//! let tables = Tables::open(dir.path(), board, RuleSet::STANDARD)?;
//! let position: Position = "B2/3/W1W w".parse()?;
//! let found = tables.probe(&position)?;
//! assert_eq!(found.value, Value::Win);
//! assert_eq!(found.dtw, Some(1)); // a1-a2 captures the last stone.
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! - A [`Slice`] `a v b` is the set of all positions in which the side to move has `a` stones and
//!   the other side has `b`. One table holds one slice.
//! - A [`Unit`] is a slice and its swapped slice, which are solved together. Units with fewer
//!   stones are solved first.
//! - The [`Metric`] of a table is `wdl` (win, draw, loss) or `dtw` (with the distance to win).
//! - A packed table ([`TableFile`]) is compressed. An unpacked table ([`UnpackedFile`]) is larger
//!   and faster to probe.
//!
//! # Where things are
//!
//! | to | see |
//! |---|---|
//! | know what a build takes | [`estimate`] |
//! | build the missing tables of a directory | [`build`], [`BuildOptions`] |
//! | build with several processes | [`build_together`], [`Ranks`] |
//! | make unpacked tables from packed ones | [`unpack`] |
//! | probe a directory | [`Tables`], [`TablesOptions`], [`Access`] |
//! | read one file | [`TableFile`], [`UnpackedFile`], [`TableKey`] |
//! | check tables by checksums, samples or an independent computation | [`verify`] |
//! | number positions and sets of stones | [`index`], [`orbits`] |
//! | see programs | `examples/probe.rs` and `examples/list.rs` in the crate's directory |
//! | understand tables, with examples | `docs/CONCEPTS.md` there |
//! | read files with another program | `docs/FORMAT.md` there, which has every byte |
//! | know how builders work | `docs/BUILDING.md` there |
//! | know what a probe costs | `docs/PROBING.md` there |
//! | know what the tables of 9x5 say | `docs/RESULTS.md` there |

#![deny(unsafe_code)]

mod builder;
mod cgroup;
mod clock;
mod error;
mod format;
mod goal;
pub mod index;
mod key;
pub mod orbits;
mod probe;
mod resources;
mod selection;
mod slice;
mod stop;
mod value;
mod verify;
mod zugzwang;

pub use builder::{
    Alone, BuildOptions, BuildReport, CheckpointEvent, Estimate, Method, ParseMethodError, Part,
    Phase, Progress, Ranks, SliceEstimate, Stage, UnpackEstimate, UnpackOptions, UnpackReport,
    UnpackedTableEstimate, UnsavedCheckpoint, build, build_together, estimate, estimate_together,
    estimate_unpacking, unpack,
};
pub use clock::Spent;
pub use error::{Resource, Result, TableError, Task};
pub use fanorona_storage::{Access, FileError};
pub use format::{
    Metadata, OLDEST_VERSION, Statistics, TableFile, UNPACKED_VERSION, UnpackedFile,
    UnpackedMetadata, VERSION,
};
pub use goal::Goal;
pub use key::{Layout, ParseTableKeyError, TableKey};
pub use probe::{RankedTurn, Tables, TablesOptions, UnpackedTables};
pub use resources::memory_available;
pub use selection::Selection;
pub use slice::{ParseSliceError, Role, Slice, Unit};
pub use value::{Metric, ParseMetricError, TableValue};
pub use verify::{CountSource, Fault, HeaderFault, SliceCheck, Thoroughness, ValueSource, verify};
pub use zugzwang::{ParseZugzwangError, Zugzwang, ZugzwangCount, Zugzwangs};
