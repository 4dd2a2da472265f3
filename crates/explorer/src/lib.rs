//! The explorer of Fanorona: a page on which people look at positions, play and watch proofs, and the
//! JSON API behind it.
//!
//! Without a socket, from a position to its answer:
//!
//! ```
//! use fanorona_explorer::answer::{Detail, PositionAnswer};
//! use fanorona_core::Value;
//! use fanorona_explorer::{Library, LibraryOptions, Variant};
//!
//! let library = Library::new(LibraryOptions::new(None), Vec::new());
//! let variant = Variant::parse(Some("5x5"), None, None)?;
//! let position = variant.position(Some("5/5/1W1B1/5/5 w"))?;
//! let answer = PositionAnswer::new(&library.open(variant)?, &position, Detail::Tree)?;
//! assert_eq!((answer.assessment.value(), answer.assessment.dtw), (Some(Value::Win), Some(1)));
//! assert_eq!(answer.best.as_deref(), Some("b3-c3A"));
//! # Ok::<(), fanorona_explorer::Problem>(())
//! ```
//!
//! # Where things are
//!
//! | to | see |
//! |---|---|
//! | open tables and certificates | [`Library`] |
//! | find what is known about a position and its turns | [`Knowledge`](fanorona_knowledge::Knowledge) |
//! | make the JSON objects of the API | [`answer`] |
//! | answer requests without a socket | [`Explorer::router`] |
//! | serve | [`serve`], [`Settings`] |
//! | write the explorer as a folder of static files | [`site`] |
//! | use the API | `docs/API.md` in the crate's directory |
//! | run a server for others | `docs/HOSTING.md` there |
//!
//! # Requests
//! No request depends on another. An answer is computed on a thread for blocking work, and stops if
//! its client goes away or has waited for too long.

#![forbid(unsafe_code)]

pub mod answer;
mod build;
#[cfg(test)]
#[path = "../build/bundle.rs"]
mod bundle;
mod http;
mod library;
#[cfg(not(target_family = "wasm"))]
mod page;
mod problem;
mod settings;
pub mod site;
mod variant;

pub use http::{Explorer, openapi};
#[cfg(not(target_family = "wasm"))]
pub use http::{ServeError, serve};
pub use library::{Contents, Library, LibraryOptions, OpenVariant};
pub use problem::{Problem, ProblemKind};
#[cfg(target_family = "wasm")]
pub use settings::EventSink;
pub use settings::Settings;
pub use variant::Variant;
