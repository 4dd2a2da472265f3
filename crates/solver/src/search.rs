//! Depth-first proof-number search by one of several threads.
//!
//! The crate's documentation says what is searched and why the results are true; the names here are
//! those of the field. Of a node, `phi` is how many leaves must be decided for the side to move to
//! reach its aim, and `delta` how many for it to fail: proof and disproof number where the attacker
//! moves, and the other way round where the defender does.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::time::Instant;

use fanorona_tablebase::TableError;

use crate::game::{Game, Lister, Look};
use crate::memory::{Entry, Fact, MOST, NO_REPLY, Table};
use crate::node::{Key, Node};
use crate::path::Path;

/// No way to get there.
const NEVER: u32 = u32::MAX;

/// The ply that something rests on which rests on no node of the path.
pub(crate) const NOTHING: usize = usize::MAX;

/// The longest path.
const LONGEST: usize = 1 << 15;

/// Stack that the longest path fits in.
pub(crate) const STACK: usize = LONGEST << 11;

/// Nodes expanded between two looks at the clock and at what the other threads have done.
const PATIENCE: u64 = 1 << 9;

/// The most nodes that are visited to see whether a node is held by the replies that are remembered.
const VERIFIED: usize = 256;

/// How hard it looks for the attacker to win where that failed on another path.
const HELD_BEFORE: u32 = 32;

/// What the threads of a search share.
pub(crate) struct Shared<'a> {
    pub game: &'a Game<'a>,
    pub table: Table<'a>,
    /// How many threads are below a node, by the first bits of its key's place. Empty if there is
    /// only one thread.
    pub below: Box<[AtomicU8]>,
    pub counters: Counters,
    /// For the first node's successors, in their order: the positions looked at below them.
    pub below_first: &'a [AtomicU64],
    /// The number of positions at which the search rests.
    pub most_nodes: u64,
    pub deadline: Option<Instant>,
    pub stop: &'a AtomicBool,
    /// A thread has finished.
    pub done: AtomicBool,
}

#[cfg(test)]
impl<'a> Shared<'a> {
    /// What one thread needs to search without limits.
    pub(crate) fn new(game: &'a Game<'a>, table: Table<'a>, stop: &'a AtomicBool) -> Self {
        Self {
            game,
            table,
            below: Box::default(),
            counters: Counters::default(),
            below_first: &[],
            most_nodes: u64::MAX,
            deadline: None,
            stop,
            done: AtomicBool::new(false),
        }
    }
}

/// What has been done.
#[derive(Default)]
pub(crate) struct Counters {
    /// Positions looked at.
    pub nodes: AtomicU64,
    /// Of them, those that a table decided.
    pub table_hits: AtomicU64,
    /// Entries of the table in use.
    pub used: AtomicU64,
}

/// Why a thread leaves a node that is not finished.
#[derive(Debug)]
pub(crate) enum Halt {
    /// It is time to rest, or another thread has finished.
    Rest,
    /// Another thread has decided the node at this ply.
    Decided(usize),
    /// A table cannot be read.
    Tables(TableError),
}

impl From<TableError> for Halt {
    fn from(error: TableError) -> Self {
        Self::Tables(error)
    }
}

/// What has been found of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finding {
    pub phi: u32,
    pub delta: u32,
    /// If the attacker cannot force a win, the first ply of the path that this rests on.
    rests_on: usize,
    /// If the attacker wins, the turns of both sides until an end or a table.
    pub height: u32,
    /// The place of the turn that the numbers stand for.
    pub reply: u16,
}

impl Finding {
    /// The attacker wins, or cannot force it.
    fn decided(attacks: bool, wins: bool, height: u32, rests_on: usize) -> Self {
        let (phi, delta) = if wins == attacks { (0, NEVER) } else { (NEVER, 0) };
        Self { phi, delta, rests_on, height, reply: NO_REPLY }
    }

    fn open(phi: u32, delta: u32) -> Self {
        Self { phi, delta, rests_on: NOTHING, height: 0, reply: NO_REPLY }
    }

    pub(crate) fn is_decided(&self) -> bool {
        self.phi == 0 || self.delta == 0
    }
}

#[derive(Clone, Copy)]
struct Child {
    node: Node,
    key: Key,
    found: Finding,
}

impl Child {
    fn new(node: Node) -> Self {
        Self { node, key: node.key(), found: Finding::open(1, 1) }
    }
}

/// One thread's part.
pub(crate) struct Worker<'a> {
    shared: &'a Shared<'a>,
    lister: Lister,
    path: Path,
    /// The successors of the nodes of the path, those of one node behind those of the other.
    children: Vec<Child>,
    /// The nodes of a verification, with their replies.
    visited: Vec<(Node, u16)>,
    nodes: u64,
    /// How many of the nodes the others have been told of.
    reported: u64,
    table_hits: u64,
    used: u64,
    /// Nodes expanded until the next look around.
    patience: u64,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(shared: &'a Shared<'a>) -> Self {
        Self {
            shared,
            lister: Lister::new(shared.game),
            path: Path::new(),
            children: Vec::new(),
            visited: Vec::new(),
            nodes: 0,
            reported: 0,
            table_hits: 0,
            used: 0,
            patience: PATIENCE,
        }
    }

    /// What is concluded of the next node from the memory after the nodes of a path: `None` if it is
    /// not held there, and else the first ply of the path that this rests on.
    #[cfg(test)]
    pub(crate) fn look_on(&mut self, path: &[Node], next: Node) -> Result<Option<usize>, Halt> {
        path.iter().for_each(|&node| self.path.push(node, node.key()));
        let found = match path.last() {
            Some(&parent) => self.look(parent, &Child::new(next)),
            None => Ok(Finding::open(1, 1)),
        };
        path.iter().for_each(|_| self.path.pop());
        let found = found?;
        let held = found.is_decided() && (found.phi == 0) != next.attacks();
        Ok(held.then_some(found.rests_on))
    }

    /// Searches from a node until it is decided or something halts the thread.
    pub(crate) fn run(&mut self, node: Node) -> Result<Finding, Halt> {
        let result = self.search(node, node.key(), NEVER, NEVER);
        self.report();
        if !matches!(result, Err(Halt::Rest | Halt::Decided(_))) {
            self.shared.done.store(true, Ordering::Relaxed);
        }
        result
    }

    fn report(&mut self) {
        let Counters { nodes, table_hits, used } = &self.shared.counters;
        let new = self.nodes - std::mem::replace(&mut self.reported, self.nodes);
        nodes.fetch_add(new, Ordering::Relaxed);
        table_hits.fetch_add(std::mem::take(&mut self.table_hits), Ordering::Relaxed);
        used.fetch_add(std::mem::take(&mut self.used), Ordering::Relaxed);
    }

    fn look_around(&mut self) -> Result<(), Halt> {
        self.patience = PATIENCE;
        self.report();
        let shared = self.shared;
        if shared.stop.load(Ordering::Relaxed)
            || shared.done.load(Ordering::Relaxed)
            || shared.counters.nodes.load(Ordering::Relaxed) >= shared.most_nodes
            || shared.deadline.is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Err(Halt::Rest);
        }
        if !shared.below.is_empty() {
            for ply in 0..self.path.len() {
                let entry = shared.table.get(self.path.key(ply));
                if entry.is_some_and(|entry| entry.fact.is_final()) {
                    return Err(Halt::Decided(ply));
                }
            }
        }
        Ok(())
    }

    /// Searches a node until it is decided or one of its numbers is as large as its limit.
    fn search(&mut self, node: Node, key: Key, phi: u32, delta: u32) -> Result<Finding, Halt> {
        self.patience -= 1;
        if self.patience == 0 {
            self.look_around()?;
        }
        let (ply, base, nodes) = (self.path.len(), self.children.len(), self.nodes);
        let marks = self.shared.below.get((key.place >> 48) as usize);
        marks.map(|threads| threads.fetch_add(1, Ordering::Relaxed));
        self.path.push(node, key);
        let result = self.search_children(node, key, base, phi, delta);
        self.path.pop();
        self.children.truncate(base);
        marks.map(|threads| threads.fetch_sub(1, Ordering::Relaxed));
        match result {
            Ok(mut found) => {
                let closes = found.rests_on != NOTHING && found.rests_on >= ply;
                if closes {
                    // Nothing above this node is needed: what lies below is closed.
                    found.rests_on = NOTHING;
                }
                self.remember(node, key, &found, self.nodes - nodes);
                if closes {
                    // The nodes below it, which were held given others, often are too.
                    self.verify(node)?;
                }
                Ok(found)
            }
            Err(halt) => Err(halt),
        }
    }

    fn search_children(
        &mut self,
        node: Node,
        key: Key,
        base: usize,
        phi_limit: u32,
        delta_limit: u32,
    ) -> Result<Finding, Halt> {
        let ply = self.path.len() - 1;
        if let Some(found) = self.expand(node, base)? {
            return Ok(found);
        }
        loop {
            let (found, next) = self.sum_up(node, base, phi_limit);
            let Some(next) = next else { return Ok(found) };
            if found.phi >= phi_limit.min(MOST) || found.delta >= delta_limit.min(MOST) {
                return Ok(found);
            }
            if ply >= LONGEST {
                return Ok(Finding::open(MOST, MOST));
            }
            let child = self.children[base + next.child];
            // For the successor the numbers change their roles.
            let child_phi = if delta_limit == NEVER { NEVER } else { delta_limit - next.others };
            let child_delta = phi_limit.min(next.rival);
            let nodes = self.nodes;
            let below = self.search(child.node, child.key, child_phi, child_delta);
            if ply == 0
                && let Some(below_first) = self.shared.below_first.get(next.child)
            {
                below_first.fetch_add(self.nodes - nodes, Ordering::Relaxed);
            }
            match below {
                Ok(below) => self.children[base + next.child].found = below,
                Err(Halt::Decided(at)) if at == ply => {
                    if let Some(found) = self.recall(node, key) {
                        return Ok(found);
                    }
                }
                Err(halt) => {
                    self.remember(node, key, &found, 1);
                    return Err(halt);
                }
            }
            if !self.shared.below.is_empty()
                && let Some(found) = self.recall(node, key)
            {
                return Ok(found);
            }
        }
    }

    /// What another thread has decided of a node, once for all.
    fn recall(&self, node: Node, key: Key) -> Option<Finding> {
        let entry = self.shared.table.get(key)?;
        let found = match entry.fact {
            Fact::Won { height } => Finding::decided(node.attacks(), true, height, NOTHING),
            Fact::Held => Finding::decided(node.attacks(), false, 0, NOTHING),
            Fact::Open { .. } | Fact::HeldGiven(_) => return None,
        };
        Some(Finding { reply: entry.reply, ..found })
    }

    /// Lists the successors and looks at each, until one decides the node.
    fn expand(&mut self, node: Node, base: usize) -> Result<Option<Finding>, Halt> {
        let listed = self.lister.list(self.shared.game, node);
        self.children.extend(listed.iter().map(|&node| Child::new(node)));
        // Waiting for memory is most of the time, so all lines are asked for at once.
        let touch = |touched, child: &Child| touched ^ self.shared.table.touch(child.key);
        black_box(self.children[base..].iter().fold(0, touch));
        for i in base..self.children.len() {
            let child = self.children[i];
            let found = self.look(node, &child)?;
            if found.delta == 0 && found.rests_on == NOTHING {
                return Ok(Some(succeed(i - base, &found)));
            }
            self.children[i].found = found;
        }
        Ok(None)
    }

    /// What is known of a successor of the path's last node, or what it looks like.
    fn look(&mut self, parent: Node, child: &Child) -> Result<Finding, Halt> {
        let Child { node, key, .. } = *child;
        let game = self.shared.game;
        let attacks = node.attacks();
        self.nodes += 1;
        if let Some(wins) = game.known(node)? {
            self.table_hits += u64::from(!node.own().is_empty());
            return Ok(Finding::decided(attacks, wins, 0, NOTHING));
        }
        let entry = self.shared.table.get(key);
        match entry.map(|entry| entry.fact) {
            Some(Fact::Won { height }) => {
                return Ok(Finding::decided(attacks, true, height, NOTHING));
            }
            Some(Fact::Held) => return Ok(Finding::decided(attacks, false, 0, NOTHING)),
            Some(Fact::HeldGiven(tail)) => {
                let ply = match self.path.ends_with(tail) {
                    None => self.verify(node)?,
                    ply => ply,
                };
                if let Some(ply) = ply {
                    return Ok(Finding::decided(attacks, false, 0, ply));
                }
            }
            Some(Fact::Open { .. }) | None => {}
        }
        if node.stones() == parent.stones()
            && let Some(ply) = self.path.find(node)
        {
            return Ok(Finding::decided(attacks, false, 0, ply));
        }
        Ok(match entry.map(|entry| entry.fact) {
            Some(Fact::Open { phi, delta }) => Finding::open(phi, delta),
            // It has been held before, and likely is again.
            Some(Fact::HeldGiven(_)) if attacks => Finding::open(HELD_BEFORE, 1),
            Some(Fact::HeldGiven(_)) => Finding::open(1, HELD_BEFORE),
            _ => match game.look(node) {
                Look::Over(wins) => Finding::decided(attacks, wins, 0, NOTHING),
                Look::Open { phi, delta } => Finding::open(phi, delta),
            },
        })
    }

    /// Whether a node is held given the path, by the replies that are remembered, and the first ply
    /// that this rests on; `None` if that cannot be told without searching. If no node of the path
    /// is needed, all nodes that were visited are held, and are remembered as that.
    fn verify(&mut self, node: Node) -> Result<Option<usize>, Halt> {
        let (game, table) = (self.shared.game, self.shared.table);
        let mut rests_on = NOTHING;
        self.visited.clear();
        self.visited.push((node, NO_REPLY));
        let mut next = 0;
        while next < self.visited.len() {
            let (node, _) = self.visited[next];
            let reply = table.get(node.key()).map_or(NO_REPLY, |entry| entry.reply);
            self.visited[next].1 = reply;
            next += 1;
            self.nodes += 1;
            let list = self.lister.list(game, node);
            let list = if node.attacks() {
                list
            } else {
                match list.get(usize::from(reply)) {
                    Some(reply) => std::slice::from_ref(reply),
                    None => return Ok(None),
                }
            };
            for &after in list {
                if self.visited.iter().any(|(visited, _)| *visited == after) {
                    continue;
                }
                match game.known(after)? {
                    Some(true) => return Ok(None),
                    Some(false) => continue,
                    None => {}
                }
                let fact = table.get(after.key()).map(|entry| entry.fact);
                match fact {
                    Some(Fact::Won { .. }) => return Ok(None),
                    Some(Fact::Held) => continue,
                    _ => {}
                }
                if let Some(ply) = self.path.find(after) {
                    rests_on = rests_on.min(ply);
                } else if matches!(fact, Some(Fact::HeldGiven(_))) {
                    if self.visited.len() == VERIFIED {
                        return Ok(None);
                    }
                    self.visited.push((after, NO_REPLY));
                } else if fact.is_some() || !matches!(game.look(after), Look::Over(false)) {
                    return Ok(None);
                }
            }
        }
        if rests_on == NOTHING {
            for &(node, reply) in &self.visited {
                let entry = Entry { fact: Fact::Held, reply, work: 1 };
                self.used += u64::from(table.set(node.key(), entry));
            }
        }
        Ok(Some(rests_on))
    }

    /// What the successors say of a node, and which of them is next if they do not decide it.
    fn sum_up(&self, node: Node, base: usize, phi_limit: u32) -> (Finding, Option<Next>) {
        let children = &self.children[base..];
        let mut success: Option<usize> = None;
        let (mut phi, mut hardest, mut open) = (NEVER, 0, 0);
        let (mut best, mut least, mut rival) = (0, NEVER, NEVER);
        for (i, Child { key, found, .. }) in children.iter().enumerate() {
            if found.delta == 0 {
                let better = |old: usize| children[old].found.rests_on < found.rests_on;
                if success.is_none_or(better) {
                    success = Some(i);
                }
                continue;
            }
            if found.phi == 0 {
                continue;
            }
            open += 1;
            hardest = hardest.max(found.phi);
            phi = phi.min(found.delta);
            if found.delta >= phi_limit {
                continue;
            }
            // Where other threads are at work, it looks a little harder.
            let threads = self.shared.below.get((key.place >> 48) as usize);
            let threads = threads.map_or(0, |threads| threads.load(Ordering::Relaxed));
            let seems = found.delta + u32::from(threads) * (1 + found.delta / 8);
            if seems < least {
                (best, rival, least) = (i, least, seems);
            } else {
                rival = rival.min(seems);
            }
        }
        if let Some(i) = success {
            return (succeed(i, &children[i].found), None);
        }
        if open == 0 {
            let height = children.iter().map(|child| child.found.height).max().unwrap_or(0);
            let longest = children.iter().position(|child| child.found.height == height);
            let rests_on = children.iter().map(|child| child.found.rests_on).min();
            let wins = !node.attacks();
            let rests_on = rests_on.unwrap_or(NOTHING);
            let found = Finding::decided(node.attacks(), wins, height + 1, rests_on);
            return (Finding { reply: place(longest.unwrap_or(0)), ..found }, None);
        }
        // Not the sum, for successors have much below them in common.
        let delta = (hardest + open - 1).min(MOST);
        let rival = if rival == NEVER { NEVER } else { rival + 1 + rival / 4 };
        let next = Next { child: best, rival, others: open - 1 };
        (Finding { reply: place(best), ..Finding::open(phi, delta) }, Some(next))
    }

    fn remember(&mut self, node: Node, key: Key, found: &Finding, nodes: u64) {
        let fact = if !found.is_decided() {
            Fact::Open { phi: found.phi.min(MOST), delta: found.delta.min(MOST) }
        } else if (found.phi == 0) == node.attacks() {
            Fact::Won { height: found.height }
        } else if found.rests_on == NOTHING {
            Fact::Held
        } else {
            Fact::HeldGiven(self.path.tail(found.rests_on))
        };
        let work = (nodes.max(1).ilog2() + 1).min(31) as u8;
        let is_new = self.shared.table.set(key, Entry { fact, reply: found.reply, work });
        self.used += u64::from(is_new);
    }
}

/// The next successor to search.
struct Next {
    child: usize,
    /// The number at which another one is to be preferred.
    rival: u32,
    /// How many others there are.
    others: u32,
}

/// What a successor in which the other side fails says of a node.
fn succeed(place_of_child: usize, child: &Finding) -> Finding {
    Finding {
        phi: 0,
        delta: NEVER,
        rests_on: child.rests_on,
        height: child.height + 1,
        reply: place(place_of_child),
    }
}

fn place(child: usize) -> u16 {
    u16::try_from(child).unwrap_or(NO_REPLY).min(NO_REPLY)
}
