//! Facts about a node without a search: its successors, whether the rules or a table decide it, and
//! its first proof and disproof numbers.

use std::ops::ControlFlow;

use fanorona_core::{Board, FirstStepCounts, Position, RuleSet, Side, Stones, Turn, Value};
use fanorona_perft::{Siblings, Successors};
use fanorona_tablebase::{TableError, TableValue, Tables};

use crate::evaluation::Evaluation;
use crate::node::Node;

/// A board with its rules and tables.
pub(crate) struct Game<'a> {
    pub rules: RuleSet,
    pub board: Board,
    pub tables: Option<&'a Tables>,
    /// The stones of the largest table. Positions with more are not probed.
    table_stones: u32,
    siblings: &'static Siblings,
    evaluation: Evaluation,
}

/// The state of a node that no table holds, before it is searched.
pub(crate) enum FirstLook {
    /// The game is over.
    Over { attacker_wins: bool },
    /// The first proof and disproof numbers.
    Open { phi: u32, delta: u32 },
}

impl<'a> Game<'a> {
    pub(crate) fn new(
        rules: RuleSet,
        board: Board,
        tables: Option<&'a Tables>,
    ) -> Result<Self, TableError> {
        let all = tables.map(Tables::all).transpose()?;
        let stones = all.iter().flatten().map(|table| table.metadata().slice.stones());
        let table_stones = stones.max().unwrap_or(0);
        let (siblings, evaluation) = (Siblings::of(board), Evaluation::new());
        Ok(Self { rules, board, tables, table_stones, siblings, evaluation })
    }

    /// The node of a position, for the question whether this side can force a win.
    pub(crate) fn node(&self, position: &Position, attacker: Side) -> Node {
        let side = position.to_move();
        let stones = self.siblings.symmetries().canonical(Stones::of(position)).stones;
        self.node_of(stones, side == attacker, side)
    }

    /// The node with stones in canonical form.
    fn node_of(&self, stones: Stones, attacks: bool, side: Side) -> Node {
        let (own, opponent) = (stones.own.len(), stones.opponent.len());
        let black_moves =
            side == Side::Black && self.rules.colours_matter(self.board, own, opponent);
        Node::new(stones, attacks, black_moves)
    }

    /// A position that the node stands for.
    pub(crate) fn position(&self, node: Node) -> Position {
        let side = if node.black_moves() { Side::Black } else { Side::White };
        Position::from_mover(self.board, node.stones(), side)
            .expect("turns and symmetries map positions to positions")
    }

    /// Whether the attacker wins, if a side has no stones or the node is a leaf that a table holds.
    #[inline]
    pub(crate) fn known(&self, node: Node) -> Result<Option<bool>, TableError> {
        let stones = node.stones();
        if stones.own.is_empty() {
            return Ok(Some(!node.attacks()));
        }
        if stones.count() > self.table_stones {
            return Ok(None);
        }
        let Some(tables) = self.tables else { return Ok(None) };
        if let Some(value) = tables.unpacked_wdl(stones)? {
            return Ok(Some(attacker_wins(node, value)));
        }
        let position = self.position(node);
        if !self.may_be_leaf(&position) {
            return Ok(None);
        }
        Ok(self.probe(&position)?.map(|found| attacker_wins(node, found.value)))
    }

    /// Whether a search may end at a position because a table holds it. Certificates name tables of
    /// the rules without the vela only, so its first phase is searched.
    pub(crate) fn may_be_leaf(&self, position: &Position) -> bool {
        self.rules.vela().is_none() || self.rules.endgame_of(position).vela().is_none()
    }

    /// The table value of a position, if a table holds it.
    pub(crate) fn probe(&self, position: &Position) -> Result<Option<TableValue>, TableError> {
        let stones = Stones::of(position).count();
        let Some(tables) = self.tables.filter(|_| stones <= self.table_stones) else {
            return Ok(None);
        };
        match tables.probe(position) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.is_absent() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A turn from a position to one that the node stands for. Lists turns until there is one.
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

    /// Looks at a node that no table holds, in which both sides have stones.
    pub(crate) fn first_look(&self, node: Node) -> FirstLook {
        let stones = node.stones();
        let FirstStepCounts { captures, paikas } = self.siblings.first_steps(stones);
        // A first step is a turn, except where the vela forbids it.
        if (captures + paikas == 0 || self.rules.vela().is_some())
            && let Some(outcome) = self.rules.outcome(&self.position(node))
        {
            let side = if node.black_moves() { Side::Black } else { Side::White };
            let attacker_wins = attacker_wins(node, outcome.value_for(side));
            return FirstLook::Over { attacker_wins };
        }
        let beyond_tables = stones.count().saturating_sub(self.table_stones);
        let stones = (stones.own.len(), stones.opponent.len());
        let (phi, delta) = self.evaluation.numbers(stones, (captures, paikas), beyond_tables);
        FirstLook::Open { phi, delta }
    }

    /// Whether the attacker wins, if the rules or a table decide the node.
    pub(crate) fn decided(&self, node: Node) -> Result<Option<bool>, TableError> {
        Ok(self.known(node)?.or_else(|| match self.first_look(node) {
            FirstLook::Over { attacker_wins } => Some(attacker_wins),
            FirstLook::Open { .. } => None,
        }))
    }
}

/// Whether a value for the side to move is a win of the attacker.
fn attacker_wins(node: Node, value: Value) -> bool {
    value == if node.attacks() { Value::Win } else { Value::Loss }
}

/// Lists the successors of nodes.
pub(crate) struct SuccessorList {
    successors: Successors,
    stones: Vec<Stones>,
    nodes: Vec<Node>,
    /// The node whose successors these are.
    listed: Option<Node>,
}

impl SuccessorList {
    pub(crate) fn new(game: &Game<'_>) -> Self {
        let successors = Successors::new(&game.rules, game.board);
        Self { successors, stones: Vec::new(), nodes: Vec::new(), listed: None }
    }

    /// The successors of a node, each once, those first that leave the fewest stones. The order
    /// depends on the node only: a reply is stored as an index of this list.
    ///
    /// The list is kept until another is asked for.
    pub(crate) fn of(&mut self, game: &Game<'_>, node: Node) -> &[Node] {
        if self.listed == Some(node) {
            return &self.nodes;
        }
        self.listed = Some(node);
        self.stones.clear();
        self.successors.find(&game.position(node), &mut self.stones);
        game.siblings.arrange(&mut self.stones);
        let side = if node.black_moves() { Side::White } else { Side::Black };
        self.nodes.clear();
        let nodes = self.stones.iter().map(|after| game.node_of(*after, !node.attacks(), side));
        self.nodes.extend(nodes);
        &self.nodes
    }

    fn order(node: &Node) -> (u32, Node) {
        (node.stones().own.len(), *node)
    }

    /// The last list.
    pub(crate) fn listed(&self) -> &[Node] {
        &self.nodes
    }

    /// The index of a successor in the list of its parent.
    pub(crate) fn index_of(list: &[Node], node: Node) -> Option<usize> {
        list.binary_search_by_key(&Self::order(&node), Self::order).ok()
    }
}
