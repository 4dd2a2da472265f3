//! The statistics of a table, as `build`, `unpack` and `tables` print them.

use fanorona_core::{Position, RuleSet, Value};
use fanorona_knowledge::SliceStatistics;
use fanorona_tablebase::TableFile;
use serde::Serialize;

use crate::human::grouped;

#[derive(Debug, Serialize)]
pub(super) struct SliceReport {
    #[serde(flatten)]
    pub statistics: SliceStatistics,
    /// The XXH3 hash of the whole file, in hexadecimal digits; reported by `tables`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum: Option<String>,
    /// The size of the unpacked table, if there is one; reported by `tables`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpacked_bytes: Option<u64>,
    /// Whether it was written now; reported by `build` and `unpack`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<bool>,
}

/// A position with the longest win or loss.
#[derive(Clone, Copy)]
pub(super) struct Longest {
    /// A win or a loss.
    pub value: Value,
    pub distance: u16,
    pub position: Position,
}

/// The width of a column of names of slices.
pub(super) fn name_width(rules: RuleSet) -> usize {
    if rules.vela().is_some() { "10v10 challenger".len() } else { 6 }
}

impl SliceReport {
    /// The statistics of a table of a game by `game`.
    pub(super) fn new(table: &TableFile, game: &RuleSet) -> Self {
        let statistics = SliceStatistics::new(table, game);
        Self { statistics, checksum: None, unpacked_bytes: None, written: None }
    }

    /// The same of a table that was written now, or was there.
    pub(super) fn of_work(table: &TableFile, game: &RuleSet, written: bool) -> Self {
        Self { written: Some(written), ..Self::new(table, game) }
    }

    /// A line about a table of a game by `game` that was written now, or was there.
    pub(super) fn line(&self, game: RuleSet) -> String {
        let SliceStatistics { slice, metric, positions, bytes, .. } = &self.statistics;
        let (width, positions, bytes) = (name_width(game), grouped(positions), grouped(bytes));
        let written = if self.written == Some(true) { "written" } else { "exists" };
        let name = metric.name();
        format!("{slice:>width$} {name} {positions:>16} positions {bytes:>14} bytes  {written}")
    }

    /// The longest win and the longest loss, if there are any.
    pub(super) fn longest(&self) -> impl Iterator<Item = Longest> {
        let found = &self.statistics;
        let win = (Value::Win, found.max_win, found.max_win_position);
        let loss = (Value::Loss, found.max_loss, found.max_loss_position);
        [win, loss].into_iter().filter_map(|(value, distance, position)| {
            Some(Longest { value, distance: distance?, position: position? })
        })
    }
}
