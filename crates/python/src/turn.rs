//! Complete turns.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::args::{PositionArg, RulesArg};
use crate::attributes::attributes;
use crate::classes::{Position, RuleSet, Turn};
use crate::stepwise::Step;

attributes! {
    of Turn, self:
    /// The text, as in ``d2-e3A-f4W``, or ``d2-d3`` for a paika.
    text: String = self.to_text();
    /// The index of the point where the stone starts.
    origin: usize = self.turn.origin().index();
    /// The index of the point where the stone ends.
    destination: usize = self.turn.destination().index();
    /// The stones that the turn captures, as a bitboard.
    captured: u64 = self.turn.captured().bits();
    /// Whether the turn is a paika: one step that does not capture.
    is_paika: bool = self.turn.is_paika();
    /// The position that the turn is played at.
    position: Position = Position(self.position);
    /// The rule set that the turn is legal under.
    rules: RuleSet = RuleSet(self.rules);
    /// The position after the turn.
    after: Position = self.position_after();

    methods:
    #[new]
    #[pyo3(
        signature = (text, position, rules = RulesArg::STANDARD),
        text_signature = "(text, position, rules='standard')"
    )]
    fn new(text: &str, position: PositionArg, rules: RulesArg) -> PyResult<Self> {
        Self::parse(text, position.0, rules.on(position.0.board())?)
    }

    /// The steps.
    #[getter]
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, Step::of_turn(self.position.board(), &self.turn))
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("Turn('{}', Position('{}'), '{}')", self.text(), self.position, self.rules)
    }

    /// The turn as a picture, for notebooks.
    fn _repr_svg_(slf: &Bound<'_, Self>) -> PyResult<String> {
        let position = slf.get().position();
        crate::svg::draw(slf.py(), "svg", (position, slf))
    }
}
