//! `tables`: lists the tables in a directory.

use clap::Args;
use comfy_table::Row;
use fanorona_knowledge::{SliceStatistics, ZugzwangExample};
use fanorona_tablebase::{Layout, TableError, TableFile, TableKey, Zugzwang};
use serde::Serialize;

use super::slice_report::{Longest, SliceReport};
use crate::human::grouped;
use crate::options::{GameOptions, OutputOptions, TableOptions};
use crate::output::table;

/// List the tables of a board and a rule set
#[derive(Debug, Args)]
#[command(after_help = "\
Wins, draws and losses are for the side to move, and distances are turns of both sides. Counts \
of positions include symmetric ones.

A zugzwang is a position in which neither side can capture, and the side to move would do better if \
the other side had to move. Having to move turns a draw into a loss, or a win into a draw. In a full \
zugzwang, either side loses if it has to move. The list has one example of each kind.

Example:
  fanorona tables --tables tables")]
pub(crate) struct Tables {
    #[command(flatten)]
    game: GameOptions,

    #[command(flatten)]
    tables: TableOptions,

    #[command(flatten)]
    form: OutputOptions,
}

#[derive(Serialize)]
struct Report {
    slices: Vec<SliceReport>,
}

impl Tables {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.form.output();
        let rules = self.game.rules()?;
        let tables = self.tables.open(self.game.board(), rules, None)?;
        let packed = tables.packed(tables.board(), rules)?;
        let found = tables.all()?;
        if found.is_empty() {
            return Err(self.tables.none_there(self.game.board(), rules, None));
        }
        let slices =
            found.into_iter().map(|table| report(&packed, table)).collect::<Result<Vec<_>, _>>()?;
        output.text(list(&slices));
        output.json(&Report { slices });
        Ok(())
    }
}

/// The packed table that has the same values as one that is used, or else that one.
fn listed<'t>(
    packed: &'t fanorona_tablebase::Tables,
    used: &'t TableFile,
) -> Result<&'t TableFile, TableError> {
    let TableKey { slice, metric, .. } = used.metadata().key();
    Ok(packed.table(slice, metric)?.unwrap_or(used))
}

fn report(
    packed: &fanorona_tablebase::Tables,
    used: &TableFile,
) -> Result<SliceReport, TableError> {
    let table = listed(packed, used)?;
    let checksum = Some(format!("{:016x}", table.checksum()?));
    let is_unpacked = used.metadata().layout == Layout::Unpacked;
    let unpacked_bytes = is_unpacked.then(|| used.bytes());
    Ok(SliceReport { checksum, unpacked_bytes, ..SliceReport::new(table, &packed.rules()) })
}

/// Two tables, one of values and one of files, and a position for each longest win and loss and for
/// each kind of zugzwang.
fn list(slices: &[SliceReport]) -> String {
    let mut values = table(&["slice", "metric", "positions", "win", "draw", "loss"], &[0, 1]);
    let mut files = table(&["slice", "metric", "bytes", "unpacked", "checksum"], &[0, 1, 4]);
    let (mut longest, mut zugzwangs) = (String::new(), String::new());
    let mut games = Vec::new();
    let names = slices.iter().map(|slice| slice.statistics.slice.len());
    let width = names.max().unwrap_or(0).max(6);
    for slice in slices {
        let SliceStatistics { slice: name, board, rules, metric, .. } = &slice.statistics;
        let SliceStatistics { positions, win, draw, loss, bytes, .. } = &slice.statistics;
        values.add_row(Row::from([
            name.clone(),
            metric.name().to_owned(),
            grouped(positions),
            grouped(win),
            grouped(draw),
            grouped(loss),
        ]));
        files.add_row(Row::from([
            name.clone(),
            metric.name().to_owned(),
            grouped(bytes),
            slice.unpacked_bytes.map_or("-".to_owned(), grouped),
            slice.checksum.clone().unwrap_or_default(),
        ]));
        for Longest { value, distance, position } in slice.longest() {
            longest += &format!("\n{name:>width$}  {value:4} in {distance:>3}  {position}");
        }
        match &slice.statistics.zugzwangs {
            Some(found) => {
                for ZugzwangExample { kind, position } in &found.examples {
                    let (count, kind) = (grouped(found.count(*kind)), in_words(*kind));
                    zugzwangs += &format!("\n{name:>width$}  {kind:12}  {count:>14}  {position}");
                }
            }
            None => {
                zugzwangs +=
                    &format!("\n{name:>width$}  not counted in this old version of tables");
            }
        }
        let game = format!("{board}, {rules}");
        if !games.contains(&game) {
            games.push(game);
        }
    }
    let (values, files) = (values.trim_fmt(), files.trim_fmt());
    let mut text = format!("{}\n\n{values}\n\n{files}", games.join("; "));
    for (title, lines) in [("longest wins and losses", longest), ("zugzwangs", zugzwangs)] {
        if !lines.is_empty() {
            text += &format!("\n\n{title}{lines}");
        }
    }
    text
}

/// A kind of zugzwang, as in `draw to loss`.
fn in_words(kind: Zugzwang) -> String {
    kind.name().replace('_', " ")
}
