//! Depth-first proof-number search (df-pn) in one thread.
//!
//! The crate documentation has the method and the argument why its results are true. Of a node, φ
//! (`phi`) estimates how many leaves have to be decided before the side to move succeeds, and δ
//! (`delta`) before it fails. Where the attacker moves, φ is the proof number and δ the disproof
//! number; where the defender moves, it is the other way round.

mod result;
mod shared;
mod simulation;

use std::hint::select_unpredictable;
use std::sync::atomic::Ordering;

use self::result::{Child, INFINITY, failure, reply, success};
pub(crate) use self::result::{NodeResult, UNCONDITIONAL};
use self::shared::Meter;
pub(crate) use self::shared::{Counters, Interrupt, Shared};
use self::simulation::Simulation;
use crate::game::{FirstLook, SuccessorList};
use crate::node::{Key, Node};
use crate::path::Path;
use crate::transposition::{Entry, Fact, MAX_PN};
use web_time::Instant;

/// The longest path.
const MAX_PATH: usize = 1 << 15;

/// A stack size that is enough for the longest path.
pub(crate) const STACK: usize = MAX_PATH << 11;

/// How many nodes a thread expands before it checks the time and other threads again.
const CHECK_INTERVAL: u64 = 1 << 9;

/// This many successors count as one expanded node: with very many, time passes at each node.
const SUCCESSORS_PER_NODE: usize = 1 << 6;

/// The number for a success that failed on another path.
const FAILED_ELSEWHERE: u32 = 32;

/// The successor to search next.
struct Next {
    child: usize,
    /// Search it until its δ reaches this, a little more than the δ of the second best one.
    delta_limit: u32,
    /// How many other successors are open.
    num_others: u32,
}

/// One thread of a search.
pub(crate) struct Worker<'a> {
    shared: &'a Shared<'a>,
    successors: SuccessorList,
    /// Those of a simulation, which may be needed between two of `successors`.
    followed: SuccessorList,
    path: Path,
    /// The successors of all nodes on the path, as a stack.
    children: Vec<Child>,
    /// The nodes of a simulation with their replies.
    simulated: Vec<(Node, u16)>,
    meter: Meter,
    table_hits: u64,
    used: u64,
    /// Nodes to expand before the next check.
    until_check: u64,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(shared: &'a Shared<'a>) -> Self {
        Self {
            shared,
            successors: SuccessorList::new(shared.game),
            followed: SuccessorList::new(shared.game),
            path: Path::new(),
            children: Vec::new(),
            simulated: Vec::new(),
            meter: Meter::new(),
            table_hits: 0,
            used: 0,
            until_check: CHECK_INTERVAL,
        }
    }

    /// The first ply of the path that the stored disproof of a node depends on; `None` if it is not
    /// disproved there.
    #[cfg(test)]
    pub(crate) fn disproof_on(
        &mut self,
        path: &[Node],
        next: Node,
    ) -> Result<Option<usize>, Interrupt> {
        path.iter().for_each(|&node| self.path.push(node, node.key()));
        if path.is_empty() {
            return Ok(None);
        }
        let looked_up = self.look_up(next, true);
        path.iter().for_each(|_| self.path.pop());
        looked_up?;
        let result = self.children.pop().expect("it was added").result;
        let is_disproof = result.is_decided() && !result.is_proof(next.attacks());
        Ok(is_disproof.then_some(result.depends_on))
    }

    /// Searches a node until it is decided or something interrupts the thread.
    pub(crate) fn run(&mut self, root: Node) -> Result<NodeResult, Interrupt> {
        let result = self.search(root, root.key(), true, INFINITY, INFINITY);
        self.meter.finish(self.shared);
        self.update_counters();
        if !matches!(result, Err(Interrupt::Limit | Interrupt::Decided(_))) {
            self.shared.done.store(true, Ordering::Relaxed);
        }
        result
    }

    fn update_counters(&mut self) {
        let Counters { table_hits, used, .. } = &self.shared.counters;
        table_hits.fetch_add(std::mem::take(&mut self.table_hits), Ordering::Relaxed);
        used.fetch_add(std::mem::take(&mut self.used), Ordering::Relaxed);
    }

    /// Checks the time, and whether other threads have decided a node of the path.
    fn check(&mut self) -> Result<(), Interrupt> {
        self.until_check = CHECK_INTERVAL;
        self.update_counters();
        let shared = self.shared;
        if shared.stop.load(Ordering::Relaxed)
            || shared.done.load(Ordering::Relaxed)
            || shared.deadline.is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Err(Interrupt::Limit);
        }
        if shared.has_other_threads() {
            for ply in 0..self.path.len() {
                let entry = shared.table.get(self.path.key(ply));
                if entry.is_some_and(|entry| entry.fact.is_unconditional()) {
                    return Err(Interrupt::Decided(ply));
                }
            }
        }
        Ok(())
    }

    /// Searches a node until it is decided or one of its numbers reaches its limit. `is_stored` says
    /// whether it was searched before.
    fn search(
        &mut self,
        node: Node,
        key: Key,
        is_stored: bool,
        phi_limit: u32,
        delta_limit: u32,
    ) -> Result<NodeResult, Interrupt> {
        self.until_check = self.until_check.saturating_sub(1);
        if self.until_check == 0 {
            self.check()?;
        }
        let (ply, first_child) = (self.path.len(), self.children.len());
        let nodes = self.meter.nodes;
        let threads = self.shared.threads_below(node);
        threads.map(|threads| threads.fetch_add(1, Ordering::Relaxed));
        self.path.push(node, key);
        let result = match self.expand(node, first_child, is_stored) {
            Ok(None) => self.search_children(node, key, first_child, phi_limit, delta_limit),
            Ok(Some(result)) => Ok(result),
            Err(interrupt) => Err(interrupt),
        };
        self.path.pop();
        self.children.truncate(first_child);
        threads.map(|threads| threads.fetch_sub(1, Ordering::Relaxed));
        let mut result = result?;
        let depends_on_itself_only = result.depends_on != UNCONDITIONAL && result.depends_on >= ply;
        if depends_on_itself_only {
            result.depends_on = UNCONDITIONAL;
        }
        self.store(node, key, &result, self.meter.nodes - nodes);
        if depends_on_itself_only {
            // The conditional disproofs below this node often become unconditional, too.
            self.simulate(node)?;
        }
        Ok(result)
    }

    fn search_children(
        &mut self,
        node: Node,
        key: Key,
        first_child: usize,
        phi_limit: u32,
        delta_limit: u32,
    ) -> Result<NodeResult, Interrupt> {
        let ply = self.path.len() - 1;
        let slow = (self.children.len() - first_child) / SUCCESSORS_PER_NODE;
        loop {
            let (result, next) = self.combine(node, first_child, phi_limit);
            let Some(next) = next else { return Ok(result) };
            if result.phi >= phi_limit.min(MAX_PN) || result.delta >= delta_limit.min(MAX_PN) {
                return Ok(result);
            }
            if ply >= MAX_PATH {
                return Ok(NodeResult::open(MAX_PN, MAX_PN));
            }
            self.until_check = self.until_check.saturating_sub(slow as u64);
            let next_child = first_child + next.child;
            let child = self.children[next_child];
            let child_key = child.node.key();
            if child.is_stored.is_none() && self.look_up_late(next_child, child_key)? {
                continue;
            }
            // What is φ of the node is δ of the successor.
            let child_phi_limit =
                if delta_limit == INFINITY { INFINITY } else { delta_limit - next.num_others };
            let child_delta_limit = phi_limit.min(next.delta_limit);
            let nodes = self.meter.nodes;
            let is_stored = child.is_stored == Some(true);
            let below =
                self.search(child.node, child_key, is_stored, child_phi_limit, child_delta_limit);
            if ply == 0
                && let Some(nodes_below) = self.shared.nodes_below_root.get(next.child)
            {
                nodes_below.fetch_add(self.meter.nodes - nodes, Ordering::Relaxed);
            }
            match below {
                Ok(below) => {
                    let child = &mut self.children[next_child];
                    (child.result, child.is_stored) = (below, Some(true));
                }
                Err(Interrupt::Decided(at)) if at == ply => {
                    if let Some(result) = self.decided_by_another_thread(node, key) {
                        return Ok(result);
                    }
                }
                Err(interrupt) => {
                    self.store(node, key, &result, 1);
                    return Err(interrupt);
                }
            }
            if self.shared.has_other_threads()
                && let Some(result) = self.decided_by_another_thread(node, key)
            {
                return Ok(result);
            }
        }
    }

    /// The result of another thread for a node, if it is unconditional.
    fn decided_by_another_thread(&self, node: Node, key: Key) -> Option<NodeResult> {
        let entry = self.shared.table.get(key)?;
        let result = match entry.fact {
            Fact::Proved { height } => NodeResult::proved(node.attacks(), height),
            Fact::Disproved => NodeResult::disproved(node.attacks(), UNCONDITIONAL),
            Fact::Open { .. } | Fact::DisprovedGiven(_) => return None,
        };
        Some(NodeResult { reply: entry.reply, ..result })
    }

    /// Lists the successors of a node and looks at them, until one of them decides the node.
    ///
    /// Only if the node was searched before, the transposition table is asked at once. Few successors of
    /// other nodes are in it, and each look-up waits for memory, so these are looked up when they are to
    /// be searched.
    fn expand(
        &mut self,
        node: Node,
        first_child: usize,
        is_stored: bool,
    ) -> Result<Option<NodeResult>, Interrupt> {
        let Shared { game, table, .. } = *self.shared;
        let count = self.successors.of(game, node).len();
        if is_stored {
            // Waiting for memory takes long, so all buckets are loaded at once.
            self.successors.listed().iter().for_each(|node| table.prefetch(node.key()));
        }
        for i in 0..count {
            self.meter.count(self.shared)?;
            self.look_up(self.successors.listed()[i], is_stored)?;
            let result = &self.children[first_child + i].result;
            if result.delta == 0 && result.depends_on == UNCONDITIONAL {
                return Ok(Some(success(i, result)));
            }
        }
        Ok(None)
    }

    /// Adds a successor of the last node of the path, with its result or its first numbers; with or
    /// without the transposition table.
    fn look_up(&mut self, node: Node, in_table: bool) -> Result<(), Interrupt> {
        if let Some(result) = self.known(node)? {
            self.children.push(Child { node, result, is_stored: None });
            return Ok(());
        }
        let stored = if in_table { self.stored(node, node.key())? } else { None };
        let is_stored = in_table.then_some(stored.is_some());
        let decided = stored.filter(NodeResult::is_decided).or_else(|| self.repeated(node));
        let result = decided.or(stored).unwrap_or_else(|| self.first(node));
        self.children.push(Child { node, result, is_stored });
        Ok(())
    }

    /// Looks a successor up in the transposition table, which nobody has yet. Returns whether it was
    /// found.
    fn look_up_late(&mut self, at: usize, key: Key) -> Result<bool, Interrupt> {
        let Shared { game, table, .. } = *self.shared;
        // Its successors are listed while its bucket is loaded: nearly all of them are needed.
        table.prefetch(key);
        let node = self.children[at].node;
        self.successors.of(game, node);
        let stored = self.stored(node, key)?;
        let child = &mut self.children[at];
        child.is_stored = Some(stored.is_some());
        child.result = stored.unwrap_or(child.result);
        Ok(stored.is_some())
    }

    /// A result from an endgame table, or from a side having no stones.
    fn known(&mut self, node: Node) -> Result<Option<NodeResult>, Interrupt> {
        let Some(attacker_wins) = self.shared.game.known(node)? else { return Ok(None) };
        self.table_hits += u64::from(!node.stones().own.is_empty());
        Ok(Some(NodeResult::decided(node.attacks(), attacker_wins, 0, UNCONDITIONAL)))
    }

    /// The result in the transposition table, if it has the node.
    fn stored(&mut self, node: Node, key: Key) -> Result<Option<NodeResult>, Interrupt> {
        let attacks = node.attacks();
        let Some(entry) = self.shared.table.get(key) else { return Ok(None) };
        Ok(Some(match entry.fact {
            Fact::Proved { height } => NodeResult::proved(attacks, height),
            Fact::Disproved => NodeResult::disproved(attacks, UNCONDITIONAL),
            Fact::DisprovedGiven(suffix) => {
                let ply = match self.path.ends_with(suffix) {
                    None => self.simulate(node)?,
                    ply => ply,
                };
                match ply {
                    Some(ply) => NodeResult::disproved(attacks, ply),
                    None => NodeResult::likely_disproved(attacks, FAILED_ELSEWHERE),
                }
            }
            Fact::Open { phi, delta } => NodeResult::open(phi, delta),
        }))
    }

    /// Whether a disproof holds on the current path: the first ply of the path that it depends on.
    fn simulate(&mut self, node: Node) -> Result<Option<usize>, Interrupt> {
        let Self { shared, path, followed: successors, simulated: visited, meter, used, .. } = self;
        Simulation { shared, path, successors, visited, meter, used }.run(node)
    }

    /// A disproof, if the path has the node.
    fn repeated(&self, node: Node) -> Option<NodeResult> {
        if self.path.last_stones() != Some(node.stones().count()) {
            return None;
        }
        Some(NodeResult::disproved(node.attacks(), self.path.find(node)?))
    }

    fn first(&self, node: Node) -> NodeResult {
        match self.shared.game.first_look(node) {
            FirstLook::Over { attacker_wins } => {
                NodeResult::decided(node.attacks(), attacker_wins, 0, UNCONDITIONAL)
            }
            FirstLook::Open { phi, delta } => NodeResult::open(phi, delta),
        }
    }

    /// The result that follows from the successors, and which of them to search next if they do not
    /// decide the node.
    fn combine(
        &self,
        node: Node,
        first_child: usize,
        phi_limit: u32,
    ) -> (NodeResult, Option<Next>) {
        let children = &self.children[first_child..];
        let (mut succeeds, mut phi, mut max_phi, mut num_open) = (false, INFINITY, 0, 0);
        let (mut best, mut best_delta, mut second_delta) = (0, INFINITY, INFINITY);
        // Without branches: nobody can predict which successor is better. Of those that fail, φ is zero
        // and δ infinite.
        for (i, Child { node, result, .. }) in children.iter().enumerate() {
            succeeds |= result.delta == 0;
            num_open += u32::from(result.phi != 0);
            max_phi = max_phi.max(result.phi);
            phi = phi.min(result.delta);
            let mut delta = result.delta;
            // Virtual loss: a node below which other threads search looks a little harder.
            if let Some(threads) = self.shared.threads_below(*node) {
                let threads = u32::from(threads.load(Ordering::Relaxed));
                delta = delta.saturating_add(threads.wrapping_mul(1 + delta / 8));
            }
            delta = select_unpredictable(result.delta < phi_limit, delta, INFINITY);
            let is_best = delta < best_delta;
            second_delta = second_delta.min(best_delta.max(delta));
            best = select_unpredictable(is_best, i, best);
            best_delta = best_delta.min(delta);
        }
        if succeeds {
            // The success that depends on the fewest nodes of the path.
            let succeeding =
                children.iter().enumerate().filter(|(_, child)| child.result.delta == 0);
            let (i, child) = succeeding
                .min_by_key(|(_, child)| child.result.depends_on)
                .expect("a successor succeeds");
            return (success(i, &child.result), None);
        }
        if num_open == 0 {
            return (failure(node, children), None);
        }
        // Weak PNS: the maximum and one for each other successor instead of the sum, because
        // successors have much below them in common.
        let delta = (max_phi + num_open - 1).min(MAX_PN);
        // The 1 + ε trick with ε = 1/4.
        let delta_limit = match second_delta {
            INFINITY => INFINITY,
            second => second + 1 + second / 4,
        };
        let next = Next { child: best, delta_limit, num_others: num_open - 1 };
        (NodeResult { reply: reply(best), ..NodeResult::open(phi, delta) }, Some(next))
    }

    fn store(&mut self, node: Node, key: Key, result: &NodeResult, nodes: u64) {
        let fact = if !result.is_decided() {
            Fact::Open { phi: result.phi.min(MAX_PN), delta: result.delta.min(MAX_PN) }
        } else if result.is_proof(node.attacks()) {
            Fact::Proved { height: result.height }
        } else if result.depends_on == UNCONDITIONAL {
            Fact::Disproved
        } else {
            Fact::DisprovedGiven(self.path.suffix(result.depends_on))
        };
        let work = (nodes.max(1).ilog2() + 1).min(31) as u8;
        let was_unused = self.shared.table.set(key, Entry { fact, reply: result.reply, work });
        self.used += u64::from(was_unused);
    }
}
