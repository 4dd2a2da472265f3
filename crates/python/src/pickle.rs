//! Pickles of results that have no constructor in Python.

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

/// A result that is made again from its parts.
pub(crate) trait Restore<'py>: Sized {
    /// The object with the parts that [`reduced`] was given.
    fn restore(parts: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>>;
}

/// Lets pickle make an object of a class again from these parts: the result of `__reduce__`.
pub(crate) fn reduced<'py>(
    py: Python<'py>,
    class: &str,
    parts: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<Bound<'py, PyTuple>> {
    let restore = py.import("fanorona._native")?.getattr("_restore")?;
    let args = (PyString::new(py, class), parts.into_pyobject(py)?);
    (restore, args).into_pyobject(py)
}
