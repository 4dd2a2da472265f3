//! `probe`: what the tables say of positions.

mod batch;
mod report;

use std::path::PathBuf;

use clap::Args;

use self::report::Report;
pub(super) use self::report::{TurnReport, in_words};
use crate::failure;
use crate::interrupt;
use crate::options::{CommonOptions, PositionOptions, ReadOptions, Root};

/// Print the table value of a position and of every turn, best first
#[derive(Debug, Args)]
#[command(after_help = "\
The value is for the side to move, and a turn's value for the side that makes it. Tables of the \
metric dtw add the number of turns of both sides until the game is won or lost.

Example:
  fanorona probe --tables tables --position \"9/9/2W1B4/9/9 w\"")]
pub(crate) struct Probe {
    #[command(flatten)]
    position: PositionOptions,

    #[command(flatten)]
    tables: ReadOptions,

    /// Answer one position a line of this file instead, - being standard input, with one JSON
    /// object a line. What has come is answered whenever the input pauses
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "after"])]
    batch: Option<PathBuf>,

    #[command(flatten)]
    common: CommonOptions,
}

impl Probe {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.common.output();
        let Root { board, rules, position } = self.position.resolve()?;
        let tables = self.tables.open(board, rules)?;
        if let Some(file) = &self.batch {
            self.common.start_threads()?;
            interrupt::install()?;
            return batch::run(&tables, file);
        }
        let value = tables.probe(&position).map_err(failure::of_tables)?;
        let ranking = tables.rank(&position).map_err(failure::of_tables)?;
        let turns = TurnReport::list(&position, &ranking);
        output.text(format_args!("{position}: {}", in_words(value.value, value.dtw)));
        if !turns.is_empty() {
            output.text(format_args!("\n{}", TurnReport::table(&turns)));
        }
        output.json(&Report { position, value: value.into(), turns });
        Ok(())
    }
}
