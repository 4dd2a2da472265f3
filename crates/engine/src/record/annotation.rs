//! Comments, glyphs and variations beside the turns of a game.

use super::error::RecordProblem;
use super::lexer::{Lexer, Token};

/// The glyphs that are written behind a turn, for the numbers 1 to 6.
const GLYPHS: [&str; 6] = ["!", "?", "!!", "??", "!?", "?!"];

/// Comments, glyphs and variations behind a turn, or before the first one.
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_engine::{Annotation, Game, Record};
/// let mut game = Game::new(RuleSet::STANDARD, Board::tsivy().start());
/// game.play(game.rules().parse_turn(game.position(), "d3-e3A")?);
/// let mut note = Annotation::default();
/// note.add_glyph(2).add_comment("gives away the win");
/// note.add_variation("1. d2-e3A")?;
/// let record = Record::new(game).with_annotation(1, note);
/// let turns = "\n1. d3-e3A? {gives away the win} (1. d2-e3A) *\n";
/// assert!(record.to_string().ends_with(turns));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Annotation {
    glyphs: Vec<u8>,
    remarks: Vec<Remark>,
}

/// A comment or a variation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Remark {
    /// A comment on one line.
    Comment(String),
    /// Other turns, as they were written: they are not checked.
    Variation(String),
}

impl Annotation {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.glyphs.is_empty() && self.remarks.is_empty()
    }

    /// The glyphs by their numbers in PGN: 1 is `!`, 2 `?`, 3 `!!`, 4 `??`, 5 `!?` and 6 `?!`.
    pub fn glyphs(&self) -> &[u8] {
        &self.glyphs
    }

    /// The comments and variations in their order.
    pub fn remarks(&self) -> &[Remark] {
        &self.remarks
    }

    /// The comments.
    pub fn comments(&self) -> impl Iterator<Item = &str> {
        self.remarks.iter().filter_map(|remark| match remark {
            Remark::Comment(text) => Some(text.as_str()),
            Remark::Variation(_) => None,
        })
    }

    /// The variations, as they were written.
    pub fn variations(&self) -> impl Iterator<Item = &str> {
        self.remarks.iter().filter_map(|remark| match remark {
            Remark::Variation(text) => Some(text.as_str()),
            Remark::Comment(_) => None,
        })
    }

    /// Adds a glyph by its number.
    pub fn add_glyph(&mut self, glyph: u8) -> &mut Self {
        self.glyphs.push(glyph);
        self
    }

    /// Adds a comment, if it has a word. White space between words becomes one blank, and control
    /// characters are left out.
    pub fn add_comment(&mut self, text: &str) -> &mut Self {
        let text = one_line(text);
        if !text.is_empty() {
            self.remarks.push(Remark::Comment(text));
        }
        self
    }

    /// Adds a variation: turns as in the text of a game, which are not checked.
    ///
    /// # Errors
    /// If the text has tags, or brackets or comments without an end.
    pub fn add_variation(&mut self, text: &str) -> Result<&mut Self, RecordProblem> {
        let mut lexer = Lexer::new(text);
        let mut tokens = Vec::new();
        while let Some((_, token)) = lexer.next() {
            tokens.push(token?);
        }
        let text = variation(&tokens).ok_or(RecordProblem::OpenVariation)?;
        self.add_read_variation(text);
        Ok(self)
    }

    /// Adds a variation that was read.
    pub(super) fn add_read_variation(&mut self, text: String) {
        if !text.is_empty() {
            self.remarks.push(Remark::Variation(text));
        }
    }

    /// The glyph to write directly behind a turn, and the others.
    pub(super) fn suffix(&self, has_turn: bool) -> (&'static str, &[u8]) {
        let glyph = |number: u8| GLYPHS.get(usize::from(number).checked_sub(1)?).copied();
        match self.glyphs.split_first() {
            Some((first, rest)) if has_turn => {
                glyph(*first).map_or(("", &*self.glyphs), |glyph| (glyph, rest))
            }
            _ => ("", &self.glyphs),
        }
    }
}

/// The number of a glyph, written as `!` or `$1`.
pub(super) fn read_glyph(text: &str) -> Option<u8> {
    if let Some(digits) = text.strip_prefix('$') {
        return digits.parse().ok();
    }
    let at = GLYPHS.iter().position(|glyph| *glyph == text)?;
    Some(at as u8 + 1)
}

/// A text without control characters, on one line.
fn one_line(text: &str) -> String {
    let words = text.split_whitespace().map(|word| word.replace(char::is_control, ""));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The text of a variation; `None` if its brackets do not match or it has tags.
pub(super) fn variation(tokens: &[Token<'_>]) -> Option<String> {
    let mut text = String::new();
    let mut depth = 0_usize;
    for token in tokens {
        let gap = if text.is_empty() || text.ends_with('(') { "" } else { " " };
        match token {
            Token::Tag { .. } => return None,
            Token::Word(word) => {
                // At the beginning of a line it would be for other programs.
                let word = one_line(word.trim_start_matches('%'));
                if !word.is_empty() {
                    text += &format!("{gap}{word}");
                }
            }
            // A brace in a comment to the end of the line would end it here.
            Token::Comment(comment) => {
                text += &format!("{gap}{{{}}}", one_line(&comment.replace('}', ")")));
            }
            Token::Open => {
                depth += 1;
                text += &format!("{gap}(");
            }
            Token::Close => {
                depth = depth.checked_sub(1)?;
                text.push(')');
            }
        }
    }
    (depth == 0).then_some(text)
}
