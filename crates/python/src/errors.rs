//! The exceptions, which are Python classes in `python/fanorona/_errors.py`.

use std::error::Error;
use std::io;

use fanorona_engine::EngineError;
use fanorona_knowledge::KnowledgeError;
use fanorona_proof::{BookError, CertificateError};
use fanorona_solver::SolverError;
use fanorona_tablebase::{Resource, TableError};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The exceptions of this package that the extension raises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exception {
    Board,
    Busy,
    Certificate,
    CertificateRead,
    DamagedTable,
    IllegalTurn,
    MissingTable,
    OutOfDisk,
    OutOfMemory,
    Position,
    Rule,
    Search,
    SearchRead,
    Slice,
    Suite,
    TableRead,
    Turn,
}

impl Exception {
    /// The name of the Python class.
    fn name(self) -> &'static str {
        match self {
            Self::Board => "BoardError",
            Self::Busy => "BusyError",
            Self::Certificate => "CertificateError",
            Self::CertificateRead => "CertificateReadError",
            Self::DamagedTable => "DamagedTableError",
            Self::IllegalTurn => "IllegalTurnError",
            Self::MissingTable => "MissingTableError",
            Self::OutOfDisk => "OutOfDiskError",
            Self::OutOfMemory => "OutOfMemoryError",
            Self::Position => "PositionError",
            Self::Rule => "RuleError",
            Self::Search => "SearchError",
            Self::SearchRead => "SearchReadError",
            Self::Slice => "SliceError",
            Self::Suite => "SuiteError",
            Self::TableRead => "TableReadError",
            Self::Turn => "TurnError",
        }
    }

    /// The exception with an error's text and the texts of its causes.
    pub(crate) fn of(self, error: &(dyn Error + 'static)) -> PyErr {
        self.because(with_causes(error))
    }

    /// The exception with a text.
    pub(crate) fn because(self, message: impl Into<String>) -> PyErr {
        let message = message.into();
        Python::attach(|py| match self.class(py) {
            Ok(class) => PyErr::from_type(class, (message,)),
            Err(error) => error,
        })
    }

    /// The exception with an error of the system, whose number is the attribute `errno`.
    fn of_system(self, error: &(dyn Error + 'static), source: &io::Error) -> PyErr {
        let message = with_causes(error);
        Python::attach(|py| match (self.class(py), source.raw_os_error()) {
            (Ok(class), Some(number)) => PyErr::from_type(class, (number, message)),
            (Ok(class), None) => PyErr::from_type(class, (message,)),
            (Err(error), _) => error,
        })
    }

    fn class(self, py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
        static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
        let module =
            MODULE.get_or_try_init(py, || py.import("fanorona._errors").map(Bound::unbind))?;
        Ok(module.bind(py).getattr(self.name())?.cast_into::<PyType>()?)
    }
}

/// An error's text and the texts of its causes.
pub(crate) fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

/// The exception of an error of tables.
pub(crate) fn table_error(error: TableError) -> PyErr {
    let exception = match &error {
        TableError::Io { source, .. } | TableError::NoDirectory { source, .. } => {
            return Exception::TableRead.of_system(&error, source);
        }
        // A signal or a callback has set the flag, and its exception replaces this one.
        TableError::Stopped => return stopped(),
        TableError::Missing { .. } => Exception::MissingTable,
        TableError::NotAPosition { .. } | TableError::ColoursMatter { .. } => Exception::Position,
        TableError::Resources { resource: Resource::Memory, .. } => Exception::OutOfMemory,
        TableError::Resources { .. } => Exception::OutOfDisk,
        TableError::Busy { .. } => Exception::Busy,
        TableError::TooFar { .. } | TableError::TooLarge { .. } => Exception::Slice,
        TableError::OtherBoard { .. } => Exception::Board,
        TableError::OtherGame { board, found_board, .. } if board != found_board => {
            Exception::Board
        }
        TableError::OtherGame { .. } => Exception::Rule,
        _ => Exception::DamagedTable,
    };
    exception.of(&error)
}

/// The exception of an error of a certificate.
pub(crate) fn certificate_error(error: CertificateError) -> PyErr {
    let exception = match error {
        CertificateError::Tables(error) => return table_error(error),
        CertificateError::Stopped => return stopped(),
        CertificateError::Io { ref source, .. } => {
            return Exception::CertificateRead.of_system(&error, source);
        }
        CertificateError::NeedsTables { .. } => Exception::MissingTable,
        CertificateError::Rules(_) => Exception::Rule,
        CertificateError::MemoryLimit { .. } | CertificateError::EntryMemory { .. } => {
            Exception::OutOfMemory
        }
        _ => Exception::Certificate,
    };
    exception.of(&error)
}

/// The exception of an error of a book.
pub(crate) fn book_error(error: BookError) -> PyErr {
    match error {
        BookError::Certificate(error) => certificate_error(error),
        BookError::Tables(error) => table_error(error),
        BookError::OtherBoard { .. } => Exception::Board.of(&error),
        _ => Exception::Certificate.of(&error),
    }
}

/// The exception of an error of asking what is known.
pub(crate) fn knowledge_error(error: KnowledgeError) -> PyErr {
    match error {
        KnowledgeError::Tables(error) => table_error(error),
        KnowledgeError::Book(error) => book_error(error),
        KnowledgeError::Stopped => stopped(),
        _ => Exception::Certificate.of(&error),
    }
}

/// The exception of an error of a proof search.
pub(crate) fn solver_error(error: SolverError) -> PyErr {
    match error {
        SolverError::Tables(error) => table_error(error),
        SolverError::Rules(_) => Exception::Rule.of(&error),
        SolverError::Stopped => stopped(),
        SolverError::Memory { .. } => Exception::OutOfMemory.of(&error),
        SolverError::OtherBoard { .. } => Exception::Board.of(&error),
        SolverError::Io { ref source, .. } => Exception::SearchRead.of_system(&error, source),
        SolverError::Thread(_) => PyRuntimeError::new_err(error.to_string()),
        _ => Exception::Search.of(&error),
    }
}

/// The exception of an error of an engine.
pub(crate) fn engine_error(error: EngineError) -> PyErr {
    match error {
        EngineError::Knowledge(error) => knowledge_error(error),
        EngineError::Rules(_) => Exception::Rule.of(&error),
        EngineError::OtherBoard { .. } => Exception::Board.of(&error),
        EngineError::Memory { .. } => Exception::OutOfMemory.of(&error),
        EngineError::MissingTables(_) => Exception::MissingTable.of(&error),
        EngineError::NoTurn { .. } => Exception::DamagedTable.of(&error),
        _ => Exception::Certificate.of(&error),
    }
}

/// The error of work that was stopped. The exception of the signal handler or the callback that has
/// stopped it replaces this one.
fn stopped() -> PyErr {
    PyRuntimeError::new_err("stopped")
}
