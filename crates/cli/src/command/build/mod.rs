//! `build`: builds the tables that are missing.

mod estimate;
mod forecast;
mod progress;

use std::path::Path;
use std::time::Duration;

use clap::Args;
use fanorona_core::Board;
use fanorona_tablebase::{BuildOptions, Goal, Slice, TableError, Unit, build};
use serde::Serialize;

use self::progress::{BuildProgress, Built};
use super::slice_report::SliceReport;
use crate::failure::{self, Failure};
use crate::interrupt;
use crate::options::{
    CommonOptions, GameOptions, MethodOption, MetricOption, TableOptions, at_least,
};
use crate::phases;

/// Build the endgame tables that are missing
#[derive(Debug, Args)]
#[command(after_help = "\
A slice is named by its stones: 3v2 has three for the side to move and two for the other. Existing \
tables are kept, so a build that was stopped continues from the last checkpoint, or from the last \
finished slice. At the end, two tables show the time by phase and by number of stones, without \
loading. The time of phases that overlap is divided by the time of their threads. Positions are all \
placements; symmetry is not taken out.

Examples:
  fanorona build --stones 3 --estimate
  fanorona build --stones 3
  fanorona build --stones 4 --metric wdl --checkpoint 1.5 --memory 500
  fanorona build --board 3x3 --stones 8 --tables tables
  fanorona build --board 5x3 --slice 4v2 --tables tables")]
pub(crate) struct Build {
    #[command(flatten)]
    game: GameOptions,

    #[command(flatten)]
    tables: TableOptions,

    #[command(flatten)]
    goal: GoalOptions,

    /// Win, draw and loss alone (wdl), or the distance to win too (dtw)
    #[arg(long, value_name = "METRIC", default_value = "dtw")]
    metric: MetricOption,

    /// How slices are solved; the files are the same. By rows is fast, plain is slow and obviously
    /// right
    #[arg(long, value_name = "METHOD", default_value = "rows")]
    method: MethodOption,

    /// Minutes from the beginning of a unit, and from each checkpoint, to the next one: a file in
    /// the directory of the tables that a killed build goes on from. Ctrl-C saves one too. If one
    /// cannot be written, the build says so and goes on. never disables checkpoints
    #[arg(long, value_name = "MINUTES", default_value = "3", value_parser = interval)]
    checkpoint: Interval,

    /// The memory that it may take, MiB [default: what the system has available; no limit if the
    /// system does not say]
    #[arg(long, value_name = "MIB", value_parser = at_least(1u64))]
    memory: Option<u64>,

    /// Only print what it takes
    #[arg(long)]
    estimate: bool,

    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Clone, Copy, Debug, Args)]
#[group(required = true, multiple = false)]
struct GoalOptions {
    /// Every slice with up to N stones, both sides together
    #[arg(long, value_name = "N", value_parser = at_least(2u32))]
    stones: Option<u32>,

    /// One slice, with the side to move exchanged too, and what play can lead to from there
    #[arg(long, value_name = "SLICE")]
    slice: Option<Slice>,
}

impl GoalOptions {
    /// What to build, if the board has enough stones for it.
    fn resolve(self, board: Board) -> anyhow::Result<Goal> {
        let most = board.max_stones();
        let there_are = format!("there are {} stones on {board}, {most} of each side", 2 * most);
        match (self.stones, self.slice) {
            (Some(stones), _) if stones > 2 * most => {
                Err(Failure::input(format!("--stones {stones}: {there_are}")))
            }
            (_, Some(slice)) if !slice.is_on(board) => {
                Err(Failure::input(format!("--slice {slice}: {there_are}")))
            }
            (stones, slice) => {
                let goal = stones.map(Goal::Stones).or(slice.map(Goal::Slice));
                Ok(goal.expect("one of them is required"))
            }
        }
    }
}

/// The time between checkpoints, if there are any.
#[derive(Clone, Copy, Debug)]
struct Interval(Option<Duration>);

fn interval(text: &str) -> Result<Interval, String> {
    if text == "never" {
        return Ok(Interval(None));
    }
    let minutes = text.parse().ok();
    minutes
        .and_then(|minutes: f64| Duration::try_from_secs_f64(60.0 * minutes).ok())
        .map(|interval| Interval(Some(interval)))
        .ok_or_else(|| "write minutes, 0 or more, or never".to_owned())
}

#[derive(Serialize)]
struct Report {
    slices: Vec<SliceReport>,
    phases: Vec<phases::Phase>,
}

impl Build {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.common.output();
        let rules = self.game.rules()?;
        let board = self.game.board;
        let goal = self.goal.resolve(board)?;
        self.common.start_threads()?;
        let (metric, method) = (self.metric.into(), self.method.into());
        let dir = self.tables.dir();
        let options = BuildOptions::new(dir, board, rules, goal)
            .with_metric(metric)
            .with_method(method)
            .with_checkpoint(self.checkpoint.0)
            .with_memory(self.memory.map(|mib| mib.saturating_mul(1 << 20)));
        if self.estimate {
            let estimate = fanorona_tablebase::estimate(&options).map_err(failure::of_tables)?;
            estimate::print(output, &estimate);
            return Ok(());
        }
        interrupt::install()?;
        let progress = BuildProgress::new(output, &options);
        let result = build(&options, &progress, interrupt::flag());
        let Built { slices, phases, saved } = progress.finish();
        let written = slices.iter().filter(|slice| slice.written == Some(true)).count();
        let kept = kept(&slices, saved, dir);
        let times = phases::tables(&phases);
        output.json(&Report { slices, phases });
        match result {
            Ok(report) => {
                let tables = report.tables.len();
                let dir = dir.display();
                if written > 0 {
                    output.text(format_args!("\n{times}\n"));
                }
                output
                    .text(format_args!("{tables} tables in {dir}, {written} of them written now"));
                Ok(())
            }
            Err(TableError::Stopped) => Err(Failure::Interrupted(kept).into()),
            Err(error) => Err(failure::of_tables(error)),
        }
    }
}

/// What an interrupted build leaves: tables, and the checkpoint of a unit.
fn kept(slices: &[SliceReport], saved: Option<Unit>, dir: &Path) -> String {
    let dir = dir.display();
    let tables = match slices {
        [] => format!("no table was finished in {dir}"),
        [.., last] => format!(
            "{} tables are kept in {dir}, the last being {}v{}",
            slices.len(),
            last.own,
            last.opponent
        ),
    };
    match (saved, slices) {
        (Some(unit), _) => {
            format!("{tables}, and a checkpoint of {unit}; the next build goes on from there")
        }
        (None, []) => format!("{tables}; the next build begins anew"),
        (None, _) => format!("{tables}; the next build goes on from there"),
    }
}
