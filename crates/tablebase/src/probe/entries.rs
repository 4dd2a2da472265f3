//! The values of a slice in the order of its index.

use fanorona_core::Side;
use rayon::prelude::*;

use super::tables::Tables;
use crate::error::Result;
use crate::format::TableFile;
use crate::index::{Entry, SliceIndex};
use crate::slice::Slice;
use crate::value::{Code, Metric, TableValue};

impl Tables {
    /// The entries of a slice with their values, from index `first` on: `count` of them, or those up
    /// to the last one if there are fewer. The number of all is
    /// [`Metadata::values`](crate::Metadata::values). Weighted by [`Entry::weight`], they stand for
    /// every placement of the slice.
    ///
    /// Reads each block of the file once, on all threads of the current rayon pool. Most packed
    /// tables leave out positions in which a capture is mandatory; their captures are probed in
    /// smaller tables, which takes most of the time. Unpacked tables have all
    /// values. The result takes 32 bytes an entry.
    ///
    /// ```
    /// # use std::sync::atomic::AtomicBool;
    /// use fanorona_core::{Board, RuleSet, Value};
    /// use fanorona_builder::{BuildOptions, build};
    /// use fanorona_tablebase::{Metric, Tables};
    /// # let dir = tempfile::tempdir()?;
    /// # let options = BuildOptions::new(dir.path(), Board::telo(), RuleSet::STANDARD, 3);
    /// # build(&options, &(), &AtomicBool::new(false))?;
    /// let tables = Tables::open(dir.path(), Board::telo(), RuleSet::STANDARD)?;
    /// let slice = "2v1".parse()?;
    /// let entries = tables.entries(slice, Metric::Dtw, 0, u64::MAX)?;
    /// let won = entries.iter().filter(|(_, found)| found.value == Value::Win);
    /// let won: u64 = won.map(|(entry, _)| u64::from(entry.weight)).sum();
    /// let table = tables.table(slice, Metric::Dtw)?.expect("it has been built");
    /// assert_eq!(won, table.metadata().statistics.win);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`TableError::Missing`](crate::TableError::Missing) if there is no table of the slice with this
    /// metric, or if a smaller table that decides a position is missing; others if a table is damaged
    /// or cannot be read.
    pub fn entries(
        &self,
        slice: Slice,
        metric: Metric,
        first: u64,
        count: u64,
    ) -> Result<Vec<(Entry, TableValue)>> {
        let rules = self.rules_of(slice);
        let table = self.table_for(&rules, slice, metric)?;
        let table = table.ok_or_else(|| self.missing(&rules, slice, Some(metric)))?;
        let of_white = self.rules_seen_by(slice, Side::White) == rules;
        let to_move = if of_white { Side::White } else { Side::Black };
        self.entries_of(table, to_move, first, count)
    }

    /// [`entries`](Self::entries) of a table of the game, in which this side is to move.
    pub(super) fn entries_of(
        &self,
        table: &TableFile,
        to_move: Side,
        first: u64,
        count: u64,
    ) -> Result<Vec<(Entry, TableValue)>> {
        let index = SliceIndex::new(self.sets(), table.metadata().slice)?;
        let end = first.saturating_add(count).min(index.len());
        let first = first.min(end);
        let block_values = u64::from(table.metadata().block_values);
        let parts =
            (first / block_values..end.div_ceil(block_values)).into_par_iter().map(|block| {
                let from = first.max(block * block_values);
                let to = end.min((block + 1) * block_values);
                self.entries_of_part(table, to_move, &index, from, to)
            });
        let parts: Vec<Vec<_>> = parts.collect::<Result<_>>()?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// The entries from index `from` to before `to`, which lie in one block.
    fn entries_of_part(
        &self,
        table: &TableFile,
        to_move: Side,
        index: &SliceIndex<'_>,
        from: u64,
        to: u64,
    ) -> Result<Vec<(Entry, TableValue)>> {
        let metadata = table.metadata();
        let codes = table.codes(from, to - from)?;
        let mut found: Vec<(Entry, Code)> = index.entries(from).zip(codes).collect();
        if !metadata.captures_stored {
            let rules = self.rules();
            let position = |(entry, _): &(Entry, _)| entry.position_of(metadata.board, to_move);
            let positions = found.iter().map(position).enumerate();
            let (places, positions): (Vec<_>, Vec<_>) =
                positions.filter(|(_, position)| rules.has_capture(position)).unzip();
            for (place, code) in places.into_iter().zip(self.codes(&positions, metadata.metric)) {
                found[place].1 = code?;
            }
        }
        let value = |(entry, code): (_, Code)| (entry, code.to_table_value(metadata.metric));
        Ok(found.into_iter().map(value).collect())
    }
}
