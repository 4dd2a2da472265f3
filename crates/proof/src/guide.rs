//! What chooses the turns of a proof.

use std::error::Error;

use fanorona_core::{Position, Turn};
use thiserror::Error;

/// Chooses the turns of a proof. A function from positions to turns is a guide.
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
    /// A turn for the prover at a position where it moves; `None` if the guide does not know one.
    ///
    /// It is asked for one of the positions that symmetries of the board map to each other. The
    /// turns of a win should bring its end nearer; where they lead back to a position,
    /// [`Maker::prove`](crate::Maker::prove) has to find others.
    ///
    /// # Errors
    /// [`GuideError::Stopped`] if it was asked to stop or reached a limit, [`GuideError::Failed`] if
    /// it cannot look for a turn.
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

/// Why a [`Guide`] has no answer.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GuideError {
    /// It was asked to stop, or reached a limit.
    #[error("stopped")]
    Stopped,
    /// It failed.
    #[error(transparent)]
    Failed(Box<dyn Error + Send + Sync>),
}
