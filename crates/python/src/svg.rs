//! Pictures, which `python/fanorona/_svg.py` draws.

use pyo3::call::PyCallArgs;
use pyo3::prelude::*;

/// The picture that a function of that file draws. It is imported at the first picture.
pub(crate) fn draw<'py>(
    py: Python<'py>,
    function: &str,
    args: impl PyCallArgs<'py>,
) -> PyResult<String> {
    py.import("fanorona._svg")?.getattr(function)?.call1(args)?.extract()
}
