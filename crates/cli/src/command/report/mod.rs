//! `report`: writes statistics of tables as an HTML page with pictures.

mod page;
mod shown;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use fanorona_knowledge::Knowledge;
use serde::Serialize;

use self::shown::{contradiction, richest, show};
use super::slice_report::SliceReport;
use crate::destination::{Destination, output_beside};
use crate::failure::Failure;
use crate::human::counted;
use crate::options::{CommonOptions, GameOptions, ReadOptions};

/// Write statistics of tables as an HTML page with charts
#[derive(Debug, Args)]
#[command(after_help = "\
The page has the wins, draws, losses and zugzwangs of every slice, the longest wins and losses with \
best play from there, and charts. It is a single file that loads nothing else.

Example:
  fanorona report --tables tables --output report.html")]
pub(crate) struct Report {
    /// File to write, - for standard output; an existing one is replaced
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,

    #[command(flatten)]
    game: GameOptions,

    #[command(flatten)]
    tables: ReadOptions,

    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Serialize)]
struct Written {
    /// The file; what is not UTF-8 in its name is replaced.
    output: String,
    bytes: usize,
    slices: Vec<SliceReport>,
}

impl Report {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let (board, rules) = (self.game.board(), self.game.rules()?);
        let path = self.output.as_path();
        let destination = Destination { what: "the report", option: "--output", path };
        let output = output_beside(self.common.output(), &[destination])?;
        destination.check()?;
        let tables = Arc::new(self.tables.open(board, rules, None)?);
        let found = tables.all()?;
        if found.is_empty() {
            return Err(self.tables.none_there(board, rules, None));
        }
        let knowledge = Knowledge::new(board, rules, Some(tables.clone()), None);
        let knowledge = knowledge?;
        let shown = richest(&found).map(|table| show(&knowledge, table));
        let shown = shown.collect::<Result<Vec<_>, _>>()?;
        for shown in &shown {
            if let Some(problem) = contradiction(&tables, shown)? {
                return Err(Failure::input(problem));
            }
        }
        let page = page::page(board, rules, &shown).into_string();
        destination.write(page.as_bytes())?;
        let name = destination.name().to_string();
        output.text(format_args!("{} in {name}", counted(shown.len(), "slice")));
        let slices = shown.into_iter().map(|shown| shown.report).collect();
        output.json(&Written { output: name, bytes: page.len(), slices });
        Ok(())
    }
}
