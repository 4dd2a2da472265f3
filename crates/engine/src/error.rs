//! What can go wrong.

use fanorona_core::{Board, Position, RuleError, RuleSet};
use fanorona_knowledge::KnowledgeError;
use fanorona_proof::MissingTables;
use thiserror::Error;

/// Why an engine cannot be built, or cannot analyze.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The rule set has no reading on the board.
    #[error(transparent)]
    Rules(#[from] RuleError),
    /// A table or a certificate is damaged or cannot be read.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// The position is of another board.
    #[error("the position is of the board {found}, and the engine plays on {expected}")]
    OtherBoard {
        /// The engine's board.
        expected: Board,
        /// The position's board.
        found: Board,
    },
    /// The transposition table does not fit into memory.
    #[error("there is no memory for a transposition table of {bytes} bytes")]
    Memory {
        /// The bytes asked for.
        bytes: usize,
    },
    /// A position that is not over has no turn: the tables contradict the rules.
    #[error("the tables list no turn for the position '{position}'")]
    NoTurn {
        /// The position.
        position: Position,
    },
    /// The level that cannot lose has no book, and no tables that hold the start of the game.
    #[error("level 9 (unbeatable) needs a certificate for the start of {board} under {rules}")]
    MissingBook {
        /// The board.
        board: Board,
        /// The rule set.
        rules: RuleSet,
    },
    /// The level that cannot lose lacks tables that its book needs.
    #[error("level 9 (unbeatable) lacks tables: {0}")]
    MissingTables(MissingTables),
}
