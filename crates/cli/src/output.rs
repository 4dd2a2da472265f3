//! Standard output, as text for people or as one JSON object; messages on standard error.
//!
//! Nothing here fails. The result of a command decides the exit status, whether anybody reads its
//! output or not. The first error of standard output is stored, and [`finish`] returns it at the end.

use std::borrow::Cow;
use std::env;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use comfy_table::{CellAlignment, Table, presets};
use serde::{Serialize, Serializer};

/// Bytes of JSON that are buffered before they are printed.
const BUFFERED: usize = 1 << 20;

/// Whether anything was printed.
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

/// The first error of standard output.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Where a command prints. Commands print text and JSON, and what was not asked for is dropped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Output {
    /// Text on standard output.
    Text,
    /// Text on standard error, because a file of the command is standard output.
    Aside,
    /// JSON on standard output.
    Json,
    Silent,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        if json { Self::Json } else { Self::Text }
    }

    /// Prints one or more lines of text; see [`shown`].
    pub(crate) fn text(self, text: impl Display) {
        match self {
            Self::Text => print(format!("{}\n", shown(&text.to_string())).as_bytes()),
            Self::Aside => message(text),
            Self::Json | Self::Silent => {}
        }
    }

    /// Prints the beginning of a line that a person completes.
    pub(crate) fn prompt(self, text: impl Display) {
        match self {
            Self::Text => {
                print(text.to_string().as_bytes());
                note(io::stdout().flush());
            }
            Self::Aside => {
                let _ = io::stderr().write_all(text.to_string().as_bytes());
            }
            Self::Json | Self::Silent => {}
        }
    }

    /// Prints the JSON object.
    pub(crate) fn json(self, value: &impl Serialize) {
        if self == Self::Json {
            print_json(value);
        }
    }
}

/// Prints a JSON object on a line of its own.
pub(crate) fn print_json(value: &impl Serialize) {
    JsonLines::default().add(value);
}

/// JSON objects that are printed, each on a line of its own. The last ones are printed on drop.
#[derive(Debug, Default)]
pub(crate) struct JsonLines {
    bytes: Vec<u8>,
}

impl JsonLines {
    pub(crate) fn add(&mut self, value: &impl Serialize) {
        match serde_json::to_writer(&mut self.bytes, value) {
            Ok(()) => self.bytes.push(b'\n'),
            Err(error) => note(Err(error.into())),
        }
        if self.bytes.len() >= BUFFERED {
            print(&self.bytes);
            self.bytes.clear();
        }
    }
}

impl Drop for JsonLines {
    fn drop(&mut self) {
        print(&self.bytes);
    }
}

/// A text without characters that would control a terminal: names and turns can come from files,
/// other programs and people. These characters are shown as in `\u{1b}`.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    let controls = |c: char| match c {
        '\n' | '\t' => false,
        // The order of the letters around them.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        _ => c.is_control(),
    };
    if !text.contains(controls) {
        return text.into();
    }
    let mut shown = String::new();
    for c in text.chars() {
        if controls(c) {
            shown.extend(c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    shown.into()
}

/// Prints bytes, unless an earlier output failed.
pub(crate) fn print(bytes: &[u8]) {
    HAS_BEGUN.store(true, Ordering::Relaxed);
    if !is_lost() {
        note(io::stdout().write_all(bytes));
    }
}

/// Whether anything was printed on standard output.
pub(crate) fn has_begun() -> bool {
    HAS_BEGUN.load(Ordering::Relaxed)
}

/// Stores the error of printing, if there was one.
pub(crate) fn note(printed: io::Result<()>) {
    if let Err(error) = printed {
        // Only the first error is stored.
        let _ = LOST.set(error);
    }
}

/// Whether output is in vain: the reader is gone, or printing failed.
pub(crate) fn is_lost() -> bool {
    LOST.get().is_some()
}

/// Flushes standard output, and returns its first error. A closed pipe is not an error: the reader
/// has all it wanted.
pub(crate) fn finish() -> Option<&'static io::Error> {
    note(io::stdout().flush());
    LOST.get().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
}

/// Prints a message on standard error; see [`shown`]. If that fails, there is nowhere to report it.
pub(crate) fn message(text: impl Display) {
    let _ = io::stderr().write_all(format!("{}\n", shown(&text.to_string())).as_bytes());
}

/// Whether the terminal knows no escape sequences: `TERM` says so, or nothing. Where programs do not
/// set it, as on Windows, nothing says nothing.
pub(crate) fn is_plain_terminal() -> bool {
    match env::var_os("TERM") {
        Some(name) => name.is_empty() || name == "dumb",
        None => cfg!(unix),
    }
}

/// A table without lines. Columns are aligned to the right, except those in `left`.
pub(crate) fn table(header: &[&str], left: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header.iter().copied());
    for (i, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if !left.contains(&i) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// A value that is a string in JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct AsText<T>(pub T);

impl<T: Display> Serialize for AsText<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown() {
        assert_eq!(shown("two\nlines\tof 'text', é"), "two\nlines\tof 'text', é");
        assert_eq!(shown("\u{1b}[31mred\r\u{7f}"), "\\u{1b}[31mred\\u{d}\\u{7f}");
        assert_eq!(shown("a\u{202e}b\u{9b}"), "a\\u{202e}b\\u{9b}");
    }
}
