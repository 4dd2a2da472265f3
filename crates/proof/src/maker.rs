//! Making certificates.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Position, RuleSet, Stones};
use fanorona_tablebase::Tables;

use crate::claim::Claim;
use crate::cycles::{TurnsOf, break_cycles};
use crate::discovery::{Limits, Turns, discover};
use crate::error::{CertificateError, Flaw};
use crate::format::{self, BLOCK_ENTRIES, Header, ProofSummary};
use crate::guide::Guide;
use crate::leaves::{Leaves, SliceSet};
use crate::steps::Steps;
use crate::turns::number_of;

type Result<T> = std::result::Result<T, CertificateError>;

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
        let steps = Steps::new(&self.rules, &self.position, claim, &self.leaves);
        let mut guided = GuidedTurns { steps: &steps, guide, limits };
        let progress = |followed| progress(followed as usize);
        let mut found = discover(&steps, &self.position, &mut guided, limits, progress)?;
        if found.check_ends(&steps).is_err() {
            break_cycles(&steps, &mut found, limits)?;
            // Tables that were probed for other turns need not be named.
            self.leaves.take_probed();
            let mut turns = TurnsOf(&found);
            let mut again = discover(&steps, &self.position, &mut turns, limits, |_| {})?;
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

/// A guide, asked for one entry after the other. Its turns need not be good: the steps check them.
struct GuidedTurns<'a> {
    steps: &'a Steps<'a, Leaves>,
    guide: &'a mut dyn Guide,
    limits: Limits<'a>,
}

impl Turns for GuidedTurns<'_> {
    fn next(&mut self, entries: &[Stones]) -> Result<Vec<u32>> {
        let Self { steps, guide, limits } = self;
        let turn = |stones: &Stones| {
            limits.check_stop()?;
            let position = steps.position(*stones);
            let Some(turn) = guide.turn(&position)? else {
                return Err(steps.fails(Flaw::NoTurn { position }));
            };
            let number = number_of(&steps.rules, &position, &turn);
            number.ok_or_else(|| steps.fails(Flaw::IllegalTurn { position }))
        };
        entries.iter().take(ASKED_TOGETHER).map(turn).collect()
    }
}
