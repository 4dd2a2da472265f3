//! Counting in **Fanorona**: perft, divide, unique positions, suites of counts, and statistics of
//! play.
//!
//! ```
//! use fanorona_core::{Board, RuleSet};
//! use fanorona_perft::{Counting, divide, perft};
//!
//! let (rules, start) = (RuleSet::STANDARD, Board::tsivy().start());
//! assert_eq!(perft(&rules, &start, 3, Counting::Turns), 724);
//!
//! // Below each first turn:
//! let counts = divide(&rules, &start, 3, Counting::Turns);
//! let turn = counts[0].turn.text(start.board()).to_string();
//! assert_eq!((turn.as_str(), counts[0].nodes), ("d2-e3A", 127));
//! ```
//!
//! # Where things are
//! - [`perft`] and [`divide`] count on one thread, in each way of [`Counting`].
//! - [`PerftCounter`] keeps its working memory from one count to the next, and uses a
//!   [`PerftTable`], an exact hash table of counts that threads share.
//! - [`ParallelPerft`] counts on all threads; it can be stopped.
//! - [`Levels`] finds the distinct positions of whole levels of the tree, on disk where memory is too
//!   small, as lists of [`Orbit`]s.
//! - [`Successors`] lists the positions that turns lead to with the generator that perft counts with.
//! - [`suite`] reads files of counts to compare with, and [`stats`] says what play looks like.
//!
//! # The counting generator
//! Under a rule that has settled ([`RuleSet::is_settled`](fanorona_core::RuleSet::is_settled)), turns
//! are counted by a generator of its own, which reads the steps of a stone from tables and works on
//! the relays of many positions at once. Elsewhere the listing generator of `fanorona-core` counts.
//! The two share only the first steps of a position; tests compare them with each other and with an
//! oracle that shares nothing with either.

#![deny(unsafe_code)]

mod counter;
mod counting;
mod generator;
mod levels;
mod node;
mod packed;
mod parallel;
mod perft;
pub mod stats;
mod steps;
mod stop;
pub mod suite;
mod table;

use fanorona_core::Position;

pub use counter::PerftCounter;
pub use counting::{Counting, ParseCountingError};
pub use generator::{Successor, Successors};
pub use levels::{Keep, LevelError, LevelOptions, LevelSize, Levels};
pub use node::PerftNode;
pub use parallel::{ParallelPerft, parallel_perft};
pub use perft::{Branch, DivideLine, branches, divide, perft};
pub use table::{PerftTable, PerftTableError, PerftTableOptions};

/// The greatest depth that can be counted. Where play branches at all, a deeper tree has more than
/// 2^128 leaves.
pub const MAX_DEPTH: u8 = u8::MAX;

/// The position with these stones after a turn from `before`.
#[inline]
fn after(before: &Position, stones: Successor) -> Position {
    let Successor { own, opponent } = stones;
    Position::from_mover(before.board(), opponent, own, before.to_move().other())
        .expect("a turn leads from a position to a position")
}
