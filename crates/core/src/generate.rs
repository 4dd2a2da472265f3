//! The generator: which turns a position has under a rule set.
//!
//! First steps are found for all stones at once, one direction after the other ([`FirstSteps`]);
//! relays are explored stone by stone ([`Relaying`]). Listing, counting and the stepwise interface
//! all stand on these two.

use std::ops::ControlFlow;

use arrayvec::ArrayVec;

use crate::board::Board;
use crate::point::{Direction, Point, PointSet, points};
use crate::position::Position;
use crate::rules::{Chain, DirectionRule, Paikas, RuleSet, TurnRule};
use crate::turn::{Step, StepKind, Turn};

/// The stones of one side that can step to an empty point in one direction, by what the step could
/// do. A stone may be in both `approach` and `withdrawal`; it is in `quiet` if it is in neither.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FirstSteps {
    /// Where the stones go.
    pub direction: Direction,
    /// Stones whose step can capture by approach.
    pub approach: PointSet,
    /// Stones whose step can capture by withdrawal.
    pub withdrawal: PointSet,
    /// Stones whose step can capture nothing.
    pub quiet: PointSet,
}

impl FirstSteps {
    /// The first steps of `own` against `opponent`, whatever the rule set, for each direction.
    #[inline]
    pub fn all(board: Board, own: PointSet, opponent: PointSet) -> [Self; 8] {
        Direction::ALL.map(|direction| Self::in_direction(board, own, opponent, direction))
    }

    /// How many captures and how many paikas [`FirstSteps::all`] has. A step that captures by
    /// approach and by withdrawal is two captures.
    #[inline]
    pub fn count(board: Board, own: PointSet, opponent: PointSet) -> (u32, u32) {
        Direction::ALL.into_iter().fold((0, 0), |(captures, paikas), direction| {
            let steps = Self::in_direction(board, own, opponent, direction);
            (
                captures + steps.approach.count_ones() + steps.withdrawal.count_ones(),
                paikas + steps.quiet.count_ones(),
            )
        })
    }

    #[inline(always)]
    fn in_direction(board: Board, own: PointSet, opponent: PointSet, direction: Direction) -> Self {
        let back = direction.opposite();
        let empty = board.all_points() & !(own | opponent);
        let movers = own & board.shift(empty, back);
        let approach = own & board.shift(empty & board.shift(opponent, back), back);
        let withdrawal = movers & board.shift(opponent, direction);
        Self { direction, approach, withdrawal, quiet: movers & !(approach | withdrawal) }
    }

    /// The stones that can capture by this step.
    #[inline]
    pub fn capturing(&self) -> PointSet {
        self.approach | self.withdrawal
    }
}

/// The first steps that a rule allows: those with which a turn can begin.
#[inline]
pub(crate) fn allowed_first_steps(
    board: Board,
    own: PointSet,
    opponent: PointSet,
    rule: &TurnRule,
) -> [FirstSteps; 8] {
    let mut all = FirstSteps::all(board, own, opponent);
    if opponent == 0 {
        // The game is over.
        for steps in &mut all {
            *steps = FirstSteps { approach: 0, withdrawal: 0, quiet: 0, ..*steps };
        }
        return all;
    }
    match rule.paikas {
        Paikas::NonCapturingStep => {}
        Paikas::WhenNoCapture => {
            if all.iter().any(|steps| steps.capturing() != 0) {
                all.iter_mut().for_each(|steps| steps.quiet = 0);
            }
        }
        Paikas::AnyStep => {
            all.iter_mut().for_each(|steps| steps.quiet |= steps.capturing());
        }
        Paikas::Never => all.iter_mut().for_each(|steps| steps.quiet = 0),
    }
    if !rule.captures {
        for steps in &mut all {
            (steps.approach, steps.withdrawal) = (0, 0);
        }
    }
    all
}

/// A stone in the middle of a capturing turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Relaying {
    /// Where the stone is.
    pub at: PointSet,
    /// Where it has been, `at` included.
    pub visited: PointSet,
    /// The mover's other stones.
    pub others: PointSet,
    /// The opponent's stones that are left.
    pub opponent: PointSet,
    /// The directions that the next step may take.
    directions: u8,
}

impl Relaying {
    /// A stone that has not moved yet.
    #[inline]
    pub fn new(own: PointSet, opponent: PointSet, at: PointSet) -> Self {
        Self { at, visited: at, others: own & !at, opponent, directions: 0xff }
    }

    /// The stone after one more step.
    #[inline]
    pub fn after(&self, board: Board, step: Step, rule: &TurnRule) -> Self {
        let at = board.shift(self.at, step.direction);
        let captured = step.captured(board, self.at, at, self.opponent, rule.nearest_only);
        let directions = match rule.direction {
            DirectionRule::NotTwiceRunning => !step.direction.bit(),
            DirectionRule::Strict => self.directions & !step.direction.bit(),
            DirectionRule::Free => 0xff,
        };
        Self {
            at,
            visited: self.visited | at,
            others: self.others,
            opponent: self.opponent & !captured,
            directions,
        }
    }

    /// Whether the direction rule lets the next step go this way.
    pub fn may_take(&self, direction: Direction) -> bool {
        self.directions & direction.bit() != 0
    }

    /// The capturing steps that can come next, in the order of directions, approach first.
    #[inline]
    pub fn next_steps(self, board: Board) -> impl Iterator<Item = Step> {
        let free = board.all_points() & !(self.others | self.opponent | self.visited);
        Direction::ALL.into_iter().filter(move |d| self.may_take(*d)).flat_map(move |direction| {
            let to = board.shift(self.at, direction) & free;
            let approach = to != 0 && board.shift(to, direction) & self.opponent != 0;
            let behind = board.shift(self.at, direction.opposite());
            let withdrawal = to != 0 && behind & self.opponent != 0;
            [(approach, StepKind::Approach), (withdrawal, StepKind::Withdrawal)]
                .into_iter()
                .filter_map(move |(can, kind)| can.then_some(Step { direction, kind }))
        })
    }

    /// Whether the turn may end here, the stone having captured.
    pub fn may_stop(&self, board: Board, rule: &TurnRule) -> bool {
        rule.chain != Chain::MustGoOn || !self.can_go_on(board, rule)
    }

    /// Whether another step may follow, the stone having captured.
    #[inline]
    pub fn can_go_on(&self, board: Board, rule: &TurnRule) -> bool {
        rule.chain != Chain::Single && self.next_steps(board).next().is_some()
    }
}

/// Visits every turn, with one [`Turn`] that grows and shrinks.
struct Walk<'a, F> {
    board: Board,
    rule: &'a TurnRule,
    all_opponents: PointSet,
    turn: Turn,
    visit: F,
}

impl<B, F: FnMut(&Turn) -> ControlFlow<B>> Walk<'_, F> {
    /// Visits the turns that go on from `stone` by `step`.
    fn step(&mut self, stone: Relaying, step: Step) -> ControlFlow<B> {
        let stone = stone.after(self.board, step, self.rule);
        self.turn.steps.push(step);
        let result = self.arrived(stone);
        self.turn.steps.pop();
        result
    }

    fn arrived(&mut self, stone: Relaying) -> ControlFlow<B> {
        if stone.may_stop(self.board, self.rule) {
            self.turn.destination = Point(stone.at.trailing_zeros() as u8);
            self.turn.captured = self.all_opponents & !stone.opponent;
            (self.visit)(&self.turn)?;
        }
        if self.rule.chain != Chain::Single {
            for step in stone.next_steps(self.board) {
                self.step(stone, step)?;
            }
        }
        ControlFlow::Continue(())
    }
}

impl RuleSet {
    /// Calls `visit` with each legal turn until it breaks. No turn is stored, so positions with
    /// ten thousand turns cost no memory.
    ///
    /// The order is fixed: by origin, first step's direction, approach, withdrawal, paika, and a
    /// relay before those that go on from it. A finished game has no turns.
    pub fn try_for_each_turn<B>(
        &self,
        position: &Position,
        visit: impl FnMut(&Turn) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (board, own, opponent) = (position.board(), position.own(), position.opponent());
        let rule = &self.turn_rule(position);
        let first_steps = allowed_first_steps(board, own, opponent, rule);
        let origin = Point(0);
        let turn = Turn { origin, destination: origin, captured: 0, steps: ArrayVec::new() };
        let mut walk = Walk { board, rule, all_opponents: opponent, turn, visit };
        for origin in points(own) {
            walk.turn.origin = origin;
            let stone = Relaying::new(own, opponent, origin.set());
            for steps in first_steps {
                let direction = steps.direction;
                if steps.approach & origin.set() != 0 {
                    walk.step(stone, Step { direction, kind: StepKind::Approach })?;
                }
                if steps.withdrawal & origin.set() != 0 {
                    walk.step(stone, Step { direction, kind: StepKind::Withdrawal })?;
                }
                if steps.quiet & origin.set() != 0 {
                    let to = board.shift(origin.set(), direction);
                    walk.turn.destination = Point(to.trailing_zeros() as u8);
                    walk.turn.captured = 0;
                    walk.turn.steps.push(Step { direction, kind: StepKind::Paika });
                    (walk.visit)(&walk.turn)?;
                    walk.turn.steps.pop();
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls `visit` with each legal turn, in the order of
    /// [`try_for_each_turn`](Self::try_for_each_turn).
    pub fn for_each_turn(&self, position: &Position, mut visit: impl FnMut(&Turn)) {
        let _: ControlFlow<()> = self.try_for_each_turn(position, |turn| {
            visit(turn);
            ControlFlow::Continue(())
        });
    }

    /// The legal turns, in the order of [`try_for_each_turn`](Self::try_for_each_turn).
    pub fn turns(&self, position: &Position) -> Vec<Turn> {
        let mut turns = Vec::new();
        self.for_each_turn(position, |turn| turns.push(turn.clone()));
        turns
    }

    /// Whether the side to move has a legal turn.
    pub fn has_turn(&self, position: &Position) -> bool {
        let rule = self.turn_rule(position);
        allowed_first_steps(position.board(), position.own(), position.opponent(), &rule)
            .iter()
            .any(|steps| steps.capturing() | steps.quiet != 0)
    }

    /// Whether the side to move has a legal turn that captures.
    pub fn has_capture(&self, position: &Position) -> bool {
        let rule = self.turn_rule(position);
        allowed_first_steps(position.board(), position.own(), position.opponent(), &rule)
            .iter()
            .any(|steps| steps.capturing() != 0)
    }
}
