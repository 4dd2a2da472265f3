//! The rules of **Fanorona**, the national board game of Madagascar: boards, the published rule
//! sets, positions, turns and their notation.
//!
//! ```
//! use fanorona_core::{Board, Outcome, Position, RuleSet};
//!
//! // The game begins: White has five turns on 9x5, and all of them capture.
//! let rules = RuleSet::STANDARD;
//! let start = Board::tsivy().start();
//! let turns = rules.turns(&start);
//! assert_eq!(turns.len(), 5);
//! assert!(turns.iter().all(|turn| !turn.is_paika()));
//!
//! // A turn is read from its text, and checked.
//! let turn = rules.parse_turn(&start, "d3-e3A")?;
//! let after = start.play_unchecked(&turn);
//! assert_eq!(after.to_string(), "BBBBBBBBB/BBBBBBBBB/BWB1W1WBW/WWWWWWWWW/WWWWWWWWW b");
//! assert!(rules.parse_turn(&start, "a1-a2").is_err());
//!
//! // A position is read from its text, and checked too.
//! let last: Position = "9/9/2W1B4/9/9 w".parse()?;
//! let turn = rules.parse_turn(&last, "c3-d3A")?;
//! let won = last.play_unchecked(&turn);
//! assert_eq!(rules.outcome(&won), Some(Outcome::Won(fanorona_core::Side::White)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where things are
//! - [`Board`] knows links and the start, [`Symmetry`] what maps a board onto itself.
//! - [`Setup`] is anything, [`Position`] is checked; both are stones and the side to move, for the
//!   game needs no history.
//! - [`RuleSet`] is the options. It lists turns ([`RuleSet::turns`]), visits them
//!   ([`RuleSet::for_each_turn`]), reads them ([`RuleSet::parse_turn`]), plays them
//!   ([`RuleSet::play`], or [`Position::play_unchecked`] for those that it has listed) and tells the
//!   [`Outcome`]. Every rule set goes through the same generator: at a position a rule set becomes
//!   a [`TurnRule`], and the generator follows that.
//! - [`TurnInProgress`] makes a turn step by step, for interactive front ends.
//!
//! # Readings
//! Where rule sheets are silent, this is how they are read:
//! - In a full position other than the start, in which no step captures, the first turn under
//!   `free-capture` may be a paika: the duty to capture ends where nothing can be captured.
//! - A challenger of the vela who must capture and cannot has lost, also where a blocked side draws.
//! - In the first phase of the vela the challenger need not capture at the very first turn.
//! - If the side that waits has no stones, the side to move has won.
//!
//! # Features
//! `serde`: boards, points, positions, set-ups and rule sets as their texts.

#![forbid(unsafe_code)]

mod board;
mod generate;
mod names;
mod notation;
mod point;
mod point_set;
mod position;
mod random;
mod rule_name;
mod rules;
#[cfg(feature = "serde")]
mod serde_text;
mod start;
mod stepwise;
mod symmetry;
mod turn;
mod value;

pub use board::{Board, BoardError};
pub use generate::{FirstStepCounts, FirstSteps, MovingStone};
pub use names::ParseNameError;
pub use notation::position::ParsePositionError;
pub use notation::turn::ParseTurnError;
pub use point::{Coordinates, Direction, ParsePointError, Point, Side};
pub use point_set::{PointSet, Points};
pub use position::{Position, Setup, SetupError};
pub use random::SplitMix64;
pub use rule_name::ParseRuleSetError;
pub use rules::{
    Captures, Capturing, Chain, DirectionRule, NoTurns, Paikas, Relay, RuleError, RuleSet,
    TurnRule, Vela,
};
pub use stepwise::{PlayError, StepError, TurnInProgress};
pub use symmetry::{Canonical, Symmetry, SymmetryGroup};
pub use turn::{MAX_STEPS, Step, StepKind, Turn};
pub use value::{Outcome, Value};
