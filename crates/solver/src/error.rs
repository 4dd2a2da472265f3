//! What can go wrong with a search.

use fanorona_tablebase::TableError;
use thiserror::Error;

/// An error of a search. What cannot be proved is none.
#[derive(Debug, Error)]
pub enum SolverError {
    /// A table is damaged or cannot be read.
    #[error(transparent)]
    Tables(#[from] TableError),
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
}
