//! Results of finished games.

use fanorona_core::{Side, Value};
use pyo3::prelude::*;

use crate::enums::Named;

/// The result of a finished game.
///
/// >>> RuleSet.STANDARD.outcome("3/1W1/3 b")
/// Outcome('white')
#[pyclass(module = "fanorona", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Outcome(pub(crate) fanorona_core::Outcome);

#[pymethods]
impl Outcome {
    #[new]
    fn new(winner: Option<Named<Side>>) -> Self {
        Self(match winner {
            Some(Named(side)) => fanorona_core::Outcome::Won(side),
            None => fanorona_core::Outcome::Drawn,
        })
    }

    /// The side that has won; None for a draw.
    #[getter]
    fn winner(&self) -> Option<Named<Side>> {
        match self.0 {
            fanorona_core::Outcome::Won(side) => Some(Named(side)),
            fanorona_core::Outcome::Drawn => None,
        }
    }

    /// The value for a side.
    fn value_for(&self, side: Named<Side>) -> Named<Value> {
        Named(self.0.value_for(side.0))
    }

    fn __repr__(&self) -> String {
        match self.0 {
            fanorona_core::Outcome::Won(side) => format!("Outcome('{side}')"),
            fanorona_core::Outcome::Drawn => "Outcome(None)".to_owned(),
        }
    }
}
