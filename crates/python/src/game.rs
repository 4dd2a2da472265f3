//! Games in play.

use fanorona_core::Side;
use fanorona_engine::GameEnd;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

use crate::args::{RulesArg, TurnArg, with_named};
use crate::classes::{Position, RuleSet, Turn};
use crate::enums::Named;
use crate::search_args::draw_rules;

/// A game: the positions from its start to now, the turns between them, and the draws that depend on
/// them.
///
/// ``draw_rules`` says when a game is drawn that the rules do not end: ``"threefold"`` at the third
/// occurrence of a position, ``"without-capture-50"`` after that number of turns of both sides
/// without a capture, both with a ``+``, or ``"none"``. ``turns`` are turns to play from the start,
/// as by play.
///
/// >>> game = Game(Board.tsivy().start())
/// >>> game.play("d3-e3A")
/// >>> game.position.to_move, len(game.turns), game.end
/// (<Side.BLACK: 'black'>, 1, None)
#[pyclass(module = "fanorona")]
#[derive(Clone, Debug)]
pub(crate) struct Game(fanorona_engine::Game);

#[pymethods]
impl Game {
    #[new]
    #[pyo3(
        signature = (
            start,
            rules = RulesArg::STANDARD,
            *,
            draw_rules = "threefold",
            turns = Vec::new(),
        ),
        text_signature = "(start, rules='standard', *, draw_rules='threefold', turns=())"
    )]
    fn new(
        start: &Position,
        rules: RulesArg,
        draw_rules: &str,
        turns: Vec<TurnArg>,
    ) -> PyResult<Self> {
        let (draws, rules) = (self::draw_rules(draw_rules)?, rules.on(start.0.board())?);
        let mut game = Self(fanorona_engine::Game::with_draws(rules, start.0, draws));
        for turn in turns {
            game.play(turn)?;
        }
        Ok(game)
    }

    /// The rule set.
    #[getter]
    fn rules(&self) -> RuleSet {
        RuleSet(*self.0.rules())
    }

    /// When the game is drawn, as it was given.
    #[getter]
    fn draw_rules(&self) -> String {
        self.0.draws().to_string()
    }

    /// The position at the start.
    #[getter]
    fn start(&self) -> Position {
        Position(*self.0.start())
    }

    /// The position now.
    #[getter]
    fn position(&self) -> Position {
        Position(*self.0.position())
    }

    /// The positions before this one, oldest first.
    #[getter]
    fn earlier(&self) -> Vec<Position> {
        self.0.earlier().iter().copied().map(Position).collect()
    }

    /// The turns played.
    #[getter]
    fn turns(&self) -> Vec<Turn> {
        let played = self.0.turns().iter().cloned().zip(self.0.earlier());
        let rules = *self.0.rules();
        played.map(|(turn, position)| Turn { turn, position: *position, rules }).collect()
    }

    /// The legal turns now; none once the game has ended.
    fn legal_turns(&self) -> PyResult<Vec<Turn>> {
        match self.0.end() {
            Some(_) => Ok(Vec::new()),
            None => Ok(self.position().list_turns(*self.0.rules())),
        }
    }

    /// How often the position now has occurred in the game, this time included.
    #[getter]
    fn occurrences(&self) -> u32 {
        self.0.occurrences()
    }

    /// Plays a turn, given as a Turn or as its text. Raises IllegalTurnError if it is not legal, and
    /// TurnError if the text is not a turn or fits more than one. A game that is drawn by its
    /// settings may be played on.
    fn play(&mut self, turn: TurnArg) -> PyResult<()> {
        let turn = turn.at(&self.position(), RulesArg(*self.0.rules()))?;
        self.0.play(turn.turn);
        Ok(())
    }

    /// Takes back the last turn. Returns whether there was one.
    fn undo(&mut self) -> bool {
        self.0.undo()
    }

    /// How the game has ended: ``won``, ``no-turn`` (the side to move has no turn, which the rule set
    /// makes a draw), ``threefold`` or ``without-capture``; None if it goes on.
    #[getter]
    fn end(&self) -> Option<&'static str> {
        Some(match self.0.end()? {
            GameEnd::Won(_) => "won",
            GameEnd::NoTurn => "no-turn",
            GameEnd::Threefold => "threefold",
            GameEnd::WithoutCapture => "without-capture",
        })
    }

    /// The side that has won; None for a draw, and while the game goes on.
    #[getter]
    fn winner(&self) -> Option<Named<Side>> {
        match self.0.end() {
            Some(GameEnd::Won(side)) => Some(Named(side)),
            _ => None,
        }
    }

    /// A copy, which can go on differently.
    fn copy(&self) -> Self {
        self.clone()
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let board = self.0.start().board();
        let turns = self.0.turns().iter().map(|turn| turn.text(board).to_string());
        let named = PyDict::new(py);
        named.set_item("draw_rules", self.draw_rules())?;
        named.set_item("turns", turns.collect::<Vec<_>>())?;
        let class = with_named(py.get_type::<Self>(), &named)?;
        (class, (self.start(), self.rules())).into_pyobject(py)
    }

    fn __repr__(&self) -> String {
        let (turns, end) = (self.0.turns().len(), self.end().unwrap_or("in play"));
        format!("<Game of {turns} turns, {end}: '{}'>", self.0.position())
    }
}
