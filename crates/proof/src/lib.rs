//! Proofs of the values of Fanorona positions: certificates in files, and an independent checker.
//!
//! To check that a file proves its claims:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use fanorona_core::Value;
//! use fanorona_proof::Certificate;
//!
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/win.cert");
//! let certificate = Certificate::open(path)?;
//! let tables = None; // This certificate needs none.
//! certificate.check(tables, &AtomicBool::new(false), |_| {})?;
//! assert_eq!(certificate.position().to_string(), "BBB/B1W/WWW w");
//! assert_eq!(certificate.bounds().value(), Some(Value::Win));
//! # Ok::<(), fanorona_proof::CertificateError>(())
//! ```
//!
//! To make a certificate, with turns found by the search of the crate `fanorona-solver`:
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use fanorona_core::{Board, RuleSet};
//! use fanorona_proof::{Claim, Maker};
//! use fanorona_solver::{Limits, Solver};
//!
//! let (rules, start) = (RuleSet::STANDARD, Board::telo().start());
//! let stop = AtomicBool::new(false);
//! let mut solver = Solver::new(rules, start.board(), None, 1 << 20)?;
//! let bounds = solver.analyze(&start, &Limits::default(), &stop, |_| {})?.bounds();
//!
//! let mut maker = Maker::new(rules, &start, None)?;
//! for claim in Claim::of_bounds(bounds, start.to_move()) {
//!     let mut guide = solver.strategy(claim, &Limits::default(), &stop);
//!     maker.prove(claim, &mut guide, &stop, |_| {})?;
//! }
//! # let dir = tempfile::tempdir()?;
//! maker.write(dir.path().join("3x3.proof"), &stop)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//!
//! The [`Bounds`] of a position's value answer two [`Question`]s: can the side to move force a win,
//! and can its opponent? An answer is a [`Claim`] about one side, the *prover*: it wins, or it has
//! at least a draw.
//!
//! A *proof* of a claim is a set of *entries*. An entry is a position in which the prover is to
//! move, with one turn. Whatever the opponent replies, the next position is an entry or a *leaf*.
//! At a leaf the game is over or a table has the value, and the value is good enough for the claim.
//! This proves at least a draw, because play either ends well or never ends. For a win, play must
//! end. So each entry of a win has a *distance to conversion*, which decreases from entry to entry
//! until a stone is captured or a leaf is reached.
//!
//! A [`Certificate`] is a file with a position and one proof, or two for a draw. It names the
//! tables of its leaves by their checksums.
//!
//! A [`Guide`] chooses the turns while a [`Maker`] makes a certificate. It need not be trusted:
//! turns that prove nothing are an error, and the checker does not know the guide. The checker
//! depends on the rules in `fanorona-core` and on the tables, but not on the search. This crate
//! does not depend on `fanorona-solver`.
//!
//! # Where things are
//!
//! | to | see |
//! |---|---|
//! | read and check a file | [`Certificate`], [`Flaw`] |
//! | find the entry of a position | [`Entries`]; the crate `fanorona-knowledge` answers from them |
//! | write one | [`Maker`], [`Guide`] |
//! | express what is known | [`Bounds`], [`Question`], [`Claim`] |
//! | see a program | `examples/check.rs` in the crate's directory |
//! | understand proofs, with examples | `docs/CONCEPTS.md` there |
//! | read files with another program | `docs/CERTIFICATE.md` there, which has every byte |

#![forbid(unsafe_code)]

mod check;
mod claim;
mod discovery;
mod entries;
mod error;
mod expansion;
mod format;
mod guide;
mod leaves;
mod maker;
mod maps;
mod steps;
mod stored;
mod turns;

pub use claim::{Bounds, Claim, ClaimKind, Question};
pub use entries::{Entries, FoundEntry};
pub use error::{CertificateError, Flaw};
pub use expansion::{ExpandedProof, Expansion, ExpansionProgress};
pub use format::{Certificate, NamedTable, ProofSummary, VERSION};
pub use guide::Guide;
pub use maker::Maker;
