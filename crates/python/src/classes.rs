//! The classes of the game. Each refers to the others, so they are defined here; their methods for
//! Python are in the files with their names.

use std::hash::{Hash, Hasher};

use pyo3::prelude::*;

use crate::errors::exception;

/// A board of odd width and odd height, each at least 3, with at most 63 points. Raises BoardError
/// if a text is none.
///
/// Points are numbered rank by rank, from 0 at a1: the index of a point is
/// ``rank * width + file``. A set of points is an integer, a *bitboard*: bit ``i`` is the point
/// with index ``i``.
///
/// >>> board = Board("9x5")
/// >>> board.num_points, board.max_stones
/// (45, 22)
/// >>> board.point("e3")
/// 22
/// >>> board.name(22)
/// 'e3'
#[pyclass(module = "fanorona", frozen, eq, hash)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Board(pub(crate) fanorona_core::Board);

/// The rules of a game.
///
/// The name is that of a preset (``standard``, ``first-capture-single``, ``forced-relay``,
/// ``free-capture`` or ``vela``), with options after a ``+``. Raises RuleError, which lists the
/// options, for any other.
///
/// >>> RuleSet("free-capture+no-turns-draw")
/// RuleSet('free-capture+no-turns-draw')
#[pyclass(module = "fanorona", frozen, eq, hash, from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct RuleSet(pub(crate) fanorona_core::RuleSet);

impl RuleSet {
    /// The rule set with this name.
    pub(crate) fn parse(name: &str) -> PyResult<Self> {
        name.parse().map(Self).map_err(exception::<fanorona_core::ParseRuleSetError>)
    }
}

/// A position: the stones of both sides and the side to move. It cannot be changed. Without a text it
/// is the start on 9x5.
///
/// The text has the ranks from the top down, separated by ``/``, with ``W`` and ``B`` for stones
/// and digits for runs of empty points, then the side to move, ``w`` or ``b``. A board, such as
/// ``"5x5"``, stands for its start. Raises PositionError if the text is not a position, and BoardError
/// if there is no such board.
///
/// >>> position = Position("B7B/9/9/9/W7W w")
/// >>> [turn.text for turn in position.legal_turns()]
/// ['a1-b1', 'a1-b2', 'a1-a2', 'i1-i2', 'i1-h2', 'i1-h1']
/// >>> position.play("a1-b2")
/// Position('B7B/9/9/1W7/8W b')
/// >>> print(Position("3/1B1/W1W w").diagram)
///  3 .---.---.
///    | \ | / |
///  2 .---B---.
///    | / | \ |
///  1 W---.---W
///    a   b   c
#[pyclass(module = "fanorona", frozen, eq, hash, from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Position(pub(crate) fanorona_core::Position);

impl Position {
    /// The legal turns. The rule set has to be checked for the board.
    pub(crate) fn list_turns(self, rules: fanorona_core::RuleSet) -> Vec<Turn> {
        let position = self.0;
        let turns = rules.turns(&position).into_iter();
        turns.map(|turn| Turn { turn, position, rules }).collect()
    }
}

/// A legal turn at a position, read from its text.
///
/// The text has the points where the stone goes, and after each step that captures an ``A`` for
/// approach or a ``W`` for withdrawal. Letters may be missing where only one legal turn fits.
/// Raises IllegalTurnError if the turn is not legal, and TurnError if the text is not a turn or fits
/// more than one.
///
/// Turns are equal if they have the same position and the same steps.
///
/// >>> turn = Turn("d3-e3A", Position())
/// >>> turn.is_paika, turn.captured.bit_count()
/// (False, 1)
/// >>> turn.after.text
/// 'BBBBBBBBB/BBBBBBBBB/BWB1W1WBW/WWWWWWWWW/WWWWWWWWW b'
#[pyclass(module = "fanorona", frozen, eq, hash, from_py_object)]
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

impl Turn {
    /// The turn with this text. The rule set has to be checked for the board.
    pub(crate) fn parse(
        text: &str,
        position: fanorona_core::Position,
        rules: fanorona_core::RuleSet,
    ) -> PyResult<Self> {
        let turn = rules.parse_turn(&position, text).map_err(exception)?;
        Ok(Self { turn, position, rules })
    }

    /// Turns that follow each other from a position on.
    pub(crate) fn line(
        mut position: fanorona_core::Position,
        rules: fanorona_core::RuleSet,
        turns: impl IntoIterator<Item = fanorona_core::Turn>,
    ) -> Vec<Self> {
        let played = |turn: fanorona_core::Turn| {
            let after = position.play_unchecked(&turn);
            Self { turn, position: std::mem::replace(&mut position, after), rules }
        };
        turns.into_iter().map(played).collect()
    }

    pub(crate) fn to_text(&self) -> String {
        self.turn.text(self.position.board()).to_string()
    }

    pub(crate) fn position_after(&self) -> Position {
        Position(self.position.play_unchecked(&self.turn))
    }
}
