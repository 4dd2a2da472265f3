//! Making certificates.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Position, RuleSet, Stones};
use fanorona_tablebase::Tables;

use crate::claim::Claim;
use crate::discovery::{Queue, discover};
use crate::error::{CertificateError, Flaw, Result};
use crate::format::{self, BLOCK_ENTRIES, Header, ProofSummary};
use crate::guide::Guide;
use crate::leaves::{Leaves, SliceSet};
use crate::steps::{Limits, StepBuffers, Steps};
use crate::turns::{number_of, try_for_each_successor};

/// The most entries whose turns a guide is asked for before they are followed, so that a bad turn is
/// noticed early.
const ASKED_TOGETHER: usize = 1 << 8;

/// Makes a certificate: adds a proof for each claim, then writes the file.
///
/// Guides that choose the same turns lead to the same file, byte for byte. See the [crate](crate)
/// for an example.
#[derive(Debug)]
pub struct Maker {
    rules: RuleSet,
    position: Position,
    leaves: Leaves,
    memory_limit: usize,
    /// Claims and their turns, in the order of the file. That of the side to move comes first, as in
    /// the file.
    proofs: Vec<(Claim, Vec<u32>)>,
    /// The slices that the proofs have probed.
    probed: SliceSet,
}

impl Maker {
    /// Begins a certificate for a position. Proofs end at positions in the given tables. Only
    /// tables of one metric are used: the one that reaches more stones, or `wdl` if both reach the
    /// same number.
    ///
    /// # Errors
    /// [`CertificateError::Rules`] if the rule set cannot be played on the board,
    /// [`CertificateError::Tables`] if a table is damaged.
    pub fn new(rules: RuleSet, position: &Position, tables: Option<&Tables>) -> Result<Self> {
        rules.check(position.board())?;
        let leaves = Leaves::of_all_tables(position.board(), &rules, tables)?;
        let (proofs, probed) = (Vec::new(), SliceSet::new());
        Ok(Self { rules, position: *position, leaves, memory_limit: usize::MAX, proofs, probed })
    }

    /// Limits the memory for making a proof, in bytes. There is no limit by default. A position takes
    /// at most 150 bytes, and in a proof of a win 8 more for each reply that captures nothing.
    #[must_use]
    pub fn with_memory_limit(self, bytes: usize) -> Self {
        Self { memory_limit: bytes, ..self }
    }

    /// Adds a proof of a claim by following the guide's turns, and returns the number of its
    /// positions. Calls `progress` with the number of positions whose turns were followed so far.
    ///
    /// The turns of a win must not lead to cycles. If the guide's turns do, other turns are tried
    /// that lead only to positions that the proof already has.
    ///
    /// After an error the maker is unchanged and can be used again.
    ///
    /// # Errors
    /// - [`CertificateError::Claims`] if no certificate can have this claim besides those that are
    ///   already proved;
    /// - [`NoProof`](CertificateError::NoProof) if the guide's turns do not prove the claim;
    /// - [`CertificateError::MemoryLimit`] if the proof is too large;
    /// - [`CertificateError::Guide`] and [`CertificateError::Tables`] if the guide or a table
    ///   fails;
    /// - [`CertificateError::Stopped`] if `stop` was set.
    pub fn prove(
        &mut self,
        claim: Claim,
        guide: &mut dyn Guide,
        stop: &AtomicBool,
        mut progress: impl FnMut(usize),
    ) -> Result<usize> {
        let index = usize::from(!self.proofs.is_empty() && claim.side != self.position.to_move());
        let mut claims: Vec<_> = self.proofs.iter().map(|(claim, _)| *claim).collect();
        claims.insert(index, claim);
        self.check_claims(claims)?;

        // Drops the records of earlier, failed proofs.
        self.leaves.take_probed();
        let limits = Limits::new(self.memory_limit as u64, stop);
        let ends = |position: &Position| self.leaves.leaf(position);
        let steps = Steps::new(&self.rules, self.position.board(), claim, &ends, limits);
        let mut ask = |stones: &Stones| {
            steps.check_stop()?;
            let position = steps.position(*stones);
            let Some(turn) = guide.turn(&position)? else {
                return Err(steps.fails(Flaw::NoTurn { position }));
            };
            let number = number_of(&steps.rules, &position, &turn);
            number.ok_or_else(|| steps.fails(Flaw::IllegalTurn { position }))
        };
        let mut guided =
            |entries: &[Stones]| entries.iter().take(ASKED_TOGETHER).map(&mut ask).collect();
        let progress = &mut |followed| progress(followed as usize);
        let mut found = discover(&steps, &self.position, &mut guided, progress)?;
        if found.check_ends(&steps).is_err() {
            break_cycles(&steps, &mut found)?;
            // Tables that were probed for other turns need not be named.
            self.leaves.take_probed();
            // New turns lead only to entries of the queue, and so do the old ones.
            let turn = |stones: &Stones| {
                let layer = &found.layers[stones.count() as usize];
                layer.turns[layer.numbers[stones] as usize]
            };
            let mut turns = |entries: &[Stones]| Ok(entries.iter().map(turn).collect());
            let mut again = discover(&steps, &self.position, &mut turns, &mut |_| {})?;
            again.check_ends(&steps)?;
            found = again;
        }
        let turns = found.turns();
        let positions = turns.len();
        self.probed.extend(&self.leaves.take_probed());
        self.proofs.insert(index, (claim, turns));
        Ok(positions)
    }

    /// Writes a certificate of the proofs, and returns the length of the file in bytes. Replaces an
    /// existing file in one step. Reads the tables that the proofs need, to compute their
    /// checksums.
    ///
    /// # Errors
    /// [`CertificateError::Claims`] if nothing has been proved, [`CertificateError::Tables`] if a
    /// table cannot be read, [`CertificateError::File`] if the file cannot be written, and
    /// [`CertificateError::Stopped`] if `stop` was set.
    pub fn write(&self, path: impl AsRef<Path>, stop: &AtomicBool) -> Result<u64> {
        self.check_claims(self.proofs.iter().map(|(claim, _)| *claim).collect())?;
        let summary = |(claim, turns): &(Claim, Vec<u32>)| ProofSummary {
            claim: *claim,
            positions: turns.len() as u64,
        };
        let needed = self.leaves.needed(self.probed.clone())?;
        let header = Header {
            rules: self.rules,
            position: self.position,
            tables: self.leaves.name(&needed, stop)?,
            proofs: self.proofs.iter().map(summary).collect(),
            block_entries: BLOCK_ENTRIES,
        };
        let turns: Vec<_> = self.proofs.iter().map(|(_, turns)| &turns[..]).collect();
        format::write(path.as_ref(), &header, &turns)
    }

    /// Checks that a certificate can have proofs of these claims in this order.
    fn check_claims(&self, claims: Vec<Claim>) -> Result<()> {
        if claims.is_empty() || Claim::to_bounds(&claims, self.position.to_move()).is_none() {
            return Err(CertificateError::Claims { claims });
        }
        Ok(())
    }
}

/// Gives entries from which play need not end other turns, as far as there are any: turns that lead
/// only to entries from which play ends. Some entries may not be needed with these turns. So the proof
/// has to be followed again, which also finds the cycles that are left.
fn break_cycles(steps: &Steps<'_>, queue: &mut Queue) -> Result<()> {
    let mut is_endless = queue.endless(steps)?;
    let places = is_endless.iter().enumerate().flat_map(|(count, layer)| {
        (0..layer.len()).filter(|entry| layer[*entry]).map(move |entry| (count, entry))
    });
    let mut left: Vec<_> = places.collect();
    // An entry gets another turn once play ends after every reply to it. So the new turns make no
    // cycle.
    loop {
        let mut still_left = Vec::new();
        for (count, entry) in left.iter().copied() {
            steps.check_stop()?;
            let layer = &queue.layers[count];
            match turn_to_an_end(steps, queue, layer.stones[entry], &is_endless)? {
                Some(turn) => {
                    queue.layers[count].turns[entry] = turn;
                    is_endless[count][entry] = false;
                }
                None => still_left.push((count, entry)),
            }
        }
        if still_left.is_empty() || still_left.len() == left.len() {
            return Ok(());
        }
        left = still_left;
    }
}

/// The first turn of an entry after which every reply is a good leaf or an entry from which play ends.
fn turn_to_an_end(
    steps: &Steps<'_>,
    queue: &Queue,
    entry: Stones,
    is_endless: &[Vec<bool>],
) -> Result<Option<u32>> {
    let position = steps.position(entry);
    let mut buffers = StepBuffers::default();
    let found = try_for_each_successor(&steps.rules, &position, |turn, after| {
        let mut all_end = true;
        let found = steps.replies(&after, &mut buffers, |reply| {
            let count = reply.count() as usize;
            let number = queue.layers[count].numbers.get(&reply);
            all_end &= number.is_some_and(|number| !is_endless[count][*number as usize]);
        });
        match found {
            Ok(()) if all_end => ControlFlow::Break(Ok(turn)),
            Ok(()) | Err(CertificateError::NoProof { flaw: Flaw::BadLeaf { .. } }) => {
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(Err(error)),
        }
    });
    found.break_value().transpose()
}
