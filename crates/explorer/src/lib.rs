//! The explorer of Fanorona.

#![forbid(unsafe_code)]

pub mod answer;
mod game;
mod http;
mod library;
mod look;
mod page;
mod problem;
mod settings;
mod value;

pub use game::Game;
pub use http::{Explorer, ServeError, serve};
pub use library::{BuildPlan, Contents, GameTables, Library, LibraryOptions, MissingTable, Probe};
pub use look::{AssessedTurn, Look, Looker, MAX_TURNS};
pub use problem::{Problem, ProblemKind};
pub use settings::Settings;
pub use value::{Assessment, Basis, Bound, Choice, KnownValue, Source};
