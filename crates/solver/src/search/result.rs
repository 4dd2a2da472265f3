//! Results for a node and for its successors.

use crate::node::Node;
use crate::transposition::NO_REPLY;

/// The number of a side that cannot succeed any more.
pub(super) const INFINITY: u32 = u32::MAX;

/// Instead of a ply, for results that depend on no node of the path.
pub(crate) const UNCONDITIONAL: usize = usize::MAX;

/// The numbers of a node on the current path, and what they rest on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeResult {
    pub phi: u32,
    pub delta: u32,
    /// For a disproof: the first ply of the path that it depends on, or [`UNCONDITIONAL`].
    pub depends_on: usize,
    /// For a proof: after at most this many turns the game is over, or a table holds the position.
    pub height: u32,
    /// The index of the successor that the numbers come from.
    pub reply: u16,
}

impl NodeResult {
    pub(super) fn decided(attacks: bool, is_proof: bool, height: u32, depends_on: usize) -> Self {
        let (phi, delta) = if is_proof == attacks { (0, INFINITY) } else { (INFINITY, 0) };
        Self { phi, delta, depends_on, height, reply: NO_REPLY }
    }

    pub(super) fn proved(attacks: bool, height: u32) -> Self {
        Self::decided(attacks, true, height, UNCONDITIONAL)
    }

    pub(super) fn disproved(attacks: bool, depends_on: usize) -> Self {
        Self::decided(attacks, false, 0, depends_on)
    }

    pub(super) fn open(phi: u32, delta: u32) -> Self {
        Self { phi, delta, depends_on: UNCONDITIONAL, height: 0, reply: NO_REPLY }
    }

    /// An open node that is likely disproved, with this proof number.
    pub(super) fn likely_disproved(attacks: bool, number: u32) -> Self {
        if attacks { Self::open(number, 1) } else { Self::open(1, number) }
    }

    pub(crate) fn is_decided(&self) -> bool {
        self.phi == 0 || self.delta == 0
    }

    /// Whether the attacker wins, for a decided node.
    pub(crate) fn is_proof(&self, attacks: bool) -> bool {
        (self.phi == 0) == attacks
    }
}

/// A successor of a node on the path.
#[derive(Clone, Copy)]
pub(super) struct Child {
    pub node: Node,
    pub result: NodeResult,
    /// Whether the transposition table has it. `None` if nobody has looked yet.
    pub is_stored: Option<bool>,
}

/// The result of a node whose side to move succeeds by a successor.
pub(super) fn success(child_index: usize, child: &NodeResult) -> NodeResult {
    NodeResult {
        phi: 0,
        delta: INFINITY,
        depends_on: child.depends_on,
        height: child.height + 1,
        reply: reply(child_index),
    }
}

/// The result of a node whose side to move fails by all successors. It depends on all that these
/// depend on.
pub(super) fn failure(node: Node, children: &[Child]) -> NodeResult {
    let height = children.iter().map(|child| child.result.height).max().unwrap_or(0);
    let longest = children.iter().position(|child| child.result.height == height);
    let depends_on = children.iter().map(|child| child.result.depends_on).min();
    let depends_on = depends_on.unwrap_or(UNCONDITIONAL);
    let result = NodeResult::decided(node.attacks(), !node.attacks(), height + 1, depends_on);
    NodeResult { reply: reply(longest.unwrap_or(0)), ..result }
}

/// The index of a successor as it is stored.
pub(super) fn reply(child_index: usize) -> u16 {
    u16::try_from(child_index).unwrap_or(NO_REPLY).min(NO_REPLY)
}
