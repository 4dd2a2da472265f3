//! `probe`: what the tables say of positions.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use comfy_table::Row;
use fanorona_core::{Position, Value};
use fanorona_tablebase::{RankedTurn, TableValue, Tables};
use rayon::prelude::*;
use serde::Serialize;

use crate::failure::{self, Failure};
use crate::options::{CommonOptions, PositionOptions, ReadOptions, Scene};
use crate::output::{Output, table, write_json};

/// Lines that are answered together, and then printed in their order: the more, the fewer blocks
/// are unpacked twice, and the more turns are in memory.
const BATCH: usize = 1 << 14;

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
    /// object a line
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
    value: String,
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
        Self { value: found.value.to_string(), dtw: found.dtw }
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
            rows.add_row(Row::from([turn.clone(), value.clone(), dtw]));
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
        let output = Output::new(self.common.json);
        let Scene { board, rules, position } = self.position.resolve()?;
        let tables = self.tables.open(board, rules)?;
        if let Some(file) = &self.batch {
            self.common.start_threads()?;
            return batch(&tables, file);
        }
        let value = tables.probe(&position).map_err(failure::of_tables)?;
        let ranking = tables.rank(&position).map_err(failure::of_tables)?;
        let turns = TurnReport::list(&position, &ranking);
        output.text(format_args!("{position}: {}", in_words(value.value, value.dtw)))?;
        if !turns.is_empty() {
            output.text(format_args!("\n{}", TurnReport::table(&turns)))?;
        }
        output.json(&Report { position, value: value.into(), turns })?;
        Ok(())
    }
}

/// The answer for one line of a batch.
#[derive(Serialize)]
#[serde(untagged)]
enum Line {
    Answer(Report),
    Error { position: String, error: String },
}

fn batch(tables: &Tables, file: &Path) -> anyhow::Result<()> {
    let (name, reader): (_, Box<dyn BufRead>) = if file == Path::new("-") {
        ("standard input".to_owned(), Box::new(io::stdin().lock()))
    } else {
        let name = format!("'{}'", file.display());
        let file = File::open(file).with_context(|| format!("{name} cannot be read"))?;
        (name, Box::new(BufReader::new(file)))
    };
    let mut lines = reader.lines();
    let (mut answered, mut failed) = (0, 0);
    loop {
        let batch: Vec<String> = lines
            .by_ref()
            .filter(|line| !matches!(line, Ok(line) if line.trim().is_empty()))
            .take(BATCH)
            .collect::<io::Result<_>>()
            .with_context(|| format!("{name} cannot be read"))?;
        if batch.is_empty() {
            break;
        }
        for answer in answers(tables, &batch) {
            match answer {
                Line::Answer(_) => answered += 1,
                Line::Error { .. } => failed += 1,
            }
            write_json(&answer)?;
        }
    }
    if failed > 0 {
        return Err(Failure::input(format!(
            "{failed} of {} positions of {name} could not be answered; their lines say why",
            answered + failed
        )));
    }
    Ok(())
}

/// The answers for some lines, looked up together.
fn answers(tables: &Tables, lines: &[String]) -> Vec<Line> {
    let parse = |line: &String| line.trim().parse::<Position>().map_err(|error| error.to_string());
    let positions: Vec<_> = lines.par_iter().map(parse).collect();
    let good: Vec<_> = positions.iter().flatten().copied().collect();
    let mut found = tables.probe_many(&good).into_iter().zip(tables.rank_many(&good));
    let mut answer = |position: Result<Position, String>| -> Result<Report, String> {
        let position = position?;
        let (value, ranking) = found.next().expect("as many answers as positions");
        let value = value.map_err(|error| error.to_string())?.into();
        let ranking = ranking.map_err(|error| error.to_string())?;
        Ok(Report { position, value, turns: TurnReport::list(&position, &ranking) })
    };
    let line = |(text, position): (&String, _)| match answer(position) {
        Ok(report) => Line::Answer(report),
        Err(error) => Line::Error { position: text.trim().to_owned(), error },
    };
    lines.iter().zip(positions).map(line).collect()
}
