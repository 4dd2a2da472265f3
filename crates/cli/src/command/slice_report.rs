//! The statistics of a table, as `build`, `tables` and `report` print them.

use fanorona_core::{Position, RuleSet, Value};
use fanorona_knowledge::SliceStatistics;
use fanorona_tablebase::TableFile;
use serde::Serialize;

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
    /// Whether this build wrote it; reported by `build`.
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
