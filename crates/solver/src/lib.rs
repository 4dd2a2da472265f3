//! Is a position of Fanorona won, drawn or lost? Endgame tables answer where they reach, and a
//! plain bounded search beyond them.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use fanorona_core::{Board, RuleSet, Value};
//! use fanorona_solver::{Limits, analyze};
//!
//! let start = Board::telo().start();
//! let never = AtomicBool::new(false);
//! let analysis = analyze(&RuleSet::STANDARD, &start, None, &Limits::default(), &never, |_| {})?;
//! // White wins 3x3.
//! assert_eq!(analysis.bounds.value(), Some(Value::Win));
//! # Ok::<(), fanorona_tablebase::TableError>(())
//! ```
//!
//! What is proved can be written down, and checked by somebody else: see [`certificate`].
//!
//! # How the search works
//! What is known of a position's value is an interval, its [`Bounds`]. A game's end and a position
//! that a table holds have both bounds equal; any other position begins with everything between
//! loss and win. A question has an attacker and a goal: does this side get at least a draw, or a
//! win, within so many turns? Where the attacker moves, one turn has to do it; where the other side
//! moves, all its turns have to fail; at the last turn, what is not known is answered with no. The
//! depth grows by one turn after the other until the bounds of the first position meet.
//!
//! A yes is a proof, and raises a lower bound or lowers an upper one. A no proves nothing, and
//! changes no bound: it only says that the depth was too small. So nothing is ever claimed that has
//! not been proved.
//!
//! # Repetitions
//! Play that repeats positions needs no care here. A value belongs to a position, whatever was
//! played before it, and it is the best of the values that its turns lead to; bounds that hold for
//! all positions after its turns therefore give bounds that hold for it. A line that goes round in a
//! circle reaches no end within the depth: the answer there is no, and no proof uses it. For the
//! same reason bounds are kept in a memo and used wherever the position comes up again. No proof
//! rests on itself by that, for what is in the memo was proved before. (But a proof may be longer
//! than the depth that it was found at, so that depth is no distance to win. And a draw that exists
//! only because play never ends is not found by this search, unless tables know it.)

#![forbid(unsafe_code)]

pub mod certificate;
mod error;
mod guide;
mod memo;
mod search;

use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use fanorona_core::{Position, RuleSet, Turn, Value};
use fanorona_tablebase::{RankedTurn, TableError, Tables};

use search::Search;

pub use error::SolverError;
pub use guide::SearchGuide;

/// What is known of a position's value, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bounds {
    /// The value is this or better.
    pub at_least: Value,
    /// The value is this or worse.
    pub at_most: Value,
}

impl Bounds {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { at_least: Value::Loss, at_most: Value::Win };

    /// All is known.
    pub fn exact(value: Value) -> Self {
        Self { at_least: value, at_most: value }
    }

    /// The value, if it is known.
    pub fn value(self) -> Option<Value> {
        (self.at_least == self.at_most).then_some(self.at_least)
    }
}

/// When a search gives up.
#[derive(Clone, Debug)]
pub struct Limits {
    /// After proofs of so many turns of both sides.
    pub depth: Option<u16>,
    /// After so much time.
    pub time: Option<Duration>,
    /// Never: so many bytes are what the memo may take. With less, more is searched again.
    pub memory: usize,
}

impl Default for Limits {
    /// No limit but 256 MiB of memory.
    fn default() -> Self {
        Self { depth: None, time: None, memory: 256 << 20 }
    }
}

/// How far a search has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The depth that is finished.
    pub depth: u16,
    /// The bounds of the first position.
    pub bounds: Bounds,
    /// The positions looked at.
    pub nodes: u64,
    /// The time taken.
    pub elapsed: Duration,
}

/// Why an analysis ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The value is known.
    Proved,
    /// The depth was reached.
    Depth,
    /// The time was over.
    Time,
    /// It was stopped.
    Stopped,
}

/// What is known of a position in the end.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The proved bounds of the value.
    pub bounds: Bounds,
    /// A turn that gets at least `bounds.at_least`, where that is more than a loss; in a lost
    /// position a turn that held out longest. `None` if nothing is known or the game is over.
    pub best: Option<Turn>,
    /// Where tables hold the position: its distance to win, if they tell it.
    pub dtw: Option<u16>,
    /// Where tables hold the position: its turns with their values, best first.
    pub ranking: Option<Vec<RankedTurn>>,
    /// The last depth that was searched, 0 if none was.
    pub depth: u16,
    /// The positions looked at.
    pub nodes: u64,
    /// The time taken.
    pub elapsed: Duration,
    /// Why it ended.
    pub end: End,
}

/// Finds the value of a position, or what can be proved of it within the limits.
///
/// `stop` is looked at all the time, and `progress` is told of each depth that is finished.
///
/// # Errors
/// If a table is damaged or cannot be read. A table that is missing is no error: the search goes on
/// without it.
pub fn analyze(
    rules: &RuleSet,
    position: &Position,
    tables: Option<&Tables>,
    limits: &Limits,
    stop: &AtomicBool,
    progress: impl FnMut(&Progress),
) -> Result<Analysis, TableError> {
    let started = Instant::now();
    let search = Search::new(rules, tables, limits, stop, started)?;
    if let Some(value) = search.table_value(position)? {
        let ranking = tables.map(|tables| tables.rank(position)).transpose()?;
        return Ok(Analysis {
            bounds: Bounds::exact(value.value),
            best: ranking.iter().flatten().next().map(|ranked| ranked.turn.clone()),
            dtw: value.dtw,
            ranking,
            depth: 0,
            nodes: 1,
            elapsed: started.elapsed(),
            end: End::Proved,
        });
    }
    search.deepen(position, progress)
}
