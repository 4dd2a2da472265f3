//! `compare`: the values of the same positions under two rule sets.

use clap::Args;
use comfy_table::Row;
use fanorona_core::{Board, RuleSet, Side, Value};
use fanorona_knowledge::{Assessment, Source};
use fanorona_tablebase::{
    MatrixCell, MatrixExample, Slice, TableError, TableValue, ValueMatrix, value_matrices,
};
use serde::Serialize;

use crate::failure::Failure;
use crate::human::{counted, grouped};
use crate::interrupt;
use crate::options::SlicesOptions;
use crate::output::{AsText, table};
use crate::progress::of_tables;

const VALUES: [Value; 3] = [Value::Win, Value::Draw, Value::Loss];

/// Compare the values of positions under two rule sets
#[derive(Debug, Args)]
#[command(after_help = "\
The tables of both rule sets are needed. Without --stones and --slice, the slices are compared that \
both have. Counts include symmetric positions. The example of each pair of values is one that is \
decided soonest.

Example:
  fanorona compare --board 3x3 --rules standard,free-capture")]
pub(crate) struct Compare {
    #[command(flatten)]
    slices: SlicesOptions,
}

#[derive(Serialize)]
struct Report<'a> {
    board: Board,
    rules: [RuleSet; 2],
    cells: Vec<CellReport<'a>>,
}

#[derive(Serialize)]
struct CellReport<'a> {
    slice: AsText<Slice>,
    /// Which side is to move matters in the first phase of the vela.
    to_move: Side,
    /// Under the one rule set, and under the other.
    values: [Value; 2],
    #[serde(flatten)]
    cell: &'a MatrixCell,
}

impl Compare {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.slices.common.output();
        let board = self.slices.game.board();
        let all = self.slices.game.all_rules()?;
        let [one, other] = all[..] else {
            return Err(Failure::input(format!(
                "--rules has {}; name two, as in --rules standard,free-capture",
                counted(all.len(), "rule set")
            )));
        };
        let selection = self.slices.selection()?;
        self.slices.common.start_threads()?;
        let stones = selection.most_stones();
        let open = |rules| -> anyhow::Result<_> {
            let tables = self.slices.tables.open(board, rules, stones)?;
            if tables.all()?.is_empty() {
                return Err(self.slices.tables.none_there(board, rules, stones));
            }
            Ok(tables)
        };
        let (tables_of_one, tables_of_other) = (open(one)?, open(other)?);
        interrupt::install()?;
        let (done, progress) = of_tables("comparing");
        let stop = interrupt::flag();
        let found = value_matrices(&tables_of_one, &tables_of_other, &selection, stop, &done);
        progress.finish_and_clear();
        let found = match found {
            Err(TableError::Stopped) => {
                return Err(Failure::Interrupted("nothing is compared".to_owned()).into());
            }
            found => found?,
        };
        if found.is_empty() {
            let dir = tables_of_one.dir().display();
            return Err(Failure::input(format!(
                "no slice has tables of both {one} and {other} in {dir}"
            )));
        }
        let rules = [one, other];
        output.text(format_args!("{board}: {one} in rows, {other} in columns\n"));
        output.text(matrix(&found));
        output.text(format_args!("\n{}", examples(&found, rules)));
        output.text(format_args!("\n{}", by_slice(&found)));
        output.json(&Report { board, rules, cells: found.iter().flat_map(cells).collect() });
        Ok(())
    }
}

/// All pairs of values.
fn pairs() -> impl Iterator<Item = [Value; 2]> {
    VALUES.into_iter().flat_map(|one| VALUES.map(|other| [one, other]))
}

fn cells(matrix: &ValueMatrix) -> impl Iterator<Item = CellReport<'_>> {
    pairs().map(|values| CellReport {
        slice: AsText(matrix.slice),
        to_move: matrix.to_move,
        values,
        cell: matrix.cell(values),
    })
}

/// The matrix of all slices together.
fn matrix(found: &[ValueMatrix]) -> String {
    let names = VALUES.map(|value| value.to_string());
    let [win, draw, loss] = &names;
    let mut rows = table(&["", win, draw, loss], &[0]);
    for (one, name) in VALUES.into_iter().zip(&names) {
        let counts = VALUES.map(|other| {
            let positions = found.iter().map(|matrix| matrix.cell([one, other]).positions);
            grouped(positions.map(u128::from).sum::<u128>())
        });
        rows.add_row(Row::from([name.clone()].into_iter().chain(counts).collect::<Vec<_>>()));
    }
    rows.trim_fmt()
}

/// A position for each pair of values, of those that are decided soonest.
fn examples(found: &[ValueMatrix], rules: [RuleSet; 2]) -> String {
    let [one, other] = rules.map(|rules| rules.to_string());
    let mut rows = table(&[&one, &other, "example"], &[0, 1, 2]);
    for values in pairs() {
        let examples = found.iter().filter_map(|matrix| matrix.cell(values).example);
        let turns = |example: &MatrixExample| {
            example.values.iter().filter_map(|value| value.dtw).max().unwrap_or(u16::MAX)
        };
        if let Some(example) = examples.min_by_key(turns) {
            let [one, other] = example.values.map(in_words);
            rows.add_row(Row::from([one, other, example.position.to_string()]));
        }
    }
    rows.trim_fmt()
}

fn in_words(value: TableValue) -> String {
    Assessment::exact(value, Source::Table).to_string()
}

/// The numbers of positions with the same value under both rule sets, and with another.
fn by_slice(found: &[ValueMatrix]) -> String {
    let mut rows = table(&["slice", "positions", "same value", "other value"], &[0]);
    for matrix in found {
        let positions = matrix.positions();
        let same: u64 = VALUES.iter().map(|value| matrix.cell([*value, *value]).positions).sum();
        let is_one_of_two = found.iter().filter(|other| other.slice == matrix.slice).count() > 1;
        let side = match is_one_of_two {
            true => format!(" {} to move", matrix.to_move),
            false => String::new(),
        };
        rows.add_row(Row::from([
            format!("{}{side}", matrix.slice),
            grouped(positions),
            grouped(same),
            grouped(positions - same),
        ]));
    }
    rows.trim_fmt()
}
