//! The explorer of Fanorona.

#![forbid(unsafe_code)]

pub mod answer;
mod game;
mod library;
mod look;
mod problem;
mod value;

pub use game::Game;
pub use library::{BuildPlan, Contents, GameTables, Library, LibraryOptions, MissingTable, Probe};
pub use look::{AssessedTurn, Look, Looker, MAX_TURNS};
pub use problem::{Problem, ProblemKind};
pub use value::{Assessment, Basis, Bound, Choice, KnownValue, Source};
