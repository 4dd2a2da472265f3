//! Arrays of bitboards.

use fanorona_core::{Board, Position, Side, Stones};
use numpy::ndarray::s;
use numpy::{PyArray1, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::errors::Exception;

/// Positions as two arrays: the stones of the side to move, and those of the opponent.
pub(crate) struct Bitboards {
    own: Py<PyArray1<u64>>,
    opponent: Py<PyArray1<u64>>,
    length: usize,
}

impl Bitboards {
    /// Takes two arrays of one dimension and the same length. They need be neither contiguous nor
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
        let regular = |array: &Bound<'_, PyUntypedArray>| -> PyResult<Py<PyArray1<u64>>> {
            // A field of an array of records can have any stride, and any address. The view of the
            // numpy crate counts strides in whole numbers.
            let is_regular = array.strides()[0] % size_of::<u64>() as isize == 0;
            if is_regular && array.getattr("flags")?.getattr("aligned")?.extract()? {
                return Ok(array.cast::<PyArray1<u64>>()?.clone().unbind());
            }
            Ok(array.call_method0("copy")?.cast_into::<PyArray1<u64>>()?.unbind())
        };
        let length = own.len();
        Ok(Self { own: regular(&own)?, opponent: regular(&opponent)?, length })
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// The positions from one index to before another, with White to move. They are copied with the
    /// interpreter's lock, because other threads of Python may change the arrays: few at a time, so
    /// that Ctrl-C is seen between them.
    ///
    /// # Errors
    /// PositionError with the index of the first that is none.
    pub(crate) fn positions(
        &self,
        board: Board,
        range: std::ops::Range<usize>,
    ) -> PyResult<Vec<Position>> {
        let [own, opponent] = Python::attach(|py| {
            [&self.own, &self.opponent].map(|array| {
                let array = array.bind(py).readonly();
                array.as_array().slice_move(s![range.clone()]).to_vec()
            })
        });
        let position = |at: usize| {
            let stones = Stones::from_bits(own[at], opponent[at]);
            Position::from_mover(board, stones, Side::White)
        };
        let all = (0..own.len()).into_par_iter().map(position).collect::<Result<_, _>>();
        all.or_else(|_| {
            let first = |at| position(at).map_err(|error| (at, error));
            (0..own.len()).map(first).collect::<Result<_, _>>()
        })
        .map_err(|(at, error)| {
            let (index, own, opponent) = (range.start + at, own[at], opponent[at]);
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
