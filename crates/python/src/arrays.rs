//! Arrays of bitboards.

use fanorona_core::{Board, Position, Side, Stones};
use numpy::{PyArray1, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::args::wrong_type;
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

/// An argument that is an array of 64-bit unsigned integers.
fn array<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyUntypedArray>> {
    let Ok(array) = object.cast::<PyUntypedArray>() else {
        return Err(wrong_type(object, &format!("{name} to be a numpy array of uint64")));
    };
    if !array.dtype().is_equiv_to(&numpy::dtype::<u64>(object.py())) {
        return Err(PyTypeError::new_err(format!(
            "{name} is an array of {}, not of uint64: bitboards are unsigned integers, see \
             numpy.ndarray.astype",
            array.dtype().str()?
        )));
    }
    Ok(array.clone())
}
