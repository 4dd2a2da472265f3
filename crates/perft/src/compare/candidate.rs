//! Turns that another program can mean, legal or not.

use fanorona_core::{Point, Position, Stones, Turn};

use super::written::{Path, WrittenTurn};
use crate::slow::{SlowTurn, Taking};

/// How well a written turn fits a candidate, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Fit {
    /// The text has every step, or the result.
    Steps,
    /// The text has only the first and the last point.
    Ends,
}

impl SlowTurn {
    /// A legal turn of a position.
    pub(super) fn legal(position: &Position, turn: &Turn) -> Self {
        let board = position.board();
        let mut at = turn.origin();
        let step = |step: &fanorona_core::Step| {
            at = board.neighbour(at, step.direction).expect("a turn of this board");
            (at, Taking::One(step.kind))
        };
        let steps = turn.steps().iter().map(step).collect();
        let after = Stones::of(&position.play_unchecked(turn)).swapped();
        Self { origin: turn.origin(), steps, captured: turn.captured(), after }
    }

    /// Whether a written turn can mean this one at a position.
    pub(super) fn fit(&self, position: &Position, written: &WrittenTurn) -> Option<Fit> {
        match written {
            WrittenTurn::Pass => self.steps.is_empty().then_some(Fit::Steps),
            WrittenTurn::After(after) => {
                (self.position_after(position) == Some(*after)).then_some(Fit::Steps)
            }
            WrittenTurn::Path(path) => self.fit_path(path).or_else(|| {
                let other = path.as_step_and_captured()?;
                self.fit_path(&other)
            }),
        }
    }

    fn fit_path(&self, path: &Path) -> Option<Fit> {
        let captures = path.captured.is_none_or(|captured| captured == self.captured);
        if path.origin != self.origin || self.steps.is_empty() || !captures {
            return None;
        }
        let fits = |(&(to, kind), &(own_to, taking)): (&(Point, Option<Taking>), _)| {
            // A program that captures both lines has no sign for that.
            let has_kind = |kind| kind == taking || taking == Taking::Both;
            to == own_to && kind.is_none_or(has_kind)
        };
        if path.steps.len() == self.steps.len() {
            return path.steps.iter().zip(&self.steps).all(fits).then_some(Fit::Steps);
        }
        let is_bare = path.steps.len() == 1 && path.steps[0].1.is_none();
        (is_bare && path.destination() == self.destination()).then_some(Fit::Ends)
    }
}
