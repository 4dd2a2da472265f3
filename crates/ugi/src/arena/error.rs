//! Why a match cannot go on.

use fanorona_core::ErrorKind;
use thiserror::Error;

use super::opening::OpeningError;

/// Why a match cannot begin or go on.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum MatchError {
    #[error(transparent)]
    Player(Box<dyn std::error::Error + Send + Sync>),
    #[error(transparent)]
    Opening(#[from] OpeningError),
    #[error(
        "{0} games are not pairs; each opening is played twice, so play an even number of games"
    )]
    Odd(u64),
}

impl MatchError {
    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Player(_) => ErrorKind::EngineFailed,
            Self::Opening(error) => error.kind(),
            Self::Odd(_) => ErrorKind::BadParameter,
        }
    }
}
