//! Guides, which choose the turns of a proof.

use std::error::Error;

use fanorona_core::{ErrorKind, Position, Turn};
use thiserror::Error;

/// Chooses the turns of a proof. Functions from positions to turns implement it.
///
/// ```
/// use fanorona_core::{Position, RuleSet};
/// use fanorona_proof::{Guide, GuideError};
/// let mut first = |position: &Position| -> Result<_, GuideError> {
///     Ok(RuleSet::STANDARD.turns(position).into_iter().next())
/// };
/// let position = "3/B1W/WWW w".parse()?;
/// assert!(first.turn(&position)?.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Guide {
    /// A turn for the prover, who is to move; `None` if the guide does not know one.
    ///
    /// It is called for one of the positions that symmetries of the board map to each other. For a
    /// win, the turns should make progress: if they lead to cycles,
    /// [`Maker::prove`](crate::Maker::prove) has to find others.
    ///
    /// # Errors
    /// [`GuideError::Stopped`] if it was stopped or reached a limit, [`GuideError::Failed`] if it
    /// failed otherwise.
    fn turn(&mut self, position: &Position) -> Result<Option<Turn>, GuideError>;
}

impl<F> Guide for F
where
    F: FnMut(&Position) -> Result<Option<Turn>, GuideError>,
{
    fn turn(&mut self, position: &Position) -> Result<Option<Turn>, GuideError> {
        self(position)
    }
}

/// An error of a [`Guide`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GuideError {
    /// It was stopped or reached a limit.
    #[error("stopped")]
    Stopped,
    /// It failed for another reason, which is of this kind.
    #[error("{source}")]
    Failed {
        /// The kind of the reason.
        kind: ErrorKind,
        /// The reason.
        source: Box<dyn Error + Send + Sync>,
    },
}

impl GuideError {
    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Stopped => ErrorKind::Interrupted,
            Self::Failed { kind, .. } => *kind,
        }
    }
}
