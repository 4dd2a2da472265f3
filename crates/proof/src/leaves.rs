//! Leaves whose values are in tables.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fanorona_core::{Board, Position, RuleSet};
use fanorona_tablebase::{Metric, Slice, TableError, Tables, Unit};

use crate::error::{CertificateError, Flaw, Result, check_stop};
use crate::format::{Header, NamedTable};
use crate::steps::Leaf;

/// A set of slices with up to 31 stones for each side, by [`slice_index`].
#[derive(Clone, Debug)]
pub(crate) struct SliceSet(Vec<bool>);

pub(crate) const SLICE_INDICES: usize = 32 * 32;

pub(crate) fn slice_index(slice: Slice) -> usize {
    usize::from(slice.own) * 32 + usize::from(slice.opponent)
}

impl SliceSet {
    pub(crate) fn new() -> Self {
        Self(vec![false; SLICE_INDICES])
    }

    /// The slices of the tables that a certificate names.
    pub(crate) fn named(header: &Header) -> Self {
        let mut set = Self::new();
        header.tables.iter().for_each(|table| set.insert(table.slice));
        set
    }

    fn contains(&self, slice: Slice) -> bool {
        self.0[slice_index(slice)]
    }

    /// The slice of a position, if it is in the set. Positions in the first phase of the vela are
    /// not leaves: certificates name no tables of it.
    pub(crate) fn slice_with_tables(&self, rules: &RuleSet, position: &Position) -> Option<Slice> {
        let slice = Slice::of(position).filter(|slice| self.contains(*slice))?;
        rules.endgame_of(position).vela().is_none().then_some(slice)
    }

    fn insert(&mut self, slice: Slice) {
        self.0[slice_index(slice)] = true;
    }

    pub(crate) fn extend(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(here, there)| *here |= there);
    }
}

/// The error of a certificate that names tables if none are given; `None` if it names no table.
pub(crate) fn needs_tables(certificate: &Path, header: &Header) -> Option<CertificateError> {
    let NamedTable { slice, metric, .. } = *header.tables.last()?;
    Some(CertificateError::NeedsTables {
        path: certificate.to_owned(),
        tables: header.tables.len(),
        board: header.board(),
        rules: header.rules.without_vela(),
        slice,
        metric,
    })
}

/// Finds the values of leaves, and records which tables were probed.
///
/// All tables are of one metric, so that a proof depends on few tables.
#[derive(Debug)]
pub(crate) struct Leaves {
    rules: RuleSet,
    /// Without tables, there are no leaves.
    tables: Option<(Tables, Metric)>,
    /// The slices whose positions are leaves.
    leaves: SliceSet,
    /// Whether a position of a slice was probed, by [`slice_index`].
    probed: Vec<AtomicBool>,
}

impl Leaves {
    fn new(rules: &RuleSet) -> Self {
        let probed = (0..SLICE_INDICES).map(|_| AtomicBool::new(false)).collect();
        Self { rules: *rules, tables: None, leaves: SliceSet::new(), probed }
    }

    /// The leaves for making a proof: all tables of the metric that reaches more stones, or of
    /// `wdl` if both reach the same number.
    pub(crate) fn of_all_tables(
        board: Board,
        rules: &RuleSet,
        tables: Option<&Tables>,
    ) -> Result<Self> {
        let mut found = Self::new(rules);
        let Some(tables) = tables else { return Ok(found) };
        let tables = packed(tables, board, rules)?;
        let files = tables.all()?;
        let files: Vec<_> = files.iter().map(|file| file.metadata()).collect();
        let stones = |metric| {
            let of_metric = files.iter().filter(move |file| file.metric == metric);
            of_metric.map(|file| file.slice.stones()).max()
        };
        // Of equal metrics, `max_by_key` takes the last.
        let furthest = [Metric::Dtw, Metric::Wdl].into_iter().max_by_key(|m| stones(*m));
        let Some(metric) = furthest.filter(|metric| stones(*metric).is_some()) else {
            return Ok(found);
        };
        // Smaller slices come first.
        for file in files.into_iter().filter(|file| file.metric == metric) {
            let mut after = file.slice.after_captures();
            if file.captures_stored || after.all(|slice| found.leaves.contains(slice)) {
                found.leaves.insert(file.slice);
            }
        }
        found.tables = Some((tables, metric));
        Ok(found)
    }

    /// The leaves for checking a certificate: the tables that it names. Reads all their bytes to
    /// compare checksums.
    pub(crate) fn of_named_tables(
        certificate: &Path,
        header: &Header,
        tables: Option<&Tables>,
        stop: &AtomicBool,
    ) -> Result<Self> {
        let mut found = Self::new(&header.rules);
        let Some(error) = needs_tables(certificate, header) else { return Ok(found) };
        let tables = packed(tables.ok_or(error)?, header.board(), &header.rules)?;
        let named = &header.tables;
        // The largest first, so that it is the one in the error if several are missing.
        for NamedTable { slice, metric, checksum: expected } in named.iter().rev().copied() {
            check_stop(stop)?;
            let file = tables.existing(slice, metric)?;
            let stores_captures = file.metadata().captures_stored;
            let checksum = file.checksum()?;
            if checksum != expected {
                return Err(CertificateError::OtherTable {
                    path: certificate.to_owned(),
                    table: file.path().to_owned(),
                    found: checksum,
                    expected,
                });
            }
            // All tables that will be probed must be named, so that their checksums are compared.
            let is_named = |needed: Slice| named.iter().any(|table| table.slice == needed);
            if !stores_captures && !slice.after_captures().all(is_named) {
                return Err(CertificateError::DoesNotHold {
                    path: certificate.to_owned(),
                    flaw: Flaw::IncompleteTables { slice },
                });
            }
            found.leaves.insert(slice);
        }
        found.tables = Some((tables, named[0].metric));
        Ok(found)
    }

    /// The leaf at a position in which the game is not over.
    pub(crate) fn leaf(&self, position: &Position) -> Result<Leaf> {
        let Some((tables, metric)) = &self.tables else { return Ok(Leaf::No) };
        let Some(slice) = self.leaves.slice_with_tables(&self.rules, position) else {
            return Ok(Leaf::No);
        };
        // Read when the threads that probe have ended, so no order is needed.
        self.probed[slice_index(slice)].store(true, Ordering::Relaxed);
        Ok(Leaf::Value(tables.probe_metric(position, *metric)?.value))
    }

    /// The slices that were probed since the last call.
    pub(crate) fn take_probed(&self) -> SliceSet {
        let take = |probed: &AtomicBool| probed.swap(false, Ordering::Relaxed);
        SliceSet(self.probed.iter().map(take).collect())
    }

    /// The slices whose tables are needed for the probed ones: these, and those that captures lead
    /// to if a table does not store positions with captures. Smaller slices first.
    pub(crate) fn needed(&self, mut needed: SliceSet) -> Result<Vec<Slice>> {
        let Some((tables, metric)) = &self.tables else { return Ok(Vec::new()) };
        let board = tables.board();
        let mut slices: Vec<_> =
            Unit::up_to(board, 2 * board.max_stones()).flat_map(Unit::slices).collect();
        slices.sort_by_key(|slice| (slice.stones(), slice.own));
        // A table needs smaller ones only.
        for slice in slices.iter().rev().copied() {
            if needed.contains(slice)
                && !tables.existing(slice, *metric)?.metadata().captures_stored
            {
                slice.after_captures().for_each(|smaller| needed.insert(smaller));
            }
        }
        slices.retain(|slice| needed.contains(*slice));
        Ok(slices)
    }

    /// Names the tables of the slices that [`needed`](Self::needed) has returned. Reads all their
    /// bytes to compute checksums.
    pub(crate) fn name(&self, needed: &[Slice], stop: &AtomicBool) -> Result<Vec<NamedTable>> {
        let Some((tables, metric)) = &self.tables else { return Ok(Vec::new()) };
        let name = |slice: &Slice| {
            check_stop(stop)?;
            let (slice, metric) = (*slice, *metric);
            let checksum = tables.existing(slice, metric)?.checksum()?;
            Ok(NamedTable { slice, metric, checksum })
        };
        needed.iter().map(name).collect()
    }
}

/// The packed tables of a board and of the rule set without the vela, which decide its second
/// phase. Unpacked tables are ignored, because certificates do not have their checksums.
fn packed(tables: &Tables, board: Board, rules: &RuleSet) -> Result<Tables, TableError> {
    tables.packed(board, rules.without_vela())
}
