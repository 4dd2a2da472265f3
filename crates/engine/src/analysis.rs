//! Questions to an engine, and its answers.

use std::time::Duration;

use fanorona_core::Turn;
use fanorona_knowledge::{Assessment, Source};
use fanorona_proof::Bounds;
use fanorona_tablebase::TableValue;

use crate::level::Handicap;
use crate::score::{Known, Score};

/// The deepest search. With late turns reduced and forced turns extended, lines end elsewhere.
pub const MAX_DEPTH: u32 = 100;

/// When a search ends; the first limit that is reached counts. Without any limit it ends at
/// [`MAX_DEPTH`], or when a win or loss is proved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Turns to look ahead, before captures are followed to their end.
    pub depth: Option<u32>,
    /// Positions to visit, on all threads together.
    pub nodes: Option<u64>,
    /// Time to use.
    pub time: Option<Duration>,
}

impl Limits {
    /// The time for a turn if nothing else is chosen.
    pub const DEFAULT_TIME: Duration = Duration::from_secs(2);

    /// These limits, or [`DEFAULT_TIME`](Self::DEFAULT_TIME) if there is none.
    #[must_use]
    pub fn or_default_time(self) -> Self {
        match self {
            Self { depth: None, nodes: None, time: None } => {
                Self { time: Some(Self::DEFAULT_TIME), ..self }
            }
            limits => limits,
        }
    }
}

/// Why a search ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub enum End {
    /// There is nothing to find out: the game is over, tables hold the position, or a win or loss
    /// is proved.
    Decided,
    Depth,
    Nodes,
    Time,
    /// The caller set the stop flag.
    Stopped,
}

/// The result of a search: the turn to play, its score, and the cost.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Analysis {
    /// The turn to play; `None` if the game is over.
    pub turn: Option<Turn>,
    /// The score of that turn, for the side to move.
    pub score: Score,
    /// The line that the score expects, beginning with the turn.
    pub line: Vec<Turn>,
    /// The depth that was searched completely.
    pub depth: u32,
    /// The turns of the longest line that the first thread has visited.
    pub seldepth: u32,
    /// The positions visited.
    pub nodes: u64,
    /// Of them, those that a table decided.
    pub table_hits: u64,
    /// The time taken.
    pub elapsed: Duration,
    /// Why the search ended.
    pub end: End,
    /// The share of the transposition table that this search uses, in thousandths, by a sample.
    pub memory_used: u32,
    /// Facts that book and tables prove of the position, for the side to move, at the level
    /// [`UNBEATABLE`](crate::Level::UNBEATABLE). Nothing at other levels.
    pub facts: Assessment,
}

impl Analysis {
    /// The certain part of the answer, for the side to move: the facts, and the score if it is not
    /// an estimate. Where nothing is certain, the source is [`Source::Estimate`].
    ///
    /// The distance is that of tables: what a search proves is only an upper bound.
    pub fn assessment(&self) -> Assessment {
        let facts = Assessment { dtw: None, ..self.facts };
        match self.score {
            Score::Exact(Known { value, turns }) => {
                // A turn that ends the game needs no table.
                let source = if turns == Some(1) { Source::Rules } else { Source::Table };
                Assessment::exact(TableValue { value, dtw: turns }, source)
            }
            Score::Proved(known) if self.turn.is_none() => Assessment::of_finished(known.value),
            // A book is surer than a search.
            Score::Proved(known) if facts.value() == Some(known.value) => facts,
            Score::Proved(Known { value, .. }) => {
                Assessment::new(Bounds::exact(value), Source::Search)
            }
            Score::Estimate(_) if facts.is_known() => facts,
            Score::Estimate(_) => {
                Assessment { source: Some(Source::Estimate), ..Assessment::UNKNOWN }
            }
        }
    }
}

/// Which turns of a position to analyze, and how many of them with a score of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Choice<'a> {
    /// The turns that may be played; `None`: all. Turns that are not legal do not matter, and if
    /// none is legal, all may be played.
    pub turns: Option<&'a [Turn]>,
    /// The number of turns to find, the best ones; 0 means 1.
    pub lines: usize,
}

impl Default for Choice<'_> {
    /// All turns, and the best one of them.
    fn default() -> Self {
        Self { turns: None, lines: 1 }
    }
}

impl Choice<'_> {
    pub(crate) fn allows(&self, turn: &Turn) -> bool {
        self.turns.is_none_or(|turns| turns.contains(turn))
    }
}

impl Limits {
    /// These limits within those of a level.
    pub(crate) fn within(self, handicap: Option<Handicap>) -> Self {
        let Some(handicap) = handicap else {
            return self;
        };
        fn least<T: Ord>(one: Option<T>, other: Option<T>) -> Option<T> {
            [one, other].into_iter().flatten().min()
        }
        Self {
            depth: least(self.depth, handicap.depth),
            nodes: least(self.nodes, handicap.nodes),
            ..self
        }
    }
}
