//! What can be said of a node without searching: which successors it has, whether it is decided by
//! the rules or by a table, and how far from a decision it looks.

use std::ops::ControlFlow;

use fanorona_core::{
    Board, FirstStepCounts, FirstSteps, PointSet, Position, RuleSet, Side, Turn, Value,
};
use fanorona_perft::{Successor, Successors};
use fanorona_tablebase::{TableError, TableValue, Tables};

use crate::node::{Node, Symmetries};

/// The rules, and the tables that are at hand.
pub(crate) struct Game<'a> {
    pub rules: RuleSet,
    pub board: Board,
    pub tables: Option<&'a Tables>,
    /// The most stones of a table; positions with more are not looked for.
    table_stones: u32,
    symmetries: Symmetries,
    /// By the stones of a side and of the other one: what it adds to the first side's number.
    behind: Box<[[u32; 64]; 64]>,
}

/// What a first look at a node tells.
pub(crate) enum Look {
    /// The game is over: whether the attacker has won.
    Over(bool),
    /// Numbers to begin with.
    Open { phi: u32, delta: u32 },
}

impl<'a> Game<'a> {
    pub(crate) fn new(
        rules: RuleSet,
        board: Board,
        tables: Option<&'a Tables>,
    ) -> Result<Self, TableError> {
        let there = tables.map(Tables::all).transpose()?;
        let stones = there.iter().flatten().map(|table| table.metadata().slice.stones());
        let table_stones = stones.max().unwrap_or(0);
        let symmetries = Symmetries::of(board);
        Ok(Self { rules, board, tables, table_stones, symmetries, behind: behind() })
    }

    /// The node of a position, with the question whether this side can force a win.
    pub(crate) fn node(&self, position: &Position, attacker: Side) -> Node {
        let side = position.to_move();
        self.canonical(position.own(), position.opponent(), side == attacker, side)
    }

    fn canonical(&self, own: PointSet, opponent: PointSet, attacks: bool, side: Side) -> Node {
        let black_moves = side == Side::Black && self.has_colours(own, opponent);
        let (own, opponent) = self.symmetries.canonical(own, opponent);
        Node::new(own, opponent, attacks, black_moves)
    }

    /// Whether it matters which colour the sides have: only before the vela's second phase, whoever
    /// has which stones.
    fn has_colours(&self, own: PointSet, opponent: PointSet) -> bool {
        self.rules.vela.is_some() && {
            let (own, opponent) = (own.len(), opponent.len());
            let matters =
                |white, black| self.rules.endgame(self.board, white, black).vela.is_some();
            matters(own, opponent) || matters(opponent, own)
        }
    }

    /// A position that the node stands for.
    pub(crate) fn position(&self, node: Node) -> Position {
        let side = if node.black_moves() { Side::Black } else { Side::White };
        Position::from_mover(self.board, node.own(), node.opponent(), side)
            .expect("turns and symmetries make positions of positions")
    }

    /// The node after a turn that leaves the mover's stones `own` and the other side's `opponent`.
    pub(crate) fn after(&self, node: Node, own: PointSet, opponent: PointSet) -> Node {
        let side = if node.black_moves() { Side::White } else { Side::Black };
        self.canonical(opponent, own, !node.attacks(), side)
    }

    /// Whether the attacker wins, if there are no stones left to play with or a table holds it.
    pub(crate) fn known(&self, node: Node) -> Result<Option<bool>, TableError> {
        if node.own().is_empty() {
            return Ok(Some(!node.attacks()));
        }
        if node.stones() > self.table_stones {
            return Ok(None);
        }
        let found = self.probe(&self.position(node))?;
        Ok(found.map(|found| attacker_wins(node, found.value)))
    }

    /// What tables say of a position, if they hold it.
    pub(crate) fn probe(&self, position: &Position) -> Result<Option<TableValue>, TableError> {
        let stones = (position.own() | position.opponent()).len();
        let Some(tables) = self.tables.filter(|_| stones <= self.table_stones) else {
            return Ok(None);
        };
        match tables.probe(position) {
            Ok(found) => Ok(Some(found)),
            Err(TableError::Missing { .. } | TableError::VelaPhase1 { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A turn that leads from a position to one that the node stands for.
    pub(crate) fn turn_to(&self, position: &Position, attacker: Side, after: Node) -> Option<Turn> {
        let found = self.rules.try_for_each_turn(position, |turn| {
            if self.node(&position.play_unchecked(turn), attacker) == after {
                ControlFlow::Break(turn.clone())
            } else {
                ControlFlow::Continue(())
            }
        });
        found.break_value()
    }

    /// Looks at a node that no table holds and that has stones of both sides.
    pub(crate) fn look(&self, node: Node) -> Look {
        let FirstStepCounts { captures, paikas } =
            FirstSteps::count(self.board, node.own(), node.opponent());
        // With any first step there is a turn, but for the vela's restrictions.
        if (captures + paikas == 0 || self.rules.vela.is_some())
            && let Some(outcome) = self.rules.outcome(&self.position(node))
        {
            let side = if node.black_moves() { Side::Black } else { Side::White };
            return Look::Over(attacker_wins(node, outcome.value_for(side)));
        }
        let far = node.stones().saturating_sub(self.table_stones);
        let (own, opponent) = (node.own().len(), node.opponent().len());
        let (turns, opponent) = if captures > 0 {
            (captures, opponent.saturating_sub(TAKEN).max(1))
        } else {
            (PER_PAIKA * paikas.max(1), opponent)
        };
        let behind = |side: u32, other: u32| self.behind[side as usize][other as usize];
        Look::Open {
            phi: 1 + far + behind(own, opponent),
            delta: turns + far + behind(opponent, own),
        }
    }
}

// The numbers that a node begins with were chosen, among some two dozen ways, by how many positions
// have to be looked at to decide 37 of 9x5, with 17 to 30 stones, reached by random play, with tables
// to 7 stones. Captures count one for the other side, and so do stones that no table reaches down
// to, for both.

/// What each paika of a side adds to the other side's first number.
const PER_PAIKA: u32 = 2;

/// The stones that a side is thought to take if it can capture.
const TAKEN: u32 = 2;

/// What it adds to a side's first number if the other one has *e* times as many stones.
const PER_E_TIMES: f64 = 40.0;

fn behind() -> Box<[[u32; 64]; 64]> {
    let mut behind = Box::new([[0; 64]; 64]);
    for side in 1..64_u8 {
        for other in side..64 {
            let times = f64::from(other) / f64::from(side);
            behind[usize::from(side)][usize::from(other)] = (PER_E_TIMES * times.ln()) as u32;
        }
    }
    behind
}

/// Lists successors.
pub(crate) struct Lister {
    successors: Successors,
    stones: Vec<Successor>,
    nodes: Vec<Node>,
}

impl Lister {
    pub(crate) fn new(game: &Game<'_>) -> Self {
        let successors = Successors::new(&game.rules, game.board);
        Self { successors, stones: Vec::new(), nodes: Vec::new() }
    }

    /// The successors of a node, each once, in an order that is always the same: those first that
    /// leave the fewest stones.
    pub(crate) fn list(&mut self, game: &Game<'_>, node: Node) -> &[Node] {
        self.stones.clear();
        self.successors.find(&game.position(node), &mut self.stones);
        self.nodes.clear();
        let nodes = self.stones.iter().map(|after| game.after(node, after.own, after.opponent));
        self.nodes.extend(nodes);
        self.nodes.sort_unstable_by_key(|node| (node.own().len(), *node));
        self.nodes.dedup();
        &self.nodes
    }
}

/// Whether a position's value for the side to move is a win of the attacker.
fn attacker_wins(node: Node, value: Value) -> bool {
    value == if node.attacks() { Value::Win } else { Value::Loss }
}
