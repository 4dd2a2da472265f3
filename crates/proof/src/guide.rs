//! What tells the maker of a certificate how a proof goes on.

use std::error::Error;

use fanorona_core::{Position, Turn};
use thiserror::Error;

/// Chooses the turns of a proof.
pub trait Guide {
    /// A turn for the side that proves, at a position where it moves; `None` if the guide does not
    /// know one.
    ///
    /// Positions come through any symmetry of the board. A win's turns must come nearer to the end,
    /// or [`Maker::prove`](crate::Maker::prove) has to find others.
    ///
    /// # Errors
    /// If the guide cannot find a turn for a reason of its own, or was stopped.
    fn turn(&mut self, position: &Position) -> Result<Option<Turn>, GuideError>;
}

/// Why a [`Guide`] has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GuideError {
    /// It was stopped, or reached a limit.
    #[error("stopped")]
    Stopped,
    /// It failed.
    #[error(transparent)]
    Failed(Box<dyn Error + Send + Sync>),
}
