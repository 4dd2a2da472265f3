//! The parts of the text of games: tags, words, comments and brackets of variations.

use super::error::{RecordError, RecordProblem};

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// From 1.
    pub line: usize,
    /// The offset of the line.
    line_start: usize,
    pub offset: usize,
}

impl Place {
    /// The place at an offset, which is at the boundary of a character.
    pub(super) fn at(text: &str, offset: usize) -> Self {
        let before = &text[..offset];
        let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
        Self { line, line_start: before.rfind('\n').map_or(0, |at| at + 1), offset }
    }

    /// The error of a problem at this place of a text.
    pub(super) fn error(self, text: &str, problem: RecordProblem) -> RecordError {
        let column = 1 + text[self.line_start..self.offset].chars().count();
        RecordError { line: self.line, column, problem }
    }
}

/// A part of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'t> {
    /// `[Name "value"]`; the value with its escapes.
    Tag {
        name: &'t str,
        value: &'t str,
    },
    /// A turn, a number, a result or a glyph.
    Word(&'t str),
    Comment(&'t str),
    Open,
    Close,
}

/// Reads a text part by part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lexer<'t> {
    pub text: &'t str,
    place: Place,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        let offset = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, place: Place { line: 1, line_start: offset, offset } }
    }

    /// The place of the next part, or of the end.
    pub(super) fn place(&mut self) -> Place {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            self.skip(blank);
            // A line that begins with % is for other programs.
            if self.rest().starts_with('%') && self.place.offset == self.place.line_start {
                self.skip(self.line_end());
            } else {
                return self.place;
            }
        }
    }

    /// The next part with its place. After an error the rest of the line, or of the text in an open
    /// comment, is skipped.
    pub(super) fn next(&mut self) -> Option<(Place, Result<Token<'t>, RecordProblem>)> {
        let place = self.place();
        let rest = self.rest();
        let first = rest.chars().next()?;
        let (length, token) = match first {
            '(' => (1, Ok(Token::Open)),
            ')' => (1, Ok(Token::Close)),
            ';' => (self.line_end(), Ok(Token::Comment(&rest[1..self.line_end()]))),
            '{' => match rest.find('}') {
                Some(end) => (end + 1, Ok(Token::Comment(&rest[1..end]))),
                None => (rest.len(), Err(RecordProblem::OpenComment)),
            },
            '[' => match tag(rest) {
                Some((length, token)) => (length, Ok(token)),
                None => (self.line_end(), Err(RecordProblem::Tag)),
            },
            _ => {
                let is_end =
                    |c: char| c.is_whitespace() || matches!(c, '{' | ';' | '(' | ')' | '[');
                let end = rest.find(is_end).unwrap_or(rest.len());
                (end, Ok(Token::Word(&rest[..end])))
            }
        };
        self.skip(length);
        Some((place, token))
    }

    fn rest(&self) -> &'t str {
        &self.text[self.place.offset..]
    }

    /// The length of the rest of the line.
    fn line_end(&self) -> usize {
        self.rest().find('\n').unwrap_or(self.rest().len())
    }

    fn skip(&mut self, length: usize) {
        let skipped = &self.rest()[..length];
        if let Some(last) = skipped.rfind('\n') {
            self.place.line += skipped.bytes().filter(|byte| *byte == b'\n').count();
            self.place.line_start = self.place.offset + last + 1;
        }
        self.place.offset += length;
    }
}

/// The tag that a text begins with, and its length.
fn tag(text: &str) -> Option<(usize, Token<'_>)> {
    let line = text.lines().next()?;
    let inner = line.strip_prefix('[')?.trim_start();
    let end = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
    let (name, behind) = inner.split_at(end);
    let value = behind.trim_start().strip_prefix('"')?;
    let mut is_escaped = false;
    let end = value.find(|c: char| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    })?;
    let behind = value[end + 1..].trim_start().strip_prefix(']')?;
    let token = Token::Tag { name, value: &value[..end] };
    (!name.is_empty()).then_some((line.len() - behind.len(), token))
}

/// The value of a tag, in which `\"` is a quotation mark and `\\` a backslash.
pub(super) fn unescaped(value: &str) -> Option<String> {
    let mut text = String::new();
    let mut chars = value.chars();
    while let Some(char) = chars.next() {
        text.push(match char {
            '\\' => chars.next().filter(|next| matches!(next, '"' | '\\'))?,
            char => char,
        });
    }
    Some(text)
}
