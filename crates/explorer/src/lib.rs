//! The explorer of Fanorona.

#![forbid(unsafe_code)]

pub mod answer;
mod http;
mod library;
mod look;
mod page;
mod problem;
mod settings;
mod value;
mod variant;

pub use http::{Explorer, ServeError, serve};
pub use library::{
    BuildPlan, Contents, Library, LibraryOptions, MissingTable, Probe, VariantTables,
};
pub use look::{AssessedTurn, Look, Looker, MAX_TURNS};
pub use problem::{Problem, ProblemKind};
pub use settings::Settings;
pub use value::{Assessment, Basis, Bound, Choice, KnownValue, Source};
pub use variant::Variant;
