//! Alpha-beta search on one thread.
//!
//! Principal variation search with a transposition table, late move reductions, extension of
//! forced turns, and a quiescence search of captures. [`Worker`]s of the same search share the
//! table and nothing else (lazy SMP).

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use fanorona_core::{Board, FirstStepCounts, Outcome, PointSet, Position, RuleSet, Side, Value};
use fanorona_perft::{Successor as Found, Successors};
use fanorona_tablebase::{TableError, TableValue, Tables};

use crate::evaluation::Evaluation;
use crate::memory::{Bound, Memory, Stored};
use crate::node::{Node, Successor, mix};
use crate::score::{
    INFINITY, REGION_ESTIMATE, REGION_WIN, WIN_FLOOR, from_root, of_table, to_root, win_in,
};

/// No line is longer than this.
pub(crate) const MAX_PLY: usize = 120;

/// The plies of captures that are searched beyond the depth.
const QUIESCENCE_PLIES: u32 = 8;

/// The same where every turn is searched.
const FULL_WIDTH_QUIESCENCE_PLIES: u32 = 2;

/// The captures that a quiescence search tries, from its second ply on.
const QUIESCENCE_CAPTURES: usize = 8;

/// Nodes between two looks at the clock.
const CLOCK_NODES: u64 = 64;

/// The positions whose value is the same as that of the root, with as many stones: what a search
/// explores whose root is in a table without a distance to follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub stones: u32,
    /// The value for White.
    pub white: Value,
}

impl Region {
    fn value_for(self, side: Side) -> Value {
        match side {
            Side::White => self.white,
            Side::Black => -self.white,
        }
    }
}

/// What all workers of a search share.
pub(crate) struct Shared<'a> {
    pub rules: RuleSet,
    pub board: Board,
    pub tables: Option<&'a Tables>,
    /// The most stones of a table.
    pub table_stones: u32,
    pub region: Option<Region>,
    pub memory: &'a Memory,
    /// Positions of the game before the root count for repetition.
    pub threefold: bool,
    /// A position after this number of turns without a capture is a draw.
    pub without_capture: Option<u32>,
    /// Every turn is searched to the same depth, without reductions and other selection.
    pub full_width: bool,
    /// The most that is added to or taken from an estimate at random, and the seed for it.
    pub noise: u32,
    pub seed: u64,
    /// The caller wants the search to end.
    pub stop: &'a AtomicBool,
    /// The search has ended, so helpers end too.
    pub done: AtomicBool,
    pub deadline: Option<Instant>,
    /// The nodes that each worker may search.
    pub worker_nodes: Option<u64>,
    pub nodes: AtomicU64,
    pub table_hits: AtomicU64,
    /// The first table that could not be read.
    pub error: Mutex<Option<TableError>>,
}

/// A turn at the root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RootTurn {
    pub successor: Successor,
    /// The index of the turn in the caller's list.
    pub index: usize,
}

/// The state of one thread.
pub(crate) struct Worker<'a> {
    shared: &'a Shared<'a>,
    evaluation: Evaluation,
    generator: Successors,
    found: Vec<Found>,
    /// Successors, by ply.
    lists: Vec<Vec<Successor>>,
    /// Best lines from each ply.
    lines: Vec<Vec<Successor>>,
    /// The game's earlier positions since the last capture, and the line to the current node.
    path: Vec<Node>,
    /// For each position of the path, the turns without a capture that have led to it, one after
    /// the other.
    quiet_turns: Vec<u32>,
    /// The index of the root in the path.
    root_index: usize,
    root: Node,
    root_turns: Vec<RootTurn>,
    /// The quiet turns that cut off, by ply: origin and destination.
    killers: Vec<[(usize, usize); 2]>,
    /// How useful quiet turns were, by side, origin and destination.
    history: Vec<[[i32; 64]; 64]>,
    salt: u64,
    nodes: u64,
    /// Of the nodes, those that the shared counter has.
    reported: u64,
    table_hits: u64,
    stopped: bool,
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
        let stones = |position: &&Position| Node::of(position).stones() == node.stones();
        let since_capture = earlier.iter().rev().take_while(stones).count();
        // Repetition of earlier positions may not matter. The turns without a capture still count.
        let remembered = if shared.threefold { since_capture } else { 0 };
        let mut path: Vec<Node> =
            earlier[earlier.len() - remembered..].iter().map(Node::of).collect();
        let root_index = path.len();
        path.push(node);
        let first = (since_capture - remembered) as u32;
        let quiet_turns = (first..=since_capture as u32).collect();
        let region = shared.region.map_or(0, |region| {
            mix(0x7265_6769_6f6e ^ u64::from(region.stones) << 8 ^ region.white as u64)
        });
        let noise = if shared.noise == 0 { 0 } else { mix(shared.seed ^ u64::from(shared.noise)) };
        let mut worker = Self {
            shared,
            evaluation: Evaluation::new(shared.board),
            generator: Successors::new(&shared.rules, shared.board),
            found: Vec::new(),
            lists: vec![Vec::new(); MAX_PLY + 1],
            lines: vec![Vec::new(); MAX_PLY + 2],
            path,
            quiet_turns,
            root_index,
            root: node,
            root_turns,
            killers: vec![[(0, 0); 2]; MAX_PLY + 1],
            history: vec![[[0; 64]; 64]; 2],
            salt: region ^ noise ^ u64::from(shared.full_width),
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

    /// The static estimate of the root.
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

    /// Searches the root to a depth, with a window around the last score. `None` if the search was
    /// stopped before anything better than the last result was found.
    pub(crate) fn deepen(&mut self, depth: u32, last: Option<i32>) -> Option<i32> {
        let (mut below, mut above) = match last {
            Some(_) if depth >= 4 => (40, 40),
            _ => (INFINITY, INFINITY),
        };
        let middle = last.unwrap_or(0);
        let mut at_least = None;
        loop {
            let alpha = (middle - below).max(-INFINITY);
            let beta = (middle + above).min(INFINITY);
            let (score, improved) = self.search_root(depth as i32, alpha, beta);
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

    /// Searches all turns of the root. Returns the best score, and whether a turn was found with a
    /// score within the window.
    fn search_root(&mut self, depth: i32, mut alpha: i32, beta: i32) -> (i32, bool) {
        let (mut best, mut improved) = (-INFINITY, false);
        self.count();
        for i in 0..self.root_turns.len() {
            let RootTurn { successor, .. } = self.root_turns[i];
            let child = successor.node(self.root);
            let is_quiet = successor.captured(self.root) == 0;
            let score = self.search_turn(child, depth, alpha, beta, 0, i, is_quiet);
            if self.stopped {
                break;
            }
            if score > best {
                best = score;
            }
            if score > alpha {
                (alpha, improved) = (score, true);
                // The best turn moves to the front; the others keep their order.
                self.root_turns[..=i].rotate_right(1);
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
    fn search_turn(
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
    fn reduction(&self, depth: i32, i: usize, is_quiet: bool) -> i32 {
        if self.shared.full_width || depth < 3 {
            return 0;
        }
        let late = if is_quiet { [3, 12] } else { [6, 24] };
        late.into_iter().filter(|from| i >= *from).count() as i32
    }

    /// The score of a node for the side to move, `ply` turns from the root.
    fn search(&mut self, node: Node, mut depth: i32, mut alpha: i32, beta: i32, ply: usize) -> i32 {
        self.lines[ply].clear();
        if self.count() {
            return 0;
        }
        if node.own.is_empty() {
            return -win_in(0, ply);
        }
        if self.repeats(node) {
            return 0;
        }
        if let (Some(most), Some(turns)) = (self.shared.without_capture, self.quiet_turns.last())
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
    fn quiescence(&mut self, node: Node, mut alpha: i32, beta: i32, ply: usize, plies: u32) -> i32 {
        let steps = self.evaluation.first_steps(node.own, node.opponent);
        let is_vela = self.shared.rules.vela.is_some();
        let mut can_capture = steps.captures > 0;
        if is_vela || steps == FirstStepCounts::default() {
            let position = self.position(node);
            if self.shared.rules.outcome(&position).is_some() {
                return self.without_turn(node, ply);
            }
            can_capture = self.shared.rules.has_capture(&position);
        }
        let estimate = self.noisy(node, self.evaluation.estimate(node.own, node.opponent, steps));
        let mut best = self.horizon(node, estimate);
        if best >= beta || !can_capture || plies == 0 || ply >= MAX_PLY {
            return best;
        }
        alpha = alpha.max(best);

        let mut list = std::mem::take(&mut self.lists[ply]);
        self.successors(node, &mut list);
        list.retain(|successor| successor.waiting != node.opponent);
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
    fn quiet_child(&mut self, node: Node, alpha: i32, beta: i32, ply: usize, plies: u32) -> i32 {
        if self.count() {
            return 0;
        }
        if node.own.is_empty() {
            return -win_in(0, ply);
        }
        match self.probe(node, ply) {
            Some(score) => score,
            None => self.quiescence(node, alpha, beta, ply, plies),
        }
    }

    /// Counts a node. Whether the search has to end.
    fn count(&mut self) -> bool {
        self.nodes += 1;
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
    fn repeats(&self, node: Node) -> bool {
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

    /// The score that tables give a node, unless the search has to go on there.
    fn probe(&mut self, node: Node, ply: usize) -> Option<i32> {
        let stones = node.stones();
        if stones > self.shared.table_stones {
            return None;
        }
        let found = self.table_value(node)?;
        if let Some(region) = self.shared.region
            && found.value == region.value_for(node.side)
            && (found.value == Value::Draw || stones == region.stones)
        {
            return None;
        }
        Some(of_table(found, ply))
    }

    fn table_value(&mut self, node: Node) -> Option<TableValue> {
        let tables = self.shared.tables?;
        match tables.probe(&self.position(node)) {
            Ok(found) => {
                self.table_hits += 1;
                Some(found)
            }
            Err(TableError::Missing { .. } | TableError::VelaPhase1 { .. }) => None,
            Err(error) => {
                self.stopped = true;
                self.shared.done.store(true, Ordering::Relaxed);
                // A poisoned lock still holds what was written before.
                let mut first = self.shared.error.lock().unwrap_or_else(|lock| lock.into_inner());
                first.get_or_insert(error);
                None
            }
        }
    }

    /// The score of a node whose side has no turn, or that is over otherwise.
    fn without_turn(&self, node: Node, ply: usize) -> i32 {
        match self.shared.rules.outcome(&self.position(node)) {
            Some(Outcome::Won(side)) if side == node.side => win_in(0, ply),
            Some(Outcome::Won(_)) => -win_in(0, ply),
            Some(Outcome::Drawn) | None => 0,
        }
    }

    fn position(&self, node: Node) -> Position {
        Position::from_mover(self.shared.board, node.own, node.opponent, node.side)
            .expect("turns make positions of positions")
    }

    /// The distinct successors of a node.
    fn successors(&mut self, node: Node, list: &mut Vec<Successor>) {
        self.found.clear();
        let position = self.position(node);
        self.generator.find(&position, &mut self.found);
        if self.found.len() > 1 {
            self.found.sort_unstable();
            self.found.dedup();
        }
        list.clear();
        let successor =
            |found: &Found| Successor { mover: found.own, waiting: found.opponent, order: 0 };
        list.extend(self.found.iter().map(successor));
    }

    /// Orders successors: the stored best one, then by the estimate after the turn (at depth 1 by
    /// the stones taken), killers and history.
    fn order(
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
    fn remember(&mut self, node: Node, turn: Successor, depth: i32, ply: usize) {
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

    /// Makes a turn and the best line after it the best line of a ply.
    fn set_line(&mut self, ply: usize, turn: Successor) {
        let (before, after) = self.lines.split_at_mut(ply + 1);
        let line = &mut before[ply];
        line.clear();
        line.push(turn);
        line.extend_from_slice(&after[0]);
    }

    fn raw_estimate(&self, node: Node) -> i32 {
        let steps = self.evaluation.first_steps(node.own, node.opponent);
        self.evaluation.estimate(node.own, node.opponent, steps)
    }

    fn estimate(&self, node: Node) -> i32 {
        self.noisy(node, self.raw_estimate(node))
    }

    /// The estimate with the noise of the level. It depends on the position and the seed alone.
    fn noisy(&self, node: Node, estimate: i32) -> i32 {
        let noise = u64::from(self.shared.noise);
        if noise == 0 {
            return estimate;
        }
        let random = mix(node.key(self.shared.seed)) % (2 * noise + 1);
        estimate + random as i32 - noise as i32
    }

    /// The score of a node at the horizon. In a won region it stays above all scores outside, and
    /// the winner's stones are drawn to the loser's.
    fn horizon(&self, node: Node, estimate: i32) -> i32 {
        let Some(region) = self.shared.region else {
            return estimate;
        };
        let sign = match region.value_for(node.side) {
            Value::Draw => return estimate,
            Value::Win => 1,
            Value::Loss => -1,
        };
        let apart = self.distance(node.own, node.opponent);
        let estimate = estimate - sign * 20 * apart;
        sign * REGION_WIN + estimate.clamp(-REGION_ESTIMATE, REGION_ESTIMATE)
    }

    /// The sum of the distances between stones of the two sides, in steps as a king moves.
    fn distance(&self, own: PointSet, opponent: PointSet) -> i32 {
        let board = self.shared.board;
        let at = |point| {
            let at = board.coordinates(point);
            (i32::from(at.file()), i32::from(at.rank()))
        };
        let mut sum = 0;
        for (file, rank) in own.iter().map(at) {
            for other in opponent.iter().map(at) {
                sum += (file - other.0).abs().max((rank - other.1).abs());
            }
        }
        sum
    }
}
