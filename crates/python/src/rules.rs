//! Rule sets, and results of finished games.

use fanorona_core::{Side, Value};
use pyo3::prelude::*;

use crate::args::{PositionArg, RulesArg};
use crate::classes::{Position, RuleSet, Turn};
use crate::enums::Named;

#[pymethods]
impl RuleSet {
    #[new]
    #[pyo3(signature = (name = RulesArg::STANDARD), text_signature = "(name='standard')")]
    fn new(name: RulesArg) -> Self {
        Self(name.0)
    }

    /// Mandatory capture, optional relay: the rules of the research papers.
    #[classattr]
    const STANDARD: Self = Self(fanorona_core::RuleSet::STANDARD);

    /// Each player's first capturing turn ends after one step.
    #[classattr]
    const FIRST_CAPTURE_SINGLE: Self = Self(fanorona_core::RuleSet::FIRST_CAPTURE_SINGLE);

    /// A relay continues while it can.
    #[classattr]
    const FORCED_RELAY: Self = Self(fanorona_core::RuleSet::FORCED_RELAY);

    /// Capturing is optional after the first turn.
    #[classattr]
    const FREE_CAPTURE: Self = Self(fanorona_core::RuleSet::FREE_CAPTURE);

    /// The revenge game of the French sheet.
    #[classattr]
    const VELA: Self = Self(fanorona_core::RuleSet::VELA);

    /// The presets.
    #[staticmethod]
    fn presets() -> Vec<Self> {
        fanorona_core::RuleSet::PRESETS.map(Self).to_vec()
    }

    /// The name: a preset, and the options that differ after ``+``.
    #[getter]
    fn name(&self) -> String {
        self.0.to_string()
    }

    /// The legal turns at a position. A finished game has none.
    fn legal_turns(&self, position: PositionArg) -> PyResult<Vec<Turn>> {
        Ok(Position(position.0).list_turns(RulesArg(self.0).on(position.0.board())?))
    }

    /// The result of the game at a position; None if it is not over.
    fn outcome(&self, position: PositionArg) -> PyResult<Option<Outcome>> {
        let rules = RulesArg(self.0).on(position.0.board())?;
        Ok(rules.outcome(&position.0).map(Outcome))
    }

    /// The rule set without what can no longer matter at this position. From there on, turns and
    /// results are the same.
    /// Tables are built for such rule sets.
    fn endgame(&self, position: PositionArg) -> Self {
        Self(self.0.endgame_of(&position.0))
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("RuleSet('{}')", self.0)
    }
}

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
