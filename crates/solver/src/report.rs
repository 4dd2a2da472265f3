//! Reports of searches.

use std::time::Duration;

use fanorona_core::{Position, Turn, Value};
use fanorona_proof::{Bounds, Question};
use serde::Serialize;

/// How close a question is to its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct QuestionState {
    /// The question.
    #[serde(flatten)]
    pub question: Question,
    /// Whether the attacker can force a win, if that is proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<bool>,
    /// The last proof number: an estimate of the work for a yes. Only comparisons with other such
    /// numbers mean anything.
    pub proof: u32,
    /// The last disproof number: the same for a no.
    pub disproof: u32,
}

impl QuestionState {
    pub(crate) fn new(question: Question) -> Self {
        Self { question, answer: None, proof: 1, disproof: 1 }
    }
}

/// How close a turn of the analyzed position is to being proved.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TurnState {
    /// The turn. Of several turns that lead to the same position up to symmetry, the first.
    pub turn: Turn,
    /// The questions of the analyzed position, asked after the turn.
    pub questions: [QuestionState; 2],
    /// How many positions were searched for each question below this turn.
    pub nodes: [u64; 2],
}

/// How far a search has come.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct SearchReport {
    /// The proved bounds of the value.
    pub bounds: Bounds,
    /// The question for the side to move, and that for its opponent.
    pub questions: [QuestionState; 2],
    /// The same for each turn. Empty if tables hold the position, if the game is over, and if the
    /// search was stopped while the turns were listed.
    pub turns: Vec<TurnState>,
    /// The number of positions searched, by earlier runs of a resumed search too.
    pub nodes: u64,
    /// How many of them a table decided.
    pub table_hits: u64,
    /// How full the memory is, from 0 to 1.
    pub memory_filled: f64,
    /// The time taken, by earlier runs of a resumed search too.
    pub elapsed: Duration,
    /// Why the search could not be saved when that was last tried: the message of the error.
    /// `None` if it was saved, or if that has not been tried.
    pub not_saved: Option<String>,
}

/// Why an analysis ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum End {
    /// The value is known, together with what was given.
    Proved,
    /// [`Limits::nodes`](crate::Limits::nodes) was reached.
    Nodes,
    /// [`Limits::time`](crate::Limits::time) was reached.
    Time,
    /// The stop flag was set.
    Stopped,
}

/// A turn of a line of play.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LineTurn {
    /// The turn.
    pub turn: Turn,
    /// The position after it.
    pub after: Position,
    /// The value of the turn for the side that plays it. No other turn is worth more.
    pub value: Value,
}

/// The result of an analysis.
#[derive(Clone, PartialEq, Debug)]
#[non_exhaustive]
pub struct Analysis {
    /// The results of the search, and its cost.
    pub search: SearchReport,
    /// Why the analysis ended.
    pub end: End,
    /// A turn that gets at least the lower bound of the value, if that is more than a loss; in a
    /// lost position, a turn that delays the end. `None` if no turn is known to do so, or if the
    /// game is over.
    pub best: Option<Turn>,
    /// If the value is known, a line of best play: to the end of the game, to a table position
    /// without a known distance, or to a position that was there before. It is cut short where the
    /// next turn would take a long search. The winner's turns make progress, but do not always
    /// take the shortest way.
    pub line: Vec<LineTurn>,
}

impl Analysis {
    /// The proved bounds of the value.
    pub fn bounds(&self) -> Bounds {
        self.search.bounds
    }

    /// The value, if it is known.
    pub fn value(&self) -> Option<Value> {
        self.search.bounds.value()
    }
}
