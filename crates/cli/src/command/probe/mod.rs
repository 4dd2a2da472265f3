//! `probe`: the table values of positions and turns.

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
A position's value is for the side to move, and so is a turn's. Tables of the metric dtw also hold \
the distance: the number of turns of both sides until the game is won or lost.

Example:
  fanorona probe --tables tables --position \"9/9/2W1B4/9/9 w\"")]
pub(crate) struct Probe {
    #[command(flatten)]
    position: PositionOptions,

    #[command(flatten)]
    tables: ReadOptions,

    /// Read one position from each line of this file (- for standard input), and print one JSON
    /// object for each line as it comes
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "after"])]
    batch: Option<PathBuf>,

    #[command(flatten)]
    common: CommonOptions,
}

impl Probe {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.common.output();
        let Root { board, rules, position } = self.position.resolve()?;
        let stones = position.own().len() + position.opponent().len();
        let needed = self.batch.is_none().then_some(stones);
        let tables = self.tables.open(board, rules, needed)?;
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
