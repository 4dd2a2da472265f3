//! Arguments that searches share.

use std::sync::Arc;
use std::time::Duration;

use fanorona_core::{Board, RuleSet};
use fanorona_engine::{DrawRules, DrawRulesError};
use fanorona_knowledge::{Book, Knowledge};
use fanorona_tablebase::memory_available;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::build::duration;
use crate::errors::{Exception, exception};
use crate::tables::Tables;

/// The tables of an optional argument.
pub(crate) fn shared(
    tables: Option<&Bound<'_, Tables>>,
) -> PyResult<Option<Arc<fanorona_tablebase::Tables>>> {
    tables.map(|tables| tables.get().shared()).transpose()
}

/// The sources of a game. Without a book, they have the certificate of its start.
pub(crate) fn knowledge(
    board: Board,
    rules: RuleSet,
    tables: Option<Arc<fanorona_tablebase::Tables>>,
    book: Option<Arc<Book>>,
) -> PyResult<Knowledge> {
    let known = Knowledge::new(board, rules, tables, book);
    known.and_then(Knowledge::with_start).map_err(exception)
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
