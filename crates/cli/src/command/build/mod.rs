//! `build`: builds the tables that are missing.

mod estimate;
mod forecast;
mod phases;
mod progress;
mod together;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use comfy_table::Row;
use fanorona_builder::{
    BuildOptions, Method, ProcessGroup, build_distributed, estimate_distributed,
};
use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::{Goal, Metric, Slice, TableError, Unit};
use serde::Serialize;

use self::progress::{BuildProgress, Built};
use self::together::CountedGroup;
use super::slice_report::SliceReport;
use crate::failure::{self, Failure};
use crate::human::{counted, grouped};
use crate::interrupt;
use crate::options::{
    ADVANCED_OPTIONS, CommonOptions, GameOptions, TableOptions, at_least, check_size, one_of,
    seconds,
};
use crate::output::{Output, table};

/// Build the endgame tables that are missing
#[derive(Debug, Args)]
#[command(after_help = "\
A slice is built with all slices that play from there can reach. Existing \
tables are not built again, and a build that was stopped resumes from its last checkpoint, or after \
the last finished slice. Counts of positions include symmetric ones.

At the end, a table shows how many positions of each slice are won, drawn and lost for the side to \
move, and the longest win and loss in turns of both sides. --json has the time by phase too.

What does not fit into --memory is in temporary files, and a build that needs more is refused: see \
--estimate. A build that was killed resumes from its last checkpoint. Ctrl-C saves one too. All \
methods make the same tables: rows and dense are fast, dense on boards with few empty points; plain is \
slow and simple. In the vela, White is to move in the slice that --slice names.

Several rule sets are built one after the other: --rules standard,free-capture.

Examples:
  fanorona build --stones 3 --estimate
  fanorona build --stones 3
  fanorona build --stones 4 --metric wdl --checkpoint 90s --memory 500
  fanorona build --board 3x3 --stones 8 --rules standard,free-capture
  fanorona build --board 5x3 --slice 4v2 --tables tables")]
pub(crate) struct Build {
    #[command(flatten)]
    goal: GoalOptions,

    /// Values to compute: win, draw and loss (wdl), or also the distance to the win (dtw)
    #[arg(
        long, value_name = "METRIC", default_value = "dtw",
        value_parser = one_of(Metric::ALL.map(|metric| (metric.name(), metric)))
    )]
    metric: Metric,

    /// Only estimate what the work needs
    #[arg(long)]
    estimate: bool,

    #[command(flatten)]
    game: GameOptions,

    #[command(flatten)]
    tables: TableOptions,

    /// Memory limit, in MiB [default: the available memory]
    #[arg(long, value_name = "MIB", value_parser = at_least(1u64), help_heading = ADVANCED_OPTIONS)]
    memory: Option<u64>,

    /// Directory for temporary files [default: the directory of the tables]
    #[arg(long, value_name = "DIR", help_heading = ADVANCED_OPTIONS)]
    work: Option<PathBuf>,

    /// Time between checkpoints, or never
    #[arg(
        long,
        value_name = "TIME",
        default_value = "3m",
        value_parser = interval,
        help_heading = ADVANCED_OPTIONS
    )]
    checkpoint: Interval,

    /// Method to compute the values [default: rows or dense]
    #[arg(
        long, value_name = "METHOD", help_heading = ADVANCED_OPTIONS,
        value_parser = one_of(Method::ALL.map(|method| (method.name(), method)))
    )]
    method: Option<Method>,

    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Clone, Copy, Debug, Args)]
#[group(required = true, multiple = false)]
struct GoalOptions {
    /// Slices with up to N stones, both sides together
    #[arg(long, value_name = "N", value_parser = at_least(2u32))]
    stones: Option<u32>,

    /// Slice, as in 3v2: three stones for the side to move, two for the other
    #[arg(long, value_name = "SLICE")]
    slice: Option<Slice>,
}

impl GoalOptions {
    /// The goal of the build, if the board has enough stones for it.
    fn resolve(self, board: Board) -> anyhow::Result<Goal> {
        check_size(self.stones, self.slice.as_slice(), board)?;
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

#[derive(Default, Serialize)]
struct Report {
    slices: Vec<SliceReport>,
    phases: Vec<phases::Phase>,
}

impl Build {
    /// Builds, as one of some processes.
    pub(crate) fn run(self, processes: &dyn ProcessGroup) -> anyhow::Result<()> {
        let output = match processes.index() {
            0 => self.common.output(),
            _ => Output::Silent,
        };
        let all_rules = self.game.all_rules()?;
        let board = self.game.board();
        let goal = self.goal.resolve(board)?;
        self.common.start_threads()?;
        let dir = self.tables.one_dir()?;
        let options = |rules| {
            BuildOptions::new(dir, board, rules, goal)
                .with_metric(self.metric)
                .with_method(self.method)
                .with_checkpoint(self.checkpoint.0)
                .with_memory(self.memory.map(|mib| mib.saturating_mul(1 << 20)))
                .with_scratch_dir(self.work.clone())
        };
        if self.estimate {
            if output == Output::Json && all_rules.len() > 1 {
                return Err(Failure::input("--estimate with --json takes one rule set"));
            }
            for (i, rules) in all_rules.iter().enumerate() {
                let estimate = estimate_distributed(&options(*rules), processes.count())?;
                self.name_rules(output, &all_rules, i);
                estimate::print(output, (board, *rules), &estimate);
            }
            return Ok(());
        }
        interrupt::install()?;
        let processes = CountedGroup::new(processes);
        let mut report = Report::default();
        for (i, rules) in all_rules.iter().enumerate() {
            self.name_rules(output, &all_rules, i);
            let built = self.build(output, &options(*rules), &processes, &mut report);
            if let Err(error) = built {
                if failure::is_interruption(&error) {
                    output.json(&report);
                }
                return Err(error);
            }
        }
        output.json(&report);
        Ok(())
    }

    /// If there are several rule sets: prints the name of one, after a blank line if it is not the first.
    fn name_rules(&self, output: Output, all: &[RuleSet], i: usize) {
        if all.len() > 1 {
            let blank = if i > 0 { "\n" } else { "" };
            output.text(format_args!("{blank}{}, {}", self.game.board(), all[i]));
        }
    }

    /// Builds the tables of one rule set, and adds what was built to a report.
    fn build(
        &self,
        output: Output,
        options: &BuildOptions,
        processes: &CountedGroup<'_>,
        report: &mut Report,
    ) -> anyhow::Result<()> {
        let dir = self.tables.one_dir()?;
        let progress = BuildProgress::new(output, options, processes);
        let result = build_distributed(options, &progress, interrupt::flag(), processes);
        let Built { slices, phases, saved } = progress.finish();
        // The others do not wait for a process that has failed.
        let phases = match result {
            Ok(_) => processes.combined(phases).context("the phases cannot be added up")?,
            Err(_) => phases,
        };
        let left = left_behind(&slices, saved, dir);
        if let Ok(built) = &result {
            output.text(format_args!("\n{}", summary(&slices)));
            let written = slices.iter().filter(|slice| slice.written == Some(true)).count();
            let (tables, dir) = (counted(built.tables.len(), "table"), dir.display());
            output.text(format_args!("\n{tables} in {dir}, {} of them new", grouped(written)));
        }
        report.slices.extend(slices);
        report.phases.extend(phases);
        match result {
            Ok(_) => Ok(()),
            Err(TableError::Stopped) => Err(Failure::Interrupted(left).into()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Wins, draws and losses of each slice, and the longest ones.
fn summary(slices: &[SliceReport]) -> String {
    let header = ["slice", "win", "draw", "loss", "longest win", "longest loss"];
    let mut rows = table(&header, &[0]);
    for slice in slices {
        let found = &slice.statistics;
        let longest = |turns: Option<u16>| turns.map_or("-".to_owned(), grouped);
        rows.add_row(Row::from([
            found.slice.clone(),
            grouped(found.win),
            grouped(found.draw),
            grouped(found.loss),
            longest(found.max_win),
            longest(found.max_loss),
        ]));
    }
    rows.trim_fmt()
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
