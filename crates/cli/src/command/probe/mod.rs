//! `probe`: what the tables say of positions.

mod batch;

use std::path::PathBuf;

use clap::Args;
use comfy_table::Row;
use fanorona_core::{Position, Value};
use fanorona_tablebase::{RankedTurn, TableValue};
use serde::Serialize;

use crate::failure;
use crate::interrupt;
use crate::options::{CommonOptions, PositionOptions, ReadOptions, Root};
use crate::output::{AsText, table};

/// Tell the table value of a position and of every turn, best first
#[derive(Debug, Args)]
#[command(after_help = "\
The value is that of the side to move, and a turn's value that of the side that makes it. With \
tables of the metric dtw, the number of turns of both sides until the game is won or lost is told \
too.

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

/// The answer for one position.
#[derive(Serialize)]
struct Report {
    position: Position,
    #[serde(flatten)]
    value: ValueReport,
    turns: Vec<TurnReport>,
}

#[derive(Serialize)]
pub(super) struct ValueReport {
    value: AsText<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dtw: Option<u16>,
}

/// A turn with its value for the side that makes it.
#[derive(Serialize)]
pub(super) struct TurnReport {
    turn: String,
    #[serde(flatten)]
    value: ValueReport,
}

impl From<TableValue> for ValueReport {
    fn from(found: TableValue) -> Self {
        Self { value: AsText(found.value), dtw: found.dtw }
    }
}

impl TurnReport {
    pub(super) fn list(position: &Position, ranking: &[RankedTurn]) -> Vec<Self> {
        let report = |ranked: &RankedTurn| Self {
            turn: ranked.turn.text(position.board()).to_string(),
            value: ranked.value.into(),
        };
        ranking.iter().map(report).collect()
    }

    pub(super) fn table(turns: &[Self]) -> String {
        let mut rows = table(&["turn", "value", "dtw"], &[0, 1]);
        for TurnReport { turn, value: ValueReport { value, dtw } } in turns {
            let dtw = dtw.map_or("-".to_owned(), |dtw| dtw.to_string());
            rows.add_row(Row::from([turn.clone(), value.0.to_string(), dtw]));
        }
        rows.trim_fmt()
    }
}

/// A value and its distance in words.
pub(super) fn in_words(value: Value, dtw: Option<u16>) -> String {
    match dtw {
        None => value.to_string(),
        Some(0) => format!("{value}, the game is over"),
        Some(1) => format!("{value} in 1 turn"),
        Some(dtw) => format!("{value} in {dtw} turns of both sides"),
    }
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
