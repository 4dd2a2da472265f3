//! Arguments that can be given in more than one way.

use std::fmt::{self, Display};
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use fanorona_core::{BoardError, ParsePositionError, Point};
use fanorona_tablebase::{FileError, Operation, TableError};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyType};

use crate::classes::{Board, Position, RuleSet, Turn};
use crate::errors::{Exception, exception};

/// A board, or its text such as `"9x5"`.
#[derive(Clone, Copy)]
pub(crate) struct BoardArg(pub(crate) fanorona_core::Board);

impl BoardArg {
    /// The usual board, 9x5.
    pub(crate) const TSIVY: Self = Self(fanorona_core::Board::tsivy());
}

impl FromPyObject<'_, '_> for BoardArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(board) = object.cast::<Board>() {
            return Ok(Self(board.get().0));
        }
        match object.cast::<PyString>() {
            Ok(text) => text.to_cow()?.parse().map(Self).map_err(exception::<BoardError>),
            Err(_) => Err(wrong_type(&object, "a Board or its text, such as '9x5'")),
        }
    }
}

/// A position, or its text; a board stands for its start.
#[derive(Clone, Copy)]
pub(crate) struct PositionArg(pub(crate) fanorona_core::Position);

impl FromPyObject<'_, '_> for PositionArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(position) = object.cast::<Position>() {
            return Ok(Self(position.get().0));
        }
        if let Ok(board) = object.cast::<Board>() {
            return Ok(Self(board.get().0.start()));
        }
        match object.cast::<PyString>() {
            Ok(text) => text.to_cow()?.parse().map(Self).map_err(exception::<ParsePositionError>),
            Err(_) => Err(wrong_type(&object, "a Position or its text")),
        }
    }
}

/// A rule set, or its name such as `"standard"`.
#[derive(Clone, Copy)]
pub(crate) struct RulesArg(pub(crate) fanorona_core::RuleSet);

impl RulesArg {
    pub(crate) const STANDARD: Self = Self(fanorona_core::RuleSet::STANDARD);

    /// The rule set, checked for a board.
    pub(crate) fn on(self, board: fanorona_core::Board) -> PyResult<fanorona_core::RuleSet> {
        self.0.check(board).map_err(exception)?;
        Ok(self.0)
    }
}

impl FromPyObject<'_, '_> for RulesArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(rules) = object.cast::<RuleSet>() {
            return Ok(Self(rules.get().0));
        }
        match object.cast::<PyString>() {
            Ok(text) => RuleSet::parse(&text.to_cow()?).map(|rules| Self(rules.0)),
            Err(_) => Err(wrong_type(&object, "a RuleSet or its name, such as 'standard'")),
        }
    }
}

/// A path: a string, bytes or an object with `__fspath__`.
#[derive(Clone)]
pub(crate) struct PathArg(pub(crate) PathBuf);

impl FromPyObject<'_, '_> for PathArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let decoded = object.py().import("os")?.getattr("fsdecode")?.call1((object,))?;
        Ok(Self(decoded.extract()?))
    }
}

/// One path, or several.
pub(crate) struct PathsArg(pub(crate) Vec<PathBuf>);

impl FromPyObject<'_, '_> for PathsArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match object.extract::<PathArg>() {
            Ok(path) => Ok(Self(vec![path.0])),
            Err(error) if object.try_iter().is_err() => Err(error),
            Err(_) => {
                let ListArg(paths) = object.extract::<ListArg<PathArg>>()?;
                Ok(Self(paths.into_iter().map(|path| path.0).collect()))
            }
        }
    }
}

/// A list of arguments: anything that can be iterated over, but no text.
pub(crate) struct ListArg<T>(pub(crate) Vec<T>);

impl<'py, T: FromPyObjectOwned<'py>> FromPyObject<'_, 'py> for ListArg<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match object.try_iter() {
            Ok(parts) if !object.is_instance_of::<PyString>() => {
                let part = |part: PyResult<Bound<'py, PyAny>>| part?.extract().map_err(Into::into);
                parts.map(part).collect::<PyResult<_>>().map(Self)
            }
            _ => Err(wrong_type(&object, "a list")),
        }
    }
}

/// The text of a file: of an open one, of one with a path, or a string that is the text itself. A
/// string of one line that names a file is a path.
pub(crate) struct TextArg(pub(crate) String);

impl FromPyObject<'_, '_> for TextArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(text) = object.cast::<PyString>() {
            let text = text.to_cow()?;
            let path = Path::new(&*text);
            return match !text.contains('\n') && path.is_file() {
                true => read_text(path, Exception::GameText).map(Self),
                false => Ok(Self(text.into_owned())),
            };
        }
        let Ok(read) = object.getattr("read") else {
            return read_text(&object.extract::<PathArg>()?.0, Exception::GameText).map(Self);
        };
        let read = read.call0()?;
        match read.cast::<PyBytes>() {
            Ok(bytes) => decoded(bytes.as_bytes().to_vec(), "the file", Exception::GameText),
            Err(_) => read.extract().map_err(|_| wrong_type(&read, "a file of text")),
        }
        .map(Self)
    }
}

/// The text of a file. One that is not UTF-8 is an exception of its own.
pub(crate) fn read_text(path: &Path, not_text: Exception) -> PyResult<String> {
    let bytes = fs::read(path).map_err(|error| {
        exception(TableError::from(FileError::io(Operation::Read, path)(error)))
    })?;
    decoded(bytes, path.display(), not_text)
}

fn decoded(bytes: Vec<u8>, name: impl Display, not_text: Exception) -> PyResult<String> {
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = 1 + valid.iter().filter(|byte| **byte == b'\n').count();
        not_text.because(format!("{name}: line {line} is not UTF-8"))
    })
}

/// A set of points as an integer: bit `i` is the point with index `i`.
#[derive(Clone, Copy)]
pub(crate) struct Bits(pub(crate) u64);

impl FromPyObject<'_, '_> for Bits {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match object.extract() {
            Ok(bits) => Ok(Self(bits)),
            Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => {
                Err(wrong_type(&object, "an integer whose bits are points"))
            }
            Err(_) => Err(Exception::Position.because(format!(
                "{} is not a set of points: it is an integer from 0 to 2**64 - 1, whose bit i is \
                 the point with index i",
                object.str()?
            ))),
        }
    }
}

/// The index of a point as an integer that may be anything.
#[derive(Clone, Copy)]
pub(crate) struct PointIndex(Option<u8>);

impl PointIndex {
    /// The point of a board.
    pub(crate) fn on(self, board: fanorona_core::Board) -> PyResult<Point> {
        self.0.and_then(|index| board.point_with_index(index)).ok_or_else(|| {
            Exception::Board.because(format!(
                "the points of the board {board} have the indices 0 to {}",
                board.num_points() - 1
            ))
        })
    }
}

impl FromPyObject<'_, '_> for PointIndex {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        match object.extract() {
            Ok(index) => Ok(Self(Some(index))),
            Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => {
                Err(wrong_type(&object, "an integer, the index of a point"))
            }
            Err(_) => Ok(Self(None)),
        }
    }
}

/// An integer that may be anything, until its range is checked.
#[derive(Clone)]
pub(crate) struct Number<T>(Result<T, String>);

impl<T: Copy + Display + PartialOrd> Number<T> {
    pub(crate) const fn new(number: T) -> Self {
        Self(Ok(number))
    }

    /// The number, if it is in the range that the argument with this name has.
    pub(crate) fn within(self, name: &str, range: RangeInclusive<T>) -> PyResult<T> {
        match self.0 {
            Ok(number) if range.contains(&number) => Ok(number),
            _ => {
                let (least, most) = range.into_inner();
                let message = format!("{name} is a number from {least} to {most}, not {self}");
                Err(PyValueError::new_err(message))
            }
        }
    }

    /// The number of an optional argument.
    pub(crate) fn optional(
        number: Option<Self>,
        name: &str,
        range: RangeInclusive<T>,
    ) -> PyResult<Option<T>> {
        number.map(|number| number.within(name, range)).transpose()
    }
}

impl<T: Display> Display for Number<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Ok(number) => number.fmt(f),
            Err(text) => text.fmt(f),
        }
    }
}

impl<'a, 'py, T> FromPyObject<'a, 'py> for Number<T>
where
    T: FromPyObject<'a, 'py>,
{
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        match object.extract().map_err(Into::into) {
            Ok(number) => Ok(Self(Ok(number))),
            Err(error) if error.is_instance_of::<PyOverflowError>(object.py()) => {
                Ok(Self(Err(object.str()?.to_cow()?.into_owned())))
            }
            Err(error) => Err(error),
        }
    }
}

/// A turn, or its text.
pub(crate) enum TurnArg {
    Turn(Box<Turn>),
    Text(String),
}

impl FromPyObject<'_, '_> for TurnArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(turn) = object.cast::<Turn>() {
            return Ok(Self::Turn(Box::new(turn.get().clone())));
        }
        match object.cast::<PyString>() {
            Ok(text) => Ok(Self::Text(text.to_cow()?.into_owned())),
            Err(_) => Err(wrong_type(&object, "a Turn or its text")),
        }
    }
}

impl TurnArg {
    /// The turn, checked at a position.
    pub(crate) fn at(&self, position: fanorona_core::Position, rules: RulesArg) -> PyResult<Turn> {
        let rules = rules.on(position.board())?;
        let turn = match self {
            Self::Text(text) => return Turn::parse(text, position, rules),
            Self::Turn(turn) => turn,
        };
        if (turn.position, turn.rules) == (position, rules) {
            return Ok((**turn).clone());
        }
        let (text, board) = (turn.to_text(), position.board());
        let illegal = |reason: String| {
            let message = format!("the turn {text} is not legal at {position} under {rules}");
            Exception::IllegalTurn.because(format!("{message}: {reason}"))
        };
        if turn.position.board() != board {
            return Err(illegal(format!("it is a turn on the board {}", turn.position.board())));
        }
        rules.play(&position, &turn.turn).map_err(|error| illegal(error.to_string()))?;
        Turn::parse(&text, position, rules)
    }
}

impl TurnArg {
    /// Whether it is a legal turn at a position. A text that fits more than one turn is none.
    pub(crate) fn is_legal(
        &self,
        py: Python<'_>,
        position: fanorona_core::Position,
        rules: RulesArg,
    ) -> PyResult<bool> {
        match self.at(position, rules) {
            Ok(_) => Ok(true),
            Err(error) if Exception::Turn.is(py, &error)? => Ok(false),
            Err(error) => Err(error),
        }
    }
}

/// The error of an argument of another type.
pub(crate) fn wrong_type(object: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    match object.get_type().name() {
        Ok(found) => PyTypeError::new_err(format!("expected {expected}, not {found}")),
        Err(error) => error,
    }
}

/// The function that pickle and copy call to make an object again: its class with named arguments.
pub(crate) fn with_named<'py>(
    class: Bound<'py, PyType>,
    named: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    class.py().import("functools")?.getattr("partial")?.call((class,), Some(named))
}
