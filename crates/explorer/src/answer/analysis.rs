//! The engine's view of a position, reported while it thinks.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_core::{Position, Side};
use fanorona_engine::{Analysis, Choice, Engine, Limits, Options, Score};
use fanorona_knowledge::{Assessment, schema};
use serde::Serialize;
use utoipa::ToSchema;

use super::turn::path_of;
use crate::library::OpenVariant;
use crate::problem::Problem;
use crate::variant::names_of;

/// The most lines.
pub const MAX_LINES: usize = 5;

/// The most turns of a line.
const MAX_TURNS_OF_LINE: usize = 12;

/// A turn with the line that the engine expects after it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AnalysisLine {
    /// The turn.
    pub turn: String,
    /// The points that the stone visits, from its start to its end.
    pub path: Vec<&'static str>,
    /// The points of the captured stones.
    pub captured: Vec<&'static str>,
    /// The position after the turn.
    #[schema(value_type = String)]
    pub position: Position,
    /// Of the turn, as far as it is certain, for the side that makes it. The source is `estimate` if
    /// nothing is.
    #[serde(flatten)]
    pub assessment: Assessment,
    /// 100 × the natural logarithm of the odds of winning, for the same side. Left out where the value is
    /// known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub estimate: Option<i32>,
    /// The turns, beginning with this one; at most 12.
    pub line: Vec<String>,
}

/// The engine's view of a position: the events `progress` and `done`.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AnalysisAnswer {
    /// The position.
    #[schema(value_type = String)]
    pub position: Position,
    /// The side to move.
    #[schema(value_type = schema::Side)]
    pub to_move: Side,
    /// The turns that the engine has looked ahead.
    pub depth: u32,
    /// The positions that it has visited.
    pub nodes: u64,
    /// The time that it took, in seconds.
    pub seconds: f64,
    /// The best turns, best first. Empty if the game is over.
    pub lines: Vec<AnalysisLine>,
}

/// The limits of an analysis.
#[derive(Clone, Copy, Debug)]
pub struct AnalysisOrder {
    /// The longest time.
    pub time: Duration,
    /// The number of lines.
    pub lines: usize,
    /// The threads.
    pub threads: usize,
}

impl AnalysisOrder {
    /// Analyzes a position, and reports each depth to `report`. Returns the last answer. It ends soon
    /// after `stop` is set.
    ///
    /// # Errors
    /// If a table is damaged, or the memory cannot be had.
    pub fn run(
        &self,
        open: &OpenVariant,
        position: &Position,
        stop: &AtomicBool,
        mut report: impl FnMut(AnalysisAnswer),
    ) -> Result<AnalysisAnswer, Problem> {
        let mut options = Options::default();
        options.threads = self.threads;
        let mut engine = Engine::new(open.knowledge().clone(), options)?;
        let limits = Limits { time: Some(self.time), ..Limits::default() };
        let choice = Choice { lines: self.lines, ..Choice::default() };
        let progress = |found: &[Analysis]| report(AnalysisAnswer::new(position, found));
        let found = engine.analyze_lines(position, &[], &choice, &limits, stop, progress)?;
        Ok(AnalysisAnswer::new(position, &found))
    }
}

impl AnalysisAnswer {
    fn new(position: &Position, found: &[Analysis]) -> Self {
        let first = found.first();
        Self {
            position: *position,
            to_move: position.to_move(),
            depth: first.map_or(0, |first| first.depth),
            nodes: first.map_or(0, |first| first.nodes),
            seconds: first.map_or(0.0, |first| first.elapsed.as_secs_f64()),
            lines: found.iter().filter_map(|found| AnalysisLine::new(position, found)).collect(),
        }
    }
}

impl AnalysisLine {
    /// `None` if there is no turn.
    fn new(position: &Position, found: &Analysis) -> Option<Self> {
        let (board, turn) = (position.board(), found.turn.as_ref()?);
        let line = found.line.iter().take(MAX_TURNS_OF_LINE);
        Some(Self {
            turn: turn.text(board).to_string(),
            path: path_of(board, turn),
            captured: names_of(board, turn.captured()),
            position: position.play_unchecked(turn),
            assessment: found.assessment(),
            estimate: match found.score {
                Score::Estimate(score) => Some(score),
                Score::Exact(_) | Score::Proved(_) => None,
            },
            line: line.map(|turn| turn.text(board).to_string()).collect(),
        })
    }
}
