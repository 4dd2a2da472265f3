//! The forms of rows.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use anyhow::Context;
use fanorona_core::{Position, Value};
use fanorona_tablebase::Listed;
use rayon::prelude::*;
use serde::Serialize;

use crate::destination::Destination;

/// The number of rows that a thread writes at a time.
const TOGETHER: usize = 1 << 12;

/// The columns, in their order.
const HEADER: &[u8] = b"position,slice,value,dtw,weight\n";

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Format {
    /// Values separated by commas, with a header
    Csv,
    /// A JSON object on each line
    Jsonl,
}

impl Format {
    /// The format of a file by its name; CSV if it has no other.
    pub(super) fn of(path: &Path) -> Self {
        let extension = path.extension().and_then(|extension| extension.to_str());
        match extension.map(str::to_ascii_lowercase).as_deref() {
            Some("jsonl" | "ndjson" | "json") => Self::Jsonl,
            _ => Self::Csv,
        }
    }
}

/// Writes rows in a format.
pub(super) struct RowWriter<'w> {
    out: &'w mut (dyn Write + Send),
    format: Format,
    file: Destination<'w>,
}

/// A row in JSON. In the first phase of the vela its slice has the role of the side to move.
#[derive(Serialize)]
struct Row<'a> {
    position: Position,
    slice: &'a str,
    value: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    dtw: Option<u16>,
    weight: u8,
}

impl<'w> RowWriter<'w> {
    /// Begins with the header, if the format has one.
    pub(super) fn new(
        format: Format,
        out: &'w mut (dyn Write + Send),
        file: Destination<'w>,
    ) -> anyhow::Result<Self> {
        if format == Format::Csv {
            out.write_all(HEADER).with_context(|| file.not_written())?;
        }
        Ok(Self { out, format, file })
    }

    /// Writes rows of a slice.
    pub(super) fn write(&mut self, slice: &str, rows: &[Listed]) -> anyhow::Result<()> {
        let Self { out, format, file } = self;
        let format = *format;
        let text = |rows: &[Listed]| match format {
            Format::Jsonl => json_lines(slice, rows),
            Format::Csv => csv(slice, rows).into_bytes(),
        };
        let texts: Vec<Vec<u8>> = rows.par_chunks(TOGETHER).map(text).collect();
        let mut texts = texts.iter();
        texts.try_for_each(|text| out.write_all(text)).with_context(|| file.not_written())
    }

    /// Writes what is still in memory.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        self.out.flush().with_context(|| self.file.not_written())
    }
}

/// No column needs quotes: none has a comma.
fn csv(slice: &str, rows: &[Listed]) -> String {
    let mut text = String::new();
    for Listed { position, weight, value } in rows {
        // Writing to a string does not fail.
        let _ = write!(text, "{position},{slice},{},", value.value);
        if let Some(dtw) = value.dtw {
            let _ = write!(text, "{dtw}");
        }
        let _ = writeln!(text, ",{weight}");
    }
    text
}

fn json_lines(slice: &str, rows: &[Listed]) -> Vec<u8> {
    let mut text = Vec::new();
    for Listed { position, weight, value } in rows {
        let row =
            Row { position: *position, slice, value: value.value, dtw: value.dtw, weight: *weight };
        serde_json::to_writer(&mut text, &row).expect("texts and numbers are JSON");
        text.push(b'\n');
    }
    text
}
