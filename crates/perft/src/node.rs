//! The nodes of the tree that perft counts.

use fanorona_core::{
    Board, MovingStone, Position, RuleSet, Step, StepKind, Stones, Turn, TurnInProgress, TurnRule,
};

use crate::counting::Counting;

/// A node of the tree that [`perft`](crate::perft()) counts: a position or, for
/// [`Counting::Steps`], the middle of a relay.
#[derive(Clone, Copy, Debug)]
pub struct PerftNode {
    /// Where the turn begins.
    position: Position,
    /// The moving stone, in the middle of a relay.
    relay: Option<MovingStone>,
}

impl PerftNode {
    /// The node of a position.
    pub fn new(position: &Position) -> Self {
        Self { position: *position, relay: None }
    }

    /// The board of its position.
    pub fn board(&self) -> Board {
        self.position.board()
    }

    /// The position; `None` in the middle of a relay.
    pub fn position(&self) -> Option<&Position> {
        self.relay.is_none().then_some(&self.position)
    }

    /// The nodes after each step.
    pub(crate) fn after_steps(&self, rules: &RuleSet) -> Vec<Self> {
        let (board, stones) = (self.board(), Stones::of(&self.position));
        let rule = rules.turn_rule(&self.position);
        let Some(stone) = self.relay else {
            let first = rule.each_first_step(board, stones);
            let after = |(origin, step)| self.after(&rule, MovingStone::new(stones, origin), step);
            return first.map(after).collect();
        };
        let ended = stone.may_stop(board, &rule).then(|| self.after_turn(stone));
        let steps = stone.next_steps(board).map(|step| self.after(&rule, stone, step));
        ended.into_iter().chain(steps).collect()
    }

    /// The node after a step that the stone can make.
    fn after(&self, rule: &TurnRule, stone: MovingStone, step: Step) -> Self {
        let stone = stone.after(self.board(), step, rule).expect("the step was listed");
        match step.kind != StepKind::Paika && stone.can_go_on(self.board(), rule) {
            true => Self { relay: Some(stone), ..*self },
            false => self.after_turn(stone),
        }
    }

    /// The node at the end of a turn.
    fn after_turn(&self, stone: MovingStone) -> Self {
        Self::new(&after(&self.position, stone.stones()))
    }
}

/// The position after a turn from `before` that leaves these stones, as the mover sees them.
#[inline]
pub(crate) fn after(before: &Position, stones: Stones) -> Position {
    Position::from_mover(before.board(), stones.swapped(), before.to_move().other())
        .expect("a turn leads from a position to a position")
}

/// The branches at a position, in the order of [`RuleSet::turns`]: what a divided count has lines
/// for. Each is a first turn, or for [`Counting::Steps`] a turn of the first step alone, which the
/// rules may require to continue, and the node that it leads to. A caller can count below each of
/// them on its own, with a table or on many threads.
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_perft::{Counting, PerftCounter, branches};
/// let (rules, start) = (RuleSet::STANDARD, Board::tsivy().start());
/// let mut counter = PerftCounter::new(&rules, start.board(), Counting::Turns);
/// let branches = branches(&rules, &start, Counting::Turns);
/// let nodes: Vec<u128> = branches.iter().map(|(_, node)| counter.count(node, 2)).collect();
/// assert_eq!(nodes, [127, 30, 77, 54, 436]);
/// ```
pub fn branches(
    rules: &RuleSet,
    position: &Position,
    counting: Counting,
) -> Vec<(Turn, PerftNode)> {
    if counting != Counting::Steps {
        let node = |turn: &Turn| PerftNode::new(&position.play_unchecked(turn));
        return rules.turns(position).into_iter().map(|turn| (turn.clone(), node(&turn))).collect();
    }
    let turn = |(origin, step)| {
        let mut turn = TurnInProgress::new(rules, position);
        turn.make(origin, step).expect("the step was listed");
        turn.so_far().expect("it has a step")
    };
    let steps = rules.turn_rule(position).each_first_step(position.board(), Stones::of(position));
    let nodes = PerftNode::new(position).after_steps(rules);
    steps.map(turn).zip(nodes).collect()
}
