//! Checking a certificate without believing tables.
//!
//! First the entries are checked as always, except that a position in a slice with a named table is
//! a leaf whose value is not asked for. Such leaves are collected. Then each proof goes on from them:
//! for every position with the prover to move a turn is chosen, and all replies to it are followed,
//! to the end of the game. The set of positions found is *closed*: play by the chosen turns does not
//! leave it, except to finished games that are good enough for the claim. This proves at least a
//! draw. How large the set becomes depends on the choice of turns, so those are chosen that lead to few
//! new positions. For a win, each position also has a *rank*, which decreases from position to position
//! until a stone is captured. So play ends. A search finds the ranks. Proofs of the same kind are
//! expanded together.
//!
//! Tables recommend the turns, and may be wrong: then a turn is missing, a game is lost, or a rank
//! does not decrease, and the certificate is refused.
//!
//! No turn adds a stone, and turns without captures stay in a slice if the prover is to move before
//! and after. So slices are walked through one after the other, those with more stones first, and
//! each is dropped when it is finished.
//!
//! # Why this is sound
//! Let `S` be the positions that were ever in a layer. Three things make it closed:
//! - The first positions are there: [`group`] adds them while the entries are checked.
//! - Each position of `S` is expanded: it has a turn of the rules, and all replies to that turn are good
//!   ends of the game or in `S`. [`closure`] and [`ranked`] do that, by the rules alone. A key is new to
//!   its [set](key_set) once, and is expanded when it is ([`lane`]). [Numbers](numbering) are exact,
//!   so no position passes for another one.
//! - No position comes to a layer that is finished: captures lead to fewer stones, and two different
//!   slices with as many stones do not lead to each other.
//!
//! The choice of turns, the hints of tables, and [`ranking`] only propose. Whatever they propose, the
//! claim is refused or proved.

mod account;
mod closure;
mod group;
mod key_set;
mod lane;
mod layers;
mod numbering;
mod ranked;
mod ranking;

#[cfg(test)]
mod tests;

use std::sync::atomic::AtomicBool;

use fanorona_core::Position;
use fanorona_tablebase::Tables;

use self::account::Account;
pub use self::account::ExpansionProgress;
use self::group::{Group, groups};
use self::lane::{Lane, LaneSizes, Probe};
use self::layers::Layers;
use crate::claim::Claim;
use crate::error::Result;
use crate::format::Certificate;
use crate::format::ProofSummary;

/// The result of checking proofs without believing tables.
///
/// Positions with the prover to move are counted, and symmetric ones once. One that comes up in
/// several proofs of the same kind is counted once too.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Expansion {
    /// All proofs, in the order of the certificates.
    pub proofs: Vec<ExpandedProof>,
    /// The positions of the expansion, leaves included. Entries are not counted.
    pub positions: u64,
    /// The replies to the chosen turns: different positions after one turn each. Turns to the same
    /// position are chosen once.
    pub replies: u64,
    /// The most memory that was used for positions at one time, in bytes.
    pub memory: u64,
}

/// A proof whose leaves were expanded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct ExpandedProof {
    /// The number of its certificate, from 0.
    pub certificate: usize,
    /// Its number in the certificate, from 0.
    pub number: usize,
    pub claim: Claim,
    /// The number of its positions in the certificate.
    pub entries: u64,
    /// The first positions of the expansion that no earlier proof has: leaves of the certificate, and
    /// replies to such leaves.
    pub leaves: u64,
}

/// Checks all proofs of the certificates, and expands their leaves.
pub(crate) fn expand(
    certificates: &[&Certificate],
    tables: Option<&Tables>,
    memory_limit: u64,
    stop: &AtomicBool,
    progress: &(impl Fn(ExpansionProgress) + Sync),
) -> Result<Expansion> {
    let sizes = LaneSizes { expanded: 1 << 9, ranked: 1 << 6, stalled: 32 };
    let account = Account::new(memory_limit, progress);
    let mut run = ExpansionRun { account: &account, stop, sizes, proofs: Vec::new() };
    for group in groups(certificates) {
        let Some(tables) = tables else {
            run.expand(&group, None)?;
            continue;
        };
        let (board, rules) = (group.header().board(), group.header().rules.without_vela());
        let tables = Tables::open_dirs(tables.dirs(), board, rules, *tables.options())?;
        let probe = |position: &Position| Ok(tables.probe(position)?.value);
        run.expand(&group, Some(&probe)).map_err(|error| group.missing(error, &tables))?;
    }
    Ok(run.finish())
}

struct ExpansionRun<'a> {
    account: &'a Account<'a>,
    stop: &'a AtomicBool,
    sizes: LaneSizes,
    /// The proofs that are expanded, or being expanded.
    proofs: Vec<ExpandedProof>,
}

impl ExpansionRun<'_> {
    /// Expands the proofs of a group together.
    fn expand(&mut self, group: &Group<'_>, probe: Option<&Probe<'_>>) -> Result<()> {
        self.account.begin_group();
        let mut layers = Layers::new(group.header().board(), self.account);
        self.collect_leaves(group, &layers)?;

        let steps = &group.steps(self.stop);
        // Nothing that is still to come leads back to the slice with the most stones.
        while let Some(slice) = layers.largest() {
            let probe = probe.ok_or_else(|| group.needs_tables())?;
            let (layer, sizes) = (layers.layer(slice)?, self.sizes);
            let lane = Lane { steps, probe, layers: &layers, layer, sizes };
            let walk = if steps.claim.is_win() { ranked::walk } else { closure::walk };
            walk(lane)?;
            layers.drop_layer(slice);
        }
        Ok(())
    }

    /// Checks the entries of a group, and puts the first positions of the expansion into the layers.
    fn collect_leaves(&mut self, group: &Group<'_>, layers: &Layers<'_>) -> Result<()> {
        for proof in &group.proofs {
            let before: u64 = self.proofs.iter().map(|proof| proof.entries).sum();
            let known = layers.positions();
            let progress = &mut |checked| self.account.checked(before + checked);
            proof.collect_leaves(layers, self.stop, progress)?;
            let ProofSummary { claim, positions: entries } = proof.summary();
            let (certificate, number) = (proof.certificate, proof.number);
            let leaves = layers.positions() - known;
            self.proofs.push(ExpandedProof { certificate, number, claim, entries, leaves });
        }
        Ok(())
    }

    fn finish(mut self) -> Expansion {
        self.proofs.sort_by_key(|proof| (proof.certificate, proof.number));
        let (positions, replies) = (self.account.progress().positions, self.account.replies());
        Expansion { proofs: self.proofs, positions, replies, memory: self.account.budget.most() }
    }
}
