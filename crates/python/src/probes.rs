//! The values of many positions and of their turns, as arrays.

use std::sync::{Mutex, PoisonError};

use fanorona_knowledge::{KnowledgeError, RankedTurn};
use fanorona_tablebase::TableError;
use numpy::{IntoPyArray, PyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::enums::number;
use crate::errors::exception;
use crate::value::{MISSING, NO_DISTANCE, numbers};

/// The treatment of positions whose table is missing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    Raise,
    /// Mark them in the result.
    Mark,
}

impl Missing {
    pub(crate) fn new(text: &str) -> PyResult<Self> {
        match text {
            "raise" => Ok(Self::Raise),
            "mark" => Ok(Self::Mark),
            _ => Err(PyValueError::new_err(format!("missing is 'raise' or 'mark', not '{text}'"))),
        }
    }

    /// Whether a position with this error is to be marked as missing.
    fn marks(self, error: &TableError) -> bool {
        self == Self::Mark && matches!(error, TableError::Missing { .. })
    }
}

fn array<T: numpy::Element>(py: Python<'_>, values: Vec<T>) -> Py<PyArray1<T>> {
    values.into_pyarray(py).unbind()
}

/// The values of many positions, as arrays in the order of the positions.
///
/// ``value`` has the values for the side to move as int8: 1 a win, 0 a draw, -1 a loss, and -128 if
/// the table is missing. ``dtw`` has the distances as int32, and -1 if there is none.
#[pyclass(module = "fanorona", frozen, get_all)]
#[derive(FromPyObject, Debug)]
pub(crate) struct Probes {
    /// The values, as int8.
    value: Py<PyArray1<i8>>,
    /// The distances to win, as int32.
    dtw: Py<PyArray1<i32>>,
}

/// The arrays of [`Probes`], to which values are added.
#[derive(Default)]
pub(crate) struct ProbesBuilder {
    value: Vec<i8>,
    dtw: Vec<i32>,
}

/// The values of some positions as numbers, and the first of them that has none.
pub(crate) struct Failures {
    missing: Missing,
    first: Mutex<Option<(usize, TableError)>>,
}

impl Failures {
    pub(crate) fn new(missing: Missing) -> Self {
        Self { missing, first: Mutex::new(None) }
    }

    /// The numbers of a position's value.
    pub(crate) fn take(
        &self,
        at: usize,
        found: Result<fanorona_tablebase::TableValue, TableError>,
    ) -> (i8, i32) {
        match found {
            Ok(found) => return numbers(found),
            Err(error) if self.missing.marks(&error) => {}
            Err(error) => {
                let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
                if first.as_ref().is_none_or(|(earlier, _)| at < *earlier) {
                    *first = Some((at, error));
                }
            }
        }
        (MISSING, NO_DISTANCE)
    }

    /// The error of the first position without a value.
    pub(crate) fn first(self) -> Option<PyErr> {
        let first = self.first.into_inner().unwrap_or_else(PoisonError::into_inner);
        first.map(|(_, error)| exception(error))
    }
}

impl ProbesBuilder {
    pub(crate) fn add(&mut self, values: Vec<(i8, i32)>) {
        self.value.extend(values.iter().map(|(value, _)| value));
        self.dtw.extend(values.iter().map(|(_, dtw)| dtw));
    }

    pub(crate) fn finish(self, py: Python<'_>) -> Probes {
        Probes { value: array(py, self.value), dtw: array(py, self.dtw) }
    }
}

#[pymethods]
impl Probes {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Probes of {} positions>", self.value.bind(py).len()?))
    }
}

/// The legal turns of many positions with their values, as arrays with one element a turn.
///
/// The turns of the position ``i`` are at the indices from ``offsets[i]`` to before
/// ``offsets[i + 1]``, best first. ``missing[i]`` is True if a table that they need is missing; then
/// the position has no turns here.
///
/// ``origin`` and ``destination`` are point indices as uint8, ``captured`` the captured stones as
/// uint64. ``value`` and ``dtw`` are for the side that makes the turn, as in Probes, and the distance
/// counts the turn. ``own`` and ``opponent`` are the position after the turn, from the side that is
/// then to move.
#[pyclass(module = "fanorona", frozen, get_all)]
#[derive(FromPyObject, Debug)]
pub(crate) struct Ranks {
    /// Where the turns of each position begin, and the number of all turns, as int64.
    offsets: Py<PyArray1<i64>>,
    /// Whether a table is missing, by position.
    missing: Py<PyArray1<bool>>,
    /// The points where the stones start, as uint8.
    origin: Py<PyArray1<u8>>,
    /// The points where the stones end, as uint8.
    destination: Py<PyArray1<u8>>,
    /// The captured stones, as uint64.
    captured: Py<PyArray1<u64>>,
    /// The values for the side that makes the turn, as int8.
    value: Py<PyArray1<i8>>,
    /// The distances to win, as int32.
    dtw: Py<PyArray1<i32>>,
    /// The stones of the side to move after the turn, as uint64.
    own: Py<PyArray1<u64>>,
    /// The stones of the other side after the turn, as uint64.
    opponent: Py<PyArray1<u64>>,
}

/// The arrays of [`Ranks`], to which turns are added.
#[derive(Default)]
pub(crate) struct RanksBuilder {
    offsets: Vec<i64>,
    missing: Vec<bool>,
    origin: Vec<u8>,
    destination: Vec<u8>,
    captured: Vec<u64>,
    value: Vec<i8>,
    dtw: Vec<i32>,
    own: Vec<u64>,
    opponent: Vec<u64>,
}

impl RanksBuilder {
    pub(crate) fn add(
        &mut self,
        results: Vec<Result<Vec<RankedTurn>, KnowledgeError>>,
        missing: Missing,
    ) -> PyResult<()> {
        for result in results {
            let (turns, marked) = match result {
                Ok(turns) => (turns, false),
                Err(KnowledgeError::Tables(error)) if missing.marks(&error) => (Vec::new(), true),
                Err(error) => return Err(exception(error)),
            };
            self.offsets.push(self.value.len() as i64);
            self.missing.push(marked);
            for RankedTurn { turn, after, assessment } in turns {
                // Points have indices below 64.
                self.origin.push(turn.origin().index() as u8);
                self.destination.push(turn.destination().index() as u8);
                self.captured.push(turn.captured().bits());
                self.value.push(number(assessment.bounds.at_least));
                self.dtw.push(assessment.dtw.map_or(NO_DISTANCE, i32::from));
                self.own.push(after.own().bits());
                self.opponent.push(after.opponent().bits());
            }
        }
        Ok(())
    }

    pub(crate) fn finish(mut self, py: Python<'_>) -> Ranks {
        self.offsets.push(self.value.len() as i64);
        Ranks {
            offsets: array(py, self.offsets),
            missing: array(py, self.missing),
            origin: array(py, self.origin),
            destination: array(py, self.destination),
            captured: array(py, self.captured),
            value: array(py, self.value),
            dtw: array(py, self.dtw),
            own: array(py, self.own),
            opponent: array(py, self.opponent),
        }
    }
}

#[pymethods]
impl Ranks {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (turns, positions) = (self.value.bind(py).len()?, self.missing.bind(py).len()?);
        Ok(format!("<Ranks of {turns} turns of {positions} positions>"))
    }
}
