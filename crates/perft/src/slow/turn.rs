//! Turns of the slow generator, legal or not.

use fanorona_core::{Board, Point, PointSet, Position, StepKind, Stones};

/// How a step captures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Taking {
    /// In this way, or not at all.
    One(StepKind),
    /// Both lines at once, which no rule set allows.
    Both,
}

impl Taking {
    /// The letters for it in our notation.
    pub(crate) fn letters(self) -> &'static str {
        match self {
            Self::One(StepKind::Paika) => "",
            Self::One(StepKind::Approach) => "A",
            Self::One(StepKind::Withdrawal) => "W",
            Self::Both => "AW",
        }
    }
}

/// A turn, legal or not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlowTurn {
    /// The point where its stone starts.
    pub origin: Point,
    /// Each point that is reached, and how the step to it captures; empty for a pass.
    pub steps: Vec<(Point, Taking)>,
    /// The captured stones.
    pub captured: PointSet,
    /// The stones after it, as its mover sees them.
    pub after: Stones,
}

impl SlowTurn {
    /// The turn as a program writes it that has the ranks in the other order. It would write the
    /// position after it in that order too, so that one stays.
    pub(super) fn upside_down(mut self, board: Board) -> Self {
        let turned = |point| {
            let at = board.coordinates(point);
            board.point_at(at.file(), board.height() - 1 - at.rank()).expect("of every board")
        };
        self.origin = turned(self.origin);
        self.steps.iter_mut().for_each(|(to, _)| *to = turned(*to));
        self.captured = self.captured.iter().map(turned).collect();
        self
    }

    /// Where the stone ends.
    pub(crate) fn destination(&self) -> Point {
        self.steps.last().map_or(self.origin, |&(to, _)| to)
    }

    /// The position after it; `None` if stones cannot stand like this.
    pub fn position_after(&self, before: &Position) -> Option<Position> {
        let to_move = before.to_move().other();
        Position::from_mover(before.board(), self.after.swapped(), to_move).ok()
    }

    /// The text, in our notation as far as that goes.
    pub fn text(&self, board: Board) -> String {
        if self.steps.is_empty() {
            return "pass".to_owned();
        }
        let mut text = board.coordinates(self.origin).to_string();
        for (to, taking) in &self.steps {
            text += &format!("-{}{}", board.coordinates(*to), taking.letters());
        }
        text
    }
}
