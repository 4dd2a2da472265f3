//! Words and texts of lines.

/// The word for no turn: the game is over.
pub const NO_TURN: &str = "0000";

pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split_ascii_whitespace()
}

/// The start of a text that came from outside, for messages: at most 100 characters, and nothing
/// that would end a line.
pub(crate) fn shown(text: &str) -> String {
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(visible).take(100).collect()
}
