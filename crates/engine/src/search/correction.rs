//! Corrections of estimates by what the search found.

use super::learnt::Learnt;
use crate::node::{Node, mix};

/// The bound of a correction, in sixteenths of the unit of estimates.
const BOUND: i32 = 1_024;

/// The slots of each kind of correction.
const SLOTS: usize = 1 << 14;

/// By how much estimates were too low, by the side to move and the stones of one side.
pub(super) struct Corrections(Learnt<BOUND>);

impl Corrections {
    pub(super) fn new() -> Self {
        Self(Learnt::new(4 * SLOTS))
    }

    fn indices(node: Node) -> [usize; 2] {
        let side = node.side as usize;
        let slot = |bits| mix(bits) as usize % SLOTS;
        [
            side * SLOTS + slot(node.stones.own.bits()),
            (2 + side) * SLOTS + slot(node.stones.opponent.bits()),
        ]
    }

    /// The number that is added to the estimate of a node, because those of similar nodes were wrong.
    pub(super) fn get(&self, node: Node) -> i32 {
        Self::indices(node).into_iter().map(|index| self.0.get(index)).sum::<i32>() / 16
    }

    /// Notes by how much an estimate was too low.
    pub(super) fn add(&mut self, node: Node, error: i32, depth: i32) {
        let bonus = (error * depth / 8).clamp(-BOUND / 4, BOUND / 4);
        for index in Self::indices(node) {
            self.0.add(index, bonus);
        }
    }
}
