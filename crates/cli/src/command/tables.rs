//! `tables`: what is there.

use clap::Args;
use comfy_table::Row;
use fanorona_tablebase::{TableError, TableFile};
use serde::Serialize;

use super::slice_report::{KindOfZugzwang, Longest, SliceReport};
use crate::failure;
use crate::options::{CommonOptions, GameOptions, ReadOptions};
use crate::output::table;

/// List the tables of a board and a rule set
#[derive(Debug, Args)]
#[command(after_help = "\
Counts are over all placements, no symmetry taken out; win, draw and loss are for the side to move.

Zugzwangs are positions in which neither side can capture and in which the side to move would do \
better if the other side had to move. In a full one each side would lose by having to move; in the \
others that turns a draw into a loss, or a win into a draw. One example of each is shown.

Example:
  fanorona tables --tables tables")]
pub(crate) struct Tables {
    #[command(flatten)]
    game: GameOptions,

    #[command(flatten)]
    tables: ReadOptions,

    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Serialize)]
struct Report {
    slices: Vec<SliceReport>,
}

impl Tables {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.common.output();
        let rules = self.game.rules()?;
        let tables = self.tables.open(self.game.board, rules)?;
        let found = tables.all().map_err(failure::of_tables)?;
        if found.is_empty() {
            return Err(self.tables.none_there(self.game.board, rules));
        }
        let slices = found
            .into_iter()
            .map(|table| report(&tables, table))
            .collect::<Result<Vec<_>, _>>()
            .map_err(failure::of_tables)?;
        output.text(list(&slices));
        output.json(&Report { slices });
        Ok(())
    }
}

fn report(
    tables: &fanorona_tablebase::Tables,
    table: &TableFile,
) -> Result<SliceReport, TableError> {
    let checksum = Some(format!("{:016x}", table.checksum()?));
    let metadata = table.metadata();
    let unpacked = tables.unpacked(metadata.slice, metadata.metric)?;
    let unpacked_bytes = unpacked.map(|unpacked| unpacked.bytes());
    Ok(SliceReport { checksum, unpacked_bytes, ..SliceReport::new(table) })
}

fn list(slices: &[SliceReport]) -> String {
    let header = [
        "slice",
        "metric",
        "positions",
        "win",
        "draw",
        "loss",
        "longest win",
        "longest loss",
        "bytes",
        "checksum",
        "unpacked",
    ];
    let mut rows = table(&header, &[0, 1]);
    let (mut longest, mut zugzwangs) = (String::new(), String::new());
    let mut games = Vec::new();
    for slice in slices {
        let name = format!("{}v{}", slice.own, slice.opponent);
        let distance = |distance: Option<u16>| distance.map_or("-".to_owned(), |d| d.to_string());
        let (win, loss) =
            slice.distances.as_ref().map_or((None, None), |d| (d.max_win, d.max_loss));
        rows.add_row(Row::from([
            name.clone(),
            slice.metric.name().to_owned(),
            slice.positions.to_string(),
            slice.win.to_string(),
            slice.draw.to_string(),
            slice.loss.to_string(),
            distance(win),
            distance(loss),
            slice.bytes.to_string(),
            slice.checksum.clone().unwrap_or_default(),
            slice.unpacked_bytes.map_or("-".to_owned(), |bytes| bytes.to_string()),
        ]));
        if let Some(distances) = &slice.distances {
            for Longest { value, distance, position } in distances.longest() {
                longest += &format!("\n{name:>6}  {value:4} in {distance:>3}  {position}");
            }
        }
        match &slice.zugzwang {
            Some(zugzwang) => {
                for KindOfZugzwang { name: kind, count, example, .. } in zugzwang.kinds() {
                    if let Some(example) = example {
                        zugzwangs += &format!("\n{name:>6}  {kind:12}  {count:>11}  {example}");
                    }
                }
            }
            None => {
                zugzwangs += &format!("\n{name:>6}  not counted: the table is of an old version");
            }
        }
        let game = format!("{}, {}", slice.board, slice.rules);
        if !games.contains(&game) {
            games.push(game);
        }
    }
    let mut text = format!("{}\n\n{}", games.join("; "), rows.trim_fmt());
    for (title, lines) in [("longest", longest), ("zugzwangs", zugzwangs)] {
        if !lines.is_empty() {
            text += &format!("\n\n{title}{lines}");
        }
    }
    text
}
