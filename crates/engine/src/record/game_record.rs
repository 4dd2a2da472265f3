//! Records of games, and their text.

use std::collections::BTreeMap;
use std::fmt;
use std::time::SystemTime;

use fanorona_core::{Side, Turn};
use time::{Date, OffsetDateTime};

use super::annotation::{Annotation, Remark};
use super::error::RecordProblem;
use super::header::{read_date, read_name};
use super::result::GameResult;
use crate::game::Game;

/// The columns that lines of turns are broken at.
const WIDTH: usize = 80;

/// A game with its players, date and result, which can be written as text and read again.
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_engine::{Game, GameResult, Record};
///
/// let mut game = Game::new(RuleSet::STANDARD, Board::tsivy().start());
/// for text in ["d3-e3A", "d4-d3A"] {
///     let turn = game.rules().parse_turn(game.position(), text)?;
///     game.play(turn);
/// }
/// let record = Record::new(game).with_players("Rakoto", "Rasoa")?;
/// let text = record.to_string();
/// assert!(text.ends_with("\n1. d3-e3A d4-d3A *\n"));
///
/// let read: Record = text.parse()?;
/// assert_eq!(read, record);
/// assert_eq!((read.game().turns().len(), read.result()), (2, GameResult::Unfinished));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Record {
    game: Game,
    white: Option<String>,
    black: Option<String>,
    date: Option<Date>,
    result: GameResult,
    pub(super) termination: Option<String>,
    /// By the number of turns before them; none is empty.
    annotations: BTreeMap<usize, Annotation>,
}

impl Record {
    /// A record of a game as it stands. Its result is what follows from the turns.
    pub fn new(game: Game) -> Self {
        let result = game.end().into();
        let (white, black, date, termination) = (None, None, None, None);
        Self { game, white, black, date, result, termination, annotations: BTreeMap::new() }
    }

    /// The record with the names of the players; an empty name stands for an unknown one.
    ///
    /// # Errors
    /// If a name has more than [`MAX_NAME`](crate::MAX_NAME) characters, or control characters.
    pub fn with_players(self, white: &str, black: &str) -> Result<Self, RecordProblem> {
        Ok(Self { white: read_name(white)?, black: read_name(black)?, ..self })
    }

    /// The record with the date of a time, in UTC. A year beyond 9999 leaves the date unknown.
    #[must_use]
    pub fn with_date(self, time: SystemTime) -> Self {
        let since = time.duration_since(SystemTime::UNIX_EPOCH).ok();
        let seconds = since.and_then(|since| i64::try_from(since.as_secs()).ok());
        let date = seconds.and_then(|at| OffsetDateTime::from_unix_timestamp(at).ok());
        Self { date: date.map(OffsetDateTime::date), ..self }
    }

    /// The record with a date as text, as in `2026-11-22`; one with `?` is unknown.
    ///
    /// # Errors
    /// If it is no date.
    pub fn with_date_text(self, text: &str) -> Result<Self, RecordProblem> {
        Ok(Self { date: read_date(text)?, ..self })
    }

    /// The record with a result that does not follow from the turns: somebody has resigned, or the
    /// players have agreed on it.
    ///
    /// # Errors
    /// If the game has ended otherwise by the rules.
    pub fn with_result(self, result: GameResult) -> Result<Self, RecordProblem> {
        let expected = self.game.end().into();
        if expected != GameResult::Unfinished && expected != result {
            return Err(RecordProblem::OtherResult { expected, found: result });
        }
        Ok(Self { result, ..self })
    }

    /// The record with how the game was ended if not by its turns, in the words of PGN, as in `time
    /// forfeit`; an empty text stands for nothing to say.
    ///
    /// # Errors
    /// As for the [names](Self::with_players).
    pub fn with_termination(self, text: &str) -> Result<Self, RecordProblem> {
        Ok(Self { termination: read_name(text)?, ..self })
    }

    /// The record with an annotation behind a number of turns: 0 is before the first one. It replaces
    /// the one that was there. Behind more turns than the game has it is left out.
    #[must_use]
    pub fn with_annotation(mut self, turns: usize, annotation: Annotation) -> Self {
        self.annotations.remove(&turns);
        if !annotation.is_empty() && turns <= self.game.turns().len() {
            self.annotations.insert(turns, annotation);
        }
        self
    }

    /// The same with names and a date that have been checked.
    pub(super) fn with_known(self, players: [Option<String>; 2], date: Option<Date>) -> Self {
        let [white, black] = players;
        Self { white, black, date, ..self }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Plays a turn, as [`Game::play`] does. The result is then what follows from the turns.
    pub fn play(&mut self, turn: Turn) {
        self.game.play(turn);
        (self.result, self.termination) = (self.game.end().into(), None);
    }

    /// Takes back the last turn, with its annotation; `false` if there is none.
    pub fn undo(&mut self) -> bool {
        let is_undone = self.game.undo();
        self.annotations.split_off(&(self.game.turns().len() + 1));
        (self.result, self.termination) = (self.game.end().into(), None);
        is_undone
    }

    /// The annotation behind a number of turns: 0 is before the first one.
    pub fn annotation(&self, turns: usize) -> Option<&Annotation> {
        self.annotations.get(&turns)
    }

    /// The name of a player, if it is known.
    pub fn player(&self, side: Side) -> Option<&str> {
        match side {
            Side::White => self.white.as_deref(),
            Side::Black => self.black.as_deref(),
        }
    }

    /// The date as text, as in `2026-11-22`, if it is known.
    pub fn date(&self) -> Option<String> {
        self.date.map(|date| date.to_string())
    }

    /// How the game was ended if not by its turns, if that is known.
    pub fn termination(&self) -> Option<&str> {
        self.termination.as_deref()
    }

    /// The result.
    pub fn result(&self) -> GameResult {
        self.result
    }
}

/// Records are equal if their texts are.
impl PartialEq for Record {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Record {}

/// The text of the game, as `docs/GAMES.md` of the crate describes it.
impl fmt::Display for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rules, start) = (self.game.rules(), self.game.start());
        let mut tag = |name: &str, value: &str| {
            let value = value.replace('\\', "\\\\").replace('"', "\\\"");
            writeln!(f, "[{name} \"{value}\"]")
        };
        tag("Board", &start.board().to_string())?;
        tag("Rules", &rules.to_string())?;
        tag("Start", &start.to_string())?;
        tag("Draws", &self.game.draws().to_string())?;
        tag("White", self.white.as_deref().unwrap_or("?"))?;
        tag("Black", self.black.as_deref().unwrap_or("?"))?;
        tag("Date", self.date().as_deref().unwrap_or("?"))?;
        tag("Result", &self.result.to_string())?;
        self.termination.iter().try_for_each(|text| tag("Termination", text))?;
        writeln!(f)?;

        let mut out = Lines { f, column: 0 };
        let mut side = start.to_move();
        let mut number = 1;
        let mut is_numbered = false;
        for i in 0..=self.game.turns().len() {
            let note = self.annotations.get(&i);
            let (glyph, glyphs) = note.map_or(("", &[][..]), |note| note.suffix(i > 0));
            if let Some(turn) = i.checked_sub(1).and_then(|i| self.game.turns().get(i)) {
                let text = turn.text(start.board());
                let number_text = match side {
                    Side::White => format!("{number}. "),
                    Side::Black if !is_numbered => format!("{number}... "),
                    Side::Black => String::new(),
                };
                out.word(&format!("{number_text}{text}{glyph}"))?;
                number += usize::from(side == Side::Black);
                side = side.other();
                is_numbered = true;
            }
            for glyph in glyphs {
                out.word(&format!("${glyph}"))?;
            }
            for remark in note.map_or(&[][..], Annotation::remarks) {
                out.remark(remark)?;
                is_numbered = false;
            }
        }
        out.word(&self.result.to_string())?;
        writeln!(f)
    }
}

/// Words in lines of at most [`WIDTH`] columns, as far as they fit.
struct Lines<'a, 'f> {
    f: &'a mut fmt::Formatter<'f>,
    column: usize,
}

impl Lines<'_, '_> {
    fn word(&mut self, word: &str) -> fmt::Result {
        let width = word.chars().count();
        if self.column > 0 && self.column + 1 + width > WIDTH {
            writeln!(self.f)?;
            self.column = 0;
        }
        let gap = if self.column > 0 { " " } else { "" };
        write!(self.f, "{gap}{word}")?;
        self.column += gap.len() + width;
        Ok(())
    }

    fn remark(&mut self, remark: &Remark) -> fmt::Result {
        let text = match remark {
            // A brace would end it.
            Remark::Comment(text) if text.contains('}') => {
                self.word(&format!("; {text}"))?;
                self.column = 0;
                return writeln!(self.f);
            }
            Remark::Comment(text) => format!("{{{text}}}"),
            Remark::Variation(text) => format!("({text})"),
        };
        text.split(' ').try_for_each(|word| self.word(word))
    }
}
