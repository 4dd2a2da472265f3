//! The engine's view of a position, reported while it thinks.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_core::{Position, Side};
use fanorona_engine::{Analysis, Choice, Engine, Limits, Options};
use fanorona_knowledge::schema;
use serde::Serialize;
use utoipa::ToSchema;

use super::turn::ChosenTurn;
use crate::library::OpenVariant;
use crate::problem::Problem;

/// The most lines.
pub const MAX_LINES: usize = 5;

/// The most turns of a line.
const MAX_TURNS_OF_LINE: usize = 12;

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
    /// The best turns, best first, each with a line of at most 12 turns. Empty if the game is over.
    pub lines: Vec<ChosenTurn>,
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
            lines: found
                .iter()
                .filter_map(|found| ChosenTurn::of(position, found, MAX_TURNS_OF_LINE))
                .collect(),
        }
    }
}
