//! Arguments that searches share.

use std::sync::Arc;
use std::time::Duration;

use fanorona_engine::{DrawRules, DrawRulesError};
use fanorona_tablebase::memory_available;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::build::duration;
use crate::errors::Exception;
use crate::tables::Tables;

/// The tables of an optional argument.
pub(crate) fn shared(
    tables: Option<&Bound<'_, Tables>>,
) -> PyResult<Option<Arc<fanorona_tablebase::Tables>>> {
    tables.map(|tables| tables.get().shared()).transpose()
}

/// Checks that a search has the memory that it is given, in bytes.
pub(crate) fn check_memory(bytes: usize) -> PyResult<()> {
    match memory_available() {
        Some(available) if bytes as u64 > available => {
            Err(Exception::OutOfMemory.because(format!(
                "the search is given {} MiB of memory, and {} MiB are available",
                bytes.div_ceil(1 << 20),
                available >> 20
            )))
        }
        _ => Ok(()),
    }
}

pub(crate) fn draw_rules(text: &str) -> PyResult<DrawRules> {
    text.parse().map_err(|error: DrawRulesError| PyValueError::new_err(error.to_string()))
}

/// The time of an optional argument, in seconds, which may be infinite.
pub(crate) fn time(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    match seconds {
        Some(f64::INFINITY) => Ok(Some(Duration::MAX)),
        seconds => seconds.map(|seconds| duration("time", seconds)).transpose(),
    }
}
