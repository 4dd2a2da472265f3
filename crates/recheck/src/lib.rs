//! A second checker of Fanorona certificates.
//!
//! [`check`] reads a certificate and says what it proves, as `fanorona check` does. It was written
//! from the pages on the rules, on certificates and on tables, and uses no other crate of the
//! workspace: rules, file readers and the index of positions are its own. So a mistake of those
//! crates is not repeated here.
//!
//! ```no_run
//! use fanorona_recheck::{Limits, check};
//!
//! let path = "data/proofs/9x5-standard.proof".as_ref();
//! let proved = check(path, &["tables".into()], &Limits::default())?;
//! println!("{}: {}", proved.position, proved.claim);
//! # Ok::<(), fanorona_recheck::CheckError>(())
//! ```

#![forbid(unsafe_code)]

mod blocks;
mod board;
mod certificate;
mod check;
mod error;
mod file;
mod leaves;
mod position;
mod queue;
mod ranking;
mod rules;
mod table;
mod tables;
mod turns;

pub use board::Board;
pub use check::{Limits, Proved, check};
pub use error::{CheckError, Flaw};
pub use position::{Position, Side, Value};
pub use rules::Rules;
pub use turns::Game;
