//! Everything that is known about a position of Fanorona, told once: its value or proved bounds,
//! the distance to the end, where that comes from, its turns best first, the line of best play, and
//! what is missing for an answer.
//!
//! ```
//! use std::sync::Arc;
//! use fanorona_core::{Board, RuleSet, Value};
//! use fanorona_knowledge::{Book, Knowledge};
//!
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/proofs/3x5-standard.proof");
//! let book = Arc::new(Book::open([file])?);
//! let (board, rules) = ("3x5".parse()?, RuleSet::STANDARD);
//! let known = Knowledge::new(board, rules, None, Some(book))?;
//!
//! let found = known.assess(&board.start())?;
//! assert_eq!(found.value(), Some(Value::Win));
//! assert_eq!(found.to_string(), "win");
//! let turns = known.turns(&board.start())?;
//! println!("{}: {}", turns[0].turn.text(board), turns[0].assessment);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Knowledge`] asks three sources in this order: the rules (is the game over?), the endgame
//! tables, and the certificates. If none of them decides a position, it looks one turn ahead. It
//! never searches; `fanorona-solver` and `fanorona-engine` do that.
//!
//! All programs and bindings of the project show what this crate finds, in the words that
//! [`Assessment`] lists: the types here derive their JSON once, and the page, the program and the
//! bindings add no order and no value of their own. With the feature `schema` the types describe
//! their JSON for OpenAPI.

#![forbid(unsafe_code)]

mod assessment;
mod book;
mod certified;
mod choice;
mod error;
mod knowledge;
mod line;
mod many;
mod missing;
mod replies;
#[cfg(feature = "schema")]
pub mod schema;
mod statistics;
mod steps;
mod turn;

pub use assessment::{Assessment, Source};
pub use book::{Book, BookEntry, BookError, MissingTables, StartFile, Tried};
pub use certified::CertificateFact;
pub use choice::TurnChoice;
pub use error::KnowledgeError;
pub use knowledge::{Knowledge, Look, MAX_TURNS};
pub use line::{Line, LineEnd};
pub use missing::{BuildPlan, MissingTable};
pub use replies::Replies;
pub use statistics::{SliceStatistics, ZugzwangExample, ZugzwangStatistics};
pub use steps::StepTree;
pub use turn::RankedTurn;
