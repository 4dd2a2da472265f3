//! Making certificates.

use std::collections::HashMap;
use std::mem;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fanorona_core::{Position, RuleSet, Turn};
use fanorona_tablebase::Tables;

use crate::claim::Claim;
use crate::error::CertificateError;
use crate::format::{self, Entry, Header, ProofHeader};
use crate::guide::Guide;
use crate::leaves::{Asked, Leaves};
use crate::stones::{Stones, View};

type Result<T> = std::result::Result<T, CertificateError>;

/// How many entries a block has.
const BLOCK_ENTRIES: u32 = 1024;

/// Makes a certificate: first its one or two proofs, then the file.
///
/// The same guide gives the same file. The [module](super) has an example.
#[derive(Debug)]
pub struct Maker<'a> {
    rules: RuleSet,
    position: Position,
    leaves: Leaves,
    stop: &'a AtomicBool,
    memory: usize,
    proofs: Vec<(Claim, Vec<Entry>)>,
    /// The slices of tables that the proofs rest on.
    asked: Asked,
}

impl<'a> Maker<'a> {
    /// A certificate for a position. Proofs end at the values of the tables, those of the metric
    /// that reaches further.
    ///
    /// # Errors
    /// If a table is damaged, or the board has no reading of the rule set.
    pub fn new(
        rules: &RuleSet,
        position: &Position,
        tables: Option<&Tables>,
        stop: &'a AtomicBool,
    ) -> Result<Self> {
        rules.check(position.board())?;
        let leaves = Leaves::of_all(position.board(), rules, tables)?;
        let (rules, position) = (*rules, *position);
        let (memory, proofs, asked) = (usize::MAX, Vec::new(), Asked::default());
        Ok(Self { rules, position, leaves, stop, memory, proofs, asked })
    }

    /// Bounds the memory that a proof takes while it is made, in bytes. Without it there is no
    /// bound.
    #[must_use]
    pub fn with_memory(self, memory: usize) -> Self {
        Self { memory, ..self }
    }

    /// Adds a proof, following the guide's turns, and tells how many positions it has; `progress` is
    /// told while the number grows. It takes at most some 150 bytes of memory a position.
    ///
    /// If the turns of a win go round in circles, other turns are looked for among the positions
    /// that have come up.
    ///
    /// # Errors
    /// If the guide's turns do not prove the claim, the proof is too large, or somebody asked to
    /// stop; and what the guide or the tables fail with.
    pub fn prove(
        &mut self,
        claim: Claim,
        guide: &mut dyn Guide,
        mut progress: impl FnMut(usize),
    ) -> Result<usize> {
        // What a proof has asked for that came to nothing.
        self.leaves.take_asked();
        let mut proof = Proof {
            maker: self,
            claim,
            view: View::new(self.position.board(), claim.side),
            nodes: Vec::new(),
            roots: 0,
            places: HashMap::new(),
        };
        proof.explore(guide, &mut progress)?;
        if claim.is_win() {
            proof.rank()?;
        }
        let entries = proof.entries();
        let positions = entries.len();
        self.proofs.push((claim, entries));
        self.asked.extend(self.leaves.take_asked());
        Ok(positions)
    }

    /// Writes the certificate, under another name until it is whole. Tells its size in bytes.
    ///
    /// # Errors
    /// If it cannot be written, or a table cannot be read.
    ///
    /// # Panics
    /// If the proofs are neither one nor that both sides have at least a draw.
    pub fn write(mut self, path: &Path) -> Result<u64> {
        let mover = self.position.to_move();
        self.proofs.sort_by_key(|(claim, _)| claim.side != mover);
        let proofs: Vec<_> = self
            .proofs
            .iter()
            .map(|(claim, entries)| ProofHeader {
                by_mover: claim.side == mover,
                wins: claim.is_win(),
                entries: entries.len() as u64,
            })
            .collect();
        let header = Header {
            board: self.position.board(),
            rules: self.rules,
            position: self.position,
            tables: self.leaves.named(self.asked)?,
            proofs,
            block_entries: BLOCK_ENTRIES,
        };
        header.check().expect("the proofs go together");
        let entries: Vec<_> = self.proofs.iter().map(|(_, entries)| &entries[..]).collect();
        format::write(path, &header, &entries)
    }
}

/// A position of a proof that is being made.
#[derive(Clone, Copy, Debug)]
struct Node {
    stones: Stones,
    /// The turn's number.
    turn: u32,
    /// Its rank, or one of the numbers below.
    rank: u32,
}

/// The rank of a node that has not been looked at.
const UNKNOWN: u32 = u32::MAX;
/// The rank of a node whose answers are being looked at.
const OPEN: u32 = u32::MAX - 1;
/// The rank of a node from which play can go round in circles.
const CIRCLING: u32 = u32::MAX - 2;

/// What can come after a turn of the side that proves.
enum Answers {
    /// All is at least as good as the claim, if these positions are.
    Open(Vec<Stones>),
    /// This end, or this position of the tables, is worse.
    TooBad(Position),
}

struct Proof<'m, 'a> {
    maker: &'m Maker<'a>,
    claim: Claim,
    view: View,
    /// All positions that have come up; the first ones begin the proof.
    nodes: Vec<Node>,
    roots: u32,
    places: HashMap<Stones, u32>,
}

impl Proof<'_, '_> {
    /// Finds all positions that can come up by the guide's turns.
    fn explore(&mut self, guide: &mut dyn Guide, progress: &mut impl FnMut(usize)) -> Result<()> {
        let position = self.maker.position;
        let is_root = position.to_move() == self.claim.side;
        if is_root && self.maker.leaves.value(&position)?.is_none() {
            self.add(self.view.stones(&position))?;
        } else {
            self.add_answers(&position)?;
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
            self.nodes[next].turn = self.number(&position, &turn)?;
            self.add_answers(&position.play_unchecked(&turn))?;
            next += 1;
        }
        progress(self.nodes.len());
        Ok(())
    }

    fn add_answers(&mut self, after: &Position) -> Result<()> {
        match self.answers(after)? {
            Answers::Open(answers) => answers.into_iter().try_for_each(|stones| self.add(stones)),
            Answers::TooBad(position) => Err(CertificateError::TooBad { position }),
        }
    }

    /// What can come after a position in which the opponent is to move, or which has a value.
    fn answers(&self, after: &Position) -> Result<Answers> {
        let Maker { rules, leaves, .. } = self.maker;
        if let Some(value) = leaves.value(after)? {
            let met = self.claim.is_met(value, after.to_move());
            return Ok(if met { Answers::Open(Vec::new()) } else { Answers::TooBad(*after) });
        }
        let mut open = Vec::new();
        for answer in rules.successors(after) {
            match leaves.value(&answer)? {
                None => open.push(self.view.stones(&answer)),
                Some(value) if self.claim.is_met(value, answer.to_move()) => {}
                Some(_) => return Ok(Answers::TooBad(answer)),
            }
        }
        Ok(Answers::Open(open))
    }

    fn add(&mut self, stones: Stones) -> Result<()> {
        if self.places.contains_key(&stones) {
            return Ok(());
        }
        let positions = self.nodes.len();
        // A map doubles when it is seven eighths full.
        let bytes = self.places.capacity() * (mem::size_of::<(Stones, u32)>() + 1) * 8 / 7
            + self.nodes.capacity() * mem::size_of::<Node>();
        if bytes > self.maker.memory || positions >= CIRCLING as usize {
            return Err(CertificateError::TooLarge { positions });
        }
        self.places.insert(stones, positions as u32);
        self.nodes.push(Node { stones, turn: 0, rank: UNKNOWN });
        Ok(())
    }

    /// The number of the first turn that leads to the same position as this one.
    fn number(&self, position: &Position, turn: &Turn) -> Result<u32> {
        let turns = self.maker.rules.turns(position);
        if !turns.contains(turn) {
            return Err(CertificateError::IllegalTurn { position: *position });
        }
        let after = position.play_unchecked(turn);
        let same = |turn: &Turn| position.play_unchecked(turn) == after;
        Ok(turns.iter().position(same).expect("the turn itself does") as u32)
    }

    /// The nodes that can come after a node's turn.
    fn next(&self, node: u32) -> Result<Vec<u32>> {
        let Node { stones, turn, .. } = self.nodes[node as usize];
        let position = self.position(stones);
        let turn = &self.maker.rules.turns(&position)[turn as usize];
        match self.answers(&position.play_unchecked(turn))? {
            Answers::Open(answers) => {
                Ok(answers.iter().map(|answer| self.places[answer]).collect())
            }
            Answers::TooBad(_) => unreachable!("the turn has been tried"),
        }
    }

    fn position(&self, stones: Stones) -> Position {
        self.view.position(stones).expect("the stones of a position")
    }

    /// Finds the ranks of a win.
    fn rank(&mut self) -> Result<()> {
        for node in 0..self.nodes.len() as u32 {
            if self.nodes[node as usize].rank == UNKNOWN {
                self.rank_from(node)?;
            }
        }
        self.break_circles()
    }

    /// Finds the ranks of all that can come after a node, and its own, deepest first. If play comes
    /// back to a node before, the nodes on the way are left circling.
    fn rank_from(&mut self, node: u32) -> Result<()> {
        let mut path = vec![self.open(node)?];
        while let Some(step) = path.last_mut() {
            let Some(next) = step.next.pop() else {
                let Step { node, rank, .. } = path.pop().expect("it was the last");
                self.nodes[node as usize].rank = rank;
                if let Some(before) = path.last_mut() {
                    before.rank = self.above(before.node, before.rank, node);
                }
                continue;
            };
            match self.nodes[next as usize].rank {
                UNKNOWN => {
                    let step = self.open(next)?;
                    path.push(step);
                }
                OPEN | CIRCLING => {
                    for step in path.drain(..) {
                        self.nodes[step.node as usize].rank = CIRCLING;
                    }
                }
                _ => step.rank = self.above(step.node, step.rank, next),
            }
        }
        Ok(())
    }

    fn open(&mut self, node: u32) -> Result<Step> {
        self.check_stop()?;
        self.nodes[node as usize].rank = OPEN;
        Ok(Step { node, rank: 0, next: self.next(node)? })
    }

    /// The rank of a node if another one comes after it too, which has one.
    ///
    /// Captures are not taken back, so only among positions with as many stones can play go round in
    /// circles, and only there does a rank count.
    fn above(&self, node: u32, rank: u32, next: u32) -> u32 {
        let [node, next] = [node, next].map(|node| &self.nodes[node as usize]);
        let paika = node.stones.count() == next.stones.count();
        if paika { rank.max(next.rank + 1) } else { rank }
    }

    /// Looks for other turns where the guide's go round in circles: such as lead only to what has a
    /// rank already.
    fn break_circles(&mut self) -> Result<()> {
        let nodes = 0..self.nodes.len() as u32;
        let mut circling: Vec<_> =
            nodes.filter(|node| self.nodes[*node as usize].rank == CIRCLING).collect();
        if circling.is_empty() {
            return Ok(());
        }
        loop {
            let before = circling.len();
            let mut left = Vec::new();
            for node in circling {
                self.check_stop()?;
                match self.turn_forward(node)? {
                    Some((turn, rank)) => {
                        let node = &mut self.nodes[node as usize];
                        (node.turn, node.rank) = (turn, rank);
                    }
                    None => left.push(node),
                }
            }
            circling = left;
            if circling.is_empty() || circling.len() == before {
                return self.leave_out_what_is_not_reached();
            }
        }
    }

    /// A node's first turn whose answers all have ranks, and the rank that it gets by it.
    fn turn_forward(&self, node: u32) -> Result<Option<(u32, u32)>> {
        let position = self.position(self.nodes[node as usize].stones);
        let mut results = Vec::new();
        for (number, turn) in (0..).zip(self.maker.rules.turns(&position)) {
            let after = position.play_unchecked(&turn);
            if results.contains(&after) {
                continue;
            }
            results.push(after);
            let Answers::Open(answers) = self.answers(&after)? else { continue };
            let rank = answers.iter().try_fold(0, |rank, answer| {
                let next = *self.places.get(answer)?;
                let has_rank = self.nodes[next as usize].rank < CIRCLING;
                has_rank.then(|| self.above(node, rank, next))
            });
            if let Some(rank) = rank {
                return Ok(Some((number, rank)));
            }
        }
        Ok(None)
    }

    /// Keeps the nodes that can come up by the turns as they are now, and asks tables for nothing
    /// else.
    fn leave_out_what_is_not_reached(&mut self) -> Result<()> {
        self.maker.leaves.take_asked();
        if self.maker.position.to_move() != self.claim.side {
            self.answers(&self.maker.position)?;
        }
        let mut reached = vec![false; self.nodes.len()];
        let mut next: Vec<_> = (0..self.roots).collect();
        while let Some(node) = next.pop() {
            self.check_stop()?;
            if mem::replace(&mut reached[node as usize], true) {
                continue;
            }
            let Node { stones, rank, .. } = self.nodes[node as usize];
            if rank >= CIRCLING {
                return Err(CertificateError::Circle { position: self.position(stones) });
            }
            next.extend(self.next(node)?);
        }
        let mut reached = reached.into_iter();
        self.nodes.retain(|_| reached.next() == Some(true));
        Ok(())
    }

    fn entries(self) -> Vec<Entry> {
        let Self { nodes, claim, .. } = self;
        let rank = |node: &Node| if claim.is_win() { node.rank } else { 0 };
        let entry = |node: Node| Entry { stones: node.stones, turn: node.turn, rank: rank(&node) };
        let mut entries: Vec<_> = nodes.into_iter().map(entry).collect();
        entries.sort_unstable_by_key(|entry| entry.stones);
        entries
    }

    fn check_stop(&self) -> Result<()> {
        if self.maker.stop.load(Ordering::Relaxed) {
            return Err(CertificateError::Stopped);
        }
        Ok(())
    }
}

/// A node on the way from the first one, while ranks are looked for.
struct Step {
    node: u32,
    /// The rank by those of the next nodes that have been looked at.
    rank: u32,
    /// Those that have not.
    next: Vec<u32>,
}
