//! Values from tables.

use fanorona_core::Value;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::args::Number;
use crate::classes::{Position, Turn};
use crate::enums::{Named, number};

/// A distance in an array if there is none: for draws, and from tables without distances.
pub(crate) const NO_DISTANCE: i32 = -1;

/// A value in an array if its table is missing.
pub(crate) const MISSING: i8 = i8::MIN;

/// A value as it is in arrays: the value and the distance.
pub(crate) fn numbers(found: fanorona_tablebase::TableValue) -> (i8, i32) {
    (number(found.value), found.dtw.map_or(NO_DISTANCE, i32::from))
}

/// The value of a position for the side to move, from a table.
///
/// ``value`` is a Value. ``dtw`` is the distance to win: the number of turns of both sides until the
/// game is over, where the winner plays the fastest win and the loser the slowest loss. It is None
/// for draws, and for values from tables without distances.
#[pyclass(module = "fanorona", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct TableValue(pub(crate) fanorona_tablebase::TableValue);

#[pymethods]
impl TableValue {
    #[new]
    #[pyo3(signature = (value, dtw = None))]
    fn new(value: Number<i8>, dtw: Option<Number<u16>>) -> PyResult<Self> {
        let value = value.within("value", -1..=1)?;
        let found = Value::ALL.into_iter().find(|found| number(*found) == value);
        let value = found.expect("each number of the range is one of a value");
        let dtw = Number::optional(dtw, "dtw", 0..=u16::MAX)?;
        Ok(Self(fanorona_tablebase::TableValue { value, dtw }))
    }

    /// Win, draw or loss.
    #[getter]
    fn value(&self) -> Named<Value> {
        Named(self.0.value)
    }

    /// The distance to win, in turns of both sides.
    #[getter]
    fn dtw(&self) -> Option<u16> {
        self.0.dtw
    }

    fn __str__(&self) -> String {
        match self.0.dtw {
            Some(dtw) => format!("{} in {dtw}", self.0.value),
            None => self.0.value.to_string(),
        }
    }

    fn __repr__(&self) -> String {
        let value = self.0.value.to_string().to_uppercase();
        match self.0.dtw {
            Some(dtw) => format!("TableValue(Value.{value}, {dtw})"),
            None => format!("TableValue(Value.{value})"),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (py.get_type::<Self>(), (self.value(), self.dtw())).into_pyobject(py)
    }
}

/// A legal turn with its value for the side that makes it. The distance counts this turn too.
#[pyclass(module = "fanorona", frozen, eq, hash)]
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct RankedTurn {
    turn: Turn,
    value: fanorona_tablebase::TableValue,
}

impl RankedTurn {
    pub(crate) fn new(
        position: fanorona_core::Position,
        rules: fanorona_core::RuleSet,
        ranked: fanorona_tablebase::RankedTurn,
    ) -> Self {
        let fanorona_tablebase::RankedTurn { turn, value, .. } = ranked;
        Self { turn: Turn { turn, position, rules }, value }
    }
}

#[pymethods]
impl RankedTurn {
    #[new]
    #[pyo3(signature = (turn, value, dtw = None))]
    fn py_new(turn: &Turn, value: Number<i8>, dtw: Option<Number<u16>>) -> PyResult<Self> {
        Ok(Self { turn: turn.clone(), value: TableValue::new(value, dtw)?.0 })
    }

    /// The turn.
    #[getter]
    fn turn(&self) -> Turn {
        self.turn.clone()
    }

    /// The position after it.
    #[getter]
    fn after(&self) -> Position {
        self.turn.position_after()
    }

    /// Win, draw or loss for the side that makes the turn.
    #[getter]
    fn value(&self) -> Named<Value> {
        Named(self.value.value)
    }

    /// The distance to win, in turns of both sides, with this turn.
    #[getter]
    fn dtw(&self) -> Option<u16> {
        self.value.dtw
    }

    fn __repr__(&self) -> String {
        format!("<RankedTurn {}: {}>", self.turn.to_text(), TableValue(self.value).__str__())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let args = (self.turn(), self.value(), self.dtw());
        (py.get_type::<Self>(), args).into_pyobject(py)
    }
}
