//! `probe`: the table values of positions and turns.

mod batch;
mod report;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use fanorona_knowledge::Knowledge;

use self::report::Report;
use super::known::turn_table;
use crate::interrupt;
use crate::options::{CommonOptions, PositionOptions, ReadOptions, Root};

/// Print the table value of a position and of every turn, best first
#[derive(Debug, Args)]
// One position is looked up by one thread.
#[command(mut_arg("threads", |threads| {
    threads.requires("batch").conflicts_with_all(["text", "position", "after"])
}))]
#[command(after_help = "\
A position's value is for the side to move, and so is a turn's. Tables of the metric dtw also hold \
the distance: the number of turns of both sides until the game is won or lost. Where only some of \
the tables have distances, those of the turns that follow are used too. A turn whose table is missing \
is unknown, and the position has no distance if that turn could win sooner.

Example:
  fanorona probe \"9/9/2W1B4/9/9 w\" --tables tables")]
pub(crate) struct Probe {
    #[command(flatten)]
    position: PositionOptions,

    #[command(flatten)]
    tables: ReadOptions,

    /// Read one position from each line of this file (- for standard input), up to a | if there is
    /// one, or every position of the games in it, and print one JSON object for each as it comes.
    /// Lines that begin with # are skipped
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text", "position", "after"])]
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
        let tables = Arc::new(self.tables.open(board, rules, needed)?);
        let knowledge = Knowledge::new(board, rules, Some(tables), None);
        let knowledge = knowledge?.with_all_turns();
        if let Some(file) = &self.batch {
            self.common.start_threads()?;
            interrupt::install()?;
            return batch::run(&knowledge, file);
        }
        let report = Report::new(&knowledge, &position, knowledge.look(&position))?;
        output.text(format_args!("{position}: {}", report.assessment));
        if !report.turns.is_empty() {
            output.text(format_args!("\n{}", turn_table(&report.turns)));
        }
        output.json(&report);
        Ok(())
    }
}
