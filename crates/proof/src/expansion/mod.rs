//! Checking a certificate without believing tables.
//!
//! First the entries are checked as always, except that a position in a slice with a named table is
//! a leaf whose value is not asked for. Such leaves are collected. Then each proof goes on from them:
//! for every position with the prover to move a turn is chosen, and all replies to it are followed,
//! to the end of the game. The set of positions found is *closed*: play by the chosen turns does not
//! leave it, except to finished games that are good enough for the claim. This proves at least a
//! draw. How large the set becomes depends on the choice of turns, so those are chosen that lead to few
//! new positions. For a win, each position also has a *rank*, which decreases from position to position
//! until a stone is captured. So play ends. If the tables have distances, these are the ranks. If not,
//! ranks are looked for, which takes much longer.
//!
//! Tables recommend the turns, and may be wrong: then a turn is missing, a game is lost, or a rank
//! does not decrease, and the certificate is refused.
//!
//! No turn adds a stone, and turns without captures stay in a slice if the prover is to move before
//! and after. So slices are walked through one after the other, those with more stones first, and
//! each is dropped when it is finished.

mod account;
mod choice;
mod closure;
mod fast_hash;
mod frontier;
mod game;
mod hints;
mod key_set;
mod lane;
mod layers;
mod leaf_collector;
mod numbering;
mod open_turns;
mod order;
mod ranked;
mod walk;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fanorona_core::Position;
use fanorona_tablebase::{Slice, Tables};

use self::account::Account;
use self::closure::Closure;
use self::game::Game;
use self::hints::Hints;
use self::lane::Lane;
use self::layers::Layers;
use self::leaf_collector::LeafCollector;
use self::order::Order;
use self::ranked::RankedWalk;
use self::walk::Walk;
use crate::checker;
use crate::claim::Claim;
use crate::error::CertificateError;
use crate::format::Reader;
use crate::leaves::needs_tables;
use crate::stones::Canonicalizer;

type Result<T> = std::result::Result<T, CertificateError>;

/// What a proof came to that was checked without believing tables.
///
/// Positions with the prover to move are counted, and symmetric ones once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Expansion {
    /// The claim that is proved.
    pub claim: Claim,
    /// The positions in the certificate.
    pub entries: u64,
    /// The first positions of the expansion: leaves of the certificate, and replies to such leaves.
    pub leaves: u64,
    /// The positions of the expansion, leaves included. Entries are not counted.
    pub positions: u64,
    /// The replies to the chosen turns: different positions after one turn each. Turns to the same
    /// position are chosen once.
    pub replies: u64,
    /// The most memory that was used for positions at one time, in bytes.
    pub memory: u64,
}

/// How far a check without believing tables has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct ExpansionProgress {
    /// The entries of the certificate that are checked.
    pub entries: u64,
    /// The positions of the expansion that are done, all proofs together.
    pub positions: u64,
}

/// Checks all proofs of a certificate, and expands their leaves.
pub(crate) fn expand(
    reader: &Reader,
    tables: Option<&Tables>,
    memory_limit: u64,
    stop: &AtomicBool,
    progress: &(impl Fn(ExpansionProgress) + Sync),
) -> Result<Vec<Expansion>> {
    let header = reader.header();
    let Some(tables) = tables else {
        return expand_with(reader, None, memory_limit, stop, progress);
    };
    let (board, rules) = (header.board(), header.rules.without_vela());
    let tables = Tables::open_with(tables.dir(), board, rules, *tables.options())?;
    let probe = |position: &Position| tables.probe(position);
    expand_with(reader, Some(Hints(&probe)), memory_limit, stop, progress)
}

/// The same with any hints.
fn expand_with(
    reader: &Reader,
    hints: Option<Hints<'_>>,
    memory_limit: u64,
    stop: &AtomicBool,
    progress: &(impl Fn(ExpansionProgress) + Sync),
) -> Result<Vec<Expansion>> {
    let header = reader.header();
    let mut done = ExpansionProgress { entries: 0, positions: 0 };
    let proofs = header.proofs.iter().enumerate().map(|(number, proof)| {
        let canonicalizer = Canonicalizer::new(header.board(), proof.claim.side);
        let game =
            Game { rules: &header.rules, claim: proof.claim, canonicalizer: &canonicalizer, stop };
        let proof = ProofExpansion { reader, number, game, hints };
        let found = proof.run(memory_limit, &|entries, positions| {
            let entries = done.entries + entries;
            progress(ExpansionProgress { entries, positions: done.positions + positions });
        })?;
        done.entries += found.entries;
        done.positions += found.positions;
        Ok(found)
    });
    proofs.collect()
}

/// The expansion of one proof.
struct ProofExpansion<'a> {
    reader: &'a Reader,
    /// The number of the proof.
    number: usize,
    game: Game<'a>,
    hints: Option<Hints<'a>>,
}

impl ProofExpansion<'_> {
    fn run(&self, memory_limit: u64, progress: &(dyn Fn(u64, u64) + Sync)) -> Result<Expansion> {
        let account = Account::new(memory_limit);
        let mut layers = Layers::new(self.reader.header().board(), &account);
        self.collect_leaves(&layers, &|checked| progress(checked, 0))?;
        let entries = self.reader.header().proofs[self.number].positions;
        let leaves = layers.positions();
        let replies = AtomicU64::new(0);
        let positions = AtomicU64::new(0);
        while let Some(slice) = layers.largest() {
            let walked = |more| {
                progress(entries, positions.fetch_add(more, Ordering::Relaxed) + more);
            };
            self.walk(&layers, slice, &replies, &walked)?;
            layers.drop_layer(slice);
        }
        Ok(Expansion {
            claim: self.game.claim,
            entries,
            leaves,
            positions: positions.into_inner(),
            replies: replies.into_inner(),
            memory: account.most(),
        })
    }

    /// Checks the entries, and puts the first positions of the expansion into the layers.
    fn collect_leaves(&self, layers: &Layers<'_>, progress: &(impl Fn(u64) + Sync)) -> Result<()> {
        let slices = self.reader.header().tables.iter().map(|table| table.slice).collect();
        let path = self.reader.path();
        let collector = LeafCollector { game: self.game, slices, layers, path };
        checker::check_proof(self.reader, self.number, &collector, self.game.stop, progress)
    }

    /// Walks through the positions of a slice.
    fn walk(
        &self,
        layers: &Layers<'_>,
        slice: Slice,
        replies: &AtomicU64,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<()> {
        let hints = self.hints.ok_or_else(|| self.needs_tables())?;
        let layer = layers.layer(slice)?;
        let lane = Lane::new(self.game, hints, layer);
        let path = self.reader.path();
        let walk = Walk { lane, layers, path, replies, progress };
        let is_win = self.game.claim.is_win();
        if !is_win || lane.has_distances(layer)? {
            return Closure { walk, is_ranked: is_win }.run(layer);
        }
        let order = Order::find(lane, &layer.keys.keys(), layers.account)?;
        RankedWalk { walk, order: &order }.run(layer)?;
        order.drop_from(layers.account);
        Ok(())
    }

    /// The error of a certificate with leaves in tables if no tables are given.
    fn needs_tables(&self) -> CertificateError {
        let (path, header) = (self.reader.path(), self.reader.header());
        let last = header.tables.last().expect("leaves are in slices with named tables");
        needs_tables(path, header.board(), &header.rules, &header.tables, last)
    }
}
