//! The state of one thread of a search.

use std::sync::atomic::Ordering;

use fanorona_core::{Position, Stones, Value};
use fanorona_perft::{Siblings, Successors};
use web_time::Instant;

use super::correction::Corrections;
use super::history::{Histories, Kind};
use super::shared::{MAX_PLY, RootTurn, Shared};
use crate::evaluation::Evaluation;
use crate::node::{Node, Successor, mix};

/// Nodes between two looks at the clock.
const CLOCK_NODES: u64 = 64;

/// The state of one thread.
pub(crate) struct Worker<'a> {
    pub(super) shared: &'a Shared<'a>,
    pub(super) evaluation: Evaluation,
    pub(super) siblings: &'static Siblings,
    pub(super) generator: Successors,
    pub(super) found: Vec<Stones>,
    /// Successors, by ply.
    pub(super) lists: Vec<Vec<Successor>>,
    /// Best lines from each ply.
    pub(super) lines: Vec<Vec<Successor>>,
    /// The game's earlier positions since the last capture, and the line to the current node.
    pub(super) path: Vec<Node>,
    /// For each position of the path, the turns without a capture that have led to it, one after
    /// the other.
    pub(super) quiet_turns: Vec<u32>,
    pub(super) root_index: usize,
    pub(super) root: Node,
    pub(super) root_turns: Vec<RootTurn>,
    /// Whether reductions and other selection apply.
    pub(super) is_selective: bool,
    /// Estimates of the nodes of the current line, by ply.
    pub(super) estimates: Vec<i32>,
    /// Their estimates without noise, as far as they are known already.
    pub(super) known: Vec<Option<i16>>,
    /// The turns that led to the nodes of the current line, by ply; `None` to the root.
    pub(super) played: Vec<Option<Kind>>,
    /// The quiet turns that cut off, by ply.
    pub(super) killers: Vec<[Option<Kind>; 2]>,
    pub(super) histories: Histories,
    pub(super) corrections: Corrections,
    pub(super) salt: u64,
    /// The most turns from the root.
    pub(super) deepest: usize,
    pub(super) nodes: u64,
    /// Of the nodes, those that the shared counter has.
    pub(super) reported: u64,
    pub(super) table_hits: u64,
    pub(super) stopped: bool,
}

impl<'a> Worker<'a> {
    /// A worker for a root with its turns; `earlier` are the game's positions before it, oldest
    /// first.
    pub(crate) fn new(
        shared: &'a Shared<'a>,
        root: &Position,
        root_turns: Vec<RootTurn>,
        earlier: &[Position],
    ) -> Self {
        let node = Node::of(root);
        let stones = |position: &&Position| Stones::of(position).count() == node.stones.count();
        let since_capture = earlier.iter().rev().take_while(stones).count();
        // Repetition of earlier positions may not matter. The turns without a capture still count.
        let remembered = if shared.draw_rules.repetition { since_capture } else { 0 };
        let mut path: Vec<Node> =
            earlier[earlier.len() - remembered..].iter().map(Node::of).collect();
        let root_index = path.len();
        path.push(node);
        let first = (since_capture - remembered) as u32;
        let quiet_turns = (first..=since_capture as u32).collect();
        let region = shared.region.map_or(0, |region| {
            mix(0x7265_6769_6f6e ^ u64::from(region.stones) << 8 ^ region.white as u64)
        });
        let contempt = if shared.contempt == 0 {
            0
        } else {
            mix(0x636f_6e74_656d_7074 ^ u64::from(shared.contempt) << 1 ^ node.side as u64)
        };
        let noise = if shared.noise == 0 { 0 } else { mix(shared.seed ^ u64::from(shared.noise)) };
        let mut worker = Self {
            shared,
            evaluation: Evaluation::new(shared.board),
            siblings: Siblings::of(shared.board),
            generator: Successors::new(&shared.rules, shared.board),
            found: Vec::new(),
            lists: vec![Vec::new(); MAX_PLY + 1],
            lines: vec![Vec::new(); MAX_PLY + 2],
            path,
            quiet_turns,
            root_index,
            root: node,
            root_turns,
            // In a won region the estimates say nothing of the score.
            is_selective: !shared.full_width && shared.region.is_none(),
            estimates: vec![0; MAX_PLY + 1],
            known: vec![None; MAX_PLY + 2],
            played: vec![None; MAX_PLY + 2],
            killers: vec![[None; 2]; MAX_PLY + 1],
            histories: Histories::new(),
            corrections: Corrections::new(),
            salt: region ^ contempt ^ noise ^ u64::from(shared.full_width),
            deepest: 0,
            nodes: 0,
            reported: 0,
            table_hits: 0,
            stopped: false,
        };
        let ordered = worker.root_turns.iter().map(|turn| {
            let child = turn.successor.node(node);
            (-worker.raw_estimate(child), *turn)
        });
        let mut ordered: Vec<_> = ordered.collect();
        ordered.sort_by_key(|(order, _)| -order);
        worker.root_turns = ordered.into_iter().map(|(_, turn)| turn).collect();
        worker
    }

    pub(crate) fn root_estimate(&self) -> i32 {
        self.horizon(self.root, self.raw_estimate(self.root))
    }

    /// The turns at the root: the best first once a depth is searched.
    pub(crate) fn root_turns(&self) -> &[RootTurn] {
        &self.root_turns
    }

    /// The best line found last.
    pub(crate) fn line(&self) -> &[Successor] {
        &self.lines[0]
    }

    /// The turns of the longest line.
    pub(crate) fn deepest(&self) -> usize {
        self.deepest
    }

    /// Whether the search has to end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Adds the work done since the last time to the shared counters.
    pub(crate) fn flush(&mut self) {
        self.shared.table_hits.fetch_add(std::mem::take(&mut self.table_hits), Ordering::Relaxed);
        self.shared.nodes.fetch_add(self.nodes - self.reported, Ordering::Relaxed);
        self.reported = self.nodes;
    }

    /// Goes from a node of the current line, `ply` turns from the root, to the one after a turn.
    pub(super) fn push(&mut self, node: Node, turn: Successor, ply: usize) {
        let turns = self.quiet_turns.last().map_or(0, |turns| turns + 1);
        let is_quiet = turn.captured(node) == 0;
        self.quiet_turns.push(if is_quiet { turns } else { 0 });
        self.path.push(turn.node(node));
        self.known[ply + 1] = turn.estimate;
        self.played[ply + 1] = Some(Kind::of(node, turn));
    }

    /// Goes back.
    pub(super) fn pop(&mut self) {
        self.path.pop();
        self.quiet_turns.pop();
    }

    /// Counts a node, `ply` turns from the root. Whether the search has to end.
    pub(super) fn count(&mut self, ply: usize) -> bool {
        self.nodes += 1;
        self.deepest = self.deepest.max(ply);
        let shared = self.shared;
        if self.nodes.is_multiple_of(CLOCK_NODES) {
            shared.nodes.fetch_add(self.nodes - self.reported, Ordering::Relaxed);
            self.reported = self.nodes;
            self.stopped |= shared.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        }
        self.stopped |= shared.stop.load(Ordering::Relaxed)
            || shared.done.load(Ordering::Relaxed)
            || shared.worker_nodes.is_some_and(|most| self.nodes > most);
        self.stopped
    }

    /// Whether the position at the end of the path has occurred before: once since the root, or
    /// twice in the game before it. Once is enough there for a side that wins by a table and has
    /// to get ahead.
    pub(super) fn repeats(&self, node: Node) -> bool {
        let is_won = self.shared.region.is_some_and(|region| region.white != Value::Draw);
        let mut in_game = 0;
        let last = self.path.len() - 1;
        let since_capture = self.quiet_turns[last] as usize;
        // The same side was to move two turns before, and so on.
        for i in (last.saturating_sub(since_capture)..last.saturating_sub(1)).rev().step_by(2) {
            if self.path[i] == node {
                in_game += 1;
                if i >= self.root_index || in_game >= 2 || is_won {
                    return true;
                }
            }
        }
        false
    }

    /// The key of a node in the transposition table.
    pub(super) fn key(&self, node: Node, ply: usize) -> u64 {
        // A full-width search must not depend on repetitions, which differ from ply to ply.
        let ply_salt = if self.shared.full_width { (ply as u64 + 1) << 32 } else { 0 };
        node.key(self.salt ^ ply_salt)
    }

    pub(super) fn position(&self, node: Node) -> Position {
        Position::from_mover(self.shared.board, node.stones, node.side)
            .expect("turns make positions of positions")
    }

    /// The distinct successors of a node.
    pub(super) fn successors(&mut self, node: Node, list: &mut Vec<Successor>) {
        self.found.clear();
        let position = self.position(node);
        self.generator.find(&position, &mut self.found);
        // Turns without a capture lead to different positions.
        if self.found.iter().any(|after| after.opponent != node.stones.opponent) {
            self.found.sort_unstable();
            self.found.dedup();
        }
        list.clear();
        list.extend(self.found.iter().copied().map(Successor::new));
    }

    /// Makes a turn and the best line after it the best line of a ply.
    pub(super) fn set_line(&mut self, ply: usize, turn: Successor) {
        let (before, after) = self.lines.split_at_mut(ply + 1);
        let line = &mut before[ply];
        line.clear();
        line.push(turn);
        line.extend_from_slice(&after[0]);
    }
}
