//! Results made again from their pickles.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::analyze::Analysis;
use crate::blocks::Block;
use crate::engine::PlayResult;
use crate::pickle::Restore;
use crate::probes::{Probes, Ranks};
use crate::value::{Assessment, RankedTurn};

/// Makes an object again, for pickle and copy.
#[pyfunction]
#[pyo3(name = "_restore", signature = (name, parts, /))]
pub(crate) fn restore<'py>(name: &str, parts: &Bound<'py, PyTuple>) -> PyResult<Bound<'py, PyAny>> {
    match name {
        "Analysis" => Analysis::restore(parts),
        "Assessment" => Assessment::restore(parts),
        "Block" => Block::restore(parts),
        "PlayResult" => PlayResult::restore(parts),
        "Probes" => Probes::restore(parts),
        "RankedTurn" => RankedTurn::restore(parts),
        "Ranks" => Ranks::restore(parts),
        _ => Err(PyValueError::new_err(format!("there is no class '{name}' with such a pickle"))),
    }
}
