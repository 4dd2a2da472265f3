//! Information about tables.

use std::collections::BTreeMap;
use std::path::PathBuf;

use fanorona_knowledge::SliceStatistics;
use fanorona_tablebase::{Metric, TableFile};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::attributes::attributes;
use crate::classes::{Board, Position, RuleSet};
use crate::enums::Named;

/// Information about a table: the slice, and counts over all placements of the stones.
#[pyclass(module = "fanorona", frozen)]
#[derive(Clone, Debug)]
pub(crate) struct SliceInfo {
    statistics: SliceStatistics,
    entries: u64,
    path: PathBuf,
}

impl SliceInfo {
    /// The counts of a table that serves a game.
    pub(crate) fn new(file: &TableFile, rules: &fanorona_core::RuleSet) -> Self {
        let metadata = file.metadata();
        Self {
            statistics: SliceStatistics::new(file, rules),
            entries: metadata.values,
            path: file.path().to_owned(),
        }
    }
}

attributes! {
    of SliceInfo, self:
    /// The slice, as in ``3v2``; in the first phase of the vela with the role of the side to move, as
    /// in ``3v2 victor``.
    slice: String = self.statistics.slice.clone();
    /// The number of stones of the side to move.
    own: u8 = self.statistics.own;
    /// The number of stones of the opponent.
    opponent: u8 = self.statistics.opponent;
    /// In the first phase of the vela, ``victor`` or ``challenger``: the role of the side to move.
    role: Option<String> = self.statistics.role.map(|role| role.to_string());
    /// The board.
    board: Board = Board(self.statistics.board);
    /// The rule set that the table was built for: without what can no longer matter.
    rules: RuleSet = RuleSet(self.statistics.rules);
    /// Whether the values have distances.
    metric: Named<Metric> = Named(self.statistics.metric);
    /// The number of positions, without symmetry.
    positions: u64 = self.statistics.positions;
    /// The number of positions up to symmetry.
    canonical: u64 = self.statistics.canonical;
    /// The number of entries of the table. Some positions up to symmetry have more than one.
    entries: u64 = self.entries;
    /// The number of positions that the side to move wins.
    win: u64 = self.statistics.win;
    /// The number of drawn positions.
    draw: u64 = self.statistics.draw;
    /// The number of positions that the side to move loses.
    loss: u64 = self.statistics.loss;
    /// The distance of the longest win; None if there is none or the table has no distances.
    max_win: Option<u16> = self.statistics.max_win;
    /// The distance of the longest loss; None if there is none or the table has no distances.
    max_loss: Option<u16> = self.statistics.max_loss;
    /// A position with the longest win, with White to move; in the first phase of the vela, with the
    /// side to move that has the role.
    max_win_position: Option<Position> = self.statistics.max_win_position.map(Position);
    /// A position with the longest loss, likewise.
    max_loss_position: Option<Position> = self.statistics.max_loss_position.map(Position);
    /// How many positions are won in each number of turns of both sides; None without distances.
    win_distances: Option<BTreeMap<u16, u64>> = self.statistics.win_distances.clone();
    /// How many positions are lost in each number of turns of both sides; None without distances.
    loss_distances: Option<BTreeMap<u16, u64>> = self.statistics.loss_distances.clone();
    /// The file.
    path: PathBuf = self.path.clone();
    /// The size of the file in bytes.
    bytes: u64 = self.statistics.bytes;

    methods:
    /// The zugzwangs: positions in which neither side can capture, and the side to move would do
    /// better if the other side had to move. ``total`` counts all; ``full``, ``draw_to_loss`` and
    /// ``win_to_draw`` count those in which it loses and would win, loses and would draw, and draws
    /// and would win; ``examples`` has one of each kind that occurs. None in tables of an old format.
    #[getter]
    fn zugzwangs<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(found) = &self.statistics.zugzwangs else { return Ok(None) };
        let examples = found.examples.iter().map(|example| {
            let dict = PyDict::new(py);
            dict.set_item("kind", example.kind.name())?;
            dict.set_item("position", example.position.to_string())?;
            Ok(dict)
        });
        let dict = PyDict::new(py);
        dict.set_item("total", found.total)?;
        dict.set_item("full", found.full)?;
        dict.set_item("draw_to_loss", found.draw_to_loss)?;
        dict.set_item("win_to_draw", found.win_to_draw)?;
        dict.set_item("examples", examples.collect::<PyResult<Vec<_>>>()?)?;
        Ok(Some(dict))
    }

    fn __repr__(&self) -> String {
        let SliceStatistics { board, rules, slice, metric, win, draw, loss, .. } = &self.statistics;
        format!(
            "<SliceInfo {board} {rules} {slice} {metric}: {win} won, {draw} drawn, {loss} lost>"
        )
    }
}

/// Counts of tables as a dict of arrays, with one row a table.
pub(crate) fn statistics<'py>(
    py: Python<'py>,
    slices: &[SliceInfo],
) -> PyResult<Bound<'py, PyDict>> {
    let columns = PyDict::new(py);
    let numpy = py.import("numpy")?;
    let texts = |name: &str, of: &dyn Fn(&SliceInfo) -> String| {
        let texts: Vec<String> = slices.iter().map(of).collect();
        // Without the type, an empty list would be an array of floats.
        let column = numpy.getattr("array")?.call1((texts, "U"))?;
        columns.set_item(name, column)
    };
    texts("slice", &|info| info.slice())?;
    texts("metric", &|info| info.statistics.metric.to_string())?;
    let counts = |name: &str, of: &dyn Fn(&SliceInfo) -> u64| {
        columns.set_item(name, slices.iter().map(of).collect::<Vec<_>>().into_pyarray(py))
    };
    counts("own", &|info| info.own().into())?;
    counts("opponent", &|info| info.opponent().into())?;
    counts("stones", &|info| (info.own() + info.opponent()).into())?;
    counts("positions", &|info| info.positions())?;
    counts("canonical", &|info| info.canonical())?;
    counts("entries", &|info| info.entries())?;
    counts("win", &|info| info.win())?;
    counts("draw", &|info| info.draw())?;
    counts("loss", &|info| info.loss())?;
    counts("bytes", &|info| info.bytes())?;
    let optional = |name: &str, of: &dyn Fn(&SliceInfo) -> Option<i64>| {
        let column = slices.iter().map(|info| of(info).unwrap_or(-1));
        columns.set_item(name, column.collect::<Vec<_>>().into_pyarray(py))
    };
    optional("max_win", &|info| info.max_win().map(Into::into))?;
    optional("max_loss", &|info| info.max_loss().map(Into::into))?;
    optional("zugzwangs", &|info| {
        let total = info.statistics.zugzwangs.as_ref()?.total;
        Some(i64::try_from(total).unwrap_or(i64::MAX))
    })?;
    Ok(columns)
}
