//! A small board solved by retrograde analysis, also for paths whose nodes count as failures.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::AtomicBool;

use super::{Checked, Random, check_entry, decided, for_each_node};
use crate::game::{Game, SuccessorList};
use crate::node::Node;
use crate::path::Path;
use crate::prover::Prover;
use crate::search::{Shared, UNCONDITIONAL, Worker};
use crate::transposition::{Fact, PathSuffix, TableView};

/// All open nodes of a small board with their successors.
pub(super) struct Graph {
    pub nodes: Vec<Node>,
    pub index: HashMap<Node, usize>,
    /// For each node its successors. `None` is one that the attacker has won, and `usize::MAX` one
    /// that it cannot win any more.
    pub after: Vec<Vec<Option<usize>>>,
    before: Vec<Vec<usize>>,
}

impl Graph {
    pub(super) fn new(game: &Game<'_>) -> Self {
        let mut nodes = Vec::new();
        for_each_node(game, 2 * game.board.max_stones(), |node| {
            if decided(game, node).is_none() {
                nodes.push(node);
            }
        });
        let index: HashMap<_, _> = nodes.iter().enumerate().map(|(i, node)| (*node, i)).collect();
        let mut before = vec![Vec::new(); nodes.len()];
        let mut after = Vec::new();
        for (i, &node) in nodes.iter().enumerate() {
            let position = game.position(node);
            // The listing generator, which the search does not use.
            let attacker =
                if node.attacks() { position.to_move() } else { position.to_move().other() };
            let successors: HashSet<_> = game
                .rules
                .successors(&position)
                .iter()
                .map(|after| {
                    let node = game.node(after, attacker);
                    match decided(game, node) {
                        Some(true) => None,
                        Some(false) => Some(usize::MAX),
                        None => Some(index[&node]),
                    }
                })
                .collect();
            for &successor in successors.iter().flatten().filter(|i| **i != usize::MAX) {
                before[successor].push(i);
            }
            after.push(successors.into_iter().collect());
        }
        Self { nodes, index, after, before }
    }

    /// The graph with one turn at each node of the attacker, or with none.
    pub(super) fn with_turns(&self, chosen: impl Fn(Node) -> Option<Node>) -> Self {
        let (nodes, index) = (self.nodes.clone(), self.index.clone());
        let mut after = self.after.clone();
        let mut before = vec![Vec::new(); nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            if node.attacks() {
                let chosen = chosen(*node).map(|after| index.get(&after).copied());
                after[i].retain(|after| chosen == Some(*after));
            }
            for &successor in after[i].iter().flatten().filter(|i| **i != usize::MAX) {
                before[successor].push(i);
            }
        }
        Self { nodes, index, after, before }
    }

    /// For each node, the number of turns within which the attacker wins, if it fails at all nodes of
    /// `failures`; `None` where it cannot force a win.
    pub(super) fn heights(&self, failures: &[usize]) -> Vec<Option<u32>> {
        let mut heights = vec![None; self.nodes.len()];
        let mut open: Vec<u32> = self.after.iter().map(|after| after.len() as u32).collect();
        let mut now = Vec::new();
        for (i, after) in self.after.iter().enumerate() {
            let won = after.iter().filter(|after| after.is_none()).count() as u32;
            open[i] -= won;
            if if self.nodes[i].attacks() { won > 0 } else { open[i] == 0 } {
                now.push(i);
            }
        }
        for height in 1.. {
            if now.is_empty() {
                break;
            }
            let mut next = Vec::new();
            for i in now {
                if heights[i].is_some() || failures.contains(&i) {
                    continue;
                }
                heights[i] = Some(height);
                for &before in &self.before[i] {
                    open[before] -= 1;
                    if self.nodes[before].attacks() || open[before] == 0 {
                        next.push(before);
                    }
                }
            }
            now = next;
        }
        heights
    }

    /// Extends a list backwards by random turns, until it has `len` nodes besides the first or no
    /// path without repetition leads there. Returns it without the first.
    fn random_path(&self, mut path: Vec<usize>, len: usize, random: &mut Random) -> Vec<usize> {
        while path.len() <= len {
            let last = *path.last().expect("it has a node");
            let before = self.before[last].iter().filter(|i| !path.contains(i));
            let before: Vec<_> = before.collect();
            if before.is_empty() {
                break;
            }
            path.push(*before[random.below(before.len())]);
        }
        path.split_off(1)
    }

    /// A path with this suffix whose last node leads to `to`.
    fn path(&self, to: usize, suffix: PathSuffix) -> Option<Vec<usize>> {
        let mut path = vec![to];
        self.extend(&mut path, suffix).then(|| path.split_off(1))
    }

    fn extend(&self, path: &mut Vec<usize>, suffix: PathSuffix) -> bool {
        if path.len() == suffix.len as usize + 1 {
            let mut steps = Path::new();
            for &i in path[1..].iter().rev() {
                steps.push(self.nodes[i], self.nodes[i].key());
            }
            return steps.suffix(0) == suffix;
        }
        for &before in &self.before[*path.last().expect("it has a node")] {
            if !path.contains(&before) {
                path.push(before);
                if self.extend(path, suffix) {
                    return true;
                }
                path.pop();
            }
        }
        false
    }
}

/// The longest tails for which the paths are enumerated.
const PATHS: u32 = 4;

/// A solved board, with the solutions for the paths that conditional disproofs depend on.
pub(super) struct Solved {
    pub graph: Graph,
    pub heights: Vec<Option<u32>>,
    given: HashMap<Vec<usize>, Vec<Option<u32>>>,
}

impl Solved {
    pub(super) fn new(game: &Game<'_>) -> Self {
        let graph = Graph::new(game);
        let heights = graph.heights(&[]);
        Self { graph, heights, given: HashMap::new() }
    }

    /// Whether a node is disproved given the nodes of a path.
    fn is_disproved_given(&mut self, path: &[usize], node: usize) -> bool {
        let graph = &self.graph;
        let given =
            self.given.entry(path.to_owned()).or_insert_with_key(|path| graph.heights(path));
        given[node].is_none()
    }

    /// Checks all entries of a table; conditional disproofs too, if their path is short.
    pub(super) fn check(&mut self, prover: &mut Prover<'_>, one_thread: bool) -> Checked {
        let Prover { game, table, .. } = prover;
        let used = table.used;
        let table = table.view();
        let mut successors = SuccessorList::new(game);
        let mut checked = Checked::default();
        for i in 0..self.graph.nodes.len() {
            let node = self.graph.nodes[i];
            let Some(entry) = table.get(node.key()) else { continue };
            let mut wins = |node: Node| match self.graph.index.get(&node) {
                Some(i) => self.heights[*i].is_some(),
                None => decided(game, node).expect("the graph has all open nodes"),
            };
            checked.add(check_entry(game, &mut successors, node, entry, &mut wins));
            match entry.fact {
                Fact::Proved { height } => {
                    let least = self.heights[i];
                    assert!(least.is_some_and(|least| least <= height), "{node:?} {entry:?}");
                }
                Fact::DisprovedGiven(suffix) if (1..=PATHS).contains(&suffix.len) => {
                    let path = self.graph.path(i, suffix);
                    let path = path.unwrap_or_else(|| panic!("no such path: {node:?} {entry:?}"));
                    assert!(self.is_disproved_given(&path, i), "{node:?} {entry:?}");
                    checked.conditions += 1;
                }
                _ => {}
            }
        }
        if one_thread {
            assert_eq!((checked.total(), used), (table.count(), table.count()));
        }
        checked
    }

    /// Looks up nodes with a conditional disproof after other paths, and checks which nodes of the
    /// path the search says that it depends on. Returns how often that was none, only the last one,
    /// and several of them.
    pub(super) fn check_conclusions(
        &mut self,
        prover: &mut Prover<'_>,
        random: &mut Random,
    ) -> [u64; 3] {
        let stop = AtomicBool::new(false);
        let shared = &Shared::new(&prover.game, prover.table.view(), &stop);
        let mut seen = [0; 3];
        for i in 0..self.graph.nodes.len() {
            let node = self.graph.nodes[i];
            let entry = shared.table.get(node.key());
            let Some(Fact::DisprovedGiven(suffix)) = entry.map(|entry| entry.fact) else {
                continue;
            };
            let mut paths = Vec::new();
            // Few of them are disproved given several nodes, so there must be many.
            for len in (1..=6).cycle().take(120) {
                paths.push(self.graph.random_path(vec![i], len, random));
            }
            if (1..=PATHS).contains(&suffix.len)
                && let Some(mut path) = self.graph.path(i, suffix)
            {
                path.insert(0, i);
                // The path that it depends on, and longer ones.
                for len in [0, 1, 3] {
                    let len = path.len() - 1 + len;
                    paths.push(self.graph.random_path(path.clone(), len, random));
                }
            }
            for path in paths {
                let mut worker = Worker::new(shared);
                let nodes: Vec<_> = path.iter().rev().map(|i| self.graph.nodes[*i]).collect();
                let before = shared.table.get(node.key());
                let found = worker.disproof_on(&nodes, node).expect("the tables are good");
                let found = found.filter(|ply| *ply != UNCONDITIONAL || self.heights[i].is_some());
                match found {
                    None => {}
                    Some(UNCONDITIONAL) => panic!("not disproved: {node:?} on {nodes:?}"),
                    Some(ply) => {
                        // The path is listed from its end.
                        let dependency = &path[..path.len() - ply];
                        let context = || format!("{node:?} on {nodes:?} from {ply}: {before:?}");
                        assert!(self.is_disproved_given(dependency, i), "{}", context());
                        let is_tail = dependency.len() == suffix.len as usize && {
                            let mut path = Path::new();
                            nodes.iter().for_each(|&node| path.push(node, node.key()));
                            path.ends_with(suffix).is_some()
                        };
                        if !is_tail {
                            // The stored replies disprove it.
                            let reached = reached_plies(&prover.game, shared.table, &nodes, node);
                            assert_eq!(reached.first(), Some(&ply), "{}", context());
                            seen[2] += u64::from(reached.len() > 1);
                        }
                        seen[1] += u64::from(dependency.len() == 1);
                    }
                }
                let after = shared.table.get(node.key()).map(|entry| entry.fact);
                if after == Some(Fact::Disproved) {
                    assert_eq!(self.heights[i], None, "{node:?} on {nodes:?}: {before:?}");
                    seen[0] += 1;
                    break;
                }
            }
        }
        seen
    }
}

/// The plies of a path that play can reach from a node if the defender plays the stored replies.
fn reached_plies(
    game: &Game<'_>,
    table: TableView<'_>,
    path: &[Node],
    node: Node,
) -> BTreeSet<usize> {
    let (mut reached, mut seen, mut waiting) = (BTreeSet::new(), HashSet::new(), vec![node]);
    let mut successors = SuccessorList::new(game);
    while let Some(node) = waiting.pop() {
        let entry = table.get(node.key());
        if decided(game, node).is_some() || entry.is_some_and(|entry| entry.fact == Fact::Disproved)
        {
            continue;
        }
        if let Some(ply) = path.iter().position(|other| *other == node) {
            reached.insert(ply);
        } else if seen.insert(node) {
            let list = successors.of(game, node);
            let reply = entry.map(|entry| usize::from(entry.reply));
            match reply.filter(|_| !node.attacks()) {
                Some(reply) => waiting.push(list[reply]),
                None => waiting.extend(list),
            }
        }
    }
    reached
}
