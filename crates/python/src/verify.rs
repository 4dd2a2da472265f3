//! Verifying tables.

use std::sync::mpsc::Sender;

use fanorona_tablebase::{Metric, Thoroughness};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::enums::Named;
use crate::errors::table_error;
use crate::interrupt::{Threads, run};
use crate::tables::Tables;

/// What verify found out about a table.
#[pyclass(module = "fanorona", frozen, get_all)]
#[derive(Clone, Debug)]
pub(crate) struct SliceCheck {
    /// The slice, as in ``3v2``.
    slice: String,
    /// The metric.
    metric: Named<Metric>,
    /// Whether it is an unpacked table.
    unpacked: bool,
    /// The number of positions whose values were compared, without symmetry.
    checked: u64,
    /// What is wrong with the table; None if it is good.
    fault: Option<String>,
}

impl SliceCheck {
    fn new(check: &fanorona_tablebase::SliceCheck) -> Self {
        Self {
            slice: check.slice.to_string(),
            metric: Named(check.metric),
            unpacked: check.layout == fanorona_tablebase::Layout::Unpacked,
            checked: check.checked,
            fault: check.fault.as_ref().map(ToString::to_string),
        }
    }
}

#[pymethods]
impl SliceCheck {
    /// Whether the table is good.
    #[getter]
    fn ok(&self) -> bool {
        self.fault.is_none()
    }

    fn __repr__(&self) -> String {
        let Self { slice, metric, .. } = self;
        let found = self.fault.as_deref().unwrap_or("good");
        format!("<SliceCheck {slice} {}: {found}>", metric.0)
    }
}

/// Checks the tables with up to a number of stones (all if it is None): their checksums, and with
/// these values of ``how`` also their values.
///
/// - ``"quick"``: checksums only.
/// - ``"sample"``: also ``sample`` random positions of each table, against their successors.
/// - ``"full"``: every value, against an independent computation. It takes about a microsecond a
///   position.
///
/// Ctrl-C stops it. ``progress`` is called with each SliceCheck.
#[pyfunction]
#[pyo3(signature = (
    tables,
    *,
    how = "sample",
    stones = None,
    sample = 1000,
    seed = 0,
    threads = None,
    progress = None,
))]
#[expect(clippy::too_many_arguments, reason = "in Python most of them are named and optional")]
pub(crate) fn verify(
    py: Python<'_>,
    tables: &Tables,
    how: &str,
    stones: Option<u32>,
    sample: u64,
    seed: u64,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<SliceCheck>> {
    let (tables, threads) = (tables.shared()?, Threads::new(threads)?);
    let thoroughness = match how {
        "quick" => Thoroughness::Quick,
        "sample" => Thoroughness::Sample { positions: sample, seed },
        "full" => Thoroughness::Full,
        _ => {
            let message = format!("how is 'quick', 'sample' or 'full', not '{how}'");
            return Err(PyValueError::new_err(message));
        }
    };
    let stones = stones.unwrap_or(2 * tables.board().max_stones());
    let work = |stop: &_, events: &Sender<SliceCheck>| {
        threads.install(|| {
            fanorona_tablebase::verify(&tables, stones, thoroughness, stop, |check| {
                // Nobody receives it if the waiting thread has gone.
                let _ = events.send(SliceCheck::new(check));
            })
        })
    };
    let checks = run(py, work, |py, check| match (&progress, check) {
        (Some(progress), Some(check)) => progress.call1(py, (check,)).map(drop),
        _ => Ok(()),
    })?;
    Ok(checks.map_err(table_error)?.iter().map(SliceCheck::new).collect())
}
