//! Arrays of bitboards.

use fanorona_core::{Board, Position, Side, Stones};
use numpy::{PyArray1, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::errors::Exception;

/// Positions as two arrays: the stones of the side to move, and those of the opponent.
pub(crate) struct Bitboards {
    own: Vec<u64>,
    opponent: Vec<u64>,
}

impl Bitboards {
    /// Copies two arrays of one dimension and the same length. They need be neither contiguous nor
    /// aligned.
    pub(crate) fn new(own: &Bound<'_, PyAny>, opponent: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (own, opponent) = (array(own, "own")?, array(opponent, "opponent")?);
        if own.shape() != opponent.shape() || own.ndim() != 1 {
            return Err(PyValueError::new_err(format!(
                "own has the shape {}, and opponent has the shape {}: both have one dimension and \
                 the same length",
                own.getattr("shape")?,
                opponent.getattr("shape")?
            )));
        }
        let copy = |array: &Bound<'_, PyUntypedArray>| -> PyResult<Vec<u64>> {
            // A field of an array of records can have any stride, and any address. The view of the
            // numpy crate counts strides in whole numbers.
            let is_regular = array.strides()[0] % size_of::<u64>() as isize == 0;
            if is_regular && array.getattr("flags")?.getattr("aligned")?.extract()? {
                return Ok(array.cast::<PyArray1<u64>>()?.readonly().as_array().to_vec());
            }
            let array = array.call_method0("copy")?;
            Ok(array.cast::<PyArray1<u64>>()?.readonly().as_array().to_vec())
        };
        Ok(Self { own: copy(&own)?, opponent: copy(&opponent)? })
    }

    pub(crate) fn len(&self) -> usize {
        self.own.len()
    }

    /// The positions from one index to before another, with White to move.
    ///
    /// # Errors
    /// PositionError with the index of the first that is none.
    pub(crate) fn positions(
        &self,
        board: Board,
        range: std::ops::Range<usize>,
    ) -> PyResult<Vec<Position>> {
        let position = |index: usize| {
            let stones = Stones::from_bits(self.own[index], self.opponent[index]);
            Position::from_mover(board, stones, Side::White)
        };
        let all = range.clone().into_par_iter().map(position).collect::<Result<_, _>>();
        all.or_else(|_| {
            let first = |index| position(index).map_err(|error| (index, error));
            range.map(first).collect::<Result<_, _>>()
        })
        .map_err(|(index, error)| {
            let (own, opponent) = (self.own[index], self.opponent[index]);
            Exception::Position.because(format!(
                "own[{index}] = {own:#x} and opponent[{index}] = {opponent:#x} are not a position \
                 of {board}, with own as white: {error}"
            ))
        })
    }
}

/// An argument that is an array of integers, or a list of them, as an array of 64-bit unsigned integers.
fn array<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = object.py();
    let found = py.import("numpy")?.call_method1("asarray", (object,))?;
    let array = found.cast::<PyUntypedArray>()?;
    let (dtype, wanted) = (array.dtype(), numpy::dtype::<u64>(py));
    if dtype.is_equiv_to(&wanted) {
        return Ok(array.clone());
    }
    // An empty list is an array of floating point numbers.
    if matches!(dtype.kind(), b'i' | b'u') || array.len() == 0 {
        return Ok(array.call_method1("astype", (wanted,))?.cast_into()?);
    }
    Err(PyTypeError::new_err(format!(
        "expected {name} to be integers, not {}: bitboards are integers whose bits are points",
        dtype.str()?
    )))
}
