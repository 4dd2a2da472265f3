//! The order in which turns are searched.

use super::history::{BOUND, Kind};
use super::worker::Worker;
use crate::memory::Stored;
use crate::node::{Node, Successor};

/// From this depth on, turns are ordered by the estimate after them.
const ESTIMATED_DEPTH: i32 = 3;

impl Worker<'_> {
    /// How useful a turn of a node was elsewhere.
    pub(super) fn history(&self, node: Node, turn: Successor, ply: usize) -> i32 {
        self.histories.get(node.side as usize, self.played[ply], Kind::of(node, turn))
    }

    /// Brings the best of the turns from a place on to that place, unless it is one of the `ready` first
    /// ones. The entry of the turn after it is loaded while this one is searched.
    pub(super) fn bring_forward(
        &self,
        node: Node,
        list: &mut [Successor],
        place: usize,
        ready: usize,
        depth: i32,
        ply: usize,
    ) {
        if place == ready {
            self.order(node, &mut list[place..], depth, ply);
            first_of(&mut list[place..]);
        }
        if place >= ready && place + 1 < list.len() {
            first_of(&mut list[place + 1..]);
            self.prefetch(list[place + 1].node(node), depth - 1, ply + 1);
        }
    }

    /// Loads the entry of a node that is searched soon to a depth. At the horizon none is asked for.
    pub(super) fn prefetch(&self, node: Node, depth: i32, ply: usize) {
        if depth > 0 {
            self.shared.memory.prefetch(self.key(node, ply));
        }
    }

    /// Gives successors the numbers that order them: the estimate after the turn, or near the horizon
    /// the stones taken, and killers and history.
    fn order(&self, node: Node, list: &mut [Successor], depth: i32, ply: usize) {
        let mut best = i32::MIN;
        for turn in list {
            let kind = Kind::of(node, *turn);
            let order = if depth < ESTIMATED_DEPTH {
                100 * turn.captured(node) as i32
            } else {
                let estimate = self.raw_estimate(turn.node(node));
                turn.estimate = Some(estimate as i16);
                -estimate
            };
            let killer = if self.killers[ply].contains(&Some(kind)) { 60 } else { 0 };
            let history = self.histories.get(node.side as usize, self.played[ply], kind) / 64;
            turn.order = order + killer + history;
            if turn.order > best {
                best = turn.order;
                self.prefetch(turn.node(node), depth - 1, ply + 1);
            }
        }
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

/// Brings the stored turn to the front. Returns the number of turns that need no order: 1, or 0 if
/// none is stored.
pub(super) fn stored_first(list: &mut [Successor], stored: Option<Stored>) -> usize {
    let best = stored.and_then(|stored| list.iter().position(|turn| turn.hash() == stored.best));
    if let Some(best) = best {
        list.swap(0, best);
    }
    usize::from(best.is_some())
}

/// Brings the successor with the greatest number to the front.
fn first_of(list: &mut [Successor]) {
    if let Some((best, _)) = list.iter().enumerate().rev().max_by_key(|(_, turn)| turn.order) {
        list.swap(0, best);
    }
}
