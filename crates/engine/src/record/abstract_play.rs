//! Records of Abstract Play: JSON with a header and the turns by rounds. Turns are written as
//! `d3e3+,d4-`.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;

use fanorona_core::{Board, RuleSet, Side};
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::error::{RecordError, RecordProblem};
use super::game_record::Record;
use super::header::{read_date, read_name, shortened};
use super::lexer::Place;
use super::reader::read_turn;
use super::result::{GameResult, MAX_RECORD_TURNS};
use crate::draw_rules::DrawRules;
use crate::game::Game;

/// Words in the place of a turn that end a game.
const ENDS: [&str; 5] = ["resign", "timeout", "abandoned", "drawagreed", "drawaccepted"];

/// The most elements of lists that have two in a game of Fanorona.
const MOST_IN_LIST: usize = 16;

/// The records in a text: one after the other, or in lists.
#[derive(Clone, Debug)]
pub(super) struct AbstractPlay<'t> {
    text: &'t str,
    offset: usize,
    queue: VecDeque<Report<'t>>,
}

#[derive(Clone, Debug, Deserialize)]
struct Report<'t> {
    #[serde(borrow)]
    header: Header<'t>,
    #[serde(borrow, deserialize_with = "at_most::<_, _, MAX_RECORD_TURNS>")]
    moves: Vec<Round<'t>>,
}

/// The turns of both players.
#[derive(Clone, Debug, Deserialize)]
struct Round<'t>(
    #[serde(borrow, deserialize_with = "at_most::<_, _, MOST_IN_LIST>")] Vec<Option<Move<'t>>>,
);

#[derive(Clone, Debug, Deserialize)]
struct Header<'t> {
    #[serde(borrow)]
    game: Title<'t>,
    #[serde(borrow, deserialize_with = "at_most::<_, _, MOST_IN_LIST>")]
    players: Vec<Player<'t>>,
    #[serde(rename = "date-end")]
    date_end: Option<String>,
    #[serde(rename = "startingPosition")]
    starting_position: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Title<'t> {
    #[serde(borrow)]
    name: Cow<'t, str>,
    #[serde(default, deserialize_with = "at_most::<_, _, MOST_IN_LIST>")]
    variants: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Player<'t> {
    #[serde(borrow)]
    name: Cow<'t, str>,
    result: Option<f64>,
}

/// A turn. Both are borrowed from the text, unless they have escapes.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Move<'t> {
    Borrowed(&'t str),
    Owned(String),
    Noted {
        #[serde(borrow, rename = "move")]
        text: Cow<'t, str>,
    },
}

impl Move<'_> {
    fn text(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Owned(text) => text,
            Self::Noted { text } => text,
        }
    }
}

/// Reads a list, and stops where it is too long.
fn at_most<'de, D, T, const MOST: usize>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct List<T, const MOST: usize>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for List<T, MOST> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {MOST}")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<T>, A::Error> {
            let mut list = Vec::new();
            while let Some(element) = elements.next_element()? {
                if list.len() == MOST {
                    return Err(A::Error::invalid_length(MOST + 1, &self));
                }
                list.push(element);
            }
            Ok(list)
        }
    }

    deserializer.deserialize_seq(List::<T, MOST>(PhantomData))
}

impl<'t> AbstractPlay<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let offset = text.len() - text.trim_start_matches('\u{feff}').len();
        Self { text, offset, queue: VecDeque::new() }
    }

    /// The place of what follows.
    pub(super) fn place(&self) -> Place {
        Place::at(self.text, self.offset)
    }

    pub(super) fn next_game(&mut self) -> Option<Result<Record, RecordError>> {
        while self.queue.is_empty() {
            let rest = &self.text[self.offset..];
            let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            self.offset = self.text.len() - rest.len();
            if rest.is_empty() {
                return None;
            }
            let json = serde_json::Deserializer::from_str(rest);
            let (read, length) = if rest.starts_with('[') {
                let mut lists = json.into_iter::<Vec<Report<'t>>>();
                (lists.next(), lists.byte_offset())
            } else {
                let mut reports = json.into_iter::<Report<'t>>();
                (reports.next().map(|one| one.map(|one| vec![one])), reports.byte_offset())
            };
            match read? {
                Ok(reports) => {
                    self.queue.extend(reports);
                    self.offset += length;
                }
                Err(error) => {
                    let error = self.json_error(&error);
                    // Behind it no beginning can be found.
                    self.offset = self.text.len();
                    return Some(Err(error));
                }
            }
        }
        let report = self.queue.pop_front()?;
        Some(self.read(&report))
    }

    fn json_error(&self, error: &serde_json::Error) -> RecordError {
        let begin = self.place();
        let message = error.to_string();
        let message = message.split(" at line ").next().unwrap_or_default();
        let problem = RecordProblem::Json(shortened(message));
        let found = begin.error(self.text, problem);
        let lines = error.line().saturating_sub(1);
        let column = error.column().max(1) + if lines == 0 { found.column - 1 } else { 0 };
        RecordError { line: found.line + lines, column, ..found }
    }

    /// The place of a part of the text, or of what follows if it is a copy.
    fn place_of(&self, part: &str) -> Place {
        let offset = (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let is_part = self.text.get(offset..).is_some_and(|rest| rest.starts_with(part));
        if is_part { Place::at(self.text, offset) } else { self.place() }
    }

    fn read(&self, report: &Report<'_>) -> Result<Record, RecordError> {
        let Header { game, players, date_end, starting_position } = &report.header;
        let fail = |part: &str, problem| self.place_of(part).error(self.text, problem);
        if !game.name.eq_ignore_ascii_case("fanorona") {
            return Err(fail(&game.name, RecordProblem::OtherGame(shortened(&game.name))));
        }
        if let Some(variant) = game.variants.iter().chain(starting_position).next() {
            return Err(fail(&game.name, RecordProblem::Variant(shortened(variant))));
        }
        let [white, black] = &players[..] else {
            return Err(fail(&game.name, RecordProblem::Players { found: players.len() }));
        };
        let start = Board::tsivy().start();
        let mut played = Game::with_draws(RuleSet::STANDARD, start, DrawRules::NONE);
        // Places of turns are looked for only in errors, because each search begins at the top.
        for text in report.moves.iter().flat_map(|round| &round.0).flatten().map(Move::text) {
            if ENDS.contains(&text.trim().to_ascii_lowercase().as_str()) {
                break;
            }
            let number = 1 + played.turns().len() / 2;
            let turn = read_turn(&played, number, text).map_err(|problem| fail(text, problem))?;
            played.play(turn);
        }
        let name = |player: &Player<'_>| {
            read_name(&player.name).map_err(|problem| fail(&player.name, problem))
        };
        // A time may follow the day.
        let day = date_end.as_deref().and_then(|date| date.get(..10));
        let date = day.and_then(|day| read_date(day).ok()).flatten();
        let record = Record::new(played).with_known([name(white)?, name(black)?], date);
        let result = match white.result.partial_cmp(&black.result) {
            Some(_) if white.result.is_none() || black.result.is_none() => return Ok(record),
            Some(std::cmp::Ordering::Greater) => GameResult::Won(Side::White),
            Some(std::cmp::Ordering::Less) => GameResult::Won(Side::Black),
            Some(std::cmp::Ordering::Equal) => GameResult::Draw,
            None => return Ok(record),
        };
        record.with_result(result).map_err(|problem| fail(&white.name, problem))
    }
}
