//! Standard output, as text for people or as one JSON object; messages and progress on standard
//! error.
//!
//! Nothing here fails. What a command found out decides the exit status, whether somebody reads its
//! output or not: the first error of standard output is kept, and [`finish`] returns it at the end.

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::OnceLock;
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Serialize, Serializer};

/// Bytes of JSON that are collected before they are printed.
const PRINTED_TOGETHER: usize = 1 << 20;

/// Why standard output is lost, if it is.
static LOST: OnceLock<io::Error> = OnceLock::new();

/// Standard output in one of its two forms. Commands print both; what is not in the form that was
/// asked for is dropped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Prints one or more lines of text.
    pub(crate) fn text(self, text: impl Display) {
        if !self.json {
            print_line(&text.to_string());
        }
    }

    /// Prints the JSON object.
    pub(crate) fn json(self, value: &impl Serialize) {
        if self.json {
            print_json(value);
        }
    }
}

/// Prints a JSON object on a line of its own.
pub(crate) fn print_json(value: &impl Serialize) {
    print_json_lines(std::slice::from_ref(value));
}

/// Prints JSON objects, each on a line of its own.
pub(crate) fn print_json_lines(values: &[impl Serialize]) {
    let mut lines = Vec::new();
    for value in values {
        if let Err(error) = serde_json::to_writer(&mut lines, value) {
            return note(Err(error.into()));
        }
        lines.push(b'\n');
        if lines.len() >= PRINTED_TOGETHER {
            print(&lines);
            lines.clear();
        }
    }
    print(&lines);
}

fn print_line(text: &str) {
    print(format!("{text}\n").as_bytes());
}

/// Prints bytes, unless standard output is lost.
pub(crate) fn print(bytes: &[u8]) {
    if !is_lost() {
        note(io::stdout().write_all(bytes));
    }
}

/// Notes what became of something that was printed.
pub(crate) fn note(printed: io::Result<()>) {
    if let Err(error) = printed {
        // The first error is the one that counts.
        let _ = LOST.set(error);
    }
}

/// Whether nobody can see what is printed: the reader has gone, or printing failed.
pub(crate) fn is_lost() -> bool {
    LOST.get().is_some()
}

/// Prints what is still in a buffer. Returns the first error of standard output; a reader that went
/// away is none, because it had what it wanted.
pub(crate) fn finish() -> Option<&'static io::Error> {
    note(io::stdout().flush());
    LOST.get().filter(|error| error.kind() != io::ErrorKind::BrokenPipe)
}

/// Prints a message on standard error. If that fails, there is nowhere to report it.
pub(crate) fn message(text: impl Display) {
    let _ = io::stderr().write_all(format!("{text}\n").as_bytes());
}

/// A table without lines. Columns are aligned to the right, for numbers, except those in `left`.
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

/// A line on standard error that says what is being done. It shows on terminals only.
pub(crate) fn spinner(message: String) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(message);
    bar.set_style(
        ProgressStyle::with_template("{spinner} {msg}, {elapsed}")
            .expect("the template is well formed"),
    );
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A count. In JSON it is a string if it exceeds 64 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Count(pub u128);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(self.0) {
            Ok(small) => serializer.serialize_u64(small),
            Err(_) => serializer.serialize_str(&self.0.to_string()),
        }
    }
}

/// Something that JSON shows as its text.
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
    fn counts_beyond_64_bits_are_strings() {
        let json = |n| serde_json::to_string(&Count(n)).expect("it can be written");
        assert_eq!(json(u128::from(u64::MAX)), "18446744073709551615");
        assert_eq!(json(u128::from(u64::MAX) + 1), "\"18446744073709551616\"");
    }
}
