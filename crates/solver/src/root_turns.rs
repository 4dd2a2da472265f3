//! The turns of the analyzed position, and how close each is to being proved.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use fanorona_core::{Position, Turn};
use fanorona_proof::Question;
use fanorona_tablebase::TableError;

use crate::game::{Game, SuccessorList};
use crate::node::Node;
use crate::report::{QuestionState, TurnState};
use crate::transposition::{Fact, TableView};

/// Turns to list between two checks whether to stop.
const CHECK_INTERVAL: usize = 1 << 10;

/// The turns of a position that lead to different successors.
#[derive(Default)]
pub(crate) struct RootTurns {
    turns: Vec<RootTurn>,
    /// For each question: the number of positions searched below each successor, in the order of
    /// the search.
    pub nodes_below: [Box<[AtomicU64]>; 2],
}

struct RootTurn {
    turn: Turn,
    /// For each question.
    successors: [Successor; 2],
}

struct Successor {
    node: Node,
    /// Its index in the order of the search.
    index: usize,
    /// Whether the attacker wins, if that needs no search.
    decided: Option<bool>,
}

impl RootTurns {
    /// The turns of a position; `None` if `is_stopped` becomes true meanwhile. Takes time linear in
    /// their number, which can be some hundred thousand.
    pub(crate) fn new(
        game: &Game<'_>,
        position: &Position,
        questions: [Question; 2],
        is_stopped: impl Fn() -> bool,
    ) -> Result<Option<Self>, TableError> {
        let mut successors = SuccessorList::new(game);
        let lists = questions
            .map(|question| successors.of(game, game.node(position, question.attacker)).to_vec());
        let mut seen = HashSet::new();
        let mut turns = Vec::new();
        let mut listed = 0;
        let end = game.rules.try_for_each_turn(position, |turn| {
            listed += 1;
            if listed % CHECK_INTERVAL == 0 && is_stopped() {
                return ControlFlow::Break(None);
            }
            let after = position.play_unchecked(turn);
            let nodes = questions.map(|question| game.node(&after, question.attacker));
            if !seen.insert(nodes[0]) {
                return ControlFlow::Continue(());
            }
            let successor = |i: usize| -> Result<Successor, TableError> {
                let (node, decided) = (nodes[i], game.decided(nodes[i])?);
                let index = SuccessorList::index_of(&lists[i], node);
                let index = index.expect("every turn leads to a successor");
                Ok(Successor { node, index, decided })
            };
            match (successor(0), successor(1)) {
                (Ok(own), Ok(other)) => {
                    turns.push(RootTurn { turn: turn.clone(), successors: [own, other] });
                    ControlFlow::Continue(())
                }
                (Err(error), _) | (_, Err(error)) => ControlFlow::Break(Some(error)),
            }
        });
        match end {
            ControlFlow::Continue(()) => {
                let nodes_below =
                    lists.map(|list| list.iter().map(|_| AtomicU64::new(0)).collect());
                Ok(Some(Self { turns, nodes_below }))
            }
            ControlFlow::Break(None) => Ok(None),
            ControlFlow::Break(Some(error)) => Err(error),
        }
    }

    /// Continues with the numbers of an earlier run.
    pub(crate) fn set_nodes_below(&self, nodes_below: &[Vec<u64>; 2]) {
        for (counters, earlier) in self.nodes_below.iter().zip(nodes_below) {
            for (counter, earlier) in counters.iter().zip(earlier) {
                counter.store(*earlier, Ordering::Relaxed);
            }
        }
    }

    /// The number of positions searched, by question and successor.
    pub(crate) fn nodes_below(&self) -> [Vec<u64>; 2] {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        [0, 1].map(|i| self.nodes_below[i].iter().map(load).collect())
    }

    /// How close each turn is to being proved.
    pub(crate) fn states(&self, questions: [Question; 2], table: TableView<'_>) -> Vec<TurnState> {
        let nodes_below = self.nodes_below();
        let state = |root_turn: &RootTurn| TurnState {
            turn: root_turn.turn.clone(),
            questions: [0, 1].map(|i| {
                let successor = &root_turn.successors[i];
                let mut state = QuestionState::new(questions[i]);
                match successor.decided {
                    Some(attacker_wins) => state.answer = Some(attacker_wins),
                    None => update(&mut state, successor.node, table),
                }
                state
            }),
            nodes: [0, 1].map(|i| nodes_below[i][root_turn.successors[i].index]),
        };
        self.turns.iter().map(state).collect()
    }
}

/// Updates the state of a question at a node from the table. What it no longer holds stays as it was.
pub(crate) fn update(state: &mut QuestionState, node: Node, table: TableView<'_>) {
    match table.get(node.key()).map(|entry| entry.fact) {
        Some(Fact::Open { phi, delta }) => {
            let numbers = if node.attacks() { (phi, delta) } else { (delta, phi) };
            (state.proof, state.disproof) = numbers;
        }
        Some(Fact::Proved { .. }) => state.answer = Some(true),
        Some(Fact::Disproved) => state.answer = Some(false),
        Some(Fact::DisprovedGiven(_)) | None => {}
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::{Side, Stones};

    use super::*;
    use crate::transposition::{Entry, NO_REPLY, PathSuffix, TranspositionTable};

    /// A node's numbers are for the side to move, and those of a question for its attacker.
    #[test]
    fn the_state_of_a_question_is_that_of_its_attacker() {
        let table = TranspositionTable::new(1 << 16).expect("memory");
        let facts = [
            (Fact::Open { phi: 3, delta: 7 }, None, [(7, 3), (3, 7)]),
            (Fact::Proved { height: 2 }, Some(true), [(1, 1), (1, 1)]),
            (Fact::Disproved, Some(false), [(1, 1), (1, 1)]),
            (Fact::DisprovedGiven(PathSuffix::NONE), None, [(1, 1), (1, 1)]),
        ];
        for (number, (fact, answer, numbers)) in (1..).zip(facts) {
            for (attacks, expected) in [false, true].into_iter().zip(numbers) {
                let node = Node::new(Stones::from_bits(number, 1 << 40), attacks, false);
                let mut state = QuestionState::new(Question { attacker: Side::White });
                update(&mut state, node, table.view());
                assert_eq!((state.answer, state.proof, state.disproof), (None, 1, 1));
                table.view().set(node.key(), Entry { fact, reply: NO_REPLY, work: 1 });
                update(&mut state, node, table.view());
                assert_eq!(state.answer, answer, "{fact:?}");
                assert_eq!((state.proof, state.disproof), expected, "{fact:?} {attacks}");
            }
        }
    }
}
