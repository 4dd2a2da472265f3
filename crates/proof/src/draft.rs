//! Making a proof.

use std::collections::HashMap;
use std::mem;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use fanorona_core::{Position, RuleSet, Turn};

use crate::claim::Claim;
use crate::error::CertificateError;
use crate::format::Entry;
use crate::guide::Guide;
use crate::leaves::Leaves;
use crate::memory::{bytes_when_growing, map_bytes};
use crate::stones::{Canonicalizer, Stones};
use crate::turns::{first_turn_to, is_legal, nth_turn, try_for_each_successor};

type Result<T> = std::result::Result<T, CertificateError>;

/// What a proof is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Game<'a> {
    pub rules: &'a RuleSet,
    /// The first position.
    pub position: &'a Position,
    pub leaves: &'a Leaves,
}

/// An unfinished proof. First all positions are found that the guide's turns lead to. For a win,
/// then their distances to conversion are computed, and other turns are chosen where the guide's
/// turns lead to cycles.
#[derive(Debug)]
pub(crate) struct Draft<'a> {
    game: Game<'a>,
    claim: Claim,
    memory_limit: usize,
    stop: &'a AtomicBool,
    canonicalizer: Canonicalizer,
    /// All positions found so far. The proof begins with the first ones.
    nodes: Vec<Node>,
    /// The number of nodes that the proof begins with.
    roots: u32,
    /// The index of each node.
    indices: HashMap<Stones, u32>,
}

/// A position of the proof, in which the prover is to move.
#[derive(Clone, Copy, Debug)]
struct Node {
    stones: Stones,
    /// The number of its turn.
    turn: u32,
    /// Its distance to conversion, or one of the values below.
    distance: u32,
}

/// The distance of a node that has not been visited.
const UNKNOWN: u32 = u32::MAX;
/// The distance of a node on the current path.
const ON_PATH: u32 = u32::MAX - 1;
/// The distance of a node from which the guide's turns can lead to a cycle.
const CYCLING: u32 = u32::MAX - 2;

/// What can come after a turn of the prover.
enum Answers {
    /// These positions, and leaves that are good enough for the claim.
    Open(Vec<Stones>),
    /// A leaf that is not good enough.
    BadLeaf(Position),
}

/// A node on the current path of the depth-first search for distances.
struct Step {
    node: u32,
    /// The distance that follows from the successors visited so far.
    distance: u32,
    /// The successors that are not visited yet.
    next: Vec<u32>,
}

impl<'a> Draft<'a> {
    pub(crate) fn new(
        game: Game<'a>,
        claim: Claim,
        memory_limit: usize,
        stop: &'a AtomicBool,
    ) -> Self {
        Self {
            game,
            claim,
            memory_limit,
            stop,
            canonicalizer: Canonicalizer::new(game.position.board(), claim.side),
            nodes: Vec::new(),
            roots: 0,
            indices: HashMap::new(),
        }
    }

    /// The entries of the proof, in the order of the file.
    pub(crate) fn complete(
        mut self,
        guide: &mut dyn Guide,
        progress: &mut dyn FnMut(usize),
    ) -> Result<Vec<Entry>> {
        self.explore(guide, progress)?;
        if self.claim.is_win() {
            self.find_distances()?;
            self.break_cycles()?;
        } else {
            self.nodes.iter_mut().for_each(|node| node.distance = 0);
        }
        let entry =
            |node: &Node| Entry { stones: node.stones, turn: node.turn, distance: node.distance };
        let mut entries: Vec<_> = self.nodes.iter().map(entry).collect();
        entries.sort_unstable_by_key(|entry| entry.stones);
        Ok(entries)
    }

    /// Finds all positions that the guide's turns lead to.
    fn explore(&mut self, guide: &mut dyn Guide, progress: &mut dyn FnMut(usize)) -> Result<()> {
        let first = self.game.position;
        let is_node = first.to_move() == self.claim.side;
        if is_node && self.game.leaves.value(first)?.is_none() {
            self.add(self.canonicalizer.stones(first))?;
        } else {
            self.add_answers(first)?;
        }
        self.roots = self.nodes.len() as u32;
        let mut next = 0;
        while next < self.nodes.len() {
            self.check_stop()?;
            if next.is_multiple_of(1 << 10) {
                progress(self.nodes.len());
            }
            let position = self.position(self.nodes[next].stones);
            let turn = guide.turn(&position)?.ok_or(CertificateError::NoTurn { position })?;
            let (number, after) = self.play(&position, &turn)?;
            self.nodes[next].turn = number;
            self.add_answers(&after)?;
            next += 1;
        }
        progress(self.nodes.len());
        Ok(())
    }

    /// The position after a turn, and the number of the first turn that leads to it.
    fn play(&self, position: &Position, turn: &Turn) -> Result<(u32, Position)> {
        let rules = self.game.rules;
        if !is_legal(rules, position, turn) {
            return Err(CertificateError::IllegalTurn { position: *position });
        }
        let after = position.play_unchecked(turn);
        let number = first_turn_to(rules, position, &after).expect("the turn itself leads there");
        Ok((number, after))
    }

    fn add_answers(&mut self, after: &Position) -> Result<()> {
        self.open_answers(after)?.into_iter().try_for_each(|stones| self.add(stones))
    }

    /// The positions that must be nodes if the opponent is to move here; none if this is a leaf.
    fn open_answers(&self, after: &Position) -> Result<Vec<Stones>> {
        match self.answers(after)? {
            Answers::Open(answers) => Ok(answers),
            Answers::BadLeaf(position) => Err(CertificateError::BadLeaf { position }),
        }
    }

    fn answers(&self, after: &Position) -> Result<Answers> {
        let Game { rules, leaves, .. } = self.game;
        if let Some(value) = leaves.value(after)? {
            let met = self.claim.is_met_by(value, after.to_move());
            return Ok(if met { Answers::Open(Vec::new()) } else { Answers::BadLeaf(*after) });
        }
        let mut open = Vec::new();
        for answer in rules.successors(after) {
            match leaves.value(&answer)? {
                None => open.push(self.canonicalizer.stones(&answer)),
                Some(value) if self.claim.is_met_by(value, answer.to_move()) => {}
                Some(_) => return Ok(Answers::BadLeaf(answer)),
            }
        }
        Ok(Answers::Open(open))
    }

    fn add(&mut self, stones: Stones) -> Result<()> {
        if self.indices.contains_key(&stones) {
            return Ok(());
        }
        let (positions, capacity) = (self.nodes.len(), self.nodes.capacity());
        let of_nodes = |nodes| (nodes * size_of::<Node>()) as u64;
        let bytes = bytes_when_growing(positions, capacity, of_nodes)
            + bytes_when_growing(positions, self.indices.capacity(), map_bytes::<Stones, u32>);
        if bytes > self.memory_limit as u64 || positions >= CYCLING as usize {
            return Err(CertificateError::MemoryLimit { positions, limit: self.memory_limit });
        }
        self.indices.insert(stones, positions as u32);
        self.nodes.push(Node { stones, turn: 0, distance: UNKNOWN });
        Ok(())
    }

    /// The nodes that can come after a node's turn.
    fn next(&self, node: u32) -> Result<Vec<u32>> {
        let Node { stones, turn, .. } = self.nodes[node as usize];
        let position = self.position(stones);
        let turn = nth_turn(self.game.rules, &position, turn).expect("the turn has this number");
        let answers = self.open_answers(&position.play_unchecked(&turn))?;
        Ok(answers.iter().map(|answer| self.indices[answer]).collect())
    }

    fn position(&self, stones: Stones) -> Position {
        self.canonicalizer.position(stones).expect("the stones of a position")
    }

    /// Computes the distances to conversion of the nodes that do not lead to cycles.
    fn find_distances(&mut self) -> Result<()> {
        for node in 0..self.nodes.len() as u32 {
            if self.nodes[node as usize].distance == UNKNOWN {
                self.find_distances_from(node)?;
            }
        }
        Ok(())
    }

    /// Computes the distance of a node and of all nodes that can come after it, depth first. If
    /// play returns to a node of the path, all nodes of the path are marked as cycling.
    fn find_distances_from(&mut self, node: u32) -> Result<()> {
        let mut path = vec![self.enter(node)?];
        while let Some(step) = path.last_mut() {
            let Some(next) = step.next.pop() else {
                let Step { node, distance, .. } = path.pop().expect("it was the last");
                self.nodes[node as usize].distance = distance;
                if let Some(before) = path.last_mut() {
                    before.distance = self.above(before.node, before.distance, node);
                }
                continue;
            };
            match self.nodes[next as usize].distance {
                UNKNOWN => {
                    let step = self.enter(next)?;
                    path.push(step);
                }
                ON_PATH | CYCLING => {
                    for step in path.drain(..) {
                        self.nodes[step.node as usize].distance = CYCLING;
                    }
                }
                _ => step.distance = self.above(step.node, step.distance, next),
            }
        }
        Ok(())
    }

    fn enter(&mut self, node: u32) -> Result<Step> {
        self.check_stop()?;
        self.nodes[node as usize].distance = ON_PATH;
        Ok(Step { node, distance: 0, next: self.next(node)? })
    }

    /// Updates the distance of a node for a successor whose distance is known.
    ///
    /// Captured stones do not return. So only successors with the same number of stones count,
    /// because play can only return to a position through these.
    fn above(&self, node: u32, distance: u32, next: u32) -> u32 {
        let [node, next] = [node, next].map(|node| &self.nodes[node as usize]);
        let is_conversion = node.stones.count() != next.stones.count();
        if is_conversion { distance } else { distance.max(next.distance + 1) }
    }

    /// Chooses other turns for nodes that lead to cycles: turns that lead only to nodes with known
    /// distances.
    fn break_cycles(&mut self) -> Result<()> {
        let nodes = 0..self.nodes.len() as u32;
        let mut cycling: Vec<_> =
            nodes.filter(|node| self.nodes[*node as usize].distance == CYCLING).collect();
        if cycling.is_empty() {
            return Ok(());
        }
        loop {
            let before = cycling.len();
            let mut left = Vec::new();
            for node in cycling {
                self.check_stop()?;
                match self.turn_forward(node)? {
                    Some((turn, distance)) => {
                        let node = &mut self.nodes[node as usize];
                        (node.turn, node.distance) = (turn, distance);
                    }
                    None => left.push(node),
                }
            }
            cycling = left;
            if cycling.is_empty() || cycling.len() == before {
                return self.drop_unreached();
            }
        }
    }

    /// The first turn of a node that leads only to nodes with known distances, and the distance of
    /// the node with this turn.
    fn turn_forward(&self, node: u32) -> Result<Option<(u32, u32)>> {
        let position = self.position(self.nodes[node as usize].stones);
        let found = try_for_each_successor(self.game.rules, &position, |turn, after| {
            match self.distance_by(node, &after) {
                Ok(None) => ControlFlow::Continue(()),
                Ok(Some(distance)) => ControlFlow::Break(Ok((turn, distance))),
                Err(error) => ControlFlow::Break(Err(error)),
            }
        });
        found.break_value().transpose()
    }

    /// The distance of a node with a turn that leads to this position. `None` if the turn leads to
    /// a position without a known distance, or to a leaf that is not good enough.
    fn distance_by(&self, node: u32, after: &Position) -> Result<Option<u32>> {
        let Answers::Open(answers) = self.answers(after)? else { return Ok(None) };
        Ok(answers.iter().try_fold(0, |distance, answer| {
            let next = *self.indices.get(answer)?;
            let is_known = self.nodes[next as usize].distance < CYCLING;
            is_known.then(|| self.above(node, distance, next))
        }))
    }

    /// Drops the nodes that the chosen turns no longer lead to, and the records of tables probed
    /// for them.
    fn drop_unreached(&mut self) -> Result<()> {
        self.game.leaves.take_probed();
        if self.game.position.to_move() != self.claim.side {
            self.answers(self.game.position)?;
        }
        let mut reached = vec![false; self.nodes.len()];
        let mut waiting: Vec<_> = (0..self.roots).collect();
        while let Some(node) = waiting.pop() {
            self.check_stop()?;
            if mem::replace(&mut reached[node as usize], true) {
                continue;
            }
            let Node { stones, distance, .. } = self.nodes[node as usize];
            if distance >= CYCLING {
                return Err(CertificateError::Cycle { position: self.position(stones) });
            }
            waiting.extend(self.next(node)?);
        }
        let mut reached = reached.into_iter();
        self.nodes.retain(|_| reached.next() == Some(true));
        Ok(())
    }

    fn check_stop(&self) -> Result<()> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(CertificateError::Stopped);
        }
        Ok(())
    }
}
