//! The tree of steps: how the turns of a position can be made, step by step, with the value of each
//! part of a relay.

use fanorona_core::{MovingStone, Point, Position, RuleSet, Step as CoreStep, StepKind};
use serde::Serialize;
use utoipa::ToSchema;

use crate::look::AssessedTurn;
use crate::value::{Bound, Choice, KnownValue};
use crate::variant::{names_of, point_name};

/// The kind of a step.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum KindName {
    /// It does not capture.
    Paika,
    /// It captures the line beyond the point where it ends.
    Approach,
    /// It captures the line behind the point where it starts.
    Withdrawal,
}

impl From<StepKind> for KindName {
    fn from(kind: StepKind) -> Self {
        match kind {
            StepKind::Paika => Self::Paika,
            StepKind::Approach => Self::Approach,
            StepKind::Withdrawal => Self::Withdrawal,
        }
    }
}

/// A step with the steps that can follow it in the same turn.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The point where the stone is before the step.
    pub from: &'static str,
    /// The point where it is after the step.
    pub to: &'static str,
    /// Whether and how the step captures.
    pub kind: KindName,
    /// The points of the stones that this step captures.
    pub captured: Vec<&'static str>,
    /// The text of the turn up to this step.
    pub turn: String,
    /// For the side that makes the step: the value of the best turn that begins with the steps up to
    /// here.
    pub value: KnownValue,
    /// For the side that makes the step: its value is this or better.
    pub at_least: Bound,
    /// For the side that makes the step: its value is this or worse.
    pub at_most: Bound,
    /// The turns of both sides until the end of the game, this one included, if the best turn that
    /// begins with the steps up to here is played.
    #[schema(required)]
    pub dtw: Option<u16>,
    /// If the turn may end here, its index in `turns`, counted from 0.
    #[schema(required)]
    pub turn_index: Option<usize>,
    /// The steps that can follow.
    #[schema(no_recursion)]
    pub next: Vec<Step>,
}

/// A node of the tree while it grows.
struct Node {
    from: Point,
    step: CoreStep,
    stone: MovingStone,
    answer: Step,
    choice: Choice,
    next: Vec<Node>,
}

impl Step {
    /// The tree of all turns of a position, which are in the order of `turns`.
    pub(super) fn tree(rules: &RuleSet, position: &Position, turns: &[AssessedTurn]) -> Vec<Self> {
        let tree = Tree { rule: rules.turn_rule(position), position };
        let mut roots: Vec<Node> = Vec::new();
        for (index, assessed) in turns.iter().enumerate() {
            let (turn, origin) = (&assessed.turn, assessed.turn.origin());
            let mut level = &mut roots;
            let mut stone = MovingStone::new(position.own(), position.opponent(), origin);
            let mut text = point_name(position.board(), origin).to_owned();
            for (number, &step) in turn.steps().iter().enumerate() {
                let from = stone.point();
                let known = level.iter().position(|node| (node.from, node.step) == (from, step));
                let at = match known {
                    Some(at) => at,
                    None => {
                        let Some(node) = tree.node(stone, step, &text, assessed) else { break };
                        level.push(node);
                        level.len() - 1
                    }
                };
                let node = &mut level[at];
                node.choice.add(assessed.assessment);
                if number + 1 == turn.steps().len() {
                    node.answer.turn_index = Some(index);
                }
                stone = node.stone;
                text.clone_from(&node.answer.turn);
                level = &mut node.next;
            }
        }
        roots.into_iter().map(Node::finish).collect()
    }
}

struct Tree<'a> {
    rule: fanorona_core::TurnRule,
    position: &'a Position,
}

impl Tree<'_> {
    /// The node of a step that a stone makes after the steps in `text`.
    fn node(
        &self,
        stone: MovingStone,
        step: CoreStep,
        text: &str,
        assessed: &AssessedTurn,
    ) -> Option<Node> {
        let board = self.position.board();
        let after = stone.after(board, step, &self.rule)?;
        let [from, to] = [stone, after].map(|stone| point_name(board, stone.point()));
        let letter = match step.kind {
            StepKind::Paika => "",
            StepKind::Approach => "A",
            StepKind::Withdrawal => "W",
        };
        // The rest is filled in at the end.
        let answer = Step {
            from,
            to,
            kind: step.kind.into(),
            captured: names_of(board, stone.opponent() - after.opponent()),
            turn: format!("{text}-{to}{letter}"),
            value: KnownValue::Unknown,
            at_least: Bound::Loss,
            at_most: Bound::Win,
            dtw: None,
            turn_index: None,
            next: Vec::new(),
        };
        let choice = Choice::new(assessed.assessment);
        Some(Node { from: stone.point(), step, stone: after, answer, choice, next: Vec::new() })
    }
}

impl Node {
    fn finish(self) -> Step {
        let found = self.choice.finish();
        Step {
            value: found.value().into(),
            at_least: found.bounds.at_least.into(),
            at_most: found.bounds.at_most.into(),
            dtw: found.dtw,
            next: self.next.into_iter().map(Self::finish).collect(),
            ..self.answer
        }
    }
}
