//! The order in which turns are searched.

use super::worker::Worker;
use crate::node::{Node, Successor};

impl Worker<'_> {
    /// Orders successors: the stored best one, then by the estimate after the turn (at depth 1 by
    /// the stones taken), killers and history.
    pub(super) fn order(
        &self,
        node: Node,
        list: &mut [Successor],
        stored: Option<u16>,
        depth: i32,
        ply: usize,
    ) {
        let history = &self.history[node.side as usize];
        for successor in list.iter_mut() {
            if stored == Some(successor.hash()) {
                successor.order = i32::MAX;
                continue;
            }
            let captured = successor.captured(node) as i32;
            let mut order = match depth {
                ..=1 => 100 * captured,
                _ => -self.raw_estimate(successor.node(node)),
            };
            if captured == 0 {
                let way = successor.way(node);
                order += history[way.0][way.1] / 64;
                order += if self.killers[ply].contains(&way) { 60 } else { 0 };
            }
            successor.order = order;
        }
        list.sort_by_key(|successor| std::cmp::Reverse(successor.order));
    }

    /// Notes a quiet turn that cut off.
    pub(super) fn remember(&mut self, node: Node, turn: Successor, depth: i32, ply: usize) {
        let way = turn.way(node);
        if self.killers[ply][0] != way {
            self.killers[ply][1] = self.killers[ply][0];
            self.killers[ply][0] = way;
        }
        // Gravity keeps the numbers bounded.
        const BOUND: i32 = 8_192;
        let bonus = (depth * depth * 16).min(BOUND);
        let value = &mut self.history[node.side as usize][way.0][way.1];
        *value += bonus - *value * bonus / BOUND;
    }
}
