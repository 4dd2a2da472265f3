//! The games in a text, in any of the forms that are read.

use std::str::FromStr;

use fanorona_core::{Board, RuleSet};

use super::abstract_play::AbstractPlay;
use super::boardspace::Boardspace;
use super::error::{RecordError, RecordProblem};
use super::game_record::Record;
use super::header::Defaults;
use super::lexer::{Lexer, Place};
use super::reader::next_game;
use super::result::MAX_RECORD_BYTES;

/// The games in a text: the project's own form, PGN with these turns, FGN, records of Abstract Play
/// (JSON), and games of boardspace.net (SGF). The text shows which it is.
///
/// After a game that cannot be read come those behind it, if their beginning can be found.
///
/// ```
/// use fanorona_engine::Records;
/// let text = "1. d3e3A d4d3A 1-0\n\n[Board \"5x5\"]\n1. b2c3+ wrong";
/// let found: Vec<_> = Records::new(text).collect();
/// assert_eq!(found[0].as_ref().map(|record| record.game().turns().len()), Ok(2));
/// let error = found[1].as_ref().expect_err("it has a wrong turn");
/// assert_eq!((error.line, error.column), (4, 10));
/// ```
#[derive(Clone, Debug)]
pub struct Records<'t> {
    defaults: Defaults,
    form: Form<'t>,
}

#[derive(Clone, Debug)]
enum Form<'t> {
    Own(Lexer<'t>),
    AbstractPlay(AbstractPlay<'t>),
    Boardspace(Boardspace<'t>),
}

impl<'t> Records<'t> {
    /// The games of a text. Those that do not name their board and their rule set are of 9x5 and
    /// `standard`.
    pub fn new(text: &'t str) -> Self {
        let defaults = Defaults { board: Board::tsivy(), rules: RuleSet::STANDARD };
        let begin = text.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace());
        let next_is = |first, next| {
            let inner = begin.strip_prefix(first).map(str::trim_start);
            inner.is_some_and(|inner: &str| inner.starts_with(next))
        };
        let form = if next_is('{', '"') || next_is('[', '{') {
            Form::AbstractPlay(AbstractPlay::new(text))
        } else if next_is('(', ';') {
            Form::Boardspace(Boardspace::new(text))
        } else {
            Form::Own(Lexer::new(text))
        };
        Self { defaults, form }
    }

    /// The same with another board and another rule set for texts that do not name them.
    #[must_use]
    pub fn with_defaults(mut self, board: Board, rules: RuleSet) -> Self {
        self.defaults = Defaults { board, rules };
        self
    }

    /// Whether a text looks like games, and not like positions, one on each line.
    pub fn are_in(text: &str) -> bool {
        let text = text.trim_start_matches('\u{feff}');
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.find(|line| !line.starts_with(['#', ';', '%'])).is_some_and(|line| {
            line.starts_with(['[', '{', '('])
                || line.split_whitespace().next().is_some_and(|word| {
                    let number = word.trim_start_matches(|c: char| c.is_ascii_digit());
                    number.len() < word.len()
                        && number.starts_with(['.', '…'])
                        && !word.contains('/')
                })
        })
    }
}

impl Iterator for Records<'_> {
    type Item = Result<Record, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.form {
            Form::Own(lexer) => next_game(lexer, self.defaults),
            Form::AbstractPlay(games) => games.next_game(),
            Form::Boardspace(games) => games.next_game(),
        }
    }
}

fn none(text: &str) -> RecordError {
    Place::at(text, text.len()).error(text, RecordProblem::None)
}

fn check_length(found: usize) -> Result<(), RecordError> {
    if found <= MAX_RECORD_BYTES {
        return Ok(());
    }
    let problem = RecordProblem::Bytes { found, most: MAX_RECORD_BYTES };
    Err(RecordError { line: 1, column: 1, problem })
}

impl FromStr for Record {
    type Err = RecordError;

    /// Reads the text of one game, in a form of [`Records`]. Each turn is checked. Texts of more than
    /// [`MAX_RECORD_BYTES`] bytes or [`MAX_RECORD_TURNS`](crate::MAX_RECORD_TURNS) turns are refused.
    ///
    /// # Errors
    /// If it is not a game, with the line, what is wrong there, and what would be right.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        check_length(text.len())?;
        let mut records = Records::new(text);
        let record = records.next().ok_or_else(|| none(text))??;
        match records.next_place() {
            Some(place) => Err(place.error(text, RecordProblem::Several)),
            None => Ok(record),
        }
    }
}

impl Records<'_> {
    /// Where the next game begins, if there is one.
    fn next_place(&mut self) -> Option<Place> {
        let place = match &mut self.form {
            Form::Own(lexer) => lexer.place(),
            Form::AbstractPlay(games) => games.place(),
            Form::Boardspace(games) => games.place(),
        };
        self.next().map(|_| place)
    }
}
