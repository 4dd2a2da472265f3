//! The tree: from the root to the horizon.

use super::order::stored_first;
use super::prune::Candidate;
use super::shared::{MAX_PLY, RootTurn};
use super::window::Window;
use super::worker::Worker;
use crate::memory::{Bound, Stored};
use crate::node::{Node, Successor};
use crate::score::{INFINITY, LOSS_CEILING, WIN_FLOOR, from_root, to_root, win_in};

/// The width of the first window on each side of the score of the depth before.
const ASPIRATION: i32 = 12;

/// A window wider than this is not tried: it is open instead.
const WIDEST: i32 = 600;

/// A turn with a score less than this below the best one is nearly as good.
const SLACK: i32 = 3;

/// From this depth on, a node without a stored turn to begin with is searched one turn less deep: that
/// finds one for the next time.
const REDUCED_DEPTH: i32 = 5;

impl Worker<'_> {
    /// Searches the root to a depth, without the first `skipped` turns of the root and with a window
    /// around the last score. `None` if the search was stopped before anything better than the last
    /// result was found. The best turn is then the first of those that are not skipped.
    pub(crate) fn deepen(&mut self, depth: u32, last: Option<i32>, skipped: usize) -> Option<i32> {
        let (mut below, mut above) = match last {
            Some(_) if depth >= 4 => (ASPIRATION, ASPIRATION),
            _ => (INFINITY, INFINITY),
        };
        let middle = last.unwrap_or(0);
        let mut at_least = None;
        let wider = |width: i32| if width > WIDEST { 2 * INFINITY } else { 3 * width };
        loop {
            let alpha = (middle - below).max(-INFINITY);
            let beta = (middle + above).min(INFINITY);
            let (score, improved) = self.search_root(depth as i32, Window { alpha, beta }, skipped);
            if self.stopped {
                // Other turns may be better than the best one so far, so it proves no loss.
                let is_enough = improved && score > -WIN_FLOOR;
                return is_enough.then_some(score).or(at_least);
            }
            if score <= alpha && alpha > -INFINITY {
                below = wider(below);
            } else if score >= beta && beta < INFINITY {
                above = wider(above);
                at_least = Some(score);
            } else {
                return Some(score);
            }
        }
    }

    /// Searches the turns of the root, without the first ones. Returns the score of the turn that is
    /// now the first of the others, and whether it was found to be within the window.
    fn search_root(&mut self, depth: i32, mut window: Window, skipped: usize) -> (i32, bool) {
        let (mut best, mut improved, lowest) = (-INFINITY, false, window.alpha);
        self.count(0);
        self.estimates[0] = self.root_estimate();
        for i in skipped..self.root_turns.len() {
            let RootTurn { successor, .. } = self.root_turns[i];
            let turn = self.candidate(self.root, successor, 0, i - skipped, true);
            // The seed may prefer the turn to the best one, if it is nearly as good.
            let luck = |turn: RootTurn| turn.successor.node(self.root).key(self.shared.seed);
            let is_preferred = improved
                && self.shared.contempt > 0
                && luck(self.root_turns[i]) > luck(self.root_turns[skipped]);
            let slack = match window.alpha {
                _ if !is_preferred => 0,
                WIN_FLOOR.. | ..=LOSS_CEILING => 1,
                _ => SLACK,
            };
            let enough = Window { alpha: lowest.max(window.alpha - slack), ..window };
            let score = self.search_turn(self.root, successor, depth, enough, 0, turn);
            if self.stopped {
                break;
            }
            if score > enough.alpha {
                (best, improved, window.alpha) = (score, true, window.alpha.max(score));
                // The best turn moves to the front; the others keep their order.
                self.root_turns[skipped..=i].rotate_right(1);
                self.set_line(0, successor);
                if score >= window.beta {
                    break;
                }
            } else if !improved {
                best = best.max(score);
            }
        }
        (best, improved)
    }

    /// Searches one turn of a node by the scheme of principal variation search, and returns its
    /// score for the side that makes it.
    fn search_turn(
        &mut self,
        node: Node,
        turn: Successor,
        depth: i32,
        window: Window,
        ply: usize,
        candidate: Candidate,
    ) -> i32 {
        self.push(node, turn, ply);
        let child = turn.node(node);
        let full = window.opposite();
        let narrow = Window::above(window.alpha).opposite();
        let mut score;
        if candidate.index == 0 {
            score = -self.search(child, depth - 1, full, ply + 1);
        } else {
            let reduction = if self.is_selective { candidate.reduction(depth) } else { 0 };
            score = -self.search(child, depth - 1 - reduction, narrow, ply + 1);
            if reduction > 0 && score > window.alpha && !self.stopped {
                score = -self.search(child, depth - 1, narrow, ply + 1);
            }
            if score > window.alpha && score < window.beta && !self.stopped {
                score = -self.search(child, depth - 1, full, ply + 1);
            }
        }
        self.pop();
        score
    }

    /// The score of a node for the side to move, `ply` turns from the root.
    pub(super) fn search(&mut self, node: Node, depth: i32, window: Window, ply: usize) -> i32 {
        self.lines[ply].clear();
        if self.count(ply) {
            return 0;
        }
        if let Some(score) = self.ended(node, ply) {
            return score;
        }
        if let Some(score) = self.probe(node, ply) {
            return score;
        }
        if ply >= MAX_PLY {
            return self.horizon(node, self.estimate(node, ply));
        }
        if depth <= 0 {
            return self.quiescence(node, window, ply, self.quiescence_plies());
        }

        let key = self.key(node, ply);
        let stored = self.shared.memory.get(key);
        if let Some(score) = stored.and_then(|stored| self.decided(stored, depth, window, ply)) {
            return score;
        }
        let raw = match stored {
            Some(stored) => i32::from(stored.estimate),
            None => self.estimate(node, ply),
        };
        let estimate = self.horizon(node, raw) + self.corrections.get(node);
        if let Some(score) = self.shallow_score(node, depth, window, ply, estimate) {
            return score;
        }
        let mut list = std::mem::take(&mut self.lists[ply]);
        self.successors(node, &mut list);
        if list.is_empty() {
            self.lists[ply] = list;
            return self.without_turn(node, ply);
        }
        let ready = stored_first(&mut list, stored);
        if ready > 0 {
            self.prefetch(list[0].node(node), depth - 1, ply + 1);
        }
        self.estimates[ply] = estimate;
        let mut below = depth;
        if list.len() == 1 && !self.shared.full_width && ply < 2 * MAX_PLY / 3 {
            below += 1;
        } else if self.is_selective && stored.is_none() && depth >= REDUCED_DEPTH {
            below -= 1;
        }

        let mut current = window;
        let (mut best, mut best_turn) = (-INFINITY, list[0]);
        for i in 0..list.len() {
            self.bring_forward(node, &mut list, i, ready, depth, ply);
            let turn = list[i];
            let candidate = self.candidate(node, turn, ply, i, window.is_open());
            // A turn that is left out might be better than a loss.
            if self.is_selective && best > -WIN_FLOOR && candidate.is_hopeless(depth) {
                continue;
            }
            let score = self.search_turn(node, turn, below, current, ply, candidate);
            if self.stopped {
                self.lists[ply] = list;
                return 0;
            }
            if score > best {
                (best, best_turn) = (score, turn);
            }
            if score > current.alpha {
                current.alpha = score;
                self.set_line(ply, turn);
                if score >= window.beta {
                    self.remember(node, &list[..=i], depth, ply);
                    break;
                }
            }
        }
        self.lists[ply] = list;

        let bound = match best {
            _ if best >= window.beta => Bound::Lower,
            _ if best > window.alpha => Bound::Exact,
            _ => Bound::Upper,
        };
        let stored = Stored {
            score: from_root(best, ply) as i16,
            depth: depth as u8,
            bound,
            best: best_turn.hash(),
            estimate: raw as i16,
        };
        let error = best - self.estimates[ply];
        let is_known = match bound {
            Bound::Exact => true,
            Bound::Lower => error > 0,
            Bound::Upper => error < 0,
        };
        // A capture changes more than an estimate should say.
        if self.is_selective && is_known && best.abs() < WIN_FLOOR && best_turn.captured(node) == 0
        {
            self.corrections.add(node, error, depth);
        }
        self.shared.memory.put(key, stored);
        best
    }

    /// The score of a node where the game is over, or drawn by the path to it.
    fn ended(&self, node: Node, ply: usize) -> Option<i32> {
        if node.stones.own.is_empty() {
            return Some(-win_in(0, ply));
        }
        if self.repeats(node) {
            return Some(0);
        }
        let most = self.shared.draw_rules.without_capture?;
        let turns = *self.quiet_turns.last()?;
        (turns >= most).then(|| self.without_turn(node, ply))
    }

    /// The score that the transposition table has for a node, if it is enough.
    fn decided(&self, stored: Stored, depth: i32, window: Window, ply: usize) -> Option<i32> {
        let score = to_root(i32::from(stored.score), ply);
        let found = i32::from(stored.depth);
        let is_deep = if self.shared.full_width { found == depth } else { found >= depth };
        let decides = match stored.bound {
            Bound::Exact => true,
            Bound::Lower => score >= window.beta,
            Bound::Upper => score <= window.alpha,
        };
        (is_deep && decides).then_some(score)
    }
}
