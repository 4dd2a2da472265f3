//! Complete turns.

use std::hash::{Hash, Hasher};

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use crate::args::{RulesArg, wrong_type};
use crate::errors::Exception;
use crate::position::Position;
use crate::rules::RuleSet;
use crate::step::Step;

/// A legal turn at a position, read from its text.
///
/// The text has the points where the stone goes, and after each step that captures an ``A`` for
/// approach or a ``W`` for withdrawal. Letters may be missing where only one legal turn fits.
/// Raises IllegalTurnError if the turn is not legal, and TurnError if the text is not a turn.
///
/// Turns are equal if they have the same position and the same steps.
///
/// >>> turn = Turn("d3-e3A", Board.tsivy().start())
/// >>> turn.is_paika, turn.captured.bit_count()
/// (False, 1)
/// >>> turn.after.text
/// 'BBBBBBBBB/BBBBBBBBB/BWB1W1WBW/WWWWWWWWW/WWWWWWWWW b'
#[pyclass(module = "fanorona", frozen, eq, hash)]
#[derive(Clone, Debug)]
pub(crate) struct Turn {
    pub(crate) turn: fanorona_core::Turn,
    pub(crate) position: fanorona_core::Position,
    pub(crate) rules: fanorona_core::RuleSet,
}

impl PartialEq for Turn {
    fn eq(&self, other: &Self) -> bool {
        (&self.turn, &self.position) == (&other.turn, &other.position)
    }
}

impl Eq for Turn {}

impl Hash for Turn {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (&self.turn, &self.position).hash(state);
    }
}

#[pymethods]
impl Turn {
    #[new]
    #[pyo3(signature = (text, position, rules = RulesArg::STANDARD))]
    fn new(text: &str, position: &Position, rules: RulesArg) -> PyResult<Self> {
        let (position, rules) = (position.0, rules.on(position.0.board())?);
        let turn = rules.parse_turn(&position, text).map_err(|error| {
            use fanorona_core::ParseTurnError::{Step, Unfinished};
            match error {
                Step { .. } | Unfinished { .. } => Exception::IllegalTurn.of(&error),
                _ => Exception::Turn.of(&error),
            }
        })?;
        Ok(Self { turn, position, rules })
    }

    /// The text, as in ``d2-e3A-f4W``, or ``d2-d3`` for a paika.
    #[getter]
    pub(crate) fn text(&self) -> String {
        self.turn.text(self.position.board()).to_string()
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
    pub(crate) fn after(&self) -> Position {
        Position(self.position.play_unchecked(&self.turn))
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
        crate::svg::draw(slf.py(), "turn_svg", (position, slf))
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
    pub(crate) fn at(&self, position: &Position, rules: RulesArg) -> PyResult<Turn> {
        let turn = match self {
            Self::Text(text) => return Turn::new(text, position, rules),
            Self::Turn(turn) => turn,
        };
        let (position, rules) = (position.0, rules.on(position.0.board())?);
        if (turn.position, turn.rules) == (position, rules) {
            return Ok((**turn).clone());
        }
        let (text, board) = (turn.text(), position.board());
        let illegal = |reason: String| {
            let message = format!("the turn {text} is not legal at {position} under {rules}");
            Exception::IllegalTurn.new(format!("{message}: {reason}"))
        };
        if turn.position.board() != board {
            return Err(illegal(format!("it is a turn on the board {}", turn.position.board())));
        }
        rules.play(&position, &turn.turn).map_err(|error| illegal(error.to_string()))?;
        Turn::new(&text, &Position(position), RulesArg(rules))
    }
}
