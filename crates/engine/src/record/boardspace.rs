//! Games of boardspace.net: SGF in which each step has a node, as in `P0[1 Capture A F 2 E 3]`, and
//! `done` ends a turn.

use fanorona_core::{Board, RuleSet, Side};

use super::error::{RecordError, RecordProblem};
use super::game_record::Record;
use super::header::{read_name, shortened};
use super::lexer::Place;
use super::reader::read_turn;
use super::result::GameResult;
use crate::draw_rules::DrawRules;
use crate::game::Game;

/// The games in a text, each in brackets.
#[derive(Clone, Debug)]
pub(super) struct Boardspace<'t> {
    text: &'t str,
    offset: usize,
}

/// A property: a name, and the value in brackets.
struct Property<'t> {
    name: &'t str,
    value: &'t str,
    offset: usize,
}

impl<'t> Boardspace<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, offset: 0 }
    }

    /// The place of what follows.
    pub(super) fn place(&self) -> Place {
        Place::at(self.text, self.offset)
    }

    pub(super) fn next_game(&mut self) -> Option<Result<Record, RecordError>> {
        let begin = self.offset + self.text[self.offset..].find('(')?;
        self.offset = begin + 1;
        let mut reader = Reader::new();
        let mut failed = None;
        while let Some(property) = self.property() {
            if failed.is_none()
                && let Err(problem) = reader.add(&property)
            {
                failed = Some(Place::at(self.text, property.offset).error(self.text, problem));
            }
        }
        let end = self.place();
        let record = || reader.end().map_err(|problem| end.error(self.text, problem));
        Some(failed.map_or_else(record, Err))
    }

    /// The next property of the game; `None` at its end.
    fn property(&mut self) -> Option<Property<'t>> {
        let rest = &self.text[self.offset..];
        let is_gap = |c: char| c.is_whitespace() || matches!(c, ';' | '\u{feff}');
        let inner = rest.trim_start_matches(is_gap);
        let offset = self.offset + rest.len() - inner.len();
        let open = inner.find(['[', ')', '(']).filter(|at| inner[*at..].starts_with('['));
        let Some(open) = open else {
            // Another game may follow a bracket.
            self.offset = offset
                + inner
                    .find(['(', ')'])
                    .map_or(inner.len(), |at| at + usize::from(inner[at..].starts_with(')')));
            return None;
        };
        let value = &inner[open + 1..];
        let mut is_escaped = false;
        let end = value.find(|c: char| {
            let ends = c == ']' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            ends
        });
        let length = end.unwrap_or(value.len());
        self.offset = offset + open + 1 + length + usize::from(end.is_some());
        Some(Property { name: inner[..open].trim(), value: &value[..length], offset })
    }
}

/// A game as it is read.
struct Reader {
    game: Game,
    is_fanorona: bool,
    names: [Option<String>; 2],
    /// The player with the white stones, who begins.
    white: usize,
    /// The text of the turn so far.
    turn: String,
    /// The last point of the turn, with that before it.
    last: Option<[String; 2]>,
    /// The point of a stone in the hand.
    hand: Option<String>,
    result: Option<GameResult>,
}

impl Reader {
    fn new() -> Self {
        let start = Board::tsivy().start();
        Self {
            game: Game::with_draws(RuleSet::STANDARD, start, DrawRules::NONE),
            is_fanorona: false,
            names: [None, None],
            white: 0,
            turn: String::new(),
            last: None,
            hand: None,
            result: None,
        }
    }

    fn add(&mut self, property: &Property<'_>) -> Result<(), RecordProblem> {
        let Property { name, value, .. } = property;
        match *name {
            "GM" if value.eq_ignore_ascii_case("fanorona") => self.is_fanorona = true,
            "GM" => return Err(RecordProblem::OtherGame(shortened(value))),
            "SU" if !value.eq_ignore_ascii_case("fanorona") => {
                return Err(RecordProblem::Variant(shortened(value)));
            }
            "P0" => self.of_player(0, value)?,
            "P1" => self.of_player(1, value)?,
            _ => {}
        }
        Ok(())
    }

    /// Reads what belongs to a player: the name, or an action with its number.
    fn of_player(&mut self, player: usize, text: &str) -> Result<(), RecordProblem> {
        let mut words = text.split_whitespace();
        let first = words.next().unwrap_or_default();
        if first == "id" {
            let name = text.trim_start().strip_prefix("id").unwrap_or_default().trim();
            self.names[player] = read_name(name.trim_matches('"'))?.filter(|name| name != "null");
            return Ok(());
        }
        if first.is_empty() || !first.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(());
        }
        let other = RecordProblem::Action(shortened(text));
        let action = words.next().unwrap_or_default().to_ascii_lowercase();
        let words: Vec<_> = words.take(5).collect();
        let point = |at: usize| {
            let (file, rank) = (words.get(at)?, words.get(at + 1)?);
            // They become a part of the text of a turn.
            let is_plain =
                |text: &str| text.len() <= 2 && text.bytes().all(|b| b.is_ascii_alphanumeric());
            (is_plain(file) && is_plain(rank)).then(|| format!("{file}{rank}").to_ascii_lowercase())
        };
        let winner = if player == self.white { Side::Black } else { Side::White };
        match action.as_str() {
            "start" => self.white = usize::from(words.first() == Some(&"P1")),
            "done" => self.end_turn()?,
            "move" => self.step(point(0).zip(point(2)).ok_or(other)?, "")?,
            "capturew" => self.step(point(0).zip(point(2)).ok_or(other)?, "W")?,
            "capture" => {
                let letter = match words.first() {
                    Some(&("A" | "a")) => "A",
                    Some(&("W" | "w")) => "W",
                    _ => return Err(other),
                };
                self.step(point(1).zip(point(3)).ok_or(other)?, letter)?;
            }
            "pickb" => self.hand = Some(point(0).ok_or(other)?),
            "dropb" => {
                let to = point(0).ok_or(other)?;
                // A stone may be put back.
                if let Some(from) = self.hand.take().filter(|from| *from != to) {
                    self.step((from, to), "")?;
                }
            }
            "remove" => self.remove(&point(0).ok_or(other)?),
            "resign" => self.result = Some(GameResult::Won(winner)),
            "acceptdraw" => self.result = Some(GameResult::Draw),
            "offerdraw" | "declinedraw" | "edit" => {}
            _ => return Err(other),
        }
        Ok(())
    }

    fn step(&mut self, (from, to): (String, String), letter: &str) -> Result<(), RecordProblem> {
        if self.turn.len() > super::reader::MAX_WORD {
            return Err(RecordProblem::Word { found: self.turn.len() });
        }
        if self.last.as_ref().is_none_or(|[_, last]| *last != from) {
            if !self.turn.is_empty() {
                self.turn.push('-');
            }
            self.turn += &from;
        }
        self.turn += &format!("-{to}{letter}");
        self.last = Some([from, to]);
        Ok(())
    }

    /// A stone that the last step captures shows its way of capturing.
    fn remove(&mut self, point: &str) {
        let Some([from, to]) = &self.last else { return };
        if !self.turn.ends_with(char::is_numeric) {
            return;
        }
        let coordinates = |text: &str| {
            let point = text.parse::<fanorona_core::Coordinates>().ok()?;
            Some((i32::from(point.file()), i32::from(point.rank())))
        };
        let Some(((from, to), at)) = coordinates(from).zip(coordinates(to)).zip(coordinates(point))
        else {
            return;
        };
        // The product with the direction of the step is positive in front of the stone.
        let ahead = (to.0 - from.0) * (at.0 - to.0) + (to.1 - from.1) * (at.1 - to.1);
        self.turn.push(if ahead > 0 { 'A' } else { 'W' });
    }

    fn end_turn(&mut self) -> Result<(), RecordProblem> {
        if self.turn.is_empty() {
            return Ok(());
        }
        let text = std::mem::take(&mut self.turn);
        self.last = None;
        let number = 1 + self.game.turns().len() / 2;
        let turn = read_turn(&self.game, number, &text)?;
        self.game.play(turn);
        Ok(())
    }

    fn end(mut self) -> Result<Record, RecordProblem> {
        if !self.is_fanorona {
            return Err(RecordProblem::OtherGame("?".to_owned()));
        }
        self.end_turn()?;
        let [zero, one] = self.names;
        let players = if self.white == 0 { [zero, one] } else { [one, zero] };
        let record = Record::new(self.game).with_known(players, None);
        match self.result {
            Some(result) => record.with_result(result),
            None => Ok(record),
        }
    }
}
