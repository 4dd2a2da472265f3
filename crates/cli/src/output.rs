//! What goes to standard output: text for people or one JSON object, and progress on the side.

use std::fmt::Display;
use std::io::{self, Write};
use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Serialize, Serializer};

/// Standard output in one of its two forms. A command says everything in both, and what is not for
/// the form that was asked for goes nowhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether text is printed.
    pub(crate) fn is_text(self) -> bool {
        !self.json
    }

    /// A line or more of text.
    pub(crate) fn text(self, text: impl Display) -> io::Result<()> {
        if self.json { Ok(()) } else { writeln!(io::stdout(), "{text}") }
    }

    /// The JSON object.
    pub(crate) fn json(self, value: &impl Serialize) -> io::Result<()> {
        if self.json { write_json(value) } else { Ok(()) }
    }
}

/// A JSON object on a line of its own.
pub(crate) fn write_json(value: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_string(value).map_err(io::Error::other)?;
    writeln!(io::stdout(), "{text}")
}

/// A table without lines. Columns are for numbers, and so aligned to the right, but for those listed
/// in `left`.
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

/// A line on standard error that says that work goes on. Where that is no terminal, it shows
/// nothing.
pub(crate) fn spinner(message: String) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(message);
    bar.set_style(
        ProgressStyle::with_template("{spinner} {msg}, {elapsed}")
            .expect("the template is well formed"),
    );
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// A count that may exceed 64 bits, where it becomes a string.
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
