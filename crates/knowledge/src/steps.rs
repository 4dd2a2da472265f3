//! The tree of steps: how the turns of a position can be made, step by step, with what is known
//! about each part of a relay.

use fanorona_core::{
    Coordinates, MovingStone, Point, Position, RuleSet, Step, StepKind, Stones, TurnRule,
};
use serde::Serialize;

use crate::assessment::Assessment;
use crate::choice::TurnChoice;
use crate::turn::RankedTurn;

/// A step with the steps that can follow it in the same turn.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "schema", schema(as = Step))]
pub struct StepTree {
    /// The point where the stone is before the step.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub from: Coordinates,
    /// The point where it is after the step.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    pub to: Coordinates,
    /// Whether and how the step captures.
    #[cfg_attr(feature = "schema", schema(value_type = crate::schema::StepKind))]
    pub kind: StepKind,
    /// The points of the stones that this step captures.
    #[cfg_attr(feature = "schema", schema(value_type = Vec<String>))]
    pub captured: Vec<Coordinates>,
    /// The text of the turn up to this step.
    pub turn: String,
    /// Of the best turn that begins with the steps up to here, for the side that makes it.
    #[serde(flatten)]
    pub assessment: Assessment,
    /// If the turn may end here, its index in the list of turns, counted from 0.
    #[cfg_attr(feature = "schema", schema(required))]
    pub turn_index: Option<usize>,
    /// The steps that can follow.
    #[cfg_attr(feature = "schema", schema(no_recursion))]
    pub next: Vec<StepTree>,
}

/// A node of the tree while it grows.
struct Node {
    from: Point,
    step: Step,
    stone: MovingStone,
    tree: StepTree,
    choice: TurnChoice,
    next: Vec<Node>,
}

impl StepTree {
    /// The first steps of the turns of a position, [best first](Assessment::best_first) at every
    /// level.
    pub fn of_turns(rules: &RuleSet, position: &Position, turns: &[RankedTurn]) -> Vec<Self> {
        let (board, rule) = (position.board(), rules.turn_rule(position));
        let mut roots: Vec<Node> = Vec::new();
        for (index, ranked) in turns.iter().enumerate() {
            let (turn, origin) = (&ranked.turn, ranked.turn.origin());
            let mut level = &mut roots;
            let mut stone = MovingStone::new(Stones::of(position), origin);
            let mut text = board.coordinates(origin).to_string();
            for (number, &step) in turn.steps().iter().enumerate() {
                let from = stone.point();
                let known = level.iter().position(|node| (node.from, node.step) == (from, step));
                let at = match known {
                    Some(at) => at,
                    None => {
                        let new = Node::new(position, &rule, (stone, step), &text, ranked);
                        let Some(node) = new else { break };
                        level.push(node);
                        level.len() - 1
                    }
                };
                let node = &mut level[at];
                node.choice.add(ranked.assessment);
                if number + 1 == turn.steps().len() {
                    node.tree.turn_index = Some(index);
                }
                stone = node.stone;
                text.clone_from(&node.tree.turn);
                level = &mut node.next;
            }
        }
        Node::finish(roots)
    }
}

impl Node {
    /// The node of a step that a stone makes after the steps in `text`.
    fn new(
        position: &Position,
        rule: &TurnRule,
        (stone, step): (MovingStone, Step),
        text: &str,
        ranked: &RankedTurn,
    ) -> Option<Self> {
        let board = position.board();
        let after = stone.after(board, step, rule)?;
        let [from, to] = [stone, after].map(|stone| board.coordinates(stone.point()));
        let captured = (stone.stones().opponent - after.stones().opponent).iter();
        let letter = match step.kind {
            StepKind::Paika => "",
            StepKind::Approach => "A",
            StepKind::Withdrawal => "W",
        };
        let tree = StepTree {
            from,
            to,
            kind: step.kind,
            captured: captured.map(|point| board.coordinates(point)).collect(),
            turn: format!("{text}-{to}{letter}"),
            // Filled in when all turns are known.
            assessment: Assessment::UNKNOWN,
            turn_index: None,
            next: Vec::new(),
        };
        let choice = TurnChoice::new(ranked.assessment);
        Some(Self { from: stone.point(), step, stone: after, tree, choice, next: Vec::new() })
    }

    /// The steps of a level, when all turns are known.
    fn finish(level: Vec<Self>) -> Vec<StepTree> {
        let finish = |node: Self| {
            let (assessment, next) = (node.choice.finish(), Self::finish(node.next));
            StepTree { assessment, next, ..node.tree }
        };
        let mut level: Vec<_> = level.into_iter().map(finish).collect();
        level.sort_by(|a, b| a.assessment.best_first(&b.assessment));
        level
    }
}
