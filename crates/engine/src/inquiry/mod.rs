//! Is a position won, drawn or lost, how do we know, and what would help? An [`Inquiry`] asks the rules,
//! the tables and the certificates, then a search for proofs, then the engine for an estimate.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use fanorona_core::{Board, RuleSet, Value};
//! use fanorona_engine::inquiry::{Inquiry, Means};
//! use fanorona_knowledge::{Knowledge, Source};
//!
//! let known = Knowledge::of_rules(Board::telo(), RuleSet::STANDARD);
//! let mut inquiry = Inquiry::new(&known, Means::default());
//! let answer = inquiry.ask(&Board::telo().start(), &AtomicBool::new(false), |_| {})?;
//! assert_eq!(answer.assessment().value(), Some(Value::Win));
//! assert_eq!(answer.assessment().source, Some(Source::Search));
//! # Ok::<(), fanorona_engine::EngineError>(())
//! ```

mod answer;
mod asking;
mod form;
mod game;
mod help;
mod means;
mod search;

pub use answer::{Answer, Estimate, Help, Purpose, Share};
pub use asking::Inquiry;
pub use fanorona_solver::{
    DEFAULT_MEMORY, DEFAULT_TIME, End, QuestionState, SearchReport, SolverError, TurnState,
};
pub use game::Time;
pub use means::{Means, Opinion};
pub use search::{searched_turns, with_search};
