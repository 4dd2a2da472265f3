//! Turns that are searched less deep or not at all, and nodes that a shallow search decides.

use std::sync::LazyLock;

use super::window::Window;
use super::worker::Worker;
use crate::node::{Node, Successor};
use crate::score::WIN_FLOOR;

/// From this depth on, a shallow search may decide a node.
const DECIDED_DEPTH: i32 = 5;

/// By so many turns a shallow search is less deep.
const SHALLOWER: i32 = 4;

/// How far outside of the window a shallow search has to find the score.
const MARGIN: i32 = 60;

/// The deepest node of which late turns are left out.
const LATE_DEPTH: i32 = 6;

/// Natural logarithms in hundredths.
static LOGARITHMS: LazyLock<[i32; 128]> =
    LazyLock::new(|| std::array::from_fn(|i| (100.0 * (i.max(1) as f64).ln()) as i32));

/// A turn of a node, for the question how deep it is searched.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    /// Its place in the order.
    pub index: usize,
    pub is_capture: bool,
    /// How useful it was elsewhere: the sum of two histories.
    pub history: i32,
    /// Whether the window of the node is open.
    pub is_open: bool,
    /// Whether the side stands better than at its turn before.
    pub is_improving: bool,
    /// Whether it is a paika after which the opponent has to capture, with one first step.
    pub is_offer: bool,
}

impl Candidate {
    /// By how much the turn is searched less deep at first.
    pub(super) fn reduction(self, depth: i32) -> i32 {
        if depth < 2 || self.index < 2 {
            return 0;
        }
        let logarithm = |number: usize| LOGARITHMS[number.min(LOGARITHMS.len() - 1)];
        let late = logarithm(depth as usize) * logarithm(self.index) / 220;
        // In hundredths of a turn.
        let reduction = 60 + late
            - self.history / 60
            - if self.is_capture { 40 } else { 0 }
            - if self.is_open { 80 } else { 0 }
            - if self.is_offer { 120 } else { 0 }
            + if self.is_improving { 0 } else { 40 };
        (reduction / 100).clamp(0, depth - 1)
    }

    /// Whether the turn comes so late that it is not searched at all.
    pub(super) fn is_hopeless(self, depth: i32) -> bool {
        if self.is_open || self.is_capture || depth > LATE_DEPTH {
            return false;
        }
        let most = (3 + depth * depth) / if self.is_improving { 1 } else { 2 };
        self.index as i32 > 2 + most
    }
}

impl Worker<'_> {
    /// One turn of a node, for the question how deep it is searched.
    pub(super) fn candidate(
        &self,
        node: Node,
        turn: Successor,
        ply: usize,
        index: usize,
        is_open: bool,
    ) -> Candidate {
        let is_capture = turn.captured(node) > 0;
        Candidate {
            index,
            is_capture,
            history: self.history(node, turn, ply),
            is_open,
            is_offer: index >= 2 && !is_capture && self.is_forced(turn.node(node)),
            is_improving: ply >= 2 && self.estimates[ply] > self.estimates[ply - 2],
        }
    }

    /// Whether the side to move has to capture, with one first step.
    fn is_forced(&self, node: Node) -> bool {
        self.siblings.first_steps(node.stones).captures == 1
    }

    /// The score of a node by a shallow search, if both it and the estimate are far outside of a
    /// window of width 1 (M. Buro, "ProbCut: An effective selective extension of the alpha-beta
    /// algorithm", ICCA Journal 18, 1995). Wins and losses are left to the whole search.
    pub(super) fn shallow_score(
        &mut self,
        node: Node,
        depth: i32,
        window: Window,
        ply: usize,
        estimate: i32,
    ) -> Option<i32> {
        let is_decisive = window.alpha.abs().max(window.beta.abs()) >= WIN_FLOOR;
        if !self.is_selective || window.is_open() || is_decisive || depth < DECIDED_DEPTH {
            return None;
        }
        let (low, high) = (window.alpha - MARGIN, window.beta + MARGIN);
        // A side that is forced by a paika may stand well because the stones were offered.
        let is_offered = self.played[ply].is_some_and(|before| !before.is_capture());
        let asked = match estimate {
            _ if estimate >= high && is_offered && self.is_forced(node) => return None,
            _ if estimate >= high => high - 1,
            _ if estimate <= low => low,
            _ => return None,
        };
        let score = self.search(node, depth - SHALLOWER, Window::above(asked), ply);
        (self.stopped || score <= low || score >= high).then_some(score)
    }
}
