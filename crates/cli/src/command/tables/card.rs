//! The card of published tables: the page that people read about them.

use fanorona_storage::Manifest;
use fanorona_tablebase::Metric;

use super::data_set::{AboutTable, DataSet};
use crate::human::{counted, grouped, size};

/// The text, in Markdown.
pub(super) fn card(set: &DataSet<'_>, manifest: &Manifest<AboutTable<'_>>) -> String {
    let DataSet { name, board, rules, .. } = set;
    let slices = || manifest.files.iter().map(|file| &file.about.slice.statistics);
    let mut text = format!(
        "# Endgame tables of Fanorona, {board}, {rules}\n\n\
         {}, {}, written by {}. Each table has the value of every position of a slice \
         for the side to move: win, draw or loss (`wdl`), or also the distance to the end in turns of \
         both sides (`dtw`). In the slice `3v2` the side to move has three stones, and the other side \
         two.\n\n\
         | file | positions | win | draw | loss | bytes |\n|---|---:|---:|---:|---:|---:|\n",
        counted(manifest.files.len(), "table"),
        size(manifest.files.iter().map(|file| file.bytes).sum()),
        manifest.program,
    );
    for file in &manifest.files {
        let slice = &file.about.slice.statistics;
        let numbers =
            [slice.positions, slice.win, slice.draw, slice.loss, slice.bytes].map(grouped);
        text += &format!("| `{}` | {} |\n", file.name, numbers.join(" | "));
    }
    text += &format!(
        "\n`{name}.json` lists the files with their lengths, SHA-256 and XXH3, the statistics of each \
         slice, and the command that builds it.\n\n"
    );
    if let Some(address) = set.web_seed {
        let address = format!("{address}{name}/{name}.json");
        text += &format!("Fetch and verify them:\n\n```sh\nfanorona fetch {address}\n```\n\n");
    }
    let command = |metric| {
        let of_metric = slices().filter(|slice| slice.metric == metric);
        let stones = of_metric.map(|slice| u32::from(slice.own + slice.opponent)).max()?;
        Some(set.command(stones, metric) + "\n")
    };
    let commands: String = Metric::ALL.into_iter().filter_map(command).collect();
    text += &format!(
        "Build them again, byte for byte with the same version of the program:\n\n\
         ```sh\n{commands}```\n\n\
         Check the values against an independent computation:\n\n\
         ```sh\nfanorona verify --board {board} --rules {rules}\n```\n\n\
         The format is described in `FORMAT.md` of the project, {}. Licence: {}.\n",
        env!("CARGO_PKG_REPOSITORY"),
        env!("CARGO_PKG_LICENSE"),
    );
    text
}
