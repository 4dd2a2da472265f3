//! Captures beyond the horizon.

use fanorona_core::FirstStepCounts;

use super::shared::{MAX_PLY, Shared};
use super::window::Window;
use super::worker::Worker;
use crate::node::Node;
use crate::score::win_in;

/// The plies of captures that are searched beyond the depth.
const PLIES: u32 = 8;

/// The same where every turn is searched.
const FULL_WIDTH_PLIES: u32 = 2;

/// The captures that are tried, from the second ply on.
const CAPTURES: usize = 8;

impl Worker<'_> {
    pub(super) fn quiescence_plies(&self) -> u32 {
        match self.shared {
            Shared { captures: false, .. } => 0,
            Shared { full_width: true, .. } => FULL_WIDTH_PLIES,
            Shared { .. } => PLIES,
        }
    }

    /// Searches captures until the position is quiet. The side to move may also stand: a capture
    /// is rarely worse than not to capture, even where the rules demand one.
    pub(super) fn quiescence(
        &mut self,
        node: Node,
        Window { mut alpha, beta }: Window,
        ply: usize,
        plies: u32,
    ) -> i32 {
        let steps = self.siblings.first_steps(node.stones);
        let is_vela = self.shared.rules.vela().is_some();
        let mut can_capture = steps.captures > 0;
        if is_vela || steps == FirstStepCounts::default() {
            let position = self.position(node);
            if self.shared.rules.outcome(&position).is_some() {
                return self.without_turn(node, ply);
            }
            can_capture = self.shared.rules.has_capture(&position);
        }
        let mut best = self.horizon(node, self.estimate(node, ply));
        if best >= beta || !can_capture || plies == 0 || ply >= MAX_PLY {
            return best;
        }
        alpha = alpha.max(best);

        let mut list = std::mem::take(&mut self.lists[ply]);
        self.successors(node, &mut list);
        list.retain(|successor| successor.stones.opponent != node.stones.opponent);
        for successor in &mut list {
            successor.order = successor.captured(node) as i32;
        }
        list.sort_by_key(|successor| -successor.order);
        if !self.shared.full_width && plies < PLIES {
            list.truncate(CAPTURES);
        }
        for successor in &list {
            let child = successor.node(node);
            let window = Window { alpha, beta }.opposite();
            let score = -self.quiet_child(child, window, ply + 1, plies - 1);
            if self.stopped {
                break;
            }
            if score > best {
                best = score;
                alpha = alpha.max(score);
                if score >= beta {
                    break;
                }
            }
        }
        self.lists[ply] = list;
        best
    }

    /// A node of the quiescence search below its first.
    fn quiet_child(&mut self, node: Node, window: Window, ply: usize, plies: u32) -> i32 {
        self.known[ply] = None;
        if self.count(ply) {
            return 0;
        }
        if node.stones.own.is_empty() {
            return -win_in(0, ply);
        }
        match self.probe(node, ply) {
            Some(score) => score,
            None => self.quiescence(node, window, ply, plies),
        }
    }
}
