//! Counting sequences of steps from any position. The counting generator does the work where the
//! rule has settled; before that, steps are listed one by one.

use fanorona_core::{
    Board, Chain, MovingStone, Position, RuleSet, Step, StepKind, Stones, TurnRule,
};

use crate::after::after;
use crate::generator;
use crate::stop::Stop;

/// The state after a step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AfterStep {
    /// The turn is over and leaves these stones, as the mover sees them.
    TurnOver(Stones),
    /// The stone may make another step.
    Relay(MovingStone),
}

impl AfterStep {
    /// The state after a step that the stone can make.
    pub(crate) fn new(board: Board, rule: &TurnRule, stone: MovingStone, step: Step) -> Self {
        let stone = stone.after(board, step, rule).expect("the step was listed");
        if step.kind != StepKind::Paika && stone.can_go_on(board, rule) {
            Self::Relay(stone)
        } else {
            Self::stopped(stone)
        }
    }

    /// The end of the turn where the stone is.
    fn stopped(stone: MovingStone) -> Self {
        Self::TurnOver(stone.stones())
    }

    /// The plies that follow in the middle of a relay: a stop, if the rule allows it, and each
    /// next step.
    pub(crate) fn in_relay(
        board: Board,
        rule: &TurnRule,
        stone: MovingStone,
    ) -> impl Iterator<Item = Self> {
        let stop = stone.may_stop(board, rule).then_some(Self::stopped(stone));
        let go_on = stone.next_steps(board).map(move |step| Self::new(board, rule, stone, step));
        stop.into_iter().chain(go_on)
    }
}

/// Counts the sequences of `depth` steps below a position.
pub(crate) fn count(rules: &RuleSet, position: &Position, depth: u8, stop: &Stop<'_>) -> u128 {
    let Some(depth_below) = depth.checked_sub(1) else {
        return 1;
    };
    if let Some(count) = generator::steps(rules, position, depth, stop) {
        return count;
    }
    let rule = rules.turn_rule(position);
    if rule.chain == Chain::Single && depth_below == 0 {
        // Every turn is a step.
        return generator::turns(rules, position).into();
    }
    if stop.check() {
        return 0;
    }
    let (board, stones) = (position.board(), Stones::of(position));
    let below = |(origin, step)| {
        let stone = MovingStone::new(stones, origin);
        let after = AfterStep::new(board, &rule, stone, step);
        count_after(rules, position, &rule, after, depth_below, stop)
    };
    rule.each_first_step(board, stones).map(below).sum()
}

/// Counts the sequences of `depth` steps below what a step has led to. `before` is the position in
/// which the turn began.
pub(crate) fn count_after(
    rules: &RuleSet,
    before: &Position,
    rule: &TurnRule,
    after_step: AfterStep,
    depth: u8,
    stop: &Stop<'_>,
) -> u128 {
    match after_step {
        _ if depth == 0 => 1,
        AfterStep::TurnOver(stones) => count(rules, &after(before, stones), depth, stop),
        AfterStep::Relay(stone) => AfterStep::in_relay(before.board(), rule, stone)
            .map(|next| count_after(rules, before, rule, next, depth - 1, stop))
            .sum(),
    }
}
