//! Reading a game of the project's own form, which follows PGN.

use std::borrow::Cow;
use std::collections::HashSet;

use fanorona_core::Side;

use super::annotation::{Annotation, read_glyph, variation};
use super::error::{RecordError, RecordProblem};
use super::game_record::Record;
use super::header::{Defaults, Header, shortened};
use super::lexer::{Lexer, Place, Token};
use super::result::{GameResult, MAX_RECORD_BYTES, MAX_RECORD_TURNS};
use crate::game::Game;

/// No turn is longer: a stone visits each of at most 63 points once, with a letter, a comma and a
/// blank.
pub(super) const MAX_WORD: usize = 63 * 6;

type Parts<'t> = Vec<(Place, Token<'t>)>;

/// Reads the next game of a text; `None` at its end. After an error, the next call goes on with the
/// game behind it.
pub(super) fn next_game(
    lexer: &mut Lexer<'_>,
    defaults: Defaults,
) -> Option<Result<Record, RecordError>> {
    let text = lexer.text;
    let parts = parts(lexer);
    match &parts {
        // Comments are no game.
        Ok(parts) if parts.iter().all(|(_, part)| matches!(part, Token::Comment(_))) => None,
        _ => Some(parts.and_then(|parts| read_game(text, &parts, lexer.place(), defaults))),
    }
}

/// The parts of the next game. A game ends before the first tag behind its turns, before a tag behind a
/// blank line that it has already, and before the number 1 behind its result.
fn parts<'t>(lexer: &mut Lexer<'t>) -> Result<Parts<'t>, RecordError> {
    let text = lexer.text;
    let begin = lexer.place();
    let mut parts = Vec::new();
    let mut problem = None;
    let mut names = HashSet::new();
    let (mut has_turns, mut has_result, mut depth) = (false, false, 0_usize);
    loop {
        let before = *lexer;
        let Some((place, token)) = lexer.next() else { break };
        let token = match token {
            Ok(token) => token,
            Err(found) => {
                problem.get_or_insert_with(|| place.error(text, found));
                continue;
            }
        };
        let is_next = match token {
            Token::Tag { name, .. } => {
                has_turns || !names.insert(name) && is_behind_blank_line(text, place)
            }
            Token::Word(word) => has_result && depth == 0 && is_first_number(word),
            _ => false,
        };
        if is_next {
            *lexer = before;
            break;
        }
        match token {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            Token::Word(word) => {
                has_turns = true;
                has_result |= depth == 0 && word.parse::<GameResult>().is_ok();
            }
            Token::Tag { .. } | Token::Comment(_) => {}
        }
        let found = place.offset - begin.offset;
        if found > MAX_RECORD_BYTES {
            parts = Vec::new();
            let bytes = RecordProblem::Bytes { found, most: MAX_RECORD_BYTES };
            problem.get_or_insert_with(|| begin.error(text, bytes));
        } else if problem.is_none() {
            parts.push((place, token));
        }
    }
    problem.map_or(Ok(parts), Err)
}

/// Whether the line before a place is blank.
fn is_behind_blank_line(text: &str, place: Place) -> bool {
    let before = &text[..place.offset];
    before[before.trim_end().len()..].matches('\n').count() > 1
}

/// Whether a word begins with the number of a first turn.
fn is_first_number(word: &str) -> bool {
    word.strip_prefix('1').is_some_and(|rest| rest.starts_with(['.', '…']))
}

/// Reads a game from its parts. `end` is behind them.
fn read_game(
    text: &str,
    parts: &[(Place, Token<'_>)],
    end: Place,
    defaults: Defaults,
) -> Result<Record, RecordError> {
    let mut tags = Vec::new();
    for (place, part) in parts {
        if let Token::Tag { name, value } = *part {
            tags.push((*place, name, value));
        }
    }
    let header = Header::read(text, &tags, defaults)?;
    let game = Game::with_draws(header.rules, header.start, header.draws);
    let mut reader = Reader { text, game, notes: Vec::new(), result: None, base: None };
    reader.base = (!header.has_start).then_some(1);
    reader.read(parts)?;

    let Reader { game, notes, result, .. } = reader;
    let (tag_place, tag_result) = header.result.unzip();
    if let (Some(expected), Some((place, found))) = (tag_result, result)
        && expected != found
        && expected != GameResult::Unfinished
    {
        return Err(place.error(text, RecordProblem::TwoResults { expected, found }));
    }
    let place = result.map(|(place, _)| place).or(tag_place).unwrap_or(end);
    let mut record = Record::new(game).with_known(header.players, header.date);
    record.termination = header.termination;
    for (turns, note) in notes {
        record = record.with_annotation(turns, note);
    }
    // Where the end of the text leaves the result open, the rules may have decided it.
    let known = match result.map(|(_, result)| result).or(tag_result) {
        Some(GameResult::Unfinished) | None => return Ok(record),
        Some(known) => known,
    };
    record.with_result(known).map_err(|problem| place.error(text, problem))
}

/// A game as it is read.
struct Reader<'t> {
    text: &'t str,
    game: Game,
    /// The annotation behind so many turns.
    notes: Vec<(usize, Annotation)>,
    result: Option<(Place, GameResult)>,
    /// The number of the first turn; `None` before it, if it need not be 1.
    base: Option<usize>,
}

impl Reader<'_> {
    fn read(&mut self, parts: &[(Place, Token<'_>)]) -> Result<(), RecordError> {
        let text = self.text;
        let mut at = 0;
        while let Some((place, part)) = parts.get(at) {
            at += 1;
            let fail = |problem| Err(place.error(text, problem));
            match part {
                Token::Tag { .. } => {}
                Token::Comment(comment) => {
                    self.note().add_comment(comment);
                }
                Token::Open => {
                    let Some(length) = closing(&parts[at..]) else {
                        return fail(RecordProblem::OpenVariation);
                    };
                    let inner: Vec<_> = parts[at..at + length].iter().map(|part| part.1).collect();
                    if let Some(variation) = variation(&inner) {
                        self.note().add_read_variation(variation);
                    }
                    at += length + 1;
                }
                Token::Close => return fail(RecordProblem::CloseVariation),
                Token::Word(word) => {
                    let mut word = Cow::Borrowed(*word);
                    // A relay may have blanks behind its commas.
                    while word.ends_with(',')
                        && word.len() <= MAX_WORD
                        && let Some((_, Token::Word(more))) = parts.get(at)
                    {
                        word.to_mut().push_str(more);
                        at += 1;
                    }
                    self.word(*place, &word).or_else(fail)?;
                }
            }
        }
        Ok(())
    }

    /// The annotation of the turns so far.
    fn note(&mut self) -> &mut Annotation {
        let turns = self.game.turns().len();
        if self.notes.last().is_none_or(|(last, _)| *last != turns) {
            self.notes.push((turns, Annotation::default()));
        }
        &mut self.notes.last_mut().expect("it has one").1
    }

    /// Reads a number, a turn, a glyph or a result.
    fn word(&mut self, place: Place, word: &str) -> Result<(), RecordProblem> {
        if let Some(glyph) = read_glyph(word) {
            self.note().add_glyph(glyph);
            return Ok(());
        }
        if self.result.is_some() {
            return Err(RecordProblem::AfterEnd(shortened(word)));
        }
        if let Ok(found) = word.parse() {
            self.result = Some((place, found));
            return Ok(());
        }
        // A number may stand alone or before a turn.
        let turn = word.trim_start_matches(|char: char| char.is_ascii_digit());
        let digits = &word[..word.len() - turn.len()];
        let black_first = usize::from(self.game.start().to_move() == Side::Black);
        let number = (self.game.turns().len() + black_first) / 2;
        if !digits.is_empty() {
            let read = digits.parse().ok();
            let base = read.and_then(|read: usize| read.checked_sub(number));
            let expected = *self.base.get_or_insert(base.unwrap_or(1)) + number;
            if read != Some(expected) {
                return Err(RecordProblem::Number { expected, found: shortened(digits) });
            }
        }
        let turn = turn.trim_start_matches(['.', '…']);
        let bare = turn.trim_end_matches(['!', '?']);
        if !bare.is_empty() {
            self.turn(number + self.base.unwrap_or(1), bare)?;
        }
        if let Some(glyph) = Some(&turn[bare.len()..]).filter(|text| !text.is_empty()) {
            let number = read_glyph(glyph).ok_or_else(|| RecordProblem::Glyph(shortened(glyph)))?;
            self.note().add_glyph(number);
        }
        Ok(())
    }

    fn turn(&mut self, number: usize, text: &str) -> Result<(), RecordProblem> {
        let turn = read_turn(&self.game, number, text)?;
        self.game.play(turn);
        Ok(())
    }
}

/// The turn of a text in a game, of which there are not too many yet.
pub(super) fn read_turn(
    game: &Game,
    number: usize,
    text: &str,
) -> Result<fanorona_core::Turn, RecordProblem> {
    if text.len() > MAX_WORD {
        return Err(RecordProblem::Word { found: text.len() });
    }
    if game.turns().len() == MAX_RECORD_TURNS {
        return Err(RecordProblem::Turns { most: MAX_RECORD_TURNS });
    }
    if game.is_over() {
        return Err(RecordProblem::AfterEnd(shortened(text)));
    }
    let turn = game.rules().parse_turn(game.position(), text);
    turn.map_err(|reason| RecordProblem::Turn { number, reason })
}

/// The number of parts before the bracket that closes a variation.
fn closing(parts: &[(Place, Token<'_>)]) -> Option<usize> {
    let mut depth = 1_usize;
    parts.iter().position(|(_, part)| {
        match part {
            Token::Open => depth += 1,
            Token::Close => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}
