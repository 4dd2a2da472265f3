//! Endgame tables of Fanorona: file format, probing and verifying. `fanorona-builder` makes them.
//!
//! Build the tables of a small board up to four stones. Open them, probe a position, rank its turns,
//! and verify everything:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use fanorona_core::{Board, Position, RuleSet, Value};
//! use fanorona_builder::{BuildOptions, build};
//! use fanorona_tablebase::{Selection, Tables, Thoroughness, WorkProgress, verify};
//!
//! let dir = tempfile::tempdir()?;
//! let (board, rules) = (Board::telo(), RuleSet::STANDARD);
//! let stop = AtomicBool::new(false); // Set it from another thread to stop.
//!
//! build(&BuildOptions::new(dir.path(), board, rules, 4), &(), &stop)?;
//!
//! // Open the directory and probe: the value for the side to move, and the turns to the end.
//! let tables = Tables::open(dir.path(), board, rules)?;
//! let position: Position = "B2/3/W1W w".parse()?;
//! let found = tables.probe(&position)?;
//! assert_eq!((found.value, found.dtw), (Value::Win, Some(1)));
//!
//! // Rank the turns, best first. This one captures the last stone.
//! let turns = tables.rank(&position)?;
//! assert_eq!(turns[0].turn.text(board).to_string(), "a1-a2A");
//! assert_eq!(turns[0].value, found);
//!
//! // Verify by an independent computation, which also checks the checksums.
//! let (selection, progress) = (Selection::all(), WorkProgress::default());
//! let checks = verify(&tables, &selection, Thoroughness::Full, &stop, &progress, |_| {})?;
//! assert!(checks.iter().all(|check| check.fault.is_none()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use or see |
//! |---|---|
//! | probe a directory | [`Tables::probe`]; [`Tables::probe_many`] for many positions at once |
//! | rank the turns of a position | [`Tables::rank`], [`Tables::rank_many`] |
//! | choose how files are read | [`TablesOptions`], [`Access`] |
//! | list positions with their values | [`Tables::listings`] |
//! | find longest wins, zugzwangs and studies | [`find()`] |
//! | compare values under two rule sets | [`value_matrices`] |
//! | check tables | [`verify()`] |
//! | read one file | [`TableFile`], [`TableKey`] |
//! | number positions and sets of stones | [`index`], [`orbits`] |
//! | see programs | `examples/probe.rs` and `examples/list.rs` in the crate's directory |
//! | understand tables, with examples | `docs/CONCEPTS.md` there |
//! | read files with another program | `docs/FORMAT.md` there, which has every byte |
//! | know what a probe costs | `docs/PROBING.md` there |
//! | know what the tables of 9x5 say | `docs/RESULTS.md` there |
//!
//! # Concepts
//!
//! - A [`Slice`] `a v b` is the set of all positions in which the side to move has `a` stones and
//!   the other side has `b`. One table holds one slice.
//! - A [`Unit`] is a slice and its swapped slice, which are solved together. Units with fewer
//!   stones are solved first.
//! - The [`Metric`] of a table is `wdl` (win, draw, loss) or `dtw` (with the distance to win).
//! - A packed [table](TableFile) is compressed. An unpacked one is larger and faster to probe.

#![deny(unsafe_code)]

mod error;
mod find;
pub mod format;
pub mod index;
mod key;
mod matrix;
pub mod orbits;
mod probe;
pub mod schedule;
mod selection;
mod slice;
mod value;
mod verify;
mod watch;
mod zugzwang;

pub use error::{Resource, Result, TableError, Task, check_room};
pub use fanorona_storage::{Access, FileError, Operation, Spent, memory_available};
pub use find::{Feature, Found, Sought, find};
pub use format::{Metadata, OLDEST_VERSION, Statistics, TableFile, VERSION};
pub use key::{Layout, ParseTableKeyError, TableKey, captures_are_stored, captures_decide};
pub use matrix::{MatrixCell, MatrixExample, ValueMatrix, value_matrices};
pub use probe::{Listed, Listing, RankedTurn, Tables, TablesOptions, open_table};
pub use selection::{Goal, Selection};
pub use slice::{ParseSliceError, Role, Slice, Unit, slice_fields};
pub use value::{Code, Metric, TableValue};
pub use verify::{SliceCheck, TableFault, Thoroughness, verify};
pub use watch::{WorkProgress, check_stop};
pub use zugzwang::{Zugzwang, ZugzwangCount, ZugzwangCounter, Zugzwangs};
