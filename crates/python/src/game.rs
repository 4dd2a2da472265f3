//! Games in play, and their text.

use std::collections::BTreeMap;

use fanorona_core::Side;
use fanorona_engine::{Annotation, GameEnd, MAX_RECORD_TURNS, Record, RecordProblem, Records};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use crate::args::{BoardArg, ListArg, Number, PositionArg, RulesArg, TextArg, TurnArg};
use crate::attributes::attributes;
use crate::classes::{Position, RuleSet, Turn};
use crate::enums::Named;
use crate::errors::Exception;
use crate::search_args::draw_rules;

/// A game: the positions from its start to now, the turns between them, the draws that depend on
/// them, and what its text has besides: players, date, result and annotations.
///
/// ``start`` is the position at the start, and without it that of 9x5. ``draw_rules`` says when a game
/// is drawn that the rules do not end: ``"threefold"`` at the third occurrence of a position,
/// ``"without-capture-50"`` after that number of turns of both sides without a capture, both with a
/// ``+``, or ``"none"``. ``turns`` are turns to play from the start, as by push.
///
/// Games are equal if their texts are.
///
/// >>> game = Game()
/// >>> game.push("d3-e3A")
/// >>> game.position.to_move, len(game.turns), game.end
/// (<Side.BLACK: 'black'>, 1, None)
/// >>> game.white, game.result = "Rakoto", "1-0"
/// >>> game.annotate("Black resigns.", glyph=1)
/// >>> print(game.text.splitlines()[-1])
/// 1. d3-e3A! {Black resigns.} 1-0
/// >>> Game.from_text(game.text) == game
/// True
#[pyclass(module = "fanorona", eq)]
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Game(Record);

impl Game {
    pub(crate) fn game(&self) -> &fanorona_engine::Game {
        self.0.game()
    }

    /// Replaces the record by one that is made of it.
    fn change(
        &mut self,
        with: impl FnOnce(Record) -> Result<Record, RecordProblem>,
    ) -> PyResult<()> {
        let changed = with(self.0.clone());
        self.0 = changed.map_err(|problem| PyValueError::new_err(problem.to_string()))?;
        Ok(())
    }

    /// The remarks of annotations, by the number of turns before them.
    fn noted<T>(&self, of: impl Fn(&Annotation) -> Vec<T>) -> BTreeMap<usize, Vec<T>> {
        let at = 0..=self.0.game().turns().len();
        let noted = at.filter_map(|turns| Some((turns, of(self.0.annotation(turns)?))));
        noted.filter(|(_, found)| !found.is_empty()).collect()
    }
}

attributes! {
    of Game, self:
    /// The text: a header, and the turns with their annotations.
    text: String = self.0.to_string();
    /// The name of the player with the white stones; None if it is not known.
    white: Option<&str> = self.0.player(Side::White);
    /// The name of the player with the black stones; None if it is not known.
    black: Option<&str> = self.0.player(Side::Black);
    /// The day, as in ``2026-11-22``; None if it is not known.
    date: Option<String> = self.0.date();
    /// The result: ``1-0`` (White has won), ``0-1``, ``1/2-1/2`` or ``*`` (not finished). It can be set
    /// where the turns do not end the game. After another turn it is again what follows from the turns.
    result: String = self.0.result().to_string();
    /// The rule set.
    rules: RuleSet = RuleSet(*self.0.game().rules());
    /// When the game is drawn, as it was given.
    draw_rules: String = self.0.game().draws().to_string();
    /// The position at the start.
    start: Position = Position(*self.0.game().start());
    /// The position now.
    position: Position = Position(*self.0.game().position());
    /// The positions before this one, oldest first.
    earlier: Vec<Position> = self.0.game().earlier().iter().copied().map(Position).collect();
    /// How often the position now has occurred in the game, this time included.
    occurrences: u32 = self.0.game().occurrences();
    /// How the game has ended: ``won``, ``no-turn`` (the side to move has no turn, which the rule set
    /// makes a draw), ``threefold`` or ``without-capture``; None if it goes on.
    end: Option<&'static str> = self.0.game().end().map(GameEnd::name);

    methods:
    #[new]
    #[pyo3(
        signature = (
            start = None,
            rules = RulesArg::STANDARD,
            *,
            draw_rules = "threefold",
            turns = ListArg(Vec::new()),
        ),
        text_signature = "(start=None, rules='standard', *, draw_rules='threefold', turns=())"
    )]
    fn new(
        start: Option<PositionArg>,
        rules: RulesArg,
        draw_rules: &str,
        turns: ListArg<TurnArg>,
    ) -> PyResult<Self> {
        let start = start.map_or_else(|| BoardArg::TSIVY.0.start(), |start| start.0);
        let (draws, rules) = (self::draw_rules(draw_rules)?, rules.on(start.board())?);
        let mut game = Self(Record::new(fanorona_engine::Game::with_draws(rules, start, draws)));
        for turn in turns.0 {
            game.push(turn)?;
        }
        Ok(game)
    }

    /// The game with this text. Raises GameTextError with the line and the column if it is not the
    /// text of one game. read_games reads several.
    #[staticmethod]
    fn from_text(py: Python<'_>, text: &str) -> PyResult<Self> {
        let read = py.detach(|| text.parse::<Record>());
        read.map(Self).map_err(|error| Exception::GameText.of(&error))
    }

    #[setter]
    fn set_white(&mut self, name: Option<&str>) -> PyResult<()> {
        self.change(|record| {
            let black = record.player(Side::Black).unwrap_or_default().to_owned();
            record.with_players(name.unwrap_or_default(), &black)
        })
    }

    #[setter]
    fn set_black(&mut self, name: Option<&str>) -> PyResult<()> {
        self.change(|record| {
            let white = record.player(Side::White).unwrap_or_default().to_owned();
            record.with_players(&white, name.unwrap_or_default())
        })
    }

    #[setter]
    fn set_date(&mut self, date: Option<&str>) -> PyResult<()> {
        self.change(|record| record.with_date_text(date.unwrap_or("?")))
    }

    #[setter]
    fn set_result(&mut self, result: &str) -> PyResult<()> {
        self.change(|record| record.with_result(result.parse()?))
    }

    /// The comments, by the number of turns before them.
    #[getter]
    fn comments(&self) -> BTreeMap<usize, Vec<String>> {
        self.noted(|note| note.comments().map(str::to_owned).collect())
    }

    /// The glyphs by their numbers in PGN (1 is ``!``, 2 ``?``, 3 ``!!``, 4 ``??``, 5 ``!?``, 6
    /// ``?!``), by the number of turns before them.
    #[getter]
    fn glyphs(&self) -> BTreeMap<usize, Vec<u32>> {
        // Numbers of 8 bits would be bytes in Python.
        self.noted(|note| note.glyphs().iter().copied().map(u32::from).collect())
    }

    /// The variations as they were written, by the number of turns before them. They are not checked.
    #[getter]
    fn variations(&self) -> BTreeMap<usize, Vec<String>> {
        self.noted(|note| note.variations().map(str::to_owned).collect())
    }

    /// Adds a comment, a glyph by its number and a variation behind the last turn, or behind ``after``
    /// turns.
    #[pyo3(signature = (comment = None, *, glyph = None, variation = None, after = None))]
    fn annotate(
        &mut self,
        comment: Option<&str>,
        glyph: Option<Number<u8>>,
        variation: Option<&str>,
        after: Option<Number<usize>>,
    ) -> PyResult<()> {
        let turns = self.0.game().turns().len();
        let after = Number::optional(after, "after", 0..=turns)?.unwrap_or(turns);
        let glyph = Number::optional(glyph, "glyph", 0..=u8::MAX)?;
        self.change(|record| {
            let mut note = record.annotation(after).cloned().unwrap_or_default();
            if let Some(glyph) = glyph {
                note.add_glyph(glyph);
            }
            note.add_comment(comment.unwrap_or_default());
            if let Some(variation) = variation {
                note.add_variation(variation)?;
            }
            Ok(record.with_annotation(after, note))
        })
    }

    /// The turns played.
    #[getter]
    fn turns(&self) -> Vec<Turn> {
        let game = self.0.game();
        let played = game.turns().iter().cloned().zip(game.earlier());
        let rules = *game.rules();
        played.map(|(turn, position)| Turn { turn, position: *position, rules }).collect()
    }

    /// The legal turns now; none once the game has ended.
    fn legal_turns(&self) -> PyResult<Vec<Turn>> {
        match self.0.game().end() {
            Some(_) => Ok(Vec::new()),
            None => Ok(self.position().list_turns(*self.0.game().rules())),
        }
    }

    /// Whether a turn, given as a Turn or as its text, can be played now.
    fn is_legal(&self, py: Python<'_>, turn: TurnArg) -> PyResult<bool> {
        turn.is_legal(py, *self.0.game().position(), RulesArg(*self.0.game().rules()))
    }

    /// Plays a turn, given as a Turn or as its text. Raises IllegalTurnError if it is not legal, and
    /// TurnError if the text is not a turn or fits more than one. A game that is drawn by its
    /// settings may be played on. A game has 10,000 turns at most.
    fn push(&mut self, turn: TurnArg) -> PyResult<()> {
        let game = self.0.game();
        if game.turns().len() == MAX_RECORD_TURNS {
            let problem = RecordProblem::Turns { most: MAX_RECORD_TURNS };
            return Err(PyValueError::new_err(problem.to_string()));
        }
        let turn = turn.at(*game.position(), RulesArg(*game.rules()))?;
        self.0.play(turn.turn);
        Ok(())
    }

    /// Takes back the last turn, and returns it. Raises IndexError if there is none.
    fn undo(&mut self) -> PyResult<Turn> {
        let game = self.0.game();
        let (Some(turn), Some(position)) = (game.turns().last(), game.earlier().last()) else {
            return Err(PyIndexError::new_err("the game has no turn to take back"));
        };
        let turn = Turn { turn: turn.clone(), position: *position, rules: *game.rules() };
        self.0.undo();
        Ok(turn)
    }

    /// The side that has won; None for a draw, and while the game goes on.
    #[getter]
    fn winner(&self) -> Option<Named<Side>> {
        match self.0.game().end() {
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

    fn __repr__(&self) -> String {
        let (turns, end) = (self.0.game().turns().len(), self.end().unwrap_or("in play"));
        format!("<Game of {turns} turns, {end}: '{}'>", self.0.game().position())
    }

    /// The position now with the last turn as a picture, for notebooks.
    fn _repr_svg_(slf: &Bound<'_, Self>) -> PyResult<String> {
        crate::svg::draw(slf.py(), "svg", (slf,))
    }
}

/// The games of a file or a text, in any of the forms that the project reads: its own, PGN with these
/// turns, and records of Abstract Play and of boardspace.net. Games that do not name their board and
/// their rule set are of ``board`` and ``rules``.
///
/// ``text`` is an open file, the path of a file, or the text itself. A string of one line is a path if
/// there is such a file; other paths are ``pathlib.Path`` objects or bytes.
///
/// Raises FileError if the file cannot be read, and GameTextError with the line and the column at the
/// first game that cannot be read. ``errors="skip"`` leaves such games out.
///
/// >>> [len(game.turns) for game in read_games("1. d3e3A d4d3A 1-0 1. d2e3A *")]
/// [2, 1]
#[pyfunction]
#[pyo3(
    signature = (text, board = BoardArg::TSIVY, rules = RulesArg::STANDARD, *, errors = "raise"),
    text_signature = "(text, board='9x5', rules='standard', *, errors='raise')"
)]
pub(crate) fn read_games(
    py: Python<'_>,
    text: TextArg,
    board: BoardArg,
    rules: RulesArg,
    errors: &str,
) -> PyResult<Vec<Game>> {
    let skips = match errors {
        "raise" => false,
        "skip" => true,
        _ => {
            let message = format!("errors is 'raise' or 'skip', not '{errors}'");
            return Err(PyValueError::new_err(message));
        }
    };
    let rules = rules.on(board.0)?;
    let read = py.detach(|| {
        let records = Records::new(&text.0).with_defaults(board.0, rules);
        records.filter(|record| !skips || record.is_ok()).collect::<Result<Vec<_>, _>>()
    });
    let records = read.map_err(|error| Exception::GameText.of(&error))?;
    Ok(records.into_iter().map(Game).collect())
}
