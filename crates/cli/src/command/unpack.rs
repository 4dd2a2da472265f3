//! `unpack`: writes unpacked tables, which are faster to probe, beside the packed ones.

use std::sync::Mutex;

use clap::Args;
use fanorona_builder::{Activity, Progress, UnpackOptions, UnpackReport, unpack};
use fanorona_core::RuleSet;
use fanorona_tablebase::{TableError, TableFile, Unit};
use indicatif::ProgressBar;
use serde::Serialize;

use super::slice_report::SliceReport;
use crate::failure::Failure;
use crate::human::{counted, grouped};
use crate::interrupt;
use crate::options::SlicesOptions;
use crate::output::Output;
use crate::progress::spinner;

/// Unpack tables, to probe them faster
#[derive(Debug, Args)]
#[command(after_help = "\
Writes an unpacked table beside each packed one. It holds the value of every position, in 2 bits \
(wdl) or a byte (dtw). All commands then use it. An existing unpacked table is written again only \
if its packed table has other counts. You can delete either of them.

Examples:
  fanorona unpack --tables tables --stones 3
  fanorona unpack --tables tables --slice 2v1,1v2")]
pub(crate) struct Unpack {
    #[command(flatten)]
    slices: SlicesOptions,
}

#[derive(Serialize)]
struct Report {
    slices: Vec<SliceReport>,
}

impl Unpack {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.slices.common.output();
        let (board, rules, selection) = self.slices.start()?;
        let dir = self.slices.tables.one_dir()?;
        let needed = selection.most_stones();
        if matches!(dir.try_exists(), Ok(false)) {
            return Err(self.slices.tables.none_there(board, rules, needed));
        }
        let options = UnpackOptions::new(dir, board, rules).with_selection(selection);
        interrupt::install()?;
        let progress = UnpackProgress {
            output,
            line: spinner("unpacking".to_owned()),
            rules,
            slices: Mutex::default(),
        };
        let result = unpack(&options, &progress, interrupt::flag());
        progress.line.finish_and_clear();
        let slices = progress.slices.into_inner().unwrap_or_default();
        let dir = dir.display();
        match &result {
            Ok(UnpackReport { tables, .. }) if tables.is_empty() => {
                return Err(self.slices.tables.none_there(board, rules, needed));
            }
            Ok(_) | Err(TableError::Stopped) => {}
            Err(_) => return Ok(result.map(drop)?),
        }
        let finished = slices.len();
        output.json(&Report { slices });
        match result {
            Ok(UnpackReport { tables, written, .. }) => {
                let tables = counted(tables.len(), "unpacked table");
                output.text(format_args!("{tables} in {dir}, {} of them new", grouped(written)));
                Ok(())
            }
            Err(_) => {
                let finished = counted(finished, "unpacked table");
                Err(Failure::Interrupted(format!("{finished} in {dir} finished")).into())
            }
        }
    }
}

/// Shows the activity on a terminal, and prints a line for each finished table.
struct UnpackProgress {
    output: Output,
    line: ProgressBar,
    rules: RuleSet,
    slices: Mutex<Vec<SliceReport>>,
}

impl Progress for UnpackProgress {
    fn begin(&self, unit: Unit, activity: Activity, _entries: u64) {
        self.line.set_message(format!("{unit} {activity}"));
    }

    fn finished(&self, table: &TableFile, written: bool) {
        let report = SliceReport::of_work(table, &self.rules, written);
        self.line.suspend(|| self.output.text(report.line(self.rules)));
        if let Ok(mut slices) = self.slices.lock() {
            slices.push(report);
        }
    }
}
