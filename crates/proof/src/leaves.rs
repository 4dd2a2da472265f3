//! Leaves: positions at which a proof ends, because the game is over or a table has their value.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fanorona_core::{Board, Position, RuleSet, Value};
use fanorona_tablebase::{Metric, Slice, TableError, Tables, Unit};

use crate::error::{CertificateError, Flaw};
use crate::format::{Header, NamedTable};

/// Where a proof may end.
pub(crate) trait Ends: Sync {
    /// Whether a position is a leaf.
    fn leaf(&self, position: &Position) -> Result<Leaf, CertificateError>;
}

/// Whether a position is a leaf, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leaf {
    /// It is not a leaf.
    No,
    /// It has this value for the side to move.
    Value(Value),
    /// It is a leaf, but its value is left to another check.
    Unchecked,
}

/// Finds the values of leaves, and records which tables were probed.
///
/// All tables are of one metric, so that a proof depends on few tables.
#[derive(Debug)]
pub(crate) struct Leaves {
    rules: RuleSet,
    tables: Option<LeafTables>,
}

/// Tables of one metric, with the slices whose positions are leaves.
#[derive(Debug)]
struct LeafTables {
    tables: Tables,
    metric: Metric,
    leaves: SliceSet,
    /// Whether a position of a slice was probed, by [`slice_index`].
    probed: Vec<AtomicBool>,
}

/// A set of slices with up to 31 stones for each side.
#[derive(Clone, Debug)]
pub(crate) struct SliceSet(Vec<bool>);

/// The number of values of [`slice_index`].
const SLICE_INDICES: usize = 32 * 32;

fn slice_index(slice: Slice) -> usize {
    usize::from(slice.own) * 32 + usize::from(slice.opponent)
}

impl SliceSet {
    pub(crate) fn new() -> Self {
        Self(vec![false; SLICE_INDICES])
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

impl FromIterator<Slice> for SliceSet {
    fn from_iter<I: IntoIterator<Item = Slice>>(slices: I) -> Self {
        let mut set = Self::new();
        slices.into_iter().for_each(|slice| set.insert(slice));
        set
    }
}

/// The packed tables of a board and of the rule set without the vela, which decide its second
/// phase. Unpacked tables are ignored, because certificates do not have their checksums.
fn packed(tables: &Tables, board: Board, rules: &RuleSet) -> Result<Tables, TableError> {
    tables.packed(board, rules.without_vela())
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

/// The leaves of a certificate without their values: the slices of the tables that it names.
pub(crate) struct NamedSlices {
    rules: RuleSet,
    slices: SliceSet,
}

impl NamedSlices {
    pub(crate) fn new(rules: &RuleSet, named: &[NamedTable]) -> Self {
        Self { rules: *rules, slices: named.iter().map(|table| table.slice).collect() }
    }
}

impl Ends for NamedSlices {
    fn leaf(&self, position: &Position) -> Result<Leaf, CertificateError> {
        if let Some(outcome) = self.rules.outcome(position) {
            return Ok(Leaf::Value(outcome.value_for(position.to_move())));
        }
        let slice = self.slices.slice_with_tables(&self.rules, position);
        Ok(if slice.is_some() { Leaf::Unchecked } else { Leaf::No })
    }
}

impl Leaves {
    /// The leaves for making a proof: all tables of the metric that reaches more stones, or of
    /// `wdl` if both reach the same number.
    pub(crate) fn of_all_tables(
        board: Board,
        rules: &RuleSet,
        tables: Option<&Tables>,
    ) -> Result<Self, CertificateError> {
        let tables = match tables {
            Some(tables) => LeafTables::all(packed(tables, board, rules)?)?,
            None => None,
        };
        Ok(Self { rules: *rules, tables })
    }

    /// The leaves for checking a certificate: the tables that it names. Reads all their bytes to
    /// compare checksums.
    pub(crate) fn of_named_tables(
        certificate: &Path,
        header: &Header,
        tables: Option<&Tables>,
        stop: &AtomicBool,
    ) -> Result<Self, CertificateError> {
        let tables = match (tables, needs_tables(certificate, header)) {
            (_, None) => None,
            (Some(tables), Some(_)) => {
                let tables = packed(tables, header.board(), &header.rules)?;
                Some(LeafTables::named(certificate, tables, &header.tables, stop)?)
            }
            (None, Some(error)) => return Err(error),
        };
        Ok(Self { rules: header.rules, tables })
    }

    /// The value of a leaf for the side to move; `None` if the position is not a leaf.
    pub(crate) fn value(&self, position: &Position) -> Result<Option<Value>, TableError> {
        if let Some(outcome) = self.rules.outcome(position) {
            return Ok(Some(outcome.value_for(position.to_move())));
        }
        let Some(tables) = &self.tables else { return Ok(None) };
        let Some(slice) = tables.leaves.slice_with_tables(&self.rules, position) else {
            return Ok(None);
        };
        // Read when the threads that probe have ended, so no order is needed.
        tables.probed[slice_index(slice)].store(true, Ordering::Relaxed);
        Ok(Some(tables.tables.probe_metric(position, tables.metric)?.value))
    }

    /// The slices that were probed since the last call.
    pub(crate) fn take_probed(&self) -> SliceSet {
        let mut slices = SliceSet::new();
        if let Some(tables) = &self.tables {
            for (slice, probed) in slices.0.iter_mut().zip(&tables.probed) {
                *slice = probed.swap(false, Ordering::Relaxed);
            }
        }
        slices
    }

    /// The slices whose tables are needed for the probed ones: these, and those that captures lead
    /// to if a table does not store positions with captures. Smaller slices first.
    pub(crate) fn needed(&self, probed: SliceSet) -> Result<Vec<Slice>, TableError> {
        self.tables.as_ref().map_or(Ok(Vec::new()), |tables| tables.needed(probed))
    }

    /// Names the tables of the slices that [`needed`](Self::needed) has returned. Reads all their
    /// bytes to compute checksums.
    pub(crate) fn name(
        &self,
        needed: &[Slice],
        stop: &AtomicBool,
    ) -> Result<Vec<NamedTable>, CertificateError> {
        let Some(tables) = &self.tables else { return Ok(Vec::new()) };
        let name = |slice: &Slice| {
            if stop.load(Ordering::Relaxed) {
                return Err(CertificateError::Stopped);
            }
            let (slice, metric) = (*slice, tables.metric);
            let checksum = tables.require(slice)?.checksum()?;
            Ok(NamedTable { slice, metric, checksum })
        };
        needed.iter().map(name).collect()
    }
}

impl Ends for Leaves {
    fn leaf(&self, position: &Position) -> Result<Leaf, CertificateError> {
        Ok(self.value(position)?.map_or(Leaf::No, Leaf::Value))
    }
}

impl LeafTables {
    fn new(tables: Tables, metric: Metric) -> Self {
        let probed = (0..SLICE_INDICES).map(|_| AtomicBool::new(false)).collect();
        Self { tables, metric, leaves: SliceSet::new(), probed }
    }

    fn all(tables: Tables) -> Result<Option<Self>, TableError> {
        let files = tables.all()?;
        let files: Vec<_> = files.iter().map(|file| file.metadata()).collect();
        let stones = |metric| {
            let of_metric = files.iter().filter(move |file| file.metric == metric);
            of_metric.map(|file| file.slice.stones()).max()
        };
        // Of equal metrics, `max_by_key` takes the last.
        let furthest = [Metric::Dtw, Metric::Wdl].into_iter().max_by_key(|m| stones(*m));
        let Some(metric) = furthest.filter(|metric| stones(*metric).is_some()) else {
            return Ok(None);
        };
        // Smaller slices come first.
        let mut leaves = SliceSet::new();
        for file in files.into_iter().filter(|file| file.metric == metric) {
            if file.captures_stored || file.slice.after_captures().all(|s| leaves.contains(s)) {
                leaves.insert(file.slice);
            }
        }
        Ok(Some(Self { leaves, ..Self::new(tables, metric) }))
    }

    fn named(
        certificate: &Path,
        tables: Tables,
        named: &[NamedTable],
        stop: &AtomicBool,
    ) -> Result<Self, CertificateError> {
        let mut found = Self::new(tables, named[0].metric);
        // The largest first, so that it is the one in the error if several are missing.
        for NamedTable { slice, checksum, .. } in named.iter().rev().copied() {
            if stop.load(Ordering::Relaxed) {
                return Err(CertificateError::Stopped);
            }
            let file = found.require(slice)?;
            let stores_captures = file.metadata().captures_stored;
            let checksum_found = file.checksum()?;
            if checksum_found != checksum {
                return Err(CertificateError::OtherTable {
                    path: certificate.to_owned(),
                    table: file.path().to_owned(),
                    found: checksum_found,
                    expected: checksum,
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
        Ok(found)
    }

    fn require(&self, slice: Slice) -> Result<&fanorona_tablebase::TableFile, TableError> {
        self.tables.table(slice, self.metric)?.ok_or_else(|| TableError::Missing {
            slice,
            board: self.tables.board(),
            rules: self.tables.rules(),
            metric: Some(self.metric),
            dir: self.tables.dir().to_owned(),
        })
    }

    fn needed(&self, mut needed: SliceSet) -> Result<Vec<Slice>, TableError> {
        let board = self.tables.board();
        let mut slices: Vec<_> =
            Unit::up_to(board, 2 * board.max_stones()).flat_map(Unit::slices).collect();
        slices.sort_by_key(|slice| (slice.stones(), slice.own));
        // A table needs smaller ones only.
        for slice in slices.iter().rev() {
            if needed.contains(*slice) && !self.require(*slice)?.metadata().captures_stored {
                slice.after_captures().for_each(|smaller| needed.insert(smaller));
            }
        }
        slices.retain(|slice| needed.contains(*slice));
        Ok(slices)
    }
}
