//! The tree: from the root to the horizon, and captures beyond it.

use fanorona_core::FirstStepCounts;

use super::shared::{MAX_PLY, RootTurn};
use super::worker::Worker;
use crate::memory::{Bound, Stored};
use crate::node::Node;
use crate::score::{INFINITY, WIN_FLOOR, from_root, to_root, win_in};

/// The plies of captures that are searched beyond the depth.
const QUIESCENCE_PLIES: u32 = 8;

/// The same where every turn is searched.
const FULL_WIDTH_QUIESCENCE_PLIES: u32 = 2;

/// The captures that a quiescence search tries, from its second ply on.
const QUIESCENCE_CAPTURES: usize = 8;

impl Worker<'_> {
    /// Searches the root to a depth, without the first `skipped` turns of the root and with a window
    /// around the last score. `None` if the search was stopped before anything better than the last
    /// result was found. The best turn is then the first of those that are not skipped.
    pub(crate) fn deepen(&mut self, depth: u32, last: Option<i32>, skipped: usize) -> Option<i32> {
        let (mut below, mut above) = match last {
            Some(_) if depth >= 4 => (40, 40),
            _ => (INFINITY, INFINITY),
        };
        let middle = last.unwrap_or(0);
        let mut at_least = None;
        loop {
            let alpha = (middle - below).max(-INFINITY);
            let beta = (middle + above).min(INFINITY);
            let (score, improved) = self.search_root(depth as i32, alpha, beta, skipped);
            if self.stopped {
                // Other turns may be better than the best one so far, so it proves no loss.
                let is_enough = improved && score > -WIN_FLOOR;
                return is_enough.then_some(score).or(at_least);
            }
            if score <= alpha && alpha > -INFINITY {
                below = if below > 500 { INFINITY * 2 } else { below * 4 };
            } else if score >= beta && beta < INFINITY {
                above = if above > 500 { INFINITY * 2 } else { above * 4 };
                at_least = Some(score);
            } else {
                return Some(score);
            }
        }
    }

    /// Searches the turns of the root, without the first ones. Returns the best score, and whether a turn was found with a
    /// score within the window.
    pub(super) fn search_root(
        &mut self,
        depth: i32,
        mut alpha: i32,
        beta: i32,
        skipped: usize,
    ) -> (i32, bool) {
        let (mut best, mut improved) = (-INFINITY, false);
        self.count();
        for i in skipped..self.root_turns.len() {
            let RootTurn { successor, .. } = self.root_turns[i];
            let child = successor.node(self.root);
            let is_quiet = successor.captured(self.root) == 0;
            let score = self.search_turn(child, depth, alpha, beta, 0, i - skipped, is_quiet);
            if self.stopped {
                break;
            }
            if score > best {
                best = score;
            }
            if score > alpha {
                (alpha, improved) = (score, true);
                // The best turn moves to the front; the others keep their order.
                self.root_turns[skipped..=i].rotate_right(1);
                self.set_line(0, successor);
                if score >= beta {
                    break;
                }
            }
        }
        (best, improved)
    }

    /// Searches one turn of a node by the scheme of principal variation search, and returns its
    /// score for the side that makes it. `i` is its index in the order.
    #[expect(clippy::too_many_arguments, reason = "it is one step of two loops")]
    pub(super) fn search_turn(
        &mut self,
        child: Node,
        depth: i32,
        alpha: i32,
        beta: i32,
        ply: usize,
        i: usize,
        is_quiet: bool,
    ) -> i32 {
        let turns = self.quiet_turns.last().map_or(0, |turns| turns + 1);
        self.quiet_turns.push(if is_quiet { turns } else { 0 });
        self.path.push(child);
        let mut score;
        if i == 0 {
            score = -self.search(child, depth - 1, -beta, -alpha, ply + 1);
        } else {
            let reduction = self.reduction(depth, i, is_quiet);
            score = -self.search(child, depth - 1 - reduction, -alpha - 1, -alpha, ply + 1);
            if reduction > 0 && score > alpha && !self.stopped {
                score = -self.search(child, depth - 1, -alpha - 1, -alpha, ply + 1);
            }
            if score > alpha && score < beta && !self.stopped {
                score = -self.search(child, depth - 1, -beta, -alpha, ply + 1);
            }
        }
        self.path.pop();
        self.quiet_turns.pop();
        score
    }

    /// By how much a late turn is searched less deep at first.
    pub(super) fn reduction(&self, depth: i32, i: usize, is_quiet: bool) -> i32 {
        if self.shared.full_width || depth < 3 {
            return 0;
        }
        let late = if is_quiet { [3, 12] } else { [6, 24] };
        late.into_iter().filter(|from| i >= *from).count() as i32
    }

    /// The score of a node for the side to move, `ply` turns from the root.
    pub(super) fn search(
        &mut self,
        node: Node,
        mut depth: i32,
        mut alpha: i32,
        beta: i32,
        ply: usize,
    ) -> i32 {
        self.lines[ply].clear();
        if self.count() {
            return 0;
        }
        if node.stones.own.is_empty() {
            return -win_in(0, ply);
        }
        if self.repeats(node) {
            return 0;
        }
        let most = self.shared.draw_rules.without_capture;
        if let (Some(most), Some(turns)) = (most, self.quiet_turns.last())
            && *turns >= most
        {
            return self.without_turn(node, ply);
        }
        if let Some(score) = self.probe(node, ply) {
            return score;
        }
        if ply >= MAX_PLY {
            return self.horizon(node, self.estimate(node));
        }
        if depth <= 0 {
            let plies = match self.shared.full_width {
                true => FULL_WIDTH_QUIESCENCE_PLIES,
                false => QUIESCENCE_PLIES,
            };
            return self.quiescence(node, alpha, beta, ply, plies);
        }

        // What repeats depends on the ply, which must not matter to a full-width search.
        let ply_salt = if self.shared.full_width { (ply as u64 + 1) << 32 } else { 0 };
        let key = node.key(self.salt ^ ply_salt);
        let stored = self.shared.memory.get(key);
        if let Some(stored) = stored {
            let score = to_root(i32::from(stored.score), ply);
            let deep_enough = if self.shared.full_width {
                i32::from(stored.depth) == depth
            } else {
                i32::from(stored.depth) >= depth
            };
            let decides = match stored.bound {
                Bound::Exact => true,
                Bound::Lower => score >= beta,
                Bound::Upper => score <= alpha,
            };
            if deep_enough && decides {
                return score;
            }
        }

        let mut list = std::mem::take(&mut self.lists[ply]);
        self.successors(node, &mut list);
        if list.is_empty() {
            self.lists[ply] = list;
            return self.without_turn(node, ply);
        }
        self.order(node, &mut list, stored.map(|stored| stored.best), depth, ply);
        let searched_depth = depth;
        if list.len() == 1 && !self.shared.full_width && ply < 2 * MAX_PLY / 3 {
            depth += 1;
        }

        let window = alpha;
        let (mut best, mut best_turn) = (-INFINITY, list[0]);
        for (i, successor) in list.iter().enumerate() {
            let is_quiet = successor.captured(node) == 0;
            let child = successor.node(node);
            let score = self.search_turn(child, depth, alpha, beta, ply, i, is_quiet);
            if self.stopped {
                self.lists[ply] = list;
                return 0;
            }
            if score > best {
                (best, best_turn) = (score, *successor);
            }
            if score > alpha {
                alpha = score;
                self.set_line(ply, *successor);
                if score >= beta {
                    if is_quiet {
                        self.remember(node, *successor, depth, ply);
                    }
                    break;
                }
            }
        }
        self.lists[ply] = list;

        let bound = match best {
            _ if best >= beta => Bound::Lower,
            _ if best > window => Bound::Exact,
            _ => Bound::Upper,
        };
        let stored = Stored {
            score: from_root(best, ply) as i16,
            depth: searched_depth as u8,
            bound,
            best: best_turn.hash(),
        };
        self.shared.memory.put(key, stored);
        best
    }

    /// Searches captures until the position is quiet. The side to move may also stand: a capture
    /// is rarely worse than not to capture, even where the rules demand one.
    pub(super) fn quiescence(
        &mut self,
        node: Node,
        mut alpha: i32,
        beta: i32,
        ply: usize,
        plies: u32,
    ) -> i32 {
        let steps = self.evaluation.first_steps(node.stones);
        let is_vela = self.shared.rules.vela.is_some();
        let mut can_capture = steps.captures > 0;
        if is_vela || steps == FirstStepCounts::default() {
            let position = self.position(node);
            if self.shared.rules.outcome(&position).is_some() {
                return self.without_turn(node, ply);
            }
            can_capture = self.shared.rules.has_capture(&position);
        }
        let estimate = self.noisy(node, self.evaluation.estimate(node.stones, steps));
        let mut best = self.horizon(node, estimate);
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
        if !self.shared.full_width && plies < QUIESCENCE_PLIES {
            list.truncate(QUIESCENCE_CAPTURES);
        }
        for successor in &list {
            let child = successor.node(node);
            let score = -self.quiet_child(child, -beta, -alpha, ply + 1, plies - 1);
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
    pub(super) fn quiet_child(
        &mut self,
        node: Node,
        alpha: i32,
        beta: i32,
        ply: usize,
        plies: u32,
    ) -> i32 {
        if self.count() {
            return 0;
        }
        if node.stones.own.is_empty() {
            return -win_in(0, ply);
        }
        match self.probe(node, ply) {
            Some(score) => score,
            None => self.quiescence(node, alpha, beta, ply, plies),
        }
    }
}
