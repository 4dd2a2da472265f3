//! Rule sets.

use fanorona_core::{DirectionRule, NoTurns, Preset, Side};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::args::{Number, PositionArg, RulesArg};
use crate::classes::{Position, RuleSet, Turn};
use crate::enums::Named;
use crate::errors::Exception;
use crate::outcome::Outcome;

#[pymethods]
impl RuleSet {
    #[new]
    #[pyo3(
        signature = (
            name = RulesArg::STANDARD,
            *,
            no_turns = None,
            direction = None,
            victor = None,
            victor_stones = None,
            must_capture = None,
        ),
        text_signature = "(name='standard', *, no_turns=None, direction=None, victor=None, \
            victor_stones=None, must_capture=None)"
    )]
    fn new(
        name: RulesArg,
        no_turns: Option<&str>,
        direction: Option<&str>,
        victor: Option<Named<Side>>,
        victor_stones: Option<Number<u8>>,
        must_capture: Option<bool>,
    ) -> PyResult<Self> {
        let victor_stones = Number::optional(victor_stones, "victor_stones", 0..=u8::MAX)?;
        let mut rules = name.0;
        rules.no_turns = match no_turns {
            None => rules.no_turns,
            Some("loss") => NoTurns::Loss,
            Some("draw") => NoTurns::Draw,
            Some(other) => return Err(not_an_option("no_turns", other, "loss or draw")),
        };
        rules.direction = match direction {
            None => rules.direction,
            Some("not-twice-running") => DirectionRule::NotTwiceRunning,
            Some("strict") => DirectionRule::Strict,
            Some("free") => DirectionRule::Free,
            Some(other) => {
                return Err(not_an_option("direction", other, "not-twice-running, strict or free"));
            }
        };
        match &mut rules.preset {
            Preset::Vela(vela) => {
                vela.victor = victor.map_or(vela.victor, |side| side.0);
                vela.stones = victor_stones.or(vela.stones);
                vela.must_capture = must_capture.unwrap_or(vela.must_capture);
            }
            _ if victor.is_some() || victor_stones.is_some() || must_capture.is_some() => {
                return Err(Exception::Rule.because(format!(
                    "victor, victor_stones and must_capture need the vela, but the rule set is \
                     {rules}"
                )));
            }
            _ => {}
        }
        Ok(Self(rules))
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

fn not_an_option(argument: &str, given: &str, expected: &str) -> PyErr {
    PyValueError::new_err(format!("{argument} is {expected}, not '{given}'"))
}
