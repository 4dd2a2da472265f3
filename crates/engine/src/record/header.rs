//! The tags of a game.

use std::str::FromStr;

use fanorona_core::{Board, Position, Preset, RuleSet, Side, Vela};
use time::{Date, Month};

use super::error::{RecordError, RecordProblem};
use super::lexer::{Place, unescaped};
use super::result::{GameResult, MAX_NAME};
use crate::draw_rules::DrawRules;

/// The most characters in the value of a tag that means something here.
const MAX_VALUE: usize = 500;

/// The tags that mean something here. Others are ignored.
const TAGS: [&str; 11] = [
    "Board",
    "Rules",
    "Start",
    "Draws",
    "White",
    "Black",
    "Date",
    "Result",
    "Termination",
    "Variant",
    "Vela",
];

/// The value of a tag, with its place.
type Found = Option<(Place, String)>;

/// The board and the rule set of a text that does not name them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Defaults {
    pub board: Board,
    pub rules: RuleSet,
}

/// The contents of the tags.
pub(super) struct Header {
    pub rules: RuleSet,
    pub start: Position,
    /// Whether a tag has the position of the start.
    pub has_start: bool,
    pub draws: DrawRules,
    pub players: [Option<String>; 2],
    pub date: Option<Date>,
    pub result: Option<(Place, GameResult)>,
    pub termination: Option<String>,
}

impl Header {
    /// Reads tags, each a name and a value at its place of the text.
    pub(super) fn read(
        text: &str,
        given: &[(Place, &str, &str)],
        defaults: Defaults,
    ) -> Result<Self, RecordError> {
        let mut tags: [Found; TAGS.len()] = Default::default();
        for (place, name, value) in given {
            let at = |problem| place.error(text, problem);
            // PGN has another name for the start.
            let name = if *name == "FEN" { "Start" } else { name };
            let Some(i) = TAGS.iter().position(|known| *known == name) else { continue };
            if tags[i].is_some() {
                return Err(at(RecordProblem::Twice(TAGS[i])));
            }
            let value = unescaped(value).ok_or_else(|| at(RecordProblem::Tag))?;
            if value.chars().count() > MAX_VALUE {
                return Err(at(RecordProblem::Value { most: MAX_VALUE }));
            }
            tags[i] = Some((*place, value));
        }
        Self::of_tags(text, &tags, defaults)
    }

    fn of_tags(
        text: &str,
        tags: &[Found; TAGS.len()],
        defaults: Defaults,
    ) -> Result<Self, RecordError> {
        let [board, rules, start, draws, white, black, date, result, end, variant, vela] = tags;
        let board_tag = parsed(text, board, read_board)?.flatten();
        let variant = parsed(text, variant, read_variant)?.flatten();
        let place = |tag: &Found| tag.as_ref().map(|(place, _)| *place);
        let begin = Place::at(text, 0);
        let start_tag = parsed(text, start, read_start)?.flatten();
        let start_position = match (board_tag.or(variant), start_tag) {
            (Some(expected), Some(found)) if found.board() != expected => {
                let problem = RecordProblem::OtherBoard { expected, found: found.board() };
                return Err(place(start).unwrap_or(begin).error(text, problem));
            }
            (_, Some(start)) => start,
            (board, None) => board.unwrap_or(defaults.board).start(),
        };
        let board = start_position.board();
        let vela_rules = parsed(text, vela, read_vela)?;
        let at = place(rules).or(place(vela)).unwrap_or(begin);
        let rules = parsed(text, rules, |text| Ok(text.parse::<RuleSet>()?))?.or(vela_rules);
        let rules = rules.unwrap_or(defaults.rules);
        rules.check(board).map_err(|error| at.error(text, error.into()))?;
        // A game of which nobody says when it is drawn is drawn by nothing but its rules.
        let draws = parsed(text, draws, |text| Ok(text.parse()?))?.unwrap_or(DrawRules::NONE);
        let name = |tag: &Found| Ok(parsed(text, tag, read_name)?.flatten());
        let players = [name(white)?, name(black)?];
        let date = parsed(text, date, read_date)?.flatten();
        let known =
            |text: &str| if text == "?" { Ok(GameResult::Unfinished) } else { text.parse() };
        let result = place(result).zip(parsed(text, result, known)?);
        // Other programs write what they like there.
        let termination = end.as_ref().and_then(|(_, text)| read_name(text).ok().flatten());
        let (has_start, start) = (start_tag.is_some(), start_position);
        Ok(Self { rules, start, has_start, draws, players, date, result, termination })
    }
}

/// The value of a tag, read.
fn parsed<T>(
    text: &str,
    tag: &Found,
    read: impl FnOnce(&str) -> Result<T, RecordProblem>,
) -> Result<Option<T>, RecordError> {
    let Some((place, value)) = tag else { return Ok(None) };
    read(value).map(Some).map_err(|problem| place.error(text, problem))
}

/// A board; `None` for a number alone, which PGN has for the board of a match between teams.
fn read_board(text: &str) -> Result<Option<Board>, RecordProblem> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { Ok(None) } else { Ok(Some(text.parse()?)) }
}

/// A position; `None` for the start of the board, which programs of UCI and UGI call `startpos`.
fn read_start(text: &str) -> Result<Option<Position>, RecordProblem> {
    if text == "startpos" { Ok(None) } else { Ok(Some(text.parse()?)) }
}

/// The board of a variant of FGN; `None` if only the game is named, as in PGN.
fn read_variant(text: &str) -> Result<Option<Board>, RecordProblem> {
    match text.to_ascii_lowercase().as_str() {
        "fanorona" => Ok(None),
        "fanoron-tsivy" => Ok(Some(Board::tsivy())),
        "fanoron-dimy" => Ok(Some(Board::dimy())),
        _ => Err(RecordProblem::Variant(shortened(text))),
    }
}

/// The vela of FGN, whose tag names the challenger. It must capture there.
fn read_vela(text: &str) -> Result<RuleSet, RecordProblem> {
    let victor = match text.to_ascii_lowercase().as_str() {
        "blancs" | "white" => Side::Black,
        "noirs" | "black" => Side::White,
        _ => return Err(RecordProblem::Vela(shortened(text))),
    };
    let vela = Vela { victor, must_capture: true, ..Vela::PRINTED };
    Ok(RuleSet { preset: Preset::Vela(vela), ..RuleSet::VELA })
}

/// A name; `None` if it is unknown.
pub(super) fn read_name(text: &str) -> Result<Option<String>, RecordProblem> {
    let text = text.trim();
    if text.chars().any(char::is_control) || text.chars().count() > MAX_NAME {
        return Err(RecordProblem::Name);
    }
    Ok(Some(text).filter(|text| !text.is_empty() && *text != "?").map(str::to_owned))
}

/// A date, with dashes or with the dots of PGN; `None` if not all of it is known.
pub(super) fn read_date(text: &str) -> Result<Option<Date>, RecordProblem> {
    let is_pattern = |byte: u8| matches!(byte, b'?' | b'.' | b'-' | b'0'..=b'9');
    if text.contains('?') && text.len() <= 10 && text.bytes().all(is_pattern) {
        return Ok(None);
    }
    let date = || {
        let mut parts = text.split(['-', '.']);
        let mut number = |digits| {
            let part = parts.next()?;
            let is_number = part.len() == digits && part.bytes().all(|b| b.is_ascii_digit());
            if is_number { part.parse::<u16>().ok() } else { None }
        };
        let (year, month, day) = (number(4)?, number(2)?, number(2)?);
        let month = Month::try_from(month as u8).ok()?;
        let date = Date::from_calendar_date(year.into(), month, day as u8).ok()?;
        parts.next().is_none().then_some(date)
    };
    date().map(Some).ok_or_else(|| RecordProblem::Date(shortened(text)))
}

/// White first.
impl FromStr for GameResult {
    type Err = RecordProblem;

    fn from_str(text: &str) -> Result<Self, RecordProblem> {
        Ok(match text {
            "1-0" => Self::Won(Side::White),
            "0-1" => Self::Won(Side::Black),
            "1/2-1/2" | "½-½" => Self::Draw,
            "*" => Self::Unfinished,
            _ => return Err(RecordProblem::Result(shortened(text))),
        })
    }
}

/// The beginning of a text, for messages.
pub(super) fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}
