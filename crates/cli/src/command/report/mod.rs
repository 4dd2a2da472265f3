//! `report`: writes what the tables say as one page with pictures.

mod page;
mod shown;

use std::path::PathBuf;

use clap::Args;
use serde::Serialize;

use self::shown::{contradiction, richest, show};
use super::slice_report::SliceReport;
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
        for shown in &shown {
            if let Some(problem) = contradiction(&tables, shown).map_err(failure::of_tables)? {
                return Err(failure::Failure::input(problem));
            }
        }
        let page = page::page(board, rules, &shown).into_string();
        destination.write(page.as_bytes())?;
        let name = path.display().to_string();
        output.text(format_args!("{} slices in {name}", shown.len()));
        let slices = shown.into_iter().map(|shown| shown.report).collect();
        output.json(&Written { output: name, bytes: page.len(), slices });
        Ok(())
    }
}
