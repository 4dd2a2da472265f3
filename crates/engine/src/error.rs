//! Errors of engines.

use std::error::Error as StdError;
use std::path::PathBuf;

use fanorona_core::{Board, ErrorKind, Position, RuleError, RuleSet, error_kinds};
use fanorona_knowledge::{BookError, KnowledgeError, MissingTables};
use fanorona_proof::CertificateError;
use fanorona_solver::SolverError;
use thiserror::Error;

use crate::draw_rules::DrawRulesError;
use crate::level::LevelError;
use crate::record::{RecordError, RecordProblem};

/// Why an engine cannot be built, or cannot analyze.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum EngineError {
    /// The rule set has no reading on the board.
    #[error(transparent)]
    Rules(#[from] RuleError),
    /// A table or a certificate is damaged or cannot be read.
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    /// The search for proofs failed.
    #[error(transparent)]
    Solver(#[from] SolverError),
    #[error("the position is of the board {found}, and the engine plays on {expected}")]
    OtherBoard { expected: Board, found: Board },
    #[error("there is no memory for a transposition table of {bytes} bytes")]
    Memory { bytes: usize },
    /// A position that is not over has no turn: the tables contradict the rules.
    #[error("the tables list no turn for the position '{position}'")]
    NoTurn { position: Position },
    /// The level that cannot lose has no book, and no tables that hold the start of the game.
    #[error("level 9 (unbeatable) needs a certificate for the start of {board} under {rules}")]
    MissingBook { board: Board, rules: RuleSet },
    #[error("level 9 (unbeatable) lacks tables: {missing}")]
    MissingTables {
        missing: MissingTables,
        /// The directory that was given, if one was.
        dir: Option<PathBuf>,
    },
}

impl EngineError {
    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Rules(error) => error.kind(),
            Self::Knowledge(error) => error.kind(),
            Self::Solver(error) => error.kind(),
            Self::OtherBoard { .. } => ErrorKind::OtherGame,
            Self::Memory { .. } => ErrorKind::OutOfMemory,
            Self::NoTurn { .. } => ErrorKind::DamagedFile,
            Self::MissingBook { .. } => ErrorKind::MissingCertificate,
            Self::MissingTables { .. } => ErrorKind::MissingTable,
        }
    }
}

/// The error behind errors of the libraries that pass one on without words of their own; such an error
/// is not a cause. Often it is the error itself.
pub fn innermost<'e>(error: &'e (dyn StdError + 'static)) -> &'e (dyn StdError + 'static) {
    macro_rules! passed_on {
        ($($type:ident::$variant:ident),+ $(,)?) => {
            $(if let Some($type::$variant(inner)) = error.downcast_ref() {
                return innermost(inner);
            })+
        };
    }
    passed_on! {
        EngineError::Knowledge,
        EngineError::Solver,
        KnowledgeError::Tables,
        KnowledgeError::Book,
        SolverError::Tables,
        BookError::Tables,
        BookError::Certificate,
        CertificateError::Tables,
    }
    error
}

error_kinds! {
    BadParameter: DrawRulesError, LevelError;
    BadRecord: RecordError, RecordProblem;
}
