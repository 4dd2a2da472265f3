//! Steps and complete turns.

use arrayvec::ArrayVec;

use crate::board::Board;
use crate::named;
use crate::point::{Direction, Point};
use crate::point_set::PointSet;
use crate::position::{Position, Stones};
use crate::rules::Captures;

/// The most steps of a turn: each captures at least one stone, and a side has at most 31.
pub const MAX_STEPS: usize = 31;

/// The kind of a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StepKind {
    /// A paika: it does not capture.
    Paika,
    /// Approach: it captures the line that begins beyond the point where it ends.
    Approach,
    /// Withdrawal: it captures the line that begins behind the point where it starts.
    Withdrawal,
}

named!(StepKind, "kind of step", Paika "paika", Approach "approach", Withdrawal "withdrawal");

/// One step along a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Step {
    pub direction: Direction,
    pub kind: StepKind,
}

impl Step {
    /// The stones of `opponent` that the step captures when a stone goes from `from` to `to`.
    #[inline]
    pub(crate) fn captured(
        self,
        board: Board,
        from: PointSet,
        to: PointSet,
        opponent: PointSet,
        captures: Captures,
    ) -> PointSet {
        let (start, direction) = match self.kind {
            StepKind::Paika => return PointSet::EMPTY,
            StepKind::Approach => (to, self.direction),
            StepKind::Withdrawal => (from, self.direction.opposite()),
        };
        match captures {
            Captures::Never => PointSet::EMPTY,
            Captures::NearestStone => board.shift(start, direction) & opponent,
            Captures::WholeLine => board.line(start, direction, opponent),
        }
    }
}

/// A complete turn: a paika, or the capturing steps of one stone.
///
/// Turns come from [`RuleSet::turns`](crate::RuleSet::turns), from
/// [`TurnInProgress::finish`](crate::TurnInProgress::finish), or from a text with
/// [`RuleSet::parse_turn`](crate::RuleSet::parse_turn), and belong to the position that they were
/// made for. Two turns of one position are equal if they have the same steps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Turn {
    pub(crate) origin: Point,
    pub(crate) destination: Point,
    pub(crate) captured: PointSet,
    pub(crate) steps: ArrayVec<Step, MAX_STEPS>,
}

impl Turn {
    /// The point where the stone starts.
    pub fn origin(&self) -> Point {
        self.origin
    }

    /// The point where the stone ends.
    pub fn destination(&self) -> Point {
        self.destination
    }

    /// The opponent's stones that the turn captures.
    pub fn captured(&self) -> PointSet {
        self.captured
    }

    /// The steps, 1 to [`MAX_STEPS`].
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The points that the stone visits, from its start to its end.
    pub fn path(&self, board: Board) -> impl Iterator<Item = Point> {
        let next = move |at: &mut Point, step: &Step| {
            *at = board.neighbour(*at, step.direction)?;
            Some(*at)
        };
        std::iter::once(self.origin).chain(self.steps.iter().scan(self.origin, next))
    }

    /// Whether the turn is a paika: one step that does not capture.
    pub fn is_paika(&self) -> bool {
        self.captured.is_empty()
    }
}

impl Position {
    /// The position after a turn that a rule set has listed for this position, in a few
    /// nanoseconds.
    ///
    /// The turn is not checked. Any other turn gives a meaningless position; for turns that may be
    /// wrong there is [`RuleSet::play`](crate::RuleSet::play).
    #[must_use]
    #[inline]
    pub fn play_unchecked(&self, turn: &Turn) -> Self {
        let own = (self.own() - turn.origin) | turn.destination;
        self.passed(Stones { own, opponent: self.opponent() - turn.captured })
    }
}
