//! How far the turns of the analyzed position are from being proved.

use std::sync::atomic::{AtomicU64, Ordering};

use fanorona_core::{Position, Turn};
use fanorona_proof::Question;
use fanorona_tablebase::TableError;

use crate::game::{Game, Lister, Look};
use crate::memory::{Fact, Table};
use crate::node::Node;
use crate::{QuestionState, TurnState};

/// The turns of a position that lead to different successors.
#[derive(Default)]
pub(crate) struct Turns {
    turns: Vec<Candidate>,
    /// For each question and successor, in the order of the search: positions looked at below it.
    pub below: [Box<[AtomicU64]>; 2],
}

struct Candidate {
    turn: Turn,
    /// For each question.
    successors: [Successor; 2],
}

struct Successor {
    node: Node,
    /// Its place in the order of the search.
    place: usize,
    /// Whether the attacker wins, if that needs no search.
    known: Option<bool>,
}

impl Turns {
    pub(crate) fn new(
        game: &Game<'_>,
        position: &Position,
        questions: [Question; 2],
    ) -> Result<Self, TableError> {
        let mut lister = Lister::new(game);
        let lists = questions
            .map(|question| lister.list(game, game.node(position, question.attacker)).to_vec());
        let mut turns: Vec<Candidate> = Vec::new();
        for turn in game.rules.turns(position) {
            let after = position.play_unchecked(&turn);
            let nodes = questions.map(|question| game.node(&after, question.attacker));
            if turns.iter().any(|other| other.successors[0].node == nodes[0]) {
                continue;
            }
            let [first, second] = [0, 1].map(|i| {
                let node = nodes[i];
                let place = lists[i].iter().position(|other| *other == node);
                let known = game.known(node).map(|known| {
                    known.or_else(|| match game.look(node) {
                        Look::Over(wins) => Some(wins),
                        Look::Open { .. } => None,
                    })
                });
                known.map(|known| Successor {
                    node,
                    place: place.expect("every turn leads to a successor"),
                    known,
                })
            });
            turns.push(Candidate { turn, successors: [first?, second?] });
        }
        let below = lists.map(|list| list.iter().map(|_| AtomicU64::new(0)).collect());
        Ok(Self { turns, below })
    }

    /// Goes on with the numbers of an earlier part of the search.
    pub(crate) fn set_below(&self, below: &[Vec<u64>; 2]) {
        for (counters, earlier) in self.below.iter().zip(below) {
            for (counter, earlier) in counters.iter().zip(earlier) {
                counter.store(*earlier, Ordering::Relaxed);
            }
        }
    }

    /// The positions looked at, by question and successor.
    pub(crate) fn below(&self) -> [Vec<u64>; 2] {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        [0, 1].map(|i| self.below[i].iter().map(load).collect())
    }

    /// What is remembered of them.
    pub(crate) fn states(&self, questions: [Question; 2], table: Table<'_>) -> Vec<TurnState> {
        let below = self.below();
        let state = |candidate: &Candidate| TurnState {
            turn: candidate.turn.clone(),
            questions: [0, 1].map(|i| {
                let successor = &candidate.successors[i];
                let mut state = QuestionState::new(questions[i]);
                remember(&mut state, successor.node, table);
                state.answer = successor.known.or(state.answer);
                state
            }),
            nodes: [0, 1].map(|i| below[i][candidate.successors[i].place]),
        };
        self.turns.iter().map(state).collect()
    }
}

/// Takes over what the memory holds of a question at a node; what it has lost stays as it was.
pub(crate) fn remember(state: &mut QuestionState, node: Node, table: Table<'_>) {
    match table.get(node.key()).map(|entry| entry.fact) {
        Some(Fact::Open { phi, delta }) if node.attacks() => {
            (state.proof, state.disproof) = (phi, delta);
        }
        Some(Fact::Open { phi, delta }) => (state.proof, state.disproof) = (delta, phi),
        Some(Fact::Won { .. }) => state.answer = Some(true),
        Some(Fact::Held) => state.answer = Some(false),
        Some(Fact::HeldGiven(_)) | None => {}
    }
}
