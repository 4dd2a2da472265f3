//! Why a match cannot go on.

use fanorona_tablebase::TableError;
use thiserror::Error;

use super::opening::OpeningError;

/// Why a match cannot begin or go on.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MatchError {
    /// A player cannot be started, or cannot go on.
    #[error(transparent)]
    Player(Box<dyn std::error::Error + Send + Sync>),
    /// There is no opening.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// A table is damaged or cannot be read.
    #[error(transparent)]
    Tables(#[from] TableError),
    /// The number of games is odd.
    #[error(
        "{0} games are not pairs; each opening is played twice, so play an even number of games"
    )]
    Odd(u64),
}
