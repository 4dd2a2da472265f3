//! The enums. In Python they are real `enum` classes, which `python/fanorona/_enums.py` makes from
//! the names that the crates give to the values.

use std::fmt::Display;
use std::str::FromStr;

use fanorona_core::{Direction, Side, StepKind, Symmetry, Value};
use fanorona_perft::Counting;
use fanorona_tablebase::Metric;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;

/// An enum of the crates that has a Python enum.
pub(crate) trait Enum: Copy + PartialEq + Display + Sized + 'static {
    /// The name of the Python class.
    const CLASS: &'static str;
    /// The values, in the order of the Python class.
    const ALL: &'static [Self];

    /// The members of the Python class, in this order.
    fn members(py: Python<'_>) -> PyResult<&'static Vec<Py<PyAny>>>;
}

/// Implements [`Enum`], and registers the class for [`enum_names`].
macro_rules! enums {
    ($($type:ident $class:literal $all:expr;)*) => {
        $(impl Enum for $type {
            const CLASS: &'static str = $class;
            const ALL: &'static [Self] = &$all;

            fn members(py: Python<'_>) -> PyResult<&'static Vec<Py<PyAny>>> {
                static MEMBERS: PyOnceLock<Vec<Py<PyAny>>> = PyOnceLock::new();
                MEMBERS.get_or_try_init(py, || {
                    let class = py.import("fanorona._enums")?.getattr($class)?;
                    class.try_iter()?.map(|member| Ok(member?.unbind())).collect()
                })
            }
        })*

        /// The names of the values of an enum, in order.
        fn names(class: &str) -> Option<Vec<String>> {
            match class {
                $($class => Some($all.iter().map(ToString::to_string).collect()),)*
                _ => None,
            }
        }
    };
}

enums! {
    Side "Side" [Side::White, Side::Black];
    Value "Value" Value::ALL;
    Direction "Direction" Direction::ALL;
    StepKind "StepKind" StepKind::ALL;
    Symmetry "Symmetry" Symmetry::ALL;
    Metric "Metric" Metric::ALL;
    Counting "Counting" Counting::ALL;
}

/// The names of the members of an enum of this package, for the Python code that makes the class.
#[pyfunction]
#[pyo3(name = "_enum_names", signature = (name, /))]
pub(crate) fn enum_names(name: &str) -> PyResult<Vec<String>> {
    names(name).ok_or_else(|| PyValueError::new_err(format!("there is no enum '{name}'")))
}

/// A value of an enum as an argument or a result. An argument may also be its name as a string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Named<T>(pub(crate) T);

impl<'py, T: Enum> IntoPyObject<'py> for Named<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let index = T::ALL.iter().position(|value| *value == self.0);
        let index = index.expect("each value is in the list");
        Ok(T::members(py)?[index].bind(py).clone())
    }
}

impl<T> FromPyObject<'_, '_> for Named<T>
where
    T: Enum + FromStr,
    T::Err: Display,
{
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        // Most members are strings too, but values are numbers.
        let known = T::ALL.iter().zip(T::members(object.py())?);
        if let Some((value, _)) = known.into_iter().find(|(_, member)| member.is(object)) {
            return Ok(Self(*value));
        }
        let Ok(text) = object.cast::<PyString>() else {
            let message =
                format!("expected a {} or its name, not {}", T::CLASS, object.get_type().name()?);
            return Err(PyTypeError::new_err(message));
        };
        let text = text.to_cow()?;
        text.parse().map(Self).map_err(|error: T::Err| PyValueError::new_err(error.to_string()))
    }
}

/// The number of a value in Python: −1 a loss, 0 a draw, 1 a win.
pub(crate) fn number(value: Value) -> i8 {
    value as i8 - 1
}
