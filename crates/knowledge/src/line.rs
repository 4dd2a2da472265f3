//! Best play by both sides, as far as it is known.

use std::collections::HashSet;

use fanorona_core::{Position, RuleSet};
use serde::Serialize;

use crate::assessment::Assessment;
use crate::knowledge::{Knowledge, Result};
use crate::turn::RankedTurn;

/// Why a line ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub enum LineEnd {
    /// The game is over.
    Finished,
    /// No turn is known to be the best from here on, but some were before.
    TableEdge,
    /// The position was there before.
    Repetition,
    /// No turn of the first position is known to be the best.
    Unknown,
    /// The line has as many turns as were asked for.
    Length,
}

/// Best play from a position.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Line {
    /// The position that it begins in.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub position: Position,
    /// The assessment of that position, for the side to move.
    #[serde(flatten)]
    pub assessment: Assessment,
    /// The turns. Each is the first one in the list of its position.
    pub line: Vec<RankedTurn>,
    /// Why it ends.
    pub end: LineEnd,
}

impl Line {
    /// A line to show has no more turns, unless the end of the game is known to be further away.
    pub const LONGEST: usize = 100;

    /// A line that somebody else has found.
    pub fn found(
        rules: &RuleSet,
        position: Position,
        assessment: Assessment,
        line: Vec<RankedTurn>,
    ) -> Self {
        let end = match line.split_last() {
            None => LineEnd::Unknown,
            Some((last, _)) if rules.outcome(&last.after).is_some() => LineEnd::Finished,
            Some((last, before)) => {
                let mut earlier = before.iter().map(|turn| turn.after).chain([position]);
                match earlier.any(|after| after == last.after) {
                    true => LineEnd::Repetition,
                    false if line.len() >= Self::LONGEST => LineEnd::Length,
                    false => LineEnd::TableEdge,
                }
            }
        };
        Self { position, assessment, line, end }
    }

    /// The line up to its first turn that is [aimless](RankedTurn::is_aimless).
    #[must_use]
    pub fn with_progress(mut self) -> Self {
        if let Some(first) = self.line.iter().position(RankedTurn::is_aimless) {
            self.line.truncate(first + 1);
            self.end = LineEnd::TableEdge;
        }
        self
    }
}

impl Knowledge {
    /// Best play from a position, of at most this many turns.
    ///
    /// # Errors
    /// As for [`lookup`](Self::lookup).
    pub fn line(&self, position: &Position, most: usize) -> Result<Line> {
        let mut line: Vec<RankedTurn> = Vec::new();
        let mut seen = HashSet::from([*position]);
        let mut look = self.look(position)?;
        let (position, assessment) = (*position, look.assessment);
        let end = loop {
            if look.outcome.is_some() {
                break LineEnd::Finished;
            }
            let Some(best) = look.best() else {
                break if line.is_empty() { LineEnd::Unknown } else { LineEnd::TableEdge };
            };
            if line.len() == most {
                break LineEnd::Length;
            }
            let after = best.after;
            line.push(best.clone());
            if !seen.insert(after) {
                break LineEnd::Repetition;
            }
            look = self.look(&after)?;
        };
        Ok(Line { position, assessment, line, end })
    }
}
