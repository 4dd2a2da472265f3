//! Records of games: texts that are read and written.

use std::ffi::c_char;
use std::fmt::Display;

use fanorona_core::{Board, RuleSet, Side};
use fanorona_engine::{
    Annotation, DrawRules, Game, GameResult, MAX_RECORD_TURNS, Record, RecordError, RecordProblem,
    Records,
};

use crate::boundary::exports;
use crate::failure::Failure;
use crate::game::CPosition;
use crate::grow::{self, GrowingOutput, Grows};
use crate::opponent::{NO_REPETITION, draw_rules};
use crate::pointers::{Output, OutputArray, copies, frees, give, handle};
use crate::text::{self, TextBuffer};
use crate::turn::CTurn;

/// The bytes of the name of a rule set, with its NUL: `FANORONA_RULES_TEXT`.
const RULES_TEXT: usize = 192;
/// The bytes of a player's name, with its NUL: `FANORONA_NAME_TEXT`.
const NAME_TEXT: usize = 404;
/// The bytes of a date, with its NUL: `FANORONA_DATE_TEXT`.
const DATE_TEXT: usize = 12;

/// The most bytes of a text with games: 1 GiB.
const MAX_BYTES: usize = 1 << 30;

/// The games of a text: `fanorona_records`.
#[derive(Debug)]
pub struct RecordsHandle(Vec<Result<Record, RecordError>>);

impl RecordsHandle {
    fn record(&self, index: usize) -> Result<&Record, Failure> {
        let record = self.0.get(index).ok_or_else(|| {
            let why = format!("is {index}, but there are {} games", self.0.len());
            Failure::Argument { name: "index", why }
        })?;
        Ok(record.as_ref().map_err(Clone::clone)?)
    }
}

/// A game without its turns: `fanorona_record`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RecordInfo {
    /// The size of the struct.
    pub struct_size: usize,
    /// The number of turns.
    pub num_turns: usize,
    /// The position that it starts from.
    pub start: CPosition,
    /// The width of the board.
    pub width: i32,
    /// The height of the board.
    pub height: i32,
    /// A `fanorona_result`.
    pub result: i32,
    /// A sum of flags.
    pub flags: u32,
    /// Turns without a capture that end the game as a draw; 0 is no limit.
    pub without_capture: u32,
    /// The rule set, as a text.
    pub rules: [u8; RULES_TEXT],
    /// The name of White; empty if it is not known.
    pub white: [u8; NAME_TEXT],
    /// The name of Black; empty if it is not known.
    pub black: [u8; NAME_TEXT],
    /// The date, as in `2026-11-22`; empty if it is not known.
    pub date: [u8; DATE_TEXT],
}

// SAFETY: integers and structs of integers, the size first.
unsafe impl Grows for RecordInfo {}

/// A text in a field, which ends with NUL.
fn field<const N: usize>(name: &'static str, text: impl Display) -> Result<[u8; N], Failure> {
    let (mut field, text) = ([0; N], text.to_string());
    let needed = text.len() + 1;
    let place = field[..N - 1].get_mut(..text.len());
    place.ok_or(Failure::Capacity { name, capacity: N, needed })?.copy_from_slice(text.as_bytes());
    Ok(field)
}

/// The text in a field.
fn text_of<'f>(field: &'f [u8], name: &'static str) -> Result<&'f str, Failure> {
    let wrong = |why: &str| Failure::Argument { name, why: why.to_owned() };
    let end = field.iter().position(|byte| *byte == 0).ok_or_else(|| wrong("has no NUL"))?;
    std::str::from_utf8(&field[..end]).map_err(|_| wrong("is not UTF-8"))
}

/// The number of a result: `fanorona_result`.
fn number(result: GameResult) -> i32 {
    match result {
        GameResult::Unfinished => 0,
        GameResult::Won(Side::White) => 1,
        GameResult::Won(Side::Black) => 2,
        GameResult::Draw => 3,
    }
}

impl RecordInfo {
    fn new(record: &Record) -> Result<Self, Failure> {
        let game = record.game();
        let board = game.start().board();
        let DrawRules { repetition, without_capture, .. } = *game.draws();
        Ok(Self {
            struct_size: 0,
            num_turns: game.turns().len(),
            start: (*game.start()).into(),
            width: board.width().into(),
            height: board.height().into(),
            result: number(record.result()),
            flags: if repetition { 0 } else { NO_REPETITION },
            without_capture: without_capture.unwrap_or(0),
            rules: field("rules", game.rules())?,
            white: field("white", record.player(Side::White).unwrap_or_default())?,
            black: field("black", record.player(Side::Black).unwrap_or_default())?,
            date: field("date", record.date().unwrap_or_default())?,
        })
    }

    /// The record of a game with these turns.
    fn with_turns(&self, turns: &[CTurn]) -> Result<Record, Failure> {
        let board: Board = format!("{}x{}", self.width, self.height).parse()?;
        let rules: RuleSet = text_of(&self.rules, "rules")?.parse()?;
        rules.check(board)?;
        let draws = draw_rules(self.flags, self.without_capture, "record")?;
        let mut game = Game::with_draws(rules, self.start.on(board)?, draws);
        for turn in turns {
            let turn = turn.finished(&rules, game.position())?;
            if game.is_over() {
                return Err(RecordProblem::AfterEnd(turn.text(board).to_string()).into());
            }
            if game.turns().len() == MAX_RECORD_TURNS {
                return Err(RecordProblem::Turns { most: MAX_RECORD_TURNS }.into());
            }
            game.play(turn);
        }
        let result = match self.result {
            // The result follows from the turns.
            0 => game.end().into(),
            1 => GameResult::Won(Side::White),
            2 => GameResult::Won(Side::Black),
            3 => GameResult::Draw,
            other => {
                let why = format!("has the result {other}, which is unknown");
                return Err(Failure::Argument { name: "record", why });
            }
        };
        let (white, black) = (text_of(&self.white, "white")?, text_of(&self.black, "black")?);
        let record = Record::new(game).with_players(white, black)?.with_result(result)?;
        match text_of(&self.date, "date")? {
            "" => Ok(record),
            date => Ok(record.with_date_text(date)?),
        }
    }
}

exports! {
    /// Reads the games of a text.
    fn fanorona_records_read(
        text: *const c_char,
        length: usize,
        records: *mut *mut RecordsHandle,
        count: *mut usize,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (out, count) = unsafe {
            let out = Output::new(records, "records")?;
            out.write(std::ptr::null_mut());
            (out, Output::new(count, "count")?)
        };
        let wrong = |why| Failure::Argument { name: "text", why };
        if length > MAX_BYTES {
            return Err(wrong(format!("has {length} bytes, but {MAX_BYTES} are the most")));
        }
        // SAFETY: as above.
        let bytes = unsafe { copies(text.cast::<u8>(), length, "text")? };
        let text = String::from_utf8(bytes).map_err(|_| wrong("is not UTF-8".to_owned()))?;
        let found: Vec<_> = Records::new(&text).collect();
        count.write(found.len());
        out.write(give(RecordsHandle(found)));
    }
}

frees!(fanorona_records_free, RecordsHandle);

exports! {
    /// One of the games, with its turns.
    fn fanorona_records_get(
        records: *const RecordsHandle,
        index: usize,
        record: *mut RecordInfo,
        turns: *mut CTurn,
        capacity: usize,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (records, out, array) = unsafe {
            let records = handle(records, "records")?;
            let out = GrowingOutput::new(record, "record")?;
            (records, out, OutputArray::new(turns, capacity, "the array of turns")?)
        };
        let record = records.record(index)?;
        let (board, turns) = (record.game().start().board(), record.game().turns());
        out.write(RecordInfo::new(record)?);
        for (index, turn) in turns.iter().enumerate() {
            array.write(index, CTurn::new(board, turn));
        }
        array.check(turns.len())?;
    }

    /// The comments behind a turn of one of the games.
    fn fanorona_records_comment(
        records: *const RecordsHandle,
        index: usize,
        turns: usize,
        text: *mut c_char,
        capacity: usize,
        length: *mut usize,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (records, out) =
            unsafe { (handle(records, "records")?, TextBuffer::new(text, capacity, length)?) };
        let annotation = records.record(index)?.annotation(turns);
        let comments: Vec<&str> = annotation.iter().flat_map(|found| found.comments()).collect();
        out.write(&comments.join(" "))?;
    }

    /// The variations behind a turn of one of the games.
    fn fanorona_records_variations(
        records: *const RecordsHandle,
        index: usize,
        turns: usize,
        text: *mut c_char,
        capacity: usize,
        length: *mut usize,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (records, out) =
            unsafe { (handle(records, "records")?, TextBuffer::new(text, capacity, length)?) };
        let annotation = records.record(index)?.annotation(turns);
        let variations: Vec<&str> =
            annotation.iter().flat_map(|found| found.variations()).collect();
        out.write(&variations.join("\n"))?;
    }

    /// Writes a game.
    fn fanorona_record_text(
        record: *const RecordInfo,
        turns: *const CTurn,
        comments: *const *const c_char,
        variations: *const *const c_char,
        text: *mut c_char,
        capacity: usize,
        length: *mut usize,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (given, turns, comments, variations, out) = unsafe {
            if record.is_null() {
                return Err(Failure::Null("record"));
            }
            let given = grow::read(record, "record")?;
            let turns = copies(turns, given.num_turns, "turns")?;
            let texts = |texts: *const *const c_char, name| match texts.is_null() {
                true => Ok(vec![std::ptr::null(); turns.len() + 1]),
                false => copies(texts, turns.len() + 1, name),
            };
            let comments = texts(comments, "comments")?;
            let variations = texts(variations, "variations")?;
            (given, turns, comments, variations, TextBuffer::new(text, capacity, length)?)
        };
        let mut record = given.with_turns(&turns)?;
        for (turns, (comment, variations)) in comments.into_iter().zip(variations).enumerate() {
            let mut annotation = Annotation::default();
            if !comment.is_null() {
                // SAFETY: as above.
                annotation.add_comment(unsafe { text::read(comment, "a comment")? });
            }
            if !variations.is_null() {
                // SAFETY: as above.
                for variation in unsafe { text::read(variations, "a variation")? }.lines() {
                    annotation.add_variation(variation)?;
                }
            }
            record = record.with_annotation(turns, annotation);
        }
        out.write(&record.to_string())?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_name_of_a_rule_set_fits() {
        for preset in RuleSet::PRESETS {
            let options = preset.options().join("+").replace('N', "255");
            assert!(format!("{preset}+{options}").len() < RULES_TEXT);
        }
    }
}
