//! Turns that another program can mean, legal or not.

use fanorona_core::{Board, Point, PointSet, Position, Stones, Symmetry, Turn};

use super::written::{Path, Taking, WrittenTurn};

/// A turn, legal or not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Candidate {
    pub origin: Point,
    /// Each point that is reached, and how the step to it captures; empty for a pass.
    pub steps: Vec<(Point, Taking)>,
    pub captured: PointSet,
    /// The stones after it, as its mover sees them.
    pub after: Stones,
}

/// How well a written turn fits a candidate, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Fit {
    /// The text has every step, or the result.
    Steps,
    /// The text has only the first and the last point.
    Ends,
}

impl Candidate {
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

    /// The turn as a program writes it that has the ranks in the other order. It would write the
    /// position after it in that order too, so that one stays.
    pub(super) fn upside_down(mut self, board: Board) -> Self {
        let turned = |point| Symmetry::MirrorRanks.apply(board, point).expect("of every board");
        self.origin = turned(self.origin);
        self.steps.iter_mut().for_each(|(to, _)| *to = turned(*to));
        self.captured = self.captured.iter().map(turned).collect();
        self
    }

    /// Where the stone ends.
    pub(super) fn destination(&self) -> Point {
        self.steps.last().map_or(self.origin, |&(to, _)| to)
    }

    /// The position after it.
    pub(super) fn position_after(&self, before: &Position) -> Option<Position> {
        let to_move = before.to_move().other();
        Position::from_mover(before.board(), self.after.swapped(), to_move).ok()
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

    /// The text, in our notation as far as that goes.
    pub(super) fn text(&self, board: Board) -> String {
        if self.steps.is_empty() {
            return "pass".to_owned();
        }
        let mut text = board.coordinates(self.origin).to_string();
        for (to, taking) in &self.steps {
            text += &format!("-{}", board.coordinates(*to));
            text += taking.letters();
        }
        text
    }
}
