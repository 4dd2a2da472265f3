//! Values from tables.

use std::hash::{DefaultHasher, Hash, Hasher};

use fanorona_core::Value;
use fanorona_knowledge::Source;
use fanorona_proof::Bounds;
use pyo3::PyClass;
use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::args::Number;
use crate::attributes::attributes;
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
}

/// Bounds of the value of a position for the side to move, or of a turn for the side that makes it.
///
/// ``value`` is a Value, or None if it is not known; ``at_least`` and ``at_most`` are proved bounds of
/// it. ``dtw`` is the distance to win, as in TableValue. ``source`` says where that comes from:
/// ``rules`` (the game is over), ``table``, ``proof`` (a certificate), ``search`` (one that has proved
/// it) or ``estimate``, which proves nothing; None if nothing is known.
#[pyclass(module = "fanorona", frozen, subclass)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assessment(pub(crate) fanorona_knowledge::Assessment);

/// An object of a class that adds to an [`Assessment`].
pub(crate) struct Assessed<T>(pub(crate) fanorona_knowledge::Assessment, pub(crate) T);

impl<T: PyClass<BaseType = Assessment>> From<Assessed<T>> for PyClassInitializer<T> {
    fn from(Assessed(known, more): Assessed<T>) -> Self {
        PyClassInitializer::from(Assessment(known)).add_subclass(more)
    }
}

impl<'py, T: PyClass<BaseType = Assessment>> IntoPyObject<'py> for Assessed<T> {
    type Target = T;
    type Output = Bound<'py, T>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, T>> {
        Bound::new(py, PyClassInitializer::from(self))
    }
}

attributes! {
    of Assessment, self:
    /// The value; None if it is not known.
    value: Option<Named<Value>> = self.0.value().map(Named);
    /// The value is this or better.
    at_least: Named<Value> = Named(self.0.bounds.at_least);
    /// The value is this or worse.
    at_most: Named<Value> = Named(self.0.bounds.at_most);
    /// The distance to win, in turns of both sides; None if it is not known, and for draws.
    dtw: Option<u16> = self.0.dtw;
    /// Where that comes from; None if nothing is known.
    source: Option<&'static str> = self.0.source.map(Source::name);

    methods:
    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<Assessment: {}>", self.0)
    }
}

/// An assessment as its attributes, as they are in a pickle.
impl FromPyObject<'_, '_> for Assessment {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let value = |name| Ok::<_, PyErr>(object.getattr(name)?.extract::<Named<Value>>()?.0);
        let bounds = Bounds { at_least: value("at_least")?, at_most: value("at_most")? };
        let source = object.getattr("source")?.extract::<Option<String>>()?;
        let source = source.as_deref().map(self::source).transpose()?;
        let dtw = object.getattr("dtw")?.extract()?;
        Ok(Self(fanorona_knowledge::Assessment { bounds, dtw, source }))
    }
}

impl<'py, T: FromPyObjectOwned<'py>> FromPyObject<'_, 'py> for Assessed<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let Assessment(known) = object.extract()?;
        object.extract().map(|more| Self(known, more)).map_err(Into::into)
    }
}

/// The source with this name.
fn source(name: &str) -> PyResult<Source> {
    let found = Source::ALL.into_iter().find(|found| found.name() == name);
    found.ok_or_else(|| PyValueError::new_err(format!("'{name}' is no source of a value")))
}

/// A legal turn with its value for the side that makes it. The distance counts this turn too.
#[pyclass(module = "fanorona", frozen, get_all, extends = Assessment)]
#[derive(FromPyObject, Debug)]
pub(crate) struct RankedTurn {
    /// The turn.
    turn: Turn,
}

impl RankedTurn {
    pub(crate) fn new(
        position: fanorona_core::Position,
        rules: fanorona_core::RuleSet,
        ranked: fanorona_knowledge::RankedTurn,
    ) -> Assessed<Self> {
        let turn = Turn { turn: ranked.turn, position, rules };
        Assessed(ranked.assessment, Self { turn })
    }
}

#[pymethods]
impl RankedTurn {
    #[new]
    #[pyo3(signature = (turn, value, dtw = None, source = "table"))]
    fn py_new(
        turn: &Turn,
        value: Number<i8>,
        dtw: Option<Number<u16>>,
        source: &str,
    ) -> PyResult<PyClassInitializer<Self>> {
        let value = TableValue::new(value, dtw)?.0;
        let known = fanorona_knowledge::Assessment::exact(value, self::source(source)?);
        Ok(Assessed(known, Self { turn: turn.clone() }).into())
    }

    /// The position after it.
    #[getter]
    fn after(&self) -> Position {
        self.turn.position_after()
    }

    fn __eq__(slf: PyRef<'_, Self>, other: PyRef<'_, Self>) -> bool {
        slf.turn == other.turn && slf.as_super().0 == other.as_super().0
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.turn.hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(slf: PyRef<'_, Self>) -> String {
        format!("<RankedTurn {}: {}>", slf.turn.to_text(), slf.as_super().0)
    }
}
