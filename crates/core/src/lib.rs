//! The rules of **Fanorona**, the national board game of Madagascar: boards, the printed rule sets,
//! positions, turns and their notation.
//!
//! ```
//! use fanorona_core::{Board, Outcome, Position, RuleSet, Side};
//!
//! // List the turns at the start of the game. White has five, and all of them capture.
//! let rules = RuleSet::STANDARD;
//! let start = Board::tsivy().start();
//! let turns = rules.turns(&start);
//! assert_eq!(turns.len(), 5);
//! assert!(turns.iter().all(|turn| !turn.is_paika()));
//!
//! // Read a turn from its text and play it. An illegal turn is an error that says why.
//! let turn = rules.parse_turn(&start, "d3-e3A")?;
//! let after = start.play_unchecked(&turn);
//! assert_eq!(after.to_string(), "BBBBBBBBB/BBBBBBBBB/BWB1W1WBW/WWWWWWWWW/WWWWWWWWW b");
//! let error = rules.parse_turn(&start, "a1-a2").unwrap_err();
//! assert!(error.to_string().ends_with("a2 is not empty"));
//!
//! // Read a position from its text, and play until the game is over.
//! let last: Position = "9/9/2W1B4/9/9 w".parse()?;
//! let won = last.play_unchecked(&rules.parse_turn(&last, "c3-d3A")?);
//! assert_eq!(rules.outcome(&won), Some(Outcome::Won(Side::White)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Concepts
//! - A **board** has an odd number of files and of ranks, and up to 63 points. Every point is
//!   linked to its neighbours along the file and the rank; half of the points, the strong ones, are
//!   linked along the diagonals too. [`Board`] is a small value that is cheap to copy.
//! - A **position** is the stones and the side to move, and nothing else: no rule needs the history
//!   of the game. A [`Setup`] is any arrangement of stones; a [`Position`] has been checked.
//!   [`Stones`] are the stones as the side to move sees them: its own and the opponent's.
//! - A **step** moves a stone along a link. A capturing step captures a line of the opponent's
//!   stones, by approach or by withdrawal ([`StepKind`]).
//! - A **turn** is a paika (one step that does not capture), or one or more capturing steps of one
//!   stone. Two or more are a relay.
//! - A **rule set** is a printed game and its options ([`RuleSet`]). At a position it resolves to a
//!   [`TurnRule`], which the generators follow. No rule set has code of its own there.
//!
//! # What to use
//! | to | use |
//! |---|---|
//! | list turns | [`RuleSet::turns`]; [`RuleSet::for_each_turn`] stores none of them |
//! | list the positions after them | [`RuleSet::successors`] |
//! | know whether the game is over | [`RuleSet::outcome`] |
//! | play a turn | [`Position::play_unchecked`] for a listed turn, [`RuleSet::play`] for any other |
//! | make a turn step by step, in a user interface | [`TurnInProgress`] |
//! | read and write turns | [`RuleSet::parse_turn`], [`Turn::text`] |
//! | read and write boards, points, positions, rule sets | their `FromStr` and `Display` |
//! | draw a board as text | [`Position::diagram`] |
//! | mirror and turn | [`Symmetry`]; [`SymmetryGroup`] is faster for many sets |
//! | work with sets of points | [`PointSet`], [`Board::shift`], [`Board::line`] |
//! | write another generator | [`FirstSteps`], [`MovingStone`], [`TurnRule`] |
//! | see programs | `examples/play.rs` and `examples/compare_rules.rs` in the crate's directory |
//! | read the rules, with pictures | `docs/RULES.md` there |
//!
//! Counting turns to some depth (perft) is in the crate `fanorona-perft`.
//!
//! A new rule option touches more than this crate: see `crates/cli/docs/ADDING.md` in the repository.
//!
//! # Interpretations
//! Where the rule sheets are silent, this crate uses these interpretations:
//! - `free-capture`: in a full position other than the start, in which no step captures, the first
//!   turn may be a paika.
//! - `vela`: a challenger who must capture and cannot has lost, even if blocked sides draw. In
//!   phase 1 the challenger need not capture at the very first turn.
//! - If the side not to move has no stones, the side to move has won.
//!
//! # Features
//! `serde`: boards, points, positions, set-ups and rule sets as their texts, sets of points as
//! their bits, and [`Stones`] as two such sets.

#![forbid(unsafe_code)]

mod board;
mod error;
mod generate;
mod names;
mod point;
mod point_set;
mod position;
mod processor;
mod random;
mod rules;
#[cfg(feature = "serde")]
mod serde_text;
mod stepwise;
mod symmetry;
mod turn;
mod value;

pub use board::{Board, BoardError};
pub use error::{ErrorKind, with_causes};
pub use generate::{FirstStepCounts, FirstSteps, MovingStone};
pub use names::ParseNameError;
pub use point::{Coordinates, Direction, ParsePointError, Point, Side};
pub use point_set::{PointSet, Points};
pub use position::{ParsePositionError, Position, Setup, SetupError, Stones};
pub use processor::Modern;
pub use random::SplitMix64;
pub use rules::{
    Captures, Chain, DirectionRule, NoTurns, Paikas, ParseRuleSetError, Preset, RuleError, RuleSet,
    TurnRule, Vela,
};
pub use stepwise::{ParseTurnError, PlayError, StepError, TurnInProgress, turn_texts};
pub use symmetry::{Canonical, Symmetry, SymmetryGroup};
pub use turn::{MAX_STEPS, Step, StepKind, Turn};
pub use value::{Outcome, Value};
