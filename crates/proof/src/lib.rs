//! Proofs of the value of a Fanorona position, which anybody can check.
//!
//! The search that finds proofs is in the crate `fanorona-solver`. Nothing here depends on it: what
//! checks a proof shares only the rules and the tables with what found it.
//!
//! A certificate holds one proof for each bound of the value, of one side having at least a draw or
//! a win. A proof is a set of positions in which that side is to move, with one turn for each. From
//! the first position on, whatever the opponent answers leads to another position of the set, to the
//! game's end or to a table's value, neither of them worse than was claimed. That is all for a draw:
//! play that never leaves the set never ends. For a win each position has a rank that falls from
//! paika to paika, so that play does end.
//!
//! A [`Maker`] makes a certificate from any [`Guide`], a [`Certificate`] is opened from a file and
//! checks itself. The checker shares with the search nothing but the rules and the tables.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use fanorona_core::{Board, RuleSet, Value};
//! use fanorona_proof::{Certificate, Claim, Maker};
//! use fanorona_solver::{Limits, Solver};
//!
//! let (rules, start) = (RuleSet::STANDARD, Board::telo().start());
//! let never = AtomicBool::new(false);
//! let dir = tempfile::tempdir()?;
//! let path = dir.path().join("3x3.cert");
//!
//! let mut solver = Solver::new(rules, start.board(), None, 1 << 20)?;
//! let bounds = solver.analyze(&start, &Limits::default(), &never, |_| {})?.bounds;
//! let mut maker = Maker::new(&rules, &start, None, &never)?;
//! for claim in Claim::of_bounds(bounds, start.to_move()) {
//!     let (question, answer) = claim.question();
//!     let mut guide = solver.strategy(question, answer, &Limits::default(), &never);
//!     maker.prove(claim, &mut guide, |_| {})?;
//! }
//! maker.write(&path)?;
//!
//! let certificate = Certificate::open(&path)?;
//! assert_eq!(certificate.bounds().value(), Some(Value::Win));
//! let positions = certificate.check(None, &never, |_| {})?;
//! assert_eq!(positions, certificate.positions());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![deny(unsafe_code)]

mod certificate;
mod checker;
mod claim;
mod error;
mod format;
mod guide;
mod leaves;
mod maker;
mod stones;

pub use certificate::Certificate;
pub use claim::{Bounds, Claim, ClaimKind, Question};
pub use error::CertificateError;
pub use format::{NamedTable, VERSION};
pub use guide::{Guide, GuideError};
pub use maker::Maker;
