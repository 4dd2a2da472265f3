//! The order in which turns are searched.

use super::history::{BOUND, Kind};
use super::worker::Worker;
use crate::node::{Node, Successor};

impl Worker<'_> {
    /// How useful a turn of a node was elsewhere.
    pub(super) fn history(&self, node: Node, turn: Successor, ply: usize) -> i32 {
        self.histories.get(node.side as usize, self.played[ply], Kind::of(node, turn))
    }

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
        for turn in list.iter_mut() {
            if stored == Some(turn.hash()) {
                turn.order = i32::MAX;
                continue;
            }
            let kind = Kind::of(node, *turn);
            let order = match depth {
                ..=1 => 100 * turn.captured(node) as i32,
                _ => -self.raw_estimate(turn.node(node)),
            };
            let killer = if self.killers[ply].contains(&Some(kind)) { 60 } else { 0 };
            let history = self.histories.get(node.side as usize, self.played[ply], kind) / 64;
            turn.order = order + killer + history;
        }
        list.sort_by_key(|turn| std::cmp::Reverse(turn.order));
    }

    /// Notes that the last of some turns cut off, and those before it did not.
    pub(super) fn remember(&mut self, node: Node, turns: &[Successor], depth: i32, ply: usize) {
        let Some((last, others)) = turns.split_last() else { return };
        let kind = Kind::of(node, *last);
        let killers = &mut self.killers[ply];
        if last.captured(node) == 0 && killers[0] != Some(kind) {
            *killers = [Some(kind), killers[0]];
        }
        let bonus = (depth * depth * 16).min(BOUND / 4);
        let (side, before) = (node.side as usize, self.played[ply]);
        self.histories.add(side, before, kind, bonus);
        for turn in others {
            let other = Kind::of(node, *turn);
            if other != kind {
                self.histories.add(side, before, other, -bonus);
            }
        }
    }
}
