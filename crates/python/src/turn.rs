//! Complete turns.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::args::{PositionArg, RulesArg};
use crate::classes::{Position, RuleSet, Turn};
use crate::step::Step;

#[pymethods]
impl Turn {
    #[new]
    #[pyo3(
        signature = (text, position, rules = RulesArg::STANDARD),
        text_signature = "(text, position, rules='standard')"
    )]
    fn new(text: &str, position: PositionArg, rules: RulesArg) -> PyResult<Self> {
        Self::parse(text, position.0, rules.on(position.0.board())?)
    }

    /// The text, as in ``d2-e3A-f4W``, or ``d2-d3`` for a paika.
    #[getter]
    fn text(&self) -> String {
        self.to_text()
    }

    /// The index of the point where the stone starts.
    #[getter]
    fn origin(&self) -> usize {
        self.turn.origin().index()
    }

    /// The index of the point where the stone ends.
    #[getter]
    fn destination(&self) -> usize {
        self.turn.destination().index()
    }

    /// The stones that the turn captures, as a bitboard.
    #[getter]
    fn captured(&self) -> u64 {
        self.turn.captured().bits()
    }

    /// The steps.
    #[getter]
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, Step::of_turn(self.position.board(), &self.turn))
    }

    /// Whether the turn is a paika: one step that does not capture.
    #[getter]
    fn is_paika(&self) -> bool {
        self.turn.is_paika()
    }

    /// The position that the turn is played at.
    #[getter]
    fn position(&self) -> Position {
        Position(self.position)
    }

    /// The rule set that the turn is legal under.
    #[getter]
    fn rules(&self) -> RuleSet {
        RuleSet(self.rules)
    }

    /// The position after the turn.
    #[getter]
    fn after(&self) -> Position {
        self.position_after()
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("Turn('{}', Position('{}'), '{}')", self.text(), self.position, self.rules)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let args = (self.text(), self.position(), self.rules());
        (py.get_type::<Self>(), args).into_pyobject(py)
    }

    /// The turn as a picture, for notebooks.
    fn _repr_svg_(slf: &Bound<'_, Self>) -> PyResult<String> {
        let position = slf.get().position();
        crate::svg::draw(slf.py(), "svg", (position, slf))
    }
}
