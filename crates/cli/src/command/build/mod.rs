//! `build`: builds the tables that are missing.

mod estimate;
mod forecast;
mod progress;
mod together;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use fanorona_core::Board;
use fanorona_tablebase::{
    BuildOptions, Goal, Ranks, Slice, TableError, Unit, build_distributed, estimate_distributed,
};
use serde::Serialize;

use self::progress::{BuildProgress, Built};
use self::together::CountedRanks;
use super::slice_report::SliceReport;
use crate::failure::Failure;
use crate::human::{counted, grouped};
use crate::interrupt;
use crate::options::{
    ADVANCED_OPTIONS, CommonOptions, GameOptions, MethodOptions, MetricOption, TableOptions,
    at_least, between, check_slices, seconds, too_large,
};
use crate::output::Output;
use crate::phases;

/// Build the endgame tables that are missing
#[derive(Debug, Args)]
#[command(after_help = "\
A slice is named by its stones: 3v2 has three for the side to move and two for the other. Existing \
tables are not built again, and a build that was stopped resumes from its last checkpoint, or after \
the last finished slice. Counts of positions include symmetric ones.

At the end, two tables show the time by phase, and by number of stones without the phase load. \
Phases that run at the same time share their time in proportion to CPU time. M pos/s is million \
positions per second.

Examples:
  fanorona build --stones 3 --estimate
  fanorona build --stones 3
  fanorona build --stones 4 --metric wdl --checkpoint 90s --memory 500
  fanorona build --board 3x3 --stones 8 --tables tables
  fanorona build --board 5x3 --slice 4v2 --tables tables")]
pub(crate) struct Build {
    #[command(flatten)]
    goal: GoalOptions,

    /// Values to compute: win, draw and loss (wdl), or also the distance to the win (dtw)
    #[arg(long, value_name = "METRIC", default_value = "dtw")]
    metric: MetricOption,

    /// Only estimate the memory, the disk space and the time of the build
    #[arg(long)]
    estimate: bool,

    /// With --estimate: estimate a build by N processes of fanorona-mpi
    #[arg(long, value_name = "N", value_parser = between(1u32, 65_536), requires = "estimate")]
    processes: Option<u32>,

    #[command(flatten)]
    game: GameOptions,

    #[command(flatten)]
    tables: TableOptions,

    /// Memory limit in MiB. What does not fit is in temporary files, and a build that needs more is
    /// refused; see --estimate [default: the available memory]
    #[arg(long, value_name = "MIB", value_parser = at_least(1u64), help_heading = ADVANCED_OPTIONS)]
    memory: Option<u64>,

    /// Directory for temporary files [default: the directory of the tables]
    #[arg(long, value_name = "DIR", help_heading = ADVANCED_OPTIONS)]
    work: Option<PathBuf>,

    /// Time between checkpoints, or never. A build that was killed resumes from the last one.
    /// Ctrl-C saves one too
    #[arg(
        long,
        value_name = "TIME",
        default_value = "3m",
        value_parser = interval,
        help_heading = ADVANCED_OPTIONS
    )]
    checkpoint: Interval,

    #[command(flatten)]
    method: MethodOptions,

    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Clone, Copy, Debug, Args)]
#[group(required = true, multiple = false)]
struct GoalOptions {
    /// Build all slices with up to N stones, both sides together
    #[arg(long, value_name = "N", value_parser = at_least(2u32))]
    stones: Option<u32>,

    /// Build one slice, as in 3v2, and all slices that play from there can reach. In the vela, White
    /// is to move in it
    #[arg(long, value_name = "SLICE")]
    slice: Option<Slice>,
}

impl GoalOptions {
    /// The goal of the build, if the board has enough stones for it.
    fn resolve(self, board: Board) -> anyhow::Result<Goal> {
        if let Some(stones) = self.stones.filter(|stones| *stones > 2 * board.max_stones()) {
            return Err(too_large(format_args!("--stones {stones}"), board));
        }
        check_slices(self.slice.as_slice(), board)?;
        let goal = self.stones.map(Goal::Stones).or(self.slice.map(Goal::Slice));
        Ok(goal.expect("one of them is required"))
    }
}

/// The time between checkpoints, if there are any.
#[derive(Clone, Copy, Debug)]
struct Interval(Option<Duration>);

fn interval(text: &str) -> Result<Interval, String> {
    if text == "never" {
        return Ok(Interval(None));
    }
    let seconds = seconds(text).map_err(|error| format!("{error}, or never"))?;
    Ok(Interval(Some(Duration::from_secs_f64(seconds))))
}

#[derive(Serialize)]
struct Report {
    slices: Vec<SliceReport>,
    phases: Vec<phases::Phase>,
}

impl Build {
    /// Builds, as one of some processes.
    pub(crate) fn run(self, ranks: &dyn Ranks) -> anyhow::Result<()> {
        let output = match ranks.rank() {
            0 => self.common.output(),
            _ => Output::Silent,
        };
        let rules = self.game.rules()?;
        let board = self.game.board();
        let goal = self.goal.resolve(board)?;
        self.common.start_threads()?;
        let (metric, method) = (self.metric.into(), self.method.method());
        let dir = self.tables.one_dir()?;
        let options = BuildOptions::new(dir, board, rules, goal)
            .with_metric(metric)
            .with_method(method)
            .with_checkpoint(self.checkpoint.0)
            .with_memory(self.memory.map(|mib| mib.saturating_mul(1 << 20)))
            .with_scratch_dir(self.work);
        if self.estimate {
            let processes = self.processes.map_or(ranks.count(), |count| count as usize);
            let estimate = estimate_distributed(&options, processes);
            estimate::print(output, &estimate?);
            return Ok(());
        }
        interrupt::install()?;
        let ranks = CountedRanks::new(ranks);
        let progress = BuildProgress::new(output, &options, &ranks);
        let result = build_distributed(&options, &progress, interrupt::flag(), &ranks);
        let Built { slices, phases, saved } = progress.finish();
        // The others do not wait for a process that has failed.
        let phases = match result {
            Ok(_) => ranks.combined(phases).context("the phases cannot be added up")?,
            Err(_) => phases,
        };
        let written = slices.iter().filter(|slice| slice.written == Some(true)).count();
        let left = left_behind(&slices, saved, dir);
        let times = phases::tables(&phases);
        if matches!(result, Ok(_) | Err(TableError::Stopped)) {
            output.json(&Report { slices, phases });
        }
        match result {
            Ok(report) => {
                let tables = report.tables.len();
                let dir = dir.display();
                if written > 0 {
                    output.text(format_args!("\n{times}\n"));
                }
                let tables = counted(tables, "table");
                output.text(format_args!("{tables} in {dir}, {} of them new", grouped(written)));
                Ok(())
            }
            Err(TableError::Stopped) => Err(Failure::Interrupted(left).into()),
            Err(error) => Err(error.into()),
        }
    }
}

/// The remains of an interrupted build: finished tables, and the checkpoint of a unit.
fn left_behind(slices: &[SliceReport], saved: Option<Unit>, dir: &Path) -> String {
    let dir = dir.display();
    let tables = match slices {
        [] => format!("no table in {dir} is finished"),
        [last] => format!("1 table in {dir} is finished, {}", last.statistics.slice),
        [.., last] => {
            let tables = counted(slices.len(), "table");
            format!("{tables} in {dir} are finished, up to {}", last.statistics.slice)
        }
    };
    match (saved, slices) {
        (Some(unit), _) => {
            format!("{tables}, and {unit} has a checkpoint; the next build resumes from there")
        }
        (None, []) => format!("{tables}; the next build starts from the beginning"),
        (None, _) => format!("{tables}; the next build resumes from there"),
    }
}
