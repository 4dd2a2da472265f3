//! Whole slices, block by block.

use std::sync::{Arc, Mutex, PoisonError};

use fanorona_tablebase::{Metric, Slice, TableError, Tables};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;

use crate::errors::exception;
use crate::interrupt::run_quietly;
use crate::value::numbers;

/// Consecutive entries of a slice, as arrays.
///
/// ``own`` and ``opponent`` are bitboards as uint64, ``value`` and ``dtw`` their values as in
/// Probes. Each entry stands for ``weight`` placements of the stones (uint8): the images of its own
/// stones under the symmetries of the board. ``first`` is the index of the first entry in the slice.
#[pyclass(module = "fanorona", frozen, get_all)]
#[derive(FromPyObject, Debug)]
pub(crate) struct Block {
    /// The index of the first entry.
    first: u64,
    /// The stones of the side to move, as uint64.
    own: Py<PyArray1<u64>>,
    /// The stones of the opponent, as uint64.
    opponent: Py<PyArray1<u64>>,
    /// The values for the side to move, as int8.
    value: Py<PyArray1<i8>>,
    /// The distances to win, as int32; -1 if there is none.
    dtw: Py<PyArray1<i32>>,
    /// The number of placements that each entry stands for, as uint8.
    weight: Py<PyArray1<u8>>,
}

#[pymethods]
impl Block {
    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        self.own.bind(py).len()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Block of {} entries from {} on>", self.__len__(py)?, self.first))
    }
}

/// An iterator over the blocks of a slice. It can still be used after its Tables have been closed.
#[pyclass(module = "fanorona", frozen)]
#[derive(Debug)]
pub(crate) struct Blocks {
    tables: Arc<Tables>,
    slice: Slice,
    metric: Metric,
    size: u64,
    entries: u64,
    next: Mutex<u64>,
}

impl Blocks {
    /// The blocks of a slice that has this number of entries.
    pub(crate) fn new(
        tables: Arc<Tables>,
        slice: Slice,
        metric: Metric,
        size: u64,
        entries: u64,
    ) -> Self {
        Self { tables, slice, metric, size, entries, next: Mutex::new(0) }
    }

    /// The first entry of the next block. Each block is given to one thread.
    fn take_next(&self) -> Option<u64> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let first = *next;
        *next = first.saturating_add(self.size).min(self.entries);
        (first < self.entries).then_some(first)
    }
}

#[pymethods]
impl Blocks {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Block>> {
        let Some(first) = self.take_next() else { return Ok(None) };
        let found = run_quietly(py, |_| {
            let found = self.tables.entries(self.slice, self.metric, first, self.size)?;
            let (mut own, mut opponent) = (Vec::new(), Vec::new());
            let (mut values, mut distances, mut weights) = (Vec::new(), Vec::new(), Vec::new());
            for (entry, found) in found {
                own.push(entry.stones.own.bits());
                opponent.push(entry.stones.opponent.bits());
                let (value, distance) = numbers(found);
                values.push(value);
                distances.push(distance);
                weights.push(entry.weight);
            }
            Ok((own, opponent, values, distances, weights))
        })?;
        let (own, opponent, value, dtw, weight) = found.map_err(exception::<TableError>)?;
        Ok(Some(Block {
            first,
            own: own.into_pyarray(py).unbind(),
            opponent: opponent.into_pyarray(py).unbind(),
            value: value.into_pyarray(py).unbind(),
            dtw: dtw.into_pyarray(py).unbind(),
            weight: weight.into_pyarray(py).unbind(),
        }))
    }

    /// The number of blocks that are left.
    fn __length_hint__(&self) -> u64 {
        let next = *self.next.lock().unwrap_or_else(PoisonError::into_inner);
        (self.entries - next).div_ceil(self.size)
    }
}
