//! Verifying tables.

use std::sync::mpsc::Sender;

use fanorona_core::Board;
use fanorona_tablebase::{Metric, Selection, Thoroughness, WorkProgress};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::args::{ListArg, Number};
use crate::enums::Named;
use crate::errors::exception;
use crate::interrupt::{Threads, passed_to, run};
use crate::slice::SliceArg;
use crate::tables::Tables;

/// The result of verify for a table.
#[pyclass(module = "fanorona", frozen, get_all)]
#[derive(FromPyObject, Debug)]
pub(crate) struct SliceCheck {
    /// The slice, as in ``3v2``.
    slice: String,
    /// The metric.
    metric: Named<Metric>,
    /// Whether it is an unpacked table.
    unpacked: bool,
    /// The number of positions whose values were compared, without symmetry.
    checked: u64,
    /// The fault of the table; None if it is good.
    fault: Option<String>,
}

impl SliceCheck {
    fn new(check: &fanorona_tablebase::SliceCheck) -> Self {
        Self {
            slice: check.slice.counts().to_string(),
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

/// Checks tables: those with up to ``stones`` stones and those of ``slices``, or all if both are None.
/// Compares their checksums, and with these values of ``how`` also their values.
///
/// - ``"quick"``: checksums only.
/// - ``"sample"``: also ``sample`` random positions of each table, against their successors.
/// - ``"full"``: every value, against an independent computation, which solves the slices to check and
///   those that play from there can reach. It takes about a microsecond a position.
///
/// Raises MissingTableError if one of ``slices`` has no table.
///
/// ``threads`` is the number of threads; one for each processor if it is None. ``progress`` is
/// called with each SliceCheck. Ctrl-C stops it.
#[pyfunction]
#[pyo3(
    signature = (
        tables,
        *,
        how = "sample",
        stones = None,
        slices = None,
        sample = Number::new(1000),
        seed = Number::new(0),
        threads = None,
        progress = None,
    ),
    text_signature = "(tables, *, how='sample', stones=None, slices=None, sample=1000, seed=0, \
        threads=None, progress=None)"
)]
#[expect(clippy::too_many_arguments, reason = "in Python most of them are named and optional")]
pub(crate) fn verify(
    py: Python<'_>,
    tables: &Tables,
    how: &str,
    stones: Option<Number<u32>>,
    slices: Option<ListArg<SliceArg>>,
    sample: Number<u64>,
    seed: Number<u64>,
    threads: Option<Number<usize>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Vec<SliceCheck>> {
    let (tables, threads) = (tables.shared()?, Threads::new(threads)?);
    let stones = Number::optional(stones, "stones", 0..=u32::MAX)?;
    let positions = sample.within("sample", 0..=u64::MAX)?;
    let seed = seed.within("seed", 0..=u64::MAX)?;
    let thoroughness = match how {
        "quick" => Thoroughness::Quick,
        "sample" => Thoroughness::Sample { positions, seed },
        "full" => Thoroughness::Full,
        _ => {
            let message = format!("how is 'quick', 'sample' or 'full', not '{how}'");
            return Err(PyValueError::new_err(message));
        }
    };
    let selection = selection(tables.board(), stones, slices.map(|slices| slices.0))?;
    let done = WorkProgress::default();
    let work = |stop: &_, events: &Sender<SliceCheck>| {
        threads.install(|| {
            fanorona_tablebase::verify(&tables, &selection, thoroughness, stop, &done, |check| {
                // Nobody receives it if the waiting thread has gone.
                let _ = events.send(SliceCheck::new(check));
            })
        })
    };
    let checks = run(py, work, passed_to(progress.as_ref()))?;
    Ok(checks.map_err(exception)?.iter().map(SliceCheck::new).collect())
}

/// The slices to check. An empty list of slices is an error, because it would mean all.
fn selection(
    board: Board,
    stones: Option<u32>,
    slices: Option<Vec<SliceArg>>,
) -> PyResult<Selection> {
    if stones.is_none() && slices.as_ref().is_some_and(Vec::is_empty) {
        return Err(PyValueError::new_err("slices is empty; give at least one, or None for all"));
    }
    let slices = slices.unwrap_or_default().into_iter().map(|slice| slice.on(board));
    let slices: Vec<_> = slices.collect::<PyResult<_>>()?;
    Ok(Selection { stones, slices })
}
