//! The exceptions, which are Python classes in `python/fanorona/_errors.py`.

use std::error::Error;
use std::io;
use std::path::Path;

use fanorona_core::{Board, ErrorKind, RuleSet, with_causes};
use fanorona_engine::{EngineError, innermost};
use fanorona_proof::CertificateError;
use fanorona_tablebase::{Metric, TableError};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyString, PyType};

/// The exceptions of this package that the extension raises. In Python, `Error` follows the name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exception {
    Board,
    Busy,
    Certificate,
    DamagedFile,
    File,
    Fork,
    GameText,
    IllegalTurn,
    MissingCertificate,
    MissingTable,
    OtherFile,
    OtherGame,
    OutOfDisk,
    OutOfMemory,
    Position,
    Rule,
    Slice,
    Suite,
    Turn,
}

impl Exception {
    /// The exception with an error's text and the texts of its causes. The number of an error of the
    /// system is the attribute `errno` of an `OSError`.
    pub(crate) fn of(self, error: &(dyn Error + 'static)) -> PyErr {
        let number = matches!(self, Self::File | Self::OutOfDisk).then(|| number(error)).flatten();
        let message = with_causes(error);
        Python::attach(|py| match (self.class(py), number) {
            (Ok(class), Some(number)) => PyErr::from_type(class, (number, message)),
            (Ok(class), None) => PyErr::from_type(class, (message,)),
            (Err(error), _) => error,
        })
    }

    /// The exception with a text.
    pub(crate) fn because(self, message: impl Into<String>) -> PyErr {
        let message = message.into();
        Python::attach(|py| match self.class(py) {
            Ok(class) => PyErr::from_type(class, (message,)),
            Err(error) => error,
        })
    }

    /// Whether an error is this exception or one of a derived class.
    pub(crate) fn is(self, py: Python<'_>, error: &PyErr) -> PyResult<bool> {
        Ok(error.is_instance(py, self.class(py)?.as_any()))
    }

    fn class(self, py: Python<'_>) -> PyResult<Bound<'_, PyType>> {
        static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
        let module =
            MODULE.get_or_try_init(py, || py.import("fanorona._errors").map(Bound::unbind))?;
        Ok(module.bind(py).getattr(format!("{self:?}Error"))?.cast_into::<PyType>()?)
    }
}

/// The number of the error of the system that is a cause of an error.
fn number(error: &(dyn Error + 'static)) -> Option<i32> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return error.raw_os_error();
        }
        cause = error.source();
    }
    None
}

/// An error of one of the libraries.
pub(crate) trait LibraryError: Error + Sized + 'static {
    fn kind(&self) -> ErrorKind;
}

macro_rules! library_errors {
    ($($error:ty),+ $(,)?) => {
        $(impl LibraryError for $error {
            fn kind(&self) -> ErrorKind {
                self.kind()
            }
        })+
    };
}

library_errors! {
    fanorona_core::BoardError,
    fanorona_core::ParseRuleSetError,
    fanorona_core::RuleError,
    fanorona_core::ParsePositionError,
    fanorona_core::SetupError,
    fanorona_core::ParseTurnError,
    fanorona_core::StepError,
    fanorona_perft::suite::SuiteError,
    fanorona_tablebase::TableError,
    fanorona_proof::CertificateError,
    fanorona_knowledge::BookError,
    fanorona_knowledge::KnowledgeError,
    fanorona_engine::inquiry::SolverError,
    fanorona_engine::EngineError,
}

pub(crate) fn exception<E: LibraryError>(error: E) -> PyErr {
    let exception = match error.kind() {
        ErrorKind::BadBoard => Exception::Board,
        ErrorKind::BadRules => Exception::Rule,
        ErrorKind::BadPosition | ErrorKind::ColoursMatter => Exception::Position,
        ErrorKind::BadTurn => Exception::Turn,
        ErrorKind::IllegalTurn => Exception::IllegalTurn,
        ErrorKind::BadRecord => Exception::Suite,
        ErrorKind::BadParameter | ErrorKind::TooMany => {
            return PyValueError::new_err(with_causes(&error));
        }
        ErrorKind::OtherGame => Exception::OtherGame,
        ErrorKind::MissingTable => {
            let advice = Tables::missing(&error).map(|tables| tables.advice());
            let advice = advice.map(|advice| format!("; {advice}")).unwrap_or_default();
            return Exception::MissingTable.because(with_causes(&error) + &advice);
        }
        ErrorKind::MissingCertificate => Exception::MissingCertificate,
        ErrorKind::DamagedFile | ErrorKind::OtherVersion => Exception::DamagedFile,
        ErrorKind::OtherFile => Exception::OtherFile,
        ErrorKind::ProofFails | ErrorKind::Unproved => Exception::Certificate,
        ErrorKind::TooLarge => Exception::Slice,
        ErrorKind::MemoryLimit | ErrorKind::OutOfMemory => Exception::OutOfMemory,
        ErrorKind::OutOfDisk => Exception::OutOfDisk,
        ErrorKind::NotFound | ErrorKind::Io => Exception::File,
        ErrorKind::Busy => Exception::Busy,
        // A signal or a callback has stopped the work, and its exception replaces this one.
        ErrorKind::Interrupted | ErrorKind::EngineFailed => {
            return PyRuntimeError::new_err(with_causes(&error));
        }
    };
    exception.of(&error)
}

/// Tables that an error misses.
struct Tables<'e> {
    board: Board,
    rules: RuleSet,
    stones: u32,
    /// `None` if either would do.
    metric: Option<Metric>,
    /// Where they were looked for, if anywhere.
    dir: Option<&'e Path>,
}

impl<'e> Tables<'e> {
    /// Those that an error of a library misses, if that is the error.
    fn missing(error: &'e (dyn Error + 'static)) -> Option<Self> {
        let error = innermost(error);
        if let Some(EngineError::MissingTables { missing, dir }) = error.downcast_ref() {
            let (board, rules, stones) = (missing.board, missing.rules, missing.stones());
            return Some(Self {
                board,
                rules,
                stones,
                metric: Some(missing.metric),
                dir: dir.as_deref(),
            });
        }
        if let Some(CertificateError::NeedsTables { board, rules, slice, metric, .. }) =
            error.downcast_ref()
        {
            let (board, rules, stones) = (*board, *rules, slice.stones());
            return Some(Self { board, rules, stones, metric: Some(*metric), dir: None });
        }
        match error.downcast_ref()? {
            TableError::Missing { slice, board, rules, metric, dir } => {
                let (board, rules, stones) = (*board, *rules, slice.stones());
                Some(Self { board, rules, stones, metric: *metric, dir: Some(dir) })
            }
            _ => None,
        }
    }

    /// The call that builds them.
    fn advice(&self) -> String {
        let Self { board, rules, stones, metric, dir } = self;
        let named = if dir.is_some() { "" } else { "pass them as tables=Tables(...), or " };
        let dir = dir.unwrap_or(Path::new("tables")).to_string_lossy();
        let dir = Python::attach(|py| PyString::new(py, &dir).repr().map(|dir| dir.to_string()));
        let dir = dir.unwrap_or_default();
        let metric = metric.map(|metric| format!(", metric='{metric}'")).unwrap_or_default();
        let call = format!("fanorona.build({dir}, {stones}, '{board}', '{rules}'{metric})");
        format!("{named}build them with {call}")
    }
}
