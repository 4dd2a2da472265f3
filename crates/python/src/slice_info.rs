//! What a table has.

use std::path::PathBuf;

use fanorona_core::Value;
use fanorona_tablebase::{Metadata, Metric, Statistics, TableFile, Zugzwang};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::classes::{Board, Position, RuleSet};
use crate::enums::Named;

/// What a table has: the slice, and counts over all placements of the stones.
#[pyclass(module = "fanorona", frozen)]
#[derive(Clone, Debug)]
pub(crate) struct SliceInfo {
    metadata: Metadata,
    path: PathBuf,
    bytes: u64,
}

impl SliceInfo {
    pub(crate) fn new(file: &TableFile) -> Self {
        let (metadata, path) = (file.metadata().clone(), file.path().to_owned());
        Self { metadata, path, bytes: file.bytes() }
    }

    fn statistics(&self) -> &Statistics {
        &self.metadata.statistics
    }
}

#[pymethods]
impl SliceInfo {
    /// The slice, as in ``3v2``.
    #[getter]
    fn slice(&self) -> String {
        self.metadata.slice.to_string()
    }

    /// The number of stones of the side to move.
    #[getter]
    fn own(&self) -> u8 {
        self.metadata.slice.own
    }

    /// The number of stones of the opponent.
    #[getter]
    fn opponent(&self) -> u8 {
        self.metadata.slice.opponent
    }

    /// The board.
    #[getter]
    fn board(&self) -> Board {
        Board(self.metadata.board)
    }

    /// The rule set that the table was built for: without what can no longer matter.
    #[getter]
    fn rules(&self) -> RuleSet {
        RuleSet(self.metadata.rules)
    }

    /// Whether the values have distances.
    #[getter]
    fn metric(&self) -> Named<Metric> {
        Named(self.metadata.metric)
    }

    /// The number of positions, without symmetry.
    #[getter]
    fn positions(&self) -> u64 {
        self.statistics().positions()
    }

    /// The number of entries: of positions up to symmetry, some of which have more than one.
    #[getter]
    fn entries(&self) -> u64 {
        self.metadata.values
    }

    /// The number of positions that the side to move wins.
    #[getter]
    fn win(&self) -> u64 {
        self.statistics().win
    }

    /// The number of drawn positions.
    #[getter]
    fn draw(&self) -> u64 {
        self.statistics().draw
    }

    /// The number of positions that the side to move loses.
    #[getter]
    fn loss(&self) -> u64 {
        self.statistics().loss
    }

    /// The distance of the longest win; None if there is none or the table has no distances.
    #[getter]
    fn longest_win(&self) -> Option<u16> {
        self.statistics().longest(Value::Win)
    }

    /// The distance of the longest loss; None if there is none or the table has no distances.
    #[getter]
    fn longest_loss(&self) -> Option<u16> {
        self.statistics().longest(Value::Loss)
    }

    /// A position with the longest win, with White to move.
    #[getter]
    fn longest_win_position(&self) -> Option<Position> {
        self.statistics().longest_position(self.metadata.board, Value::Win).map(Position)
    }

    /// A position with the longest loss, with White to move.
    #[getter]
    fn longest_loss_position(&self) -> Option<Position> {
        self.statistics().longest_position(self.metadata.board, Value::Loss).map(Position)
    }

    /// The number of positions by distance, as a uint64 array: at index ``n`` those that are decided
    /// in ``n`` turns of both sides. Wins are at odd indices, losses at even ones. Empty without
    /// distances.
    #[getter]
    fn distances<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u64>> {
        self.statistics().distances.clone().into_pyarray(py)
    }

    /// The number of zugzwangs by kind; None in tables of an old format. Each is a position in which
    /// the side to move would do better if the other side had to move, and no side can capture.
    #[getter]
    fn zugzwangs<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(zugzwangs) = self.statistics().zugzwangs else { return Ok(None) };
        let counts = PyDict::new(py);
        for kind in Zugzwang::ALL {
            counts.set_item(kind.name(), zugzwangs.of(kind).count)?;
        }
        Ok(Some(counts))
    }

    /// The file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// The size of the file in bytes.
    #[getter]
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn __repr__(&self) -> String {
        let Metadata { board, rules, slice, metric, .. } = &self.metadata;
        let Statistics { win, draw, loss, .. } = self.statistics();
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
    texts("metric", &|info| info.metadata.metric.to_string())?;
    let counts = |name: &str, of: &dyn Fn(&SliceInfo) -> u64| {
        columns.set_item(name, slices.iter().map(of).collect::<Vec<_>>().into_pyarray(py))
    };
    counts("own", &|info| info.own().into())?;
    counts("opponent", &|info| info.opponent().into())?;
    counts("stones", &|info| info.metadata.slice.stones().into())?;
    counts("positions", &|info| info.positions())?;
    counts("entries", &|info| info.entries())?;
    counts("win", &|info| info.win())?;
    counts("draw", &|info| info.draw())?;
    counts("loss", &|info| info.loss())?;
    counts("bytes", &|info| info.bytes)?;
    let optional = |name: &str, of: &dyn Fn(&SliceInfo) -> Option<i64>| {
        let column = slices.iter().map(|info| of(info).unwrap_or(-1));
        columns.set_item(name, column.collect::<Vec<_>>().into_pyarray(py))
    };
    optional("longest_win", &|info| info.longest_win().map(Into::into))?;
    optional("longest_loss", &|info| info.longest_loss().map(Into::into))?;
    optional("zugzwangs", &|info| {
        let zugzwangs = info.statistics().zugzwangs?;
        Some(i64::try_from(zugzwangs.total()).unwrap_or(i64::MAX))
    })?;
    Ok(columns)
}
