//! What can go wrong in a call, and its status.

use std::error::Error;
use std::io;

use fanorona_core::{
    Board, BoardError, Coordinates, ParsePositionError, ParseRuleSetError, ParseTurnError,
    PlayError, RuleError, RuleSet, SetupError, StepError,
};
use fanorona_engine::EngineError;
use fanorona_knowledge::KnowledgeError;
use fanorona_proof::{BookError, CertificateError};
use fanorona_solver::SolverError;
use fanorona_tablebase::TableError;
use thiserror::Error;

use crate::status::Status;

/// A failure of a call.
#[derive(Debug, Error)]
pub(crate) enum Failure {
    #[error("{0} is NULL")]
    Null(&'static str),
    #[error("{0} is not aligned for its type")]
    Unaligned(&'static str),
    #[error("{name} {why}")]
    Argument { name: &'static str, why: String },
    #[error("{name} holds {capacity}, but {needed} are needed")]
    Capacity { name: &'static str, capacity: usize, needed: usize },
    #[error(transparent)]
    Board(#[from] BoardError),
    #[error(transparent)]
    RuleSetText(#[from] ParseRuleSetError),
    #[error(transparent)]
    Rules(#[from] RuleError),
    #[error(transparent)]
    PositionText(#[from] ParsePositionError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error("to_move is {0}, but must be FANORONA_WHITE or FANORONA_BLACK")]
    Side(i32),
    #[error("the game is on the board {expected}, but the position is on {found}")]
    OtherBoard { expected: Board, found: Board },
    #[error("{what} is of {found_board} under {found_rules}, not of {board} under {rules}")]
    OtherGame {
        what: &'static str,
        found_board: Board,
        found_rules: RuleSet,
        board: Board,
        rules: RuleSet,
    },
    #[error(transparent)]
    TurnText(#[from] ParseTurnError),
    #[error("the turn is not one: {0}")]
    BadTurn(String),
    #[error("no link joins {from} and {to}")]
    NoLink { from: Coordinates, to: Coordinates },
    #[error(transparent)]
    Step(#[from] StepError),
    #[error(transparent)]
    Play(#[from] PlayError),
    #[error("the game is over: there is no turn to choose")]
    GameOver,
    #[error(transparent)]
    Tables(#[from] TableError),
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    #[error(transparent)]
    Book(#[from] BookError),
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    #[error(transparent)]
    Solver(#[from] SolverError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("threads cannot be started: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    #[error("stopped")]
    Stopped,
    #[error("internal error: {0}")]
    Panic(String),
}

impl Failure {
    /// The status that the caller gets.
    pub(crate) fn status(&self) -> Status {
        match self {
            Self::Null(_) | Self::Unaligned(_) | Self::Argument { .. } => Status::Argument,
            Self::Capacity { .. } => Status::Capacity,
            Self::Board(_) | Self::RuleSetText(_) | Self::Rules(_) => Status::BadGame,
            Self::PositionText(_) | Self::Setup(_) | Self::Side(_) => Status::BadPosition,
            Self::OtherBoard { .. } | Self::OtherGame { .. } => Status::OtherGame,
            Self::TurnText(error) => match error {
                ParseTurnError::NoLink { .. }
                | ParseTurnError::Step { .. }
                | ParseTurnError::Unfinished { .. } => Status::IllegalTurn,
                _ => Status::BadTurn,
            },
            Self::BadTurn(_) => Status::BadTurn,
            Self::NoLink { .. } | Self::Step(_) | Self::Play(_) => Status::IllegalTurn,
            Self::GameOver => Status::GameOver,
            Self::Tables(error) => of_tables(error),
            Self::Certificate(error) => of_certificate(error),
            Self::Book(error) => of_book(error),
            Self::Knowledge(error) => of_knowledge(error),
            Self::Solver(error) => of_solver(error),
            Self::Engine(error) => of_engine(error),
            Self::Threads(_) => Status::OutOfMemory,
            Self::Stopped => Status::Stopped,
            Self::Panic(_) => Status::Panic,
        }
    }

    /// The message with its causes, each once.
    pub(crate) fn message(&self) -> String {
        let mut message = self.to_string();
        let mut source = self.source();
        while let Some(error) = source {
            let cause = error.to_string();
            if !message.contains(&cause) {
                message += ": ";
                message += &cause;
            }
            source = error.source();
        }
        message
    }
}

fn of_io(error: &io::Error) -> Status {
    match error.kind() {
        io::ErrorKind::NotFound => Status::NotFound,
        io::ErrorKind::OutOfMemory => Status::OutOfMemory,
        _ => Status::Io,
    }
}

fn of_tables(error: &TableError) -> Status {
    match error {
        TableError::Missing { .. } => Status::NoTable,
        TableError::NoDirectory { source, .. } | TableError::Io { source, .. } => of_io(source),
        TableError::NotATable { .. } | TableError::Corrupt { .. } => Status::Damaged,
        TableError::Version { .. } => Status::Version,
        TableError::Other { .. } | TableError::Foreign { .. } => Status::OtherTable,
        TableError::NotAPosition { .. } => Status::BadPosition,
        TableError::ColoursMatter { .. } => Status::VelaPhase,
        TableError::Resources { .. } => Status::OutOfMemory,
        TableError::TooLarge { .. } => Status::NoTable,
        TableError::OtherBoard { .. } | TableError::OtherGame { .. } => Status::OtherGame,
        TableError::Stopped => Status::Stopped,
        _ => Status::Io,
    }
}

fn of_certificate(error: &CertificateError) -> Status {
    match error {
        CertificateError::Io { source, .. } => of_io(source),
        CertificateError::NotACertificate { .. } | CertificateError::Corrupt { .. } => {
            Status::Damaged
        }
        CertificateError::Version { .. } => Status::Version,
        CertificateError::DoesNotHold { .. } => Status::ProofFails,
        CertificateError::NeedsTables { .. } => Status::NoTable,
        CertificateError::OtherTable { .. } => Status::OtherTable,
        CertificateError::Tables(error) => of_tables(error),
        CertificateError::Rules(_) => Status::BadGame,
        CertificateError::MemoryLimit { .. } => Status::OutOfMemory,
        CertificateError::Stopped => Status::Stopped,
        // The others are of making certificates, which the interface does not.
        _ => Status::Io,
    }
}

fn of_book(error: &BookError) -> Status {
    match error {
        BookError::Empty => Status::Argument,
        BookError::OtherGame { .. } | BookError::OtherBoard { .. } => Status::OtherGame,
        BookError::Contradiction { .. } => Status::Damaged,
        BookError::Certificate(error) => of_certificate(error),
        BookError::Tables(error) => of_tables(error),
        _ => Status::Io,
    }
}

fn of_knowledge(error: &KnowledgeError) -> Status {
    match error {
        KnowledgeError::OtherBook { .. } => Status::OtherGame,
        KnowledgeError::Stopped => Status::Stopped,
        KnowledgeError::Tables(error) => of_tables(error),
        KnowledgeError::Book(error) => of_book(error),
        _ => Status::Io,
    }
}

fn of_solver(error: &SolverError) -> Status {
    match error {
        SolverError::Rules(_) => Status::BadGame,
        SolverError::Tables(error) => of_tables(error),
        SolverError::Memory { .. } | SolverError::Thread(_) => Status::OutOfMemory,
        SolverError::OtherBoard { .. } => Status::OtherGame,
        SolverError::Io { source, .. } => of_io(source),
        SolverError::Stopped => Status::Stopped,
        // The others are of saved searches, which the interface does not have.
        _ => Status::Io,
    }
}

fn of_engine(error: &EngineError) -> Status {
    match error {
        EngineError::Rules(_) => Status::BadGame,
        EngineError::Knowledge(error) => of_knowledge(error),
        EngineError::OtherBoard { .. } => Status::OtherGame,
        EngineError::Memory { .. } => Status::OutOfMemory,
        EngineError::NoTurn { .. } => Status::Damaged,
        EngineError::MissingBook { .. } => Status::NoBook,
        EngineError::MissingTables(_) => Status::NoTable,
        _ => Status::Io,
    }
}
