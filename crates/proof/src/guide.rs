//! Guides, which choose the turns of a proof.

use fanorona_core::{Position, Turn};

use crate::error::Result;

/// Chooses the turns of a proof. Functions from positions to turns implement it.
///
/// ```
/// use fanorona_core::{Position, RuleSet};
/// use fanorona_proof::{CertificateError, Guide};
/// let mut first = |position: &Position| -> Result<_, CertificateError> {
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
    /// [`CertificateError::Stopped`](crate::CertificateError::Stopped) if it was stopped, and
    /// [`CertificateError::Guide`](crate::CertificateError::Guide) if it failed otherwise.
    fn turn(&mut self, position: &Position) -> Result<Option<Turn>>;
}

impl<F> Guide for F
where
    F: FnMut(&Position) -> Result<Option<Turn>>,
{
    fn turn(&mut self, position: &Position) -> Result<Option<Turn>> {
        self(position)
    }
}
