//! The listing generator: the turns of a position under a rule set, and the positions after them.
//!
//! First steps are found for all stones at once, one direction after another ([`FirstSteps`]).
//! Relays are explored stone by stone ([`MovingStone`]). The stepwise interface uses both too.

use std::ops::ControlFlow;

use arrayvec::ArrayVec;

use crate::board::Board;
use crate::point::{Direction, Point};
use crate::point_set::PointSet;
use crate::position::{Position, Stones};
use crate::rules::{Captures, Chain, DirectionRule, Paikas, RuleSet, TurnRule};
use crate::turn::{Step, StepKind, Turn};

/// The stones of one side that can step to an empty point in one direction, by what the step can do.
/// Without a [`TurnRule`] a stone is in `approach`, in `withdrawal`, in both, or in `quiet`.
///
/// ```
/// use fanorona_core::{Board, Direction, FirstSteps, Stones};
/// let start = Board::tsivy().start();
/// let east = FirstSteps::in_direction(start.board(), Stones::of(&start), Direction::East);
/// // d3-e3 captures f3 by approach, or c3 by withdrawal.
/// assert_eq!(east.approach, east.withdrawal);
/// assert_eq!(east.approach.len(), 1);
/// assert!(east.quiet.is_empty());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FirstSteps {
    /// The direction of the step.
    pub direction: Direction,
    /// Stones whose step can capture by approach.
    pub approach: PointSet,
    /// Stones whose step can capture by withdrawal.
    pub withdrawal: PointSet,
    /// Stones whose step cannot capture.
    pub quiet: PointSet,
}

/// The number of first steps of a side, by kind.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct FirstStepCounts {
    /// Captures. A step that can capture by approach or by withdrawal counts twice.
    pub captures: u32,
    /// Steps that cannot capture.
    pub paikas: u32,
}

impl FirstSteps {
    /// The first steps in each direction, independent of the rule set.
    #[inline]
    pub fn all(board: Board, stones: Stones) -> [Self; 8] {
        Direction::ALL.map(|direction| Self::in_direction(board, stones, direction))
    }

    /// The number of steps that [`FirstSteps::all`] has.
    // Always inlined, so that a caller compiled for more instructions uses them here too.
    #[inline(always)]
    pub fn count(board: Board, stones: Stones) -> FirstStepCounts {
        let mut counts = FirstStepCounts::default();
        for direction in Direction::ALL {
            let steps = Self::in_direction(board, stones, direction);
            counts.captures += steps.approach.len() + steps.withdrawal.len();
            counts.paikas += steps.quiet.len();
        }
        counts
    }

    /// The first steps in one direction.
    #[inline(always)]
    pub fn in_direction(board: Board, stones: Stones, direction: Direction) -> Self {
        let Stones { own, opponent } = stones;
        let back = direction.opposite();
        let empty = board.all_points() - stones.occupied();
        let movers = own & board.shift(empty, back);
        let approach = own & board.shift(empty & board.shift(opponent, back), back);
        let withdrawal = movers & board.shift(opponent, direction);
        Self { direction, approach, withdrawal, quiet: movers - (approach | withdrawal) }
    }

    /// The stones that can capture by this step.
    #[inline]
    pub fn capturing(&self) -> PointSet {
        self.approach | self.withdrawal
    }

    /// The kinds of step that a stone can make in this direction: approach first, paika last.
    #[inline]
    fn kinds(&self, stone: Point) -> impl Iterator<Item = StepKind> + use<> {
        [
            (self.approach, StepKind::Approach),
            (self.withdrawal, StepKind::Withdrawal),
            (self.quiet, StepKind::Paika),
        ]
        .into_iter()
        .filter(move |(stones, _)| stones.contains(stone))
        .map(|(_, kind)| kind)
    }
}

impl TurnRule {
    /// The first steps in each direction with which a turn can begin under this rule. There are
    /// none if the opponent has no stones: the game is over.
    #[inline]
    pub fn first_steps(&self, board: Board, stones: Stones) -> [FirstSteps; 8] {
        let mut all = FirstSteps::all(board, stones);
        let (none, is_over) = (PointSet::EMPTY, stones.opponent.is_empty());
        let can_capture = || all.iter().any(|steps| !steps.capturing().is_empty());
        let no_paikas = match self.paikas {
            Paikas::NonCapturingStep | Paikas::AnyStep => is_over,
            Paikas::WhenNoCapture => is_over || can_capture(),
            Paikas::Never => true,
        };
        if no_paikas {
            all.iter_mut().for_each(|steps| steps.quiet = none);
        } else if self.paikas == Paikas::AnyStep {
            all.iter_mut().for_each(|steps| steps.quiet |= steps.capturing());
        }
        if is_over || self.captures == Captures::Never {
            for steps in &mut all {
                (steps.approach, steps.withdrawal) = (none, none);
            }
        }
        all
    }

    /// The first steps with which a turn can begin under this rule, each with the stone that makes it,
    /// in the order of [`RuleSet::try_for_each_turn`].
    #[inline]
    pub fn each_first_step(
        &self,
        board: Board,
        stones: Stones,
    ) -> impl Iterator<Item = (Point, Step)> + use<> {
        let by_direction = self.first_steps(board, stones);
        // Where capturing is mandatory, few stones can step.
        let movers = by_direction
            .iter()
            .fold(PointSet::EMPTY, |movers, steps| movers | steps.capturing() | steps.quiet);
        movers.iter().flat_map(move |stone| {
            by_direction.into_iter().flat_map(move |steps| {
                let direction = steps.direction;
                steps.kinds(stone).map(move |kind| (stone, Step { direction, kind }))
            })
        })
    }
}

/// A stone before its first step or after any of them, with the other stones as they stand then.
/// [`TurnInProgress`](crate::TurnInProgress) is easier to use and refuses illegal steps.
///
/// ```
/// use fanorona_core::{MovingStone, Position, RuleSet, Stones};
/// let rules = RuleSet::STANDARD;
/// let position: Position = "9/9/3B5/9/2W1B4 w".parse()?;
/// let (board, stones) = (position.board(), Stones::of(&position));
/// let rule = rules.turn_rule(&position);
/// let (origin, step) = rule.each_first_step(board, stones).next().expect("it captures");
/// let stone = MovingStone::new(stones, origin).after(board, step, &rule).expect("a link");
/// // c1-d1A captures e1. The stone can continue to d2 and capture d3, or stop.
/// assert_eq!(stone.stones().opponent.len(), 1);
/// assert_eq!(stone.next_steps(board).count(), 1);
/// assert!(stone.may_stop(board, &rule));
/// # Ok::<(), fanorona_core::ParsePositionError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MovingStone {
    at: PointSet,
    /// The points where it has been, including `at`.
    visited: PointSet,
    /// The mover's.
    others: PointSet,
    /// The opponent's stones that are left.
    opponent: PointSet,
    /// The directions that the next step may take.
    directions: u8,
}

impl MovingStone {
    /// The stone at a point, before its first step, one of `stones.own`.
    #[inline]
    pub fn new(stones: Stones, at: Point) -> Self {
        let (stone, Stones { own, opponent }) = (PointSet::from(at), stones);
        Self { at: stone, visited: stone, others: own - at, opponent, directions: 0xff }
    }

    /// Where the stone is.
    #[inline]
    pub fn point(&self) -> Point {
        self.at.first().expect("the stone is on a point")
    }

    /// The points where the stone has been in this turn, the current one included.
    #[inline]
    pub fn visited(&self) -> PointSet {
        self.visited
    }

    /// The stones as they stand now, as the mover sees them, this one included.
    #[inline]
    pub fn stones(&self) -> Stones {
        Stones { own: self.others | self.at, opponent: self.opponent }
    }

    /// The stone after one more step; `None` if no link leads that way, or the point at its end is
    /// not empty. Whether the rule allows the step is not checked: that is what
    /// [`TurnRule::each_first_step`] and [`next_steps`](Self::next_steps) are for.
    #[inline]
    pub fn after(&self, board: Board, step: Step, rule: &TurnRule) -> Option<Self> {
        let at = board.shift(self.at, step.direction);
        let is_free = !at.is_empty() && !at.intersects(self.others | self.opponent);
        is_free.then(|| self.moved(board, at, step, rule))
    }

    /// The stone after a step to the empty point `at`.
    #[inline]
    fn moved(&self, board: Board, at: PointSet, step: Step, rule: &TurnRule) -> Self {
        let captured = step.captured(board, self.at, at, self.opponent, rule.captures);
        let directions = match rule.direction {
            DirectionRule::NotTwiceRunning => !step.direction.bit(),
            DirectionRule::Strict => self.directions & !step.direction.bit(),
            DirectionRule::Free => 0xff,
        };
        Self {
            at,
            visited: self.visited | at,
            others: self.others,
            opponent: self.opponent - captured,
            directions,
        }
    }

    /// Whether the direction rule allows the next step in this direction.
    pub fn may_take(&self, direction: Direction) -> bool {
        self.directions & direction.bit() != 0
    }

    /// The capturing steps that can come next, by direction, approach first.
    #[inline]
    pub fn next_steps(self, board: Board) -> impl Iterator<Item = Step> {
        let free = board.all_points() - (self.others | self.opponent | self.visited);
        // Two bits for each direction. All are computed without branches, because few are set and
        // which ones cannot be predicted.
        let mut found = 0_u16;
        for direction in Direction::ALL {
            let to = board.shift(self.at, direction) & free;
            let behind = board.shift(self.at, direction.opposite());
            let approach = board.shift(to, direction).intersects(self.opponent);
            let withdrawal = !to.is_empty() & behind.intersects(self.opponent);
            let kinds = u16::from(approach) | (u16::from(withdrawal) << 1);
            let may_take = u16::from(self.may_take(direction));
            found |= (may_take * kinds) << (2 * direction as u16);
        }
        std::iter::from_fn(move || {
            let next = (found != 0).then(|| found.trailing_zeros() as usize)?;
            found &= found - 1;
            let kind = if next % 2 == 0 { StepKind::Approach } else { StepKind::Withdrawal };
            Some(Step { direction: Direction::ALL[next / 2], kind })
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

/// Visits the turns that stones can make, with one [`Turn`] that grows and shrinks. It is kept up to
/// date only if `LISTS`; without it, the walk is faster.
struct Walk<'a, F, const LISTS: bool> {
    board: Board,
    rule: &'a TurnRule,
    all_opponents: PointSet,
    turn: Turn,
    visit: F,
}

impl<'a, B, F, const LISTS: bool> Walk<'a, F, LISTS>
where
    F: FnMut(&Turn, &MovingStone) -> ControlFlow<B>,
{
    fn new(position: &Position, rule: &'a TurnRule, visit: F) -> Self {
        let (nowhere, all_opponents) = (Point(0), position.opponent());
        let (captured, steps) = (PointSet::EMPTY, ArrayVec::new());
        let turn = Turn { origin: nowhere, destination: nowhere, captured, steps };
        Self { board: position.board(), rule, all_opponents, turn, visit }
    }

    /// Visits the turns that continue from `stone` with `step`.
    fn step(&mut self, stone: MovingStone, step: Step) -> ControlFlow<B> {
        let to = self.board.shift(stone.at, step.direction);
        let stone = stone.moved(self.board, to, step, self.rule);
        if LISTS {
            self.turn.steps.push(step);
        }
        let is_paika = step.kind == StepKind::Paika;
        if is_paika || stone.may_stop(self.board, self.rule) {
            if LISTS {
                self.turn.destination = stone.point();
                self.turn.captured = self.all_opponents - stone.opponent;
            }
            (self.visit)(&self.turn, &stone)?;
        }
        if !is_paika && self.rule.chain != Chain::Single {
            for step in stone.next_steps(self.board) {
                self.step(stone, step)?;
            }
        }
        if LISTS {
            self.turn.steps.pop();
        }
        ControlFlow::Continue(())
    }
}

/// Calls `visit` with the position after each turn that captures.
fn captures<B>(
    position: &Position,
    rule: &TurnRule,
    mut visit: impl FnMut(Position) -> ControlFlow<B>,
) -> ControlFlow<B> {
    if rule.captures == Captures::Never {
        return ControlFlow::Continue(());
    }
    let (board, stones) = (position.board(), Stones::of(position));
    let mut walk =
        Walk::<_, false>::new(position, rule, |_, stone| visit(position.passed(stone.stones())));
    for direction in Direction::ALL {
        let steps = FirstSteps::in_direction(board, stones, direction);
        for (origins, kind) in
            [(steps.approach, StepKind::Approach), (steps.withdrawal, StepKind::Withdrawal)]
        {
            for origin in origins {
                walk.step(MovingStone::new(stones, origin), Step { direction, kind })?;
            }
        }
    }
    ControlFlow::Continue(())
}

impl RuleSet {
    /// Calls `visit` with each legal turn until it breaks. No turn is stored, so a position with
    /// ten thousand turns takes no memory. Some 20 million turns a second are visited.
    ///
    /// The order is fixed: by origin, then by the direction of the first step, then approach,
    /// withdrawal, paika, then in the same way by the next step. A turn comes before those that go
    /// on from it. A finished game has no turns.
    pub fn try_for_each_turn<B>(
        &self,
        position: &Position,
        mut visit: impl FnMut(&Turn) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (stones, rule) = (Stones::of(position), &self.turn_rule(position));
        let mut walk = Walk::<_, true>::new(position, rule, |turn, _| visit(turn));
        for (origin, step) in rule.each_first_step(position.board(), stones) {
            walk.turn.origin = origin;
            walk.step(MovingStone::new(stones, origin), step)?;
        }
        ControlFlow::Continue(())
    }

    /// [`try_for_each_turn`](Self::try_for_each_turn) to the end.
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

    /// The distinct positions after the legal turns, in the order of the first turn to each.
    pub fn successors(&self, position: &Position) -> Vec<Position> {
        let mut seen = std::collections::HashSet::new();
        let mut successors = Vec::new();
        self.for_each_turn(position, |turn| {
            let after = position.play_unchecked(turn);
            if seen.insert(Stones::of(&after)) {
                successors.push(after);
            }
        });
        successors
    }

    /// Calls `visit` with the position after each turn that captures, until it breaks. A position
    /// to which several turns lead comes several times. The order is by the direction of the first
    /// step, not that of [`try_for_each_turn`](Self::try_for_each_turn).
    ///
    /// Faster than playing listed turns, because none is recorded.
    pub fn try_for_each_capture<B>(
        &self,
        position: &Position,
        visit: impl FnMut(Position) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        captures(position, &self.turn_rule(position), visit)
    }

    /// Calls `visit` with the position after each legal turn, in an order of its own. A position to
    /// which several turns lead comes several times.
    ///
    /// Faster than playing listed turns, because none is recorded.
    pub fn for_each_successor(&self, position: &Position, mut visit: impl FnMut(Position)) {
        let (board, stones) = (position.board(), Stones::of(position));
        let rule = &self.turn_rule(position);
        let _: ControlFlow<()> = captures(position, rule, |after| {
            visit(after);
            ControlFlow::Continue(())
        });
        for steps in rule.first_steps(board, stones) {
            for stone in steps.quiet {
                let to = board.shift(stone.into(), steps.direction);
                visit(position.passed(Stones { own: (stones.own - stone) | to, ..stones }));
            }
        }
    }

    /// Whether the side to move has a legal turn.
    pub fn has_turn(&self, position: &Position) -> bool {
        let (board, stones) = (position.board(), Stones::of(position));
        let rule = self.turn_rule(position);
        if rule.paikas != Paikas::Never {
            // Any step to an empty point can begin a turn: one that cannot capture is a paika.
            let empty = position.empty();
            let can_step = |direction| board.shift(empty, direction).intersects(stones.own);
            return !stones.opponent.is_empty() && Direction::ALL.into_iter().any(can_step);
        }
        let all = rule.first_steps(board, stones);
        all.iter().any(|steps| !(steps.capturing() | steps.quiet).is_empty())
    }

    /// Whether the side to move has a legal turn that captures.
    pub fn has_capture(&self, position: &Position) -> bool {
        let (board, stones) = (position.board(), Stones::of(position));
        if self.turn_rule(position).captures == Captures::Never {
            return false;
        }
        Direction::ALL.into_iter().any(|direction| {
            let steps = FirstSteps::in_direction(board, stones, direction);
            !steps.capturing().is_empty()
        })
    }
}
