//! `probe`: the table values of positions and turns.

mod batch;
mod report;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use fanorona_knowledge::Knowledge;

use self::report::{Report, turn_table};
use crate::interrupt;
use crate::options::{OutputOptions, PositionOptions, Root, TableOptions};

/// Print the table value of a position and of every turn, best first
#[derive(Debug, Args)]
#[command(after_help = "\
A position's value is for the side to move, and so is a turn's. Tables of the metric dtw also hold \
the distance: the number of turns of both sides until the game is won or lost. Where only some of \
the tables have distances, those of the turns that follow are used too. A turn whose table is missing \
is unknown, and the position has no distance if that turn could win sooner.

Of the turns that keep the value and after which the opponent can go wrong, the trickiest is marked: it \
leaves the opponent the fewest replies that keep theirs.

With --batch, each position is printed as a JSON object on a line. What follows a | in a line is \
ignored, and so are lines that begin with #.

Example:
  fanorona probe \"9/9/2W1B4/9/9 w\" --tables tables")]
pub(crate) struct Probe {
    #[command(flatten)]
    position: PositionOptions,

    #[command(flatten)]
    tables: TableOptions,

    /// Read positions from this file, one a line, or games (- for standard input)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["text", "after"])]
    batch: Option<PathBuf>,

    #[command(flatten)]
    form: OutputOptions,
}

impl Probe {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.form.output();
        let Root { board, rules, position } = self.position.resolve()?;
        let stones = position.own().len() + position.opponent().len();
        let needed = self.batch.is_none().then_some(stones);
        let tables = Arc::new(self.tables.open(board, rules, needed)?);
        let knowledge = Knowledge::new(board, rules, Some(tables), None);
        let knowledge = knowledge?.with_all_turns();
        if let Some(file) = &self.batch {
            interrupt::install()?;
            return batch::run(&knowledge, file);
        }
        let report = Report::with_replies(&knowledge, &position)?;
        output.text(format_args!("{position}: {}", report.assessment));
        if !report.turns.is_empty() {
            output
                .text(format_args!("\n{}", turn_table(&report.turns, report.trickiest.as_deref())));
        }
        output.json(&report);
        Ok(())
    }
}
