//! The positions of tables with their values: all entries, or up to symmetry.

use fanorona_core::{Position, RuleSet, Side};
use rayon::prelude::*;
use serde::ser::SerializeStruct as _;
use serde::{Serialize, Serializer};

use super::tables::Tables;
use crate::error::Result;
use crate::format::TableFile;
use crate::index::{Entry, SliceIndex};
use crate::selection::Selection;
use crate::slice::{Slice, Unit, rules_seen_by};
use crate::value::{Code, Metric, TableValue};

/// A position that stands for itself and the positions that are symmetric to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The position, as it can come up in the game of the tables.
    pub position: Position,
    /// The number of positions that it stands for, 1 to 8.
    pub weight: u8,
    /// Its value.
    pub value: TableValue,
}

/// With its slice.
impl Serialize for Listed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let slice = Slice::of(&self.position).map(|slice| slice.to_string());
        let mut fields = serializer.serialize_struct("Listed", 5)?;
        fields.serialize_field("position", &self.position)?;
        fields.serialize_field("slice", &slice.unwrap_or_default())?;
        fields.serialize_field("value", &self.value.value)?;
        if let Some(dtw) = self.value.dtw {
            fields.serialize_field("dtw", &dtw)?;
        }
        fields.serialize_field("weight", &self.weight)?;
        fields.end()
    }
}

/// The positions of one table up to symmetry. Their weights add up to all positions of the slice.
///
/// ```
/// # use std::sync::atomic::AtomicBool;
/// use fanorona_core::{Board, RuleSet, Side, Value};
/// use fanorona_builder::{BuildOptions, build};
/// use fanorona_tablebase::{Selection, Tables};
/// # let dir = tempfile::tempdir()?;
/// # let options = BuildOptions::new(dir.path(), Board::telo(), RuleSet::STANDARD, 3);
/// # build(&options, &(), &AtomicBool::new(false))?;
/// let tables = Tables::open(dir.path(), Board::telo(), RuleSet::STANDARD)?;
/// for listing in tables.listings(&Selection::up_to(3))? {
///     let positions = listing.positions(0, u64::MAX)?;
///     let won = positions.iter().filter(|listed| listed.value.value == Value::Win);
///     let won: u64 = won.map(|listed| u64::from(listed.weight)).sum();
///     assert_eq!(won, listing.table().metadata().statistics.win);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Listing<'t> {
    tables: &'t Tables,
    table: &'t TableFile,
    to_move: Side,
}

impl Tables {
    /// The positions with the stones of a slice, and with this side to move, from the table with
    /// distances, or else from the one without; `None` if there is neither. A role of the slice is
    /// ignored: the side has its own.
    ///
    /// # Errors
    /// As for [`table`](Self::table).
    pub fn listing(&self, slice: Slice, to_move: Side) -> Result<Option<Listing<'_>>> {
        let rules = self.rules_seen_by(slice, to_move);
        let table = self.first_table(&rules, slice, &Metric::WITH_DISTANCES_FIRST)?;
        Ok(table.map(|table| Listing { tables: self, table, to_move }))
    }

    /// The positions of the selected tables, those of fewer stones first: one listing of each slice,
    /// with White to move, and in the first phase of the vela one for either side to move.
    ///
    /// # Errors
    /// [`TableError::Missing`](crate::TableError::Missing) if a slice that the selection names, or one
    /// with no more stones than it says, has no table; others as for [`table`](Self::table).
    pub fn listings(&self, selection: &Selection) -> Result<Vec<Listing<'_>>> {
        let most = 2 * self.board().max_stones();
        let mut listings: Vec<Listing<'_>> = Vec::new();
        for slice in Unit::up_to(self.board(), most).flat_map(Unit::slices) {
            for side in self.sides_of(slice) {
                let listing = self.listing(slice, side)?;
                let must_be = selection.stones.is_some_and(|most| slice.stones() <= most);
                if listing.is_none() && must_be {
                    return Err(self.missing(&self.rules(), slice, None));
                }
                listings.extend(listing.filter(|listing| selection.contains(listing.slice())));
            }
        }
        for named in &selection.slices {
            if !listings.iter().any(|listing| named.includes(listing.slice())) {
                return Err(self.missing(&self.rules(), *named, None));
            }
        }
        Ok(listings)
    }

    /// The sides to move of which a slice has tables of their own: White alone, unless colours
    /// matter.
    pub fn sides_of(&self, slice: Slice) -> impl Iterator<Item = Side> + use<> {
        let [one, other] = Side::ALL.map(|side| self.rules_seen_by(slice, side));
        std::iter::once(Side::White).chain((one != other).then_some(Side::Black))
    }

    /// The rules of the table with the stones of a slice and this side to move, which has White there.
    pub(super) fn rules_seen_by(&self, slice: Slice, to_move: Side) -> RuleSet {
        slice.endgame(self.board(), &rules_seen_by(&self.rules(), to_move))
    }

    /// The entries of a slice with their values, from index `first` on: `count` of them, or those up
    /// to the last one if there are fewer. Weighted by [`Entry::weight`], all of them stand for every
    /// placement of the slice.
    ///
    /// Reads each block of the file once, on all threads of the current rayon pool. Values that a packed
    /// table leaves out are probed in smaller tables, which takes most of the time. The result takes 32
    /// bytes an entry.
    ///
    /// # Errors
    /// If there is no table of the slice with this metric, if a smaller table that decides a position is
    /// missing, or if a table is damaged or cannot be read.
    pub fn entries(
        &self,
        slice: Slice,
        metric: Metric,
        first: u64,
        count: u64,
    ) -> Result<Vec<(Entry, TableValue)>> {
        let table = self.existing(slice, metric)?;
        let of_white = self.rules_seen_by(slice, Side::White) == self.rules_of(slice);
        let to_move = if of_white { Side::White } else { Side::Black };
        Listing { tables: self, table, to_move }.values(first, count)
    }
}

impl<'t> Listing<'t> {
    /// The table that values are read from, except those that captures decide.
    pub fn table(&self) -> &'t TableFile {
        self.table
    }

    /// The slice, with the role of the side to move.
    pub fn slice(&self) -> Slice {
        self.table.metadata().slice
    }

    /// The side to move.
    pub fn to_move(&self) -> Side {
        self.to_move
    }

    /// The number of entries of the table. Some of them can be symmetric to an earlier one.
    pub fn entries(&self) -> u64 {
        self.table.metadata().values
    }

    /// The entries from index `first` on with their values, as [`Tables::entries`] returns them.
    fn values(&self, first: u64, count: u64) -> Result<Vec<(Entry, TableValue)>> {
        let index = self.index()?;
        let end = first.saturating_add(count).min(index.len());
        let first = first.min(end);
        let block_values = u64::from(self.table.metadata().block_values);
        let blocks = (first / block_values..end.div_ceil(block_values)).into_par_iter();
        let parts = blocks.map(|block| {
            let from = first.max(block * block_values);
            let to = end.min((block + 1) * block_values);
            self.values_of_part(&index, from, to)
        });
        let parts: Vec<Vec<_>> = parts.collect::<Result<_>>()?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// The entries from index `from` to before `to`, which lie in one block.
    fn values_of_part(
        &self,
        index: &SliceIndex<'_>,
        from: u64,
        to: u64,
    ) -> Result<Vec<(Entry, TableValue)>> {
        let (rules, metadata) = (self.tables.rules(), self.table.metadata());
        let codes = self.table.codes(from, to - from)?;
        let mut found: Vec<(Entry, Code)> = index.entries(from).zip(codes).collect();
        if !metadata.captures_stored {
            let position = |(entry, _): &(Entry, _)| self.seen(entry);
            let positions = found.iter().map(position).enumerate();
            let (places, positions): (Vec<_>, Vec<_>) =
                positions.filter(|(_, position)| rules.has_capture(position)).unzip();
            let codes = self.tables.codes(&positions, metadata.metric);
            for (place, code) in places.into_iter().zip(codes) {
                found[place].1 = code?;
            }
        }
        let value = |(entry, code): (_, Code)| (entry, code.to_table_value(metadata.metric));
        Ok(found.into_iter().map(value).collect())
    }

    fn seen(&self, entry: &Entry) -> Position {
        entry.position_of(self.tables.board(), self.to_move)
    }

    /// The positions whose first entry is at index `first` or one of the `count - 1` after it.
    ///
    /// # Errors
    /// As for [`Tables::entries`].
    pub fn positions(&self, first: u64, count: u64) -> Result<Vec<Listed>> {
        let (index, entries) = (self.index()?, self.values(first, count)?);
        let listed = entries.into_iter().filter_map(|(entry, value)| {
            let weight = index.orbit_size(&entry)?;
            Some(Listed { position: self.seen(&entry), weight, value })
        });
        Ok(listed.collect())
    }

    fn index(&self) -> Result<SliceIndex<'t>> {
        SliceIndex::new(self.tables.sets(), self.slice())
    }
}
