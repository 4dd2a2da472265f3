//! Making certificates.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Position, RuleSet};
use fanorona_tablebase::Tables;

use crate::claim::Claim;
use crate::contents;
use crate::discovery::Limits;
use crate::draft::{Draft, Game};
use crate::error::CertificateError;
use crate::format::{Entry, Form, Header, ProofSummary};
use crate::guide::Guide;
use crate::leaves::{Leaves, SliceSet};

type Result<T> = std::result::Result<T, CertificateError>;

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
    form: Form,
    /// In the order of the file: that of the side to move first.
    proofs: Vec<(Claim, Vec<Entry>)>,
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
        Ok(Self {
            rules,
            position: *position,
            leaves,
            memory_limit: usize::MAX,
            form: Form::Turns,
            proofs: Vec::new(),
            probed: SliceSet::new(),
        })
    }

    /// Limits the memory for making a proof, in bytes. There is no limit by default. A position
    /// takes at most 150 bytes.
    #[must_use]
    pub fn with_memory_limit(self, bytes: usize) -> Self {
        Self { memory_limit: bytes, ..self }
    }

    /// Sets what the file stores. By default, it is [`Form::Turns`], which takes less space.
    #[must_use]
    pub fn with_form(self, form: Form) -> Self {
        Self { form, ..self }
    }

    /// Adds a proof of a claim by following the guide's turns, and returns the number of its
    /// positions. Calls `progress` with the number of positions found so far.
    ///
    /// The turns of a win must not lead to cycles. If the guide's turns do, other turns are tried
    /// that lead only to positions that the proof already has.
    ///
    /// After an error the maker is unchanged and can be used again.
    ///
    /// # Errors
    /// - [`CertificateError::Claims`] if no certificate can have this claim besides those that are
    ///   already proved;
    /// - [`NoTurn`](CertificateError::NoTurn), [`IllegalTurn`](CertificateError::IllegalTurn),
    ///   [`BadLeaf`](CertificateError::BadLeaf) or [`Cycle`](CertificateError::Cycle) if the
    ///   guide's turns do not prove the claim;
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
        let game = Game { rules: &self.rules, position: &self.position, leaves: &self.leaves };
        let draft = Draft::new(game, claim, self.memory_limit, stop);
        let entries = draft.complete(guide, &mut progress)?;
        let positions = entries.len();
        self.probed.extend(&self.leaves.take_probed());
        self.proofs.insert(index, (claim, entries));
        Ok(positions)
    }

    /// Writes a certificate of the proofs, and returns the length of the file in bytes. Replaces an
    /// existing file in one step. Reads the tables that the proofs need, to compute their
    /// checksums. [`Form::Turns`] follows the proofs again, which takes up to 200 bytes of memory
    /// for each position besides those of the maker.
    ///
    /// # Errors
    /// [`CertificateError::Claims`] if nothing has been proved, [`CertificateError::Tables`] if a
    /// table cannot be read, [`CertificateError::File`] if the file cannot be written,
    /// [`CertificateError::MemoryLimit`] if there is too little memory, and [`CertificateError::Stopped`] if `stop` was set.
    pub fn write(&self, path: impl AsRef<Path>, stop: &AtomicBool) -> Result<u64> {
        self.check_claims(self.proofs.iter().map(|(claim, _)| *claim).collect())?;
        let summary = |(claim, entries): &(Claim, Vec<Entry>)| ProofSummary {
            claim: *claim,
            positions: entries.len() as u64,
        };
        let needed = self.leaves.needed(self.probed.clone())?;
        let header = Header {
            rules: self.rules,
            position: self.position,
            tables: self.leaves.name(&needed, stop)?,
            proofs: self.proofs.iter().map(summary).collect(),
            block_entries: self.form.block_entries(),
        };
        let entries: Vec<_> = self.proofs.iter().map(|(_, entries)| &entries[..]).collect();
        let limits = Limits::available(stop);
        contents::write(path.as_ref(), &header, &entries, self.form, limits).map_err(|error| {
            match error {
                // The file does not exist yet, so it is not to be named.
                CertificateError::EntryMemory { entries, limit, .. } => {
                    let [positions, limit] = [entries, limit].map(|n| n as usize);
                    CertificateError::MemoryLimit { positions, limit }
                }
                error => error,
            }
        })
    }

    /// Checks that a certificate can have proofs of these claims in this order.
    fn check_claims(&self, claims: Vec<Claim>) -> Result<()> {
        if claims.is_empty() || Claim::to_bounds(&claims, self.position.to_move()).is_none() {
            return Err(CertificateError::Claims { claims });
        }
        Ok(())
    }
}
