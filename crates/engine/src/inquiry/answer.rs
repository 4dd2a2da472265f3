//! The answer of an inquiry.

use std::time::Duration;

use fanorona_core::{Position, RuleSet, Turn, Value};
use fanorona_knowledge::{
    Assessment, BuildPlan, CertificateFact, Knowledge, Line, Look, RankedTurn, Tried,
};
use fanorona_solver::{Analysis, End};
use serde::Serialize;

use crate::error::EngineError;

/// The view of the engine where the value is unknown. It proves nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Estimate {
    /// 100 × the natural logarithm of the odds of winning, for the same side as the value.
    #[serde(rename = "estimate")]
    pub score: i32,
    /// The turns that the engine looked ahead.
    #[serde(rename = "estimate_depth")]
    pub depth: u32,
}

/// How many turns of a position keep its value: the fewer, the harder they are to find.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema), schema(as = ReviewShare))]
pub struct Share {
    /// The turns that keep the value.
    pub holding: usize,
    /// All turns.
    pub turns: usize,
}

/// A step that would tell more.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Help {
    /// Tables.
    Tables {
        /// Their use.
        purpose: Purpose,
        /// How to build them.
        #[serde(flatten)]
        plan: BuildPlan,
    },
    /// More memory for the search, which is full.
    Memory {
        /// The bytes that it was given, if a number was.
        #[serde(skip_serializing_if = "Option::is_none")]
        bytes: Option<usize>,
    },
    /// More time for the search.
    Time {
        /// Ten times what it was given, in seconds.
        seconds: f64,
    },
    /// More positions for the search.
    Nodes,
}

/// The use of tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// They hold the position.
    Position,
    /// They help the search.
    Search,
    /// The certificate that has the value ends in them: they have the rest of the line.
    Line,
    /// The certificates end in them, and know more with them.
    Certificate,
    /// They have the distance of a position whose value is known.
    Distance,
}

/// The answer about a position, for the side to move. Its JSON form has the fields of the program's
/// `--json`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The rule set.
    pub rules: RuleSet,
    /// The position and its turns, with all that is proved of them.
    pub look: Look,
    /// The proof by certificates, if neither the rules nor tables decide the position.
    pub certified: Option<CertificateFact>,
    /// Turns that are open although they were searched before.
    pub tried: Vec<Tried>,
    /// Whether the value follows from a look at the turns alone.
    pub is_ahead: bool,
    /// A turn that gets at least the lower bound, if that is more than a loss; in a lost position, one
    /// that delays the end. `None` if no such turn is known.
    pub best: Option<Turn>,
    /// If the value is known, best play up to the first turn that makes no certain progress. Positions
    /// of games have none.
    pub line: Line,
    /// Whether a search has found the end of the line, where tables have no distances.
    pub is_played_out: bool,
    /// The engine's view, if the value is unknown and the engine was asked.
    pub estimate: Option<Estimate>,
    /// The turn that the engine would play, if it was asked.
    pub engine_turn: Option<Turn>,
    /// Whether the value comes from the engine, which has followed all lines to their ends.
    pub is_followed: bool,
    /// The search for proofs; `None` if there was none.
    pub search: Option<Analysis>,
    /// Steps that would tell more, the best first.
    pub help: Vec<Help>,
    /// The time that the answer took.
    pub elapsed: Duration,
}

impl Answer {
    /// The answer of the sources alone, without a line.
    ///
    /// # Errors
    /// If a table or a certificate cannot be used.
    pub fn of_sources(known: &Knowledge, position: &Position) -> Result<Self, EngineError> {
        let (look, rules) = (known.look(position)?, known.rules());
        Ok(Self {
            rules,
            certified: None,
            tried: Vec::new(),
            is_ahead: false,
            best: look.best().map(|best| best.turn.clone()),
            line: Line::found(&rules, *position, look.assessment, Vec::new()),
            is_played_out: false,
            estimate: None,
            engine_turn: None,
            is_followed: false,
            search: None,
            help: Vec::new(),
            elapsed: Duration::ZERO,
            look,
        })
    }

    /// All that is proved of the position.
    pub fn assessment(&self) -> Assessment {
        self.look.assessment
    }

    /// Whether the value is known.
    pub fn is_proved(&self) -> bool {
        self.assessment().value().is_some()
    }

    /// Why the answer has no more: [`End::Proved`] if the sources have the value.
    pub fn end(&self) -> End {
        self.search.as_ref().map_or(End::Proved, |search| search.end)
    }

    /// The positions searched, and how many of them a table decided.
    pub fn nodes(&self) -> (u64, u64) {
        self.search.as_ref().map_or((0, 0), |found| (found.search.nodes, found.search.table_hits))
    }

    /// The turn that is known to be the best, or else that the engine would play.
    pub fn advised(&self) -> Option<&Turn> {
        self.best.as_ref().or(self.engine_turn.as_ref())
    }

    /// The turns that keep the value. `None` if that is not known of all turns, and in lost positions,
    /// where nothing can be lost.
    pub fn share(&self) -> Option<Share> {
        let turns = self.look.turns.as_deref()?;
        let value = self.assessment().value().filter(|value| *value != Value::Loss)?;
        let keeps = |turn: &RankedTurn| turn.assessment.bounds.at_least >= value;
        let gives = |turn: &RankedTurn| turn.assessment.bounds.at_most < value;
        let holding = turns.iter().filter(|turn| keeps(turn)).count();
        let is_known = holding > 0 && turns.iter().all(|turn| keeps(turn) || gives(turn));
        is_known.then_some(Share { holding, turns: turns.len() })
    }

    /// Takes what else is known of the position and its turns, with a turn that gets the lower bound.
    pub(super) fn learn(&mut self, look: Look, best: Option<&Turn>) {
        let before = self.assessment().bounds.at_least;
        self.look = look;
        // The turn of the better proof; the one known before if they prove the same.
        let is_better = self.assessment().bounds.at_least > before;
        if is_better || before == Value::Loss || self.best.is_none() {
            self.best = best.cloned().or(self.best.take());
        }
        self.line.assessment = self.assessment();
    }
}
