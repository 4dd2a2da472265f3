//! The positions after turns, without the turns that lead to them.

use std::ops::ControlFlow;

use crate::board::Board;
use crate::generate::{FirstSteps, MovingStone};
use crate::point::Direction;
use crate::position::Position;
use crate::rules::{Captures, Chain, RuleSet, TurnRule};
use crate::stones::Stones;
use crate::turn::{Step, StepKind};

impl RuleSet {
    /// Calls `visit` with the position after each turn that captures, until it breaks. A position
    /// to which several turns lead comes several times. The order is by the direction of the first
    /// step, not that of [`try_for_each_turn`](Self::try_for_each_turn).
    ///
    /// Faster than playing listed turns, because none is recorded.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use fanorona_core::RuleSet;
    /// let position = "6B2/7B1/9/3BW1B2/4B4 w".parse()?;
    /// let mut captures = 0;
    /// let _: ControlFlow<()> = RuleSet::STANDARD.try_for_each_capture(&position, |after| {
    ///     assert!(after.own().len() < 5);
    ///     captures += 1;
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(captures, 25);
    /// # Ok::<(), fanorona_core::ParsePositionError>(())
    /// ```
    pub fn try_for_each_capture<B>(
        &self,
        position: &Position,
        visit: impl FnMut(Position) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let rule = &self.turn_rule(position);
        Walk { position, board: position.board(), rule, visit }.captures()
    }

    /// Calls `visit` with the position after each legal turn, in an order of its own. A position to
    /// which several turns lead comes several times.
    ///
    /// Faster than playing listed turns, because none is recorded.
    pub fn for_each_successor(&self, position: &Position, mut visit: impl FnMut(Position)) {
        let (board, stones) = (position.board(), Stones::of(position));
        let rule = &self.turn_rule(position);
        let on = |after| {
            visit(after);
            ControlFlow::<()>::Continue(())
        };
        let _: ControlFlow<()> = Walk { position, board, rule, visit: on }.captures();
        for steps in rule.first_steps(board, stones) {
            for stone in steps.quiet {
                let to = board.shift(stone.into(), steps.direction);
                visit(position.passed(Stones { own: (stones.own - stone) | to, ..stones }));
            }
        }
    }
}

/// Visits the ends of all capturing turns of one position.
struct Walk<'a, F> {
    position: &'a Position,
    board: Board,
    rule: &'a TurnRule,
    visit: F,
}

impl<B, F: FnMut(Position) -> ControlFlow<B>> Walk<'_, F> {
    fn captures(&mut self) -> ControlFlow<B> {
        if self.rule.captures == Captures::Never {
            return ControlFlow::Continue(());
        }
        let stones = Stones::of(self.position);
        for direction in Direction::ALL {
            let steps = FirstSteps::in_direction(self.board, stones, direction);
            for (origins, kind) in
                [(steps.approach, StepKind::Approach), (steps.withdrawal, StepKind::Withdrawal)]
            {
                for origin in origins {
                    let stone = MovingStone::new(stones, origin);
                    self.step(stone, Step { direction, kind })?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits the turns that go on from `stone` with `step`.
    fn step(&mut self, stone: MovingStone, step: Step) -> ControlFlow<B> {
        let stone = stone.after(self.board, step, self.rule).expect("the point is free");
        if stone.may_stop(self.board, self.rule) {
            (self.visit)(self.position.passed(stone.stones()))?;
        }
        if self.rule.chain != Chain::Single {
            for step in stone.next_steps(self.board) {
                self.step(stone, step)?;
            }
        }
        ControlFlow::Continue(())
    }
}
