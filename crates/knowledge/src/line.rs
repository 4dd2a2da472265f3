//! Best play by both sides, as far as it is known.

use std::collections::HashSet;

use fanorona_core::{Position, RuleSet, Value};
use fanorona_proof::Bounds;
use serde::Serialize;

use crate::assessment::{Assessment, Source};
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
    /// The line has as many turns as were asked for, or goes on deep in a large proof, where positions
    /// take much longer to find than the first one.
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
        let look = self.look(position)?;
        // From a position that takes long to find, most of the others are found then.
        let is_near = self.is_near(position)?;
        let mut best = look.best().cloned();
        let mut now = *position;
        let end = loop {
            if self.rules().outcome(&now).is_some() {
                break LineEnd::Finished;
            }
            let Some(next) = best else {
                break if line.is_empty() { LineEnd::Unknown } else { LineEnd::TableEdge };
            };
            if line.len() == most {
                break LineEnd::Length;
            }
            now = next.after;
            let is_draw = next.assessment.value() == Some(Value::Draw);
            line.push(next);
            if !seen.insert(now) {
                break LineEnd::Repetition;
            }
            if is_near && !self.is_near(&now)? {
                break LineEnd::Length;
            }
            let of_proof = if is_draw { self.drawing_turn(&now)? } else { None };
            best = match of_proof {
                Some(turn) => Some(turn),
                None => self.look(&now)?.best().cloned(),
            };
        };
        Ok(Line { position: *position, assessment: look.assessment, line, end })
    }

    /// The turn of a proof in a drawn position: the first of the list, without a look at the others.
    fn drawing_turn(&self, position: &Position) -> Result<Option<RankedTurn>> {
        let Some(book) = self.book() else { return Ok(None) };
        if self.decided_by_tables(position)?.is_some() {
            return Ok(None);
        }
        let Some(entry) = book.entry(position)? else { return Ok(None) };
        let after = position.play_unchecked(&entry.turn);
        let assessment = match self.decided_by_tables(&after)? {
            Some(found) => found.before_turn(),
            None => Assessment::new(Bounds::exact(Value::Draw), Source::Proof),
        };
        Ok(Some(RankedTurn { turn: entry.turn, after, assessment }))
    }
}
