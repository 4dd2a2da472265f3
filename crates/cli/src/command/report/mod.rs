//! `report`: writes what the tables say as one page with pictures.

mod page;

use std::path::PathBuf;

use clap::Args;
use fanorona_core::Position;
use fanorona_tablebase::{Metric, Slice, TableError, TableFile};
use serde::Serialize;

use super::slice_report::{Distances, Longest, SliceReport};
use crate::destination::Destination;
use crate::failure;
use crate::options::{CommonOptions, GameOptions, ReadOptions};

/// Write what the tables of a board and a rule set say as one HTML page with pictures
#[derive(Debug, Args)]
#[command(after_help = "\
The page has wins, draws, losses and zugzwangs of every slice, the longest wins and losses with the \
play that follows, and charts. It is one file that refers to no other.

Example:
  fanorona report --tables tables --output report.html")]
pub(crate) struct Report {
    #[command(flatten)]
    game: GameOptions,

    #[command(flatten)]
    tables: ReadOptions,

    /// The file to write; one that is there is replaced
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,

    #[command(flatten)]
    common: CommonOptions,
}

/// A slice as the page shows it.
struct Shown {
    slice: Slice,
    report: SliceReport,
    longest: Vec<LongestLine>,
}

/// A position that takes longest to be won or lost, and best play from there.
struct LongestLine {
    end: Longest,
    line: Line,
}

struct Line {
    turns: Vec<String>,
    /// Whether it goes on in slices that have no table here.
    cut: bool,
}

#[derive(Serialize)]
struct Written {
    /// The file, as far as its name is text.
    output: String,
    bytes: usize,
    slices: Vec<SliceReport>,
}

impl Report {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.common.output();
        let (board, rules) = (self.game.board, self.game.rules()?);
        let path = self.output.as_path();
        let destination = Destination { what: "the report", option: "--output", path };
        destination.check()?;
        let tables = self.tables.open(board, rules)?;
        let found = tables.all().map_err(failure::of_tables)?;
        if found.is_empty() {
            return Err(self.tables.none_there(board, rules));
        }
        let shown = richest(&found).map(|table| show(&tables, table));
        let shown = shown.collect::<Result<Vec<_>, _>>().map_err(failure::of_tables)?;
        let page = page::page(board, rules, &shown).into_string();
        destination.write(page.as_bytes())?;
        let name = path.display().to_string();
        output.text(format_args!("{} slices in {name}", shown.len()));
        let slices = shown.into_iter().map(|shown| shown.report).collect();
        output.json(&Written { output: name, bytes: page.len(), slices });
        Ok(())
    }
}

/// One table of each slice: that with distances, if there are two.
fn richest<'t>(found: &'t [&'t TableFile]) -> impl Iterator<Item = &'t TableFile> {
    found.iter().copied().filter(|table| {
        let (slice, metric) = (table.metadata().slice, table.metadata().metric);
        let has_distances = |other: &&TableFile| other.metadata().metric == Metric::Dtw;
        let mut same = found.iter().filter(|other| other.metadata().slice == slice);
        metric == Metric::Dtw || !same.any(has_distances)
    })
}

fn show(tables: &fanorona_tablebase::Tables, table: &TableFile) -> Result<Shown, TableError> {
    let report = SliceReport::new(table);
    let longest = report.distances.iter().flat_map(Distances::longest).map(|end| {
        let line = best_line(tables, end.position)?;
        Ok(LongestLine { end, line })
    });
    let longest = longest.collect::<Result<_, TableError>>()?;
    Ok(Shown { slice: table.metadata().slice, report, longest })
}

/// The play that follows if both sides always take the first of their best turns: the winner
/// hurries and the loser delays.
fn best_line(
    tables: &fanorona_tablebase::Tables,
    mut position: Position,
) -> Result<Line, TableError> {
    let mut line = Line { turns: Vec::new(), cut: false };
    loop {
        let ranked = match tables.rank(&position) {
            Ok(ranked) => ranked,
            Err(TableError::Missing { .. }) => return Ok(Line { cut: true, ..line }),
            Err(error) => return Err(error),
        };
        let Some(best) = ranked.first() else { return Ok(line) };
        // Without distances, play could go on for ever.
        if best.value.dtw.is_none() {
            return Ok(Line { cut: true, ..line });
        }
        line.turns.push(best.turn.text(position.board()).to_string());
        position = best.after;
    }
}
