//! Reading the text of a game, which may come from anywhere.

use std::str::FromStr;

use fanorona_core::{Board, Position, RuleSet, Side};
use time::{Date, Month};

use super::error::{RecordError, RecordProblem};
use super::game_record::{Record, read_name};
use super::result::GameResult;
use crate::draw_rules::DrawRules;
use crate::game::Game;

/// The most bytes of a text that are read as a game.
pub const MAX_RECORD_BYTES: usize = 1 << 20;

/// The most turns of a game that are read.
pub const MAX_RECORD_TURNS: usize = 10_000;

/// No turn is longer: a stone visits each of at most 63 points once, with a letter and a dash.
const MAX_WORD: usize = 63 * 5;

/// The most characters in the value of a tag that means something here.
const MAX_VALUE: usize = 500;

/// The tags that mean something here. Others are ignored.
const TAGS: [&str; 8] = ["Board", "Rules", "Start", "Draws", "White", "Black", "Date", "Result"];

/// The value of a tag, with the number of its line.
type Found<'t> = Option<(usize, String)>;

impl Record {
    /// Reads the text of a game from bytes, which need not be text.
    ///
    /// # Errors
    /// As [`Record::from_str`], and if the bytes are not UTF-8.
    pub fn read(bytes: &[u8]) -> Result<Self, RecordError> {
        check_length(bytes.len())?;
        let text = str::from_utf8(bytes).map_err(|error| {
            let before = &bytes[..error.valid_up_to()];
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            RecordError { line, problem: RecordProblem::NotUtf8 }
        })?;
        text.parse()
    }
}

fn check_length(found: usize) -> Result<(), RecordError> {
    if found <= MAX_RECORD_BYTES {
        return Ok(());
    }
    Err(RecordError { line: 1, problem: RecordProblem::Bytes { found, most: MAX_RECORD_BYTES } })
}

impl FromStr for Record {
    type Err = RecordError;

    /// Reads the text of a game, as `docs/GAMES.md` of the crate describes it. Each turn is checked.
    /// Texts of more than [`MAX_RECORD_BYTES`] bytes or [`MAX_RECORD_TURNS`] turns are refused.
    ///
    /// # Errors
    /// If it is not a game, with the line, what is wrong there, and what would be right.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        check_length(text.len())?;
        let words = words(text.strip_prefix('\u{feff}').unwrap_or(text))?;
        let mut tags: [Found<'_>; TAGS.len()] = Default::default();
        let mut turns = &words[..];
        while let Some((Word { line, text: Text::Tag(tag) }, rest)) = turns.split_first() {
            let at = |problem| RecordError { line: *line, problem };
            let (name, value) = read_tag(tag).ok_or_else(|| at(RecordProblem::Tag))?;
            if let Some(i) = TAGS.iter().position(|known| *known == name) {
                if tags[i].is_some() {
                    return Err(at(RecordProblem::Twice(TAGS[i])));
                }
                if value.chars().count() > MAX_VALUE {
                    return Err(at(RecordProblem::Value { most: MAX_VALUE }));
                }
                tags[i] = Some((*line, value));
            }
            turns = rest;
        }
        let last_line = text.lines().count().max(1);
        let header = Header::read(&tags, last_line)?;
        let mut game = Game::with_draws(header.rules, header.start, header.draws);
        let (result, line) = play(&mut game, turns, last_line)?;

        let at = |line, problem| RecordError { line, problem };
        let (tag_line, tag_result) = header.result.unzip();
        if let (Some(expected), Some(found)) = (tag_result, result)
            && expected != found
        {
            return Err(at(line, RecordProblem::TwoResults { expected, found }));
        }
        let line = if result.is_some() { line } else { tag_line.unwrap_or(line) };
        let record = Self::new(game).with_known(header.players, header.date);
        match result.or(tag_result) {
            Some(result) => record.with_result(result).map_err(|problem| at(line, problem)),
            None => Ok(record),
        }
    }
}

/// A part of the text between white space and comments.
struct Word<'t> {
    line: usize,
    text: Text<'t>,
}

enum Text<'t> {
    /// A line in brackets.
    Tag(&'t str),
    /// A turn, a number or a result.
    Turn(&'t str),
}

/// The parts of a text. A comment goes from `{` to `}`, or from `;` to the end of the line.
fn words(text: &str) -> Result<Vec<Word<'_>>, RecordError> {
    let mut words = Vec::new();
    // The line where a comment began that has not ended.
    let mut comment = None;
    for (i, mut rest) in text.lines().enumerate() {
        let line = i + 1;
        if comment.is_none() && rest.trim_start().starts_with('[') {
            words.push(Word { line, text: Text::Tag(rest.trim()) });
            continue;
        }
        while !rest.is_empty() {
            if comment.is_some() {
                let Some((_, after)) = rest.split_once('}') else { break };
                (comment, rest) = (None, after);
                continue;
            }
            let end = rest.find(['{', ';']).unwrap_or(rest.len());
            let (before, after) = rest.split_at(end);
            let turns = before.split_whitespace();
            words.extend(turns.map(|word| Word { line, text: Text::Turn(word) }));
            rest = match after.strip_prefix('{') {
                Some(after) => {
                    comment = Some(line);
                    after
                }
                None => "",
            };
        }
    }
    match comment {
        Some(line) => Err(RecordError { line, problem: RecordProblem::OpenComment }),
        None => Ok(words),
    }
}

/// The name and the value of a tag `[Name "value"]`, in which `\"` is a quotation mark and `\\` a
/// backslash.
fn read_tag(text: &str) -> Option<(&str, String)> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?.trim();
    let (name, value) = inner.split_once(char::is_whitespace)?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut unescaped = String::new();
    let mut chars = value.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => unescaped.push(chars.next().filter(|next| matches!(next, '"' | '\\'))?),
            '"' => return None,
            char => unescaped.push(char),
        }
    }
    Some((name, unescaped))
}

/// The contents of the tags.
struct Header {
    rules: RuleSet,
    start: Position,
    draws: DrawRules,
    players: [Option<String>; 2],
    date: Option<Date>,
    /// With its line.
    result: Option<(usize, GameResult)>,
}

impl Header {
    fn read(tags: &[Found<'_>; TAGS.len()], last_line: usize) -> Result<Self, RecordError> {
        let [board, rules, start, draws, white, black, date, result] = tags;
        let board = parsed(board, |text| Ok(text.parse::<Board>()?))?;
        let start_line = start.as_ref().map(|(line, _)| *line);
        let start = parsed(start, |text| Ok(text.parse::<Position>()?))?;
        let end = |problem| RecordError { line: last_line, problem };
        let start = match (board, start) {
            (None, None) => return Err(end(RecordProblem::NoBoard)),
            (Some(board), None) => board.start(),
            (Some(expected), Some(start)) if start.board() != expected => {
                let problem = RecordProblem::OtherBoard { expected, found: start.board() };
                return Err(RecordError { line: start_line.unwrap_or(last_line), problem });
            }
            (_, Some(start)) => start,
        };
        let checked = |text: &str| {
            let rules: RuleSet = text.parse()?;
            rules.check(start.board())?;
            Ok(rules)
        };
        let rules = parsed(rules, checked)?.ok_or_else(|| end(RecordProblem::NoRules))?;
        // A game of which nobody says when it is drawn is drawn by nothing but its rules.
        let draws = parsed(draws, |text| Ok(text.parse()?))?.unwrap_or(DrawRules::NONE);
        let players = [parsed(white, read_name)?.flatten(), parsed(black, read_name)?.flatten()];
        let date = parsed(date, read_date)?.flatten();
        let result_line = result.as_ref().map(|(line, _)| *line);
        let result = result_line.zip(parsed(result, read_result)?);
        Ok(Self { rules, start, draws, players, date, result })
    }
}

/// The value of a tag, read.
fn parsed<T>(
    tag: &Found<'_>,
    read: impl FnOnce(&str) -> Result<T, RecordProblem>,
) -> Result<Option<T>, RecordError> {
    let Some((line, text)) = tag else { return Ok(None) };
    read(text).map(Some).map_err(|problem| RecordError { line: *line, problem })
}

/// A date; `None` if it is unknown.
fn read_date(text: &str) -> Result<Option<Date>, RecordProblem> {
    if text == "?" {
        return Ok(None);
    }
    let date = || {
        let mut parts = text.split('-');
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

fn read_result(text: &str) -> Result<GameResult, RecordProblem> {
    let all = [
        GameResult::Won(Side::White),
        GameResult::Won(Side::Black),
        GameResult::Draw,
        GameResult::Unfinished,
    ];
    let found = all.into_iter().find(|result| result.to_string() == text);
    found.ok_or_else(|| RecordProblem::Result(shortened(text)))
}

/// The beginning of a text, for messages.
fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Plays the turns. Returns the result that follows them, if there is one, and its line.
fn play(
    game: &mut Game,
    words: &[Word<'_>],
    last_line: usize,
) -> Result<(Option<GameResult>, usize), RecordError> {
    let black_first = usize::from(game.start().to_move() == Side::Black);
    let mut result = None;
    for Word { line, text } in words {
        let at = |problem| RecordError { line: *line, problem };
        let Text::Turn(word) = text else {
            return Err(at(RecordProblem::LateTag));
        };
        if result.is_some() {
            return Err(at(RecordProblem::AfterEnd(shortened(word))));
        }
        if let Ok(found) = read_result(word) {
            result = Some((found, *line));
            continue;
        }
        // A number may stand alone or before a turn.
        let turn = word.trim_start_matches(|char: char| char.is_ascii_digit());
        let digits = &word[..word.len() - turn.len()];
        let expected = 1 + (game.turns().len() + black_first) / 2;
        if !digits.is_empty() && digits.parse() != Ok(expected) {
            let found = shortened(digits);
            return Err(at(RecordProblem::Number { expected, found }));
        }
        let turn = turn.trim_start_matches('.');
        if turn.is_empty() {
            continue;
        }
        if turn.len() > MAX_WORD {
            return Err(at(RecordProblem::Word { found: turn.len() }));
        }
        if game.turns().len() == MAX_RECORD_TURNS {
            return Err(at(RecordProblem::Turns { most: MAX_RECORD_TURNS }));
        }
        if game.end().is_some() {
            return Err(at(RecordProblem::AfterEnd(shortened(turn))));
        }
        let turn = game.rules().parse_turn(game.position(), turn);
        game.play(turn.map_err(|reason| at(RecordProblem::Turn { number: expected, reason }))?);
    }
    Ok(result.map_or((None, last_line), |(result, line)| (Some(result), line)))
}
