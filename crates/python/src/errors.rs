//! The exceptions, which are Python classes in `python/fanorona/_errors.py`.

use std::error::Error;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The exceptions of this package that the extension raises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Exception {
    Board,
    IllegalTurn,
    Position,
    Rule,
    Turn,
}

impl Exception {
    /// The name of the Python class.
    fn name(self) -> &'static str {
        match self {
            Self::Board => "BoardError",
            Self::IllegalTurn => "IllegalTurnError",
            Self::Position => "PositionError",
            Self::Rule => "RuleError",
            Self::Turn => "TurnError",
        }
    }

    /// The exception with an error's text and the texts of its causes.
    pub(crate) fn of(self, error: &(dyn Error + 'static)) -> PyErr {
        self.new(with_causes(error))
    }

    /// The exception with a text.
    pub(crate) fn new(self, message: impl Into<String>) -> PyErr {
        let message = message.into();
        Python::attach(|py| match self.class(py) {
            Ok(class) => PyErr::from_type(class, (message,)),
            Err(error) => error,
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
