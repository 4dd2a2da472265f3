//! `export`: positions of tables with their values, for other programs.

mod format;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use clap::Args;
use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::{Listed, Listing, TableError};
use serde::Serialize;

use self::format::{Format, RowWriter};
use crate::destination::{Destination, output_beside};
use crate::failure::Failure;
use crate::human::counted;
use crate::interrupt;
use crate::options::SlicesOptions;
use crate::output;
use crate::progress::measured;

/// The number of entries that are read at a time.
const PART: u64 = 1 << 17;

/// Write positions of tables with their values, for other programs
#[derive(Debug, Args)]
#[command(after_help = "\
Columns:
  position  the stones, and the side to move
  slice     stones of the side to move, v, and those of the other side
  value     win, draw or loss, for the side to move
  dtw       turns of both sides to the win; empty for draws, and without distances
  weight    positions that this one stands for: itself and its mirror images

The weights of a slice add up to all its positions.

Rows are JSON lines with --json, and in a file named *.jsonl; otherwise CSV with a header. With \
--output, --json prints an object that counts them.

Examples:
  fanorona export --slice 2v1
  fanorona export --stones 3 --output all.csv
  fanorona export --stones 3 --json")]
pub(crate) struct Export {
    /// Write the result to this file (- for standard output)
    #[arg(long, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,

    #[command(flatten)]
    slices: SlicesOptions,
}

#[derive(Serialize)]
struct Report<'a> {
    board: Board,
    rules: RuleSet,
    output: &'a Path,
    format: Format,
    rows: u64,
    /// The number of positions that the rows stand for, symmetric ones included.
    positions: u64,
}

impl Export {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let file = Destination { what: "the positions", option: "--output", path: &self.output };
        let format = match self.slices.common.form.json && file.is_standard_output() {
            true => Format::Jsonl,
            false => Format::of(&self.output),
        };
        let output = match file.is_standard_output() {
            // The rows are what is printed.
            true => output::Output::Aside,
            false => output_beside(self.slices.common.output(), &[file])?,
        };
        let (board, rules, selection) = self.slices.start()?;
        let tables = self.slices.tables.open(board, rules, selection.most_stones())?;
        let listings = tables.listings(&selection)?;
        if listings.is_empty() {
            return Err(self.slices.tables.none_there(board, rules, selection.most_stones()));
        }
        interrupt::install()?;
        let (rows, positions) = file.stream(|out| {
            let mut rows =
                Rows { writer: RowWriter::new(format, out, file)?, rows: 0, positions: 0 };
            self.write(&listings, &mut rows).map_err(|error| self.stopped(error))?;
            rows.writer.finish()?;
            Ok((rows.rows, rows.positions))
        })?;
        if !file.is_standard_output() {
            output.json(&Report { board, rules, output: &self.output, format, rows, positions });
            let (rows, name) = (counted(rows, "row"), file.name());
            output.text(format_args!("{rows} in {name}, for {}", counted(positions, "position")));
        }
        Ok(())
    }

    /// An error, which says what was kept if it is Ctrl-C.
    fn stopped(&self, error: anyhow::Error) -> anyhow::Error {
        let kept = match self.output == Path::new("-") {
            true => "not all rows are printed",
            false => "nothing is written",
        };
        match error.downcast_ref() {
            Some(TableError::Stopped) => Failure::Interrupted(kept.to_owned()).into(),
            _ => error,
        }
    }

    /// Writes all positions, until the reader of the output is gone. Shows how far it has come.
    fn write(&self, listings: &[Listing<'_>], rows: &mut Rows<'_>) -> anyhow::Result<()> {
        let total = listings.iter().map(Listing::entries).fold(0, u64::saturating_add);
        let done = Arc::new(AtomicU64::new(0));
        // Rows on a terminal show it themselves.
        let is_shown = self.output == Path::new("-") && io::stdout().is_terminal();
        let progress = (!is_shown).then(|| {
            let done = done.clone();
            let fraction = move || done.load(Ordering::Relaxed) as f64 / total.max(1) as f64;
            measured("exporting".to_owned(), fraction)
        });
        let result = write_parts(listings, &done, rows);
        if let Some(progress) = progress {
            progress.finish_and_clear();
        }
        result
    }
}

fn write_parts(
    listings: &[Listing<'_>],
    done: &AtomicU64,
    rows: &mut Rows<'_>,
) -> anyhow::Result<()> {
    for listing in listings {
        for first in (0..listing.entries()).step_by(PART as usize) {
            if interrupt::requested() {
                return Err(TableError::Stopped.into());
            }
            if output::is_lost() {
                return Ok(());
            }
            rows.write(listing, &listing.positions(first, PART)?)?;
            done.fetch_add(PART.min(listing.entries() - first), Ordering::Relaxed);
        }
    }
    Ok(())
}

/// The rows that are written, with their number and the positions that they stand for.
struct Rows<'w> {
    writer: RowWriter<'w>,
    rows: u64,
    positions: u64,
}

impl Rows<'_> {
    fn write(&mut self, listing: &Listing<'_>, listed: &[Listed]) -> anyhow::Result<()> {
        self.rows += listed.len() as u64;
        self.positions += listed.iter().map(|listed| u64::from(listed.weight)).sum::<u64>();
        self.writer.write(&listing.slice().to_string(), listed)
    }
}
