//! `build`: the tables that are missing.

use std::fmt;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use clap::Args;
use comfy_table::Row;
use fanorona_core::Board;
use fanorona_tablebase::{
    BuildOptions, Checkpoint, Estimate, Goal, Part, Phase, Progress, Slice, Spent, TableError,
    TableFile, Unit, build, estimate,
};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use serde::Serialize;

use super::slice_report::SliceReport;
use crate::failure::{self, Failure};
use crate::interrupt;
use crate::options::{
    CommonOptions, GameOptions, MethodOption, MetricOption, TableOptions, at_least,
};
use crate::output::{Output, table};
use crate::phases;

/// Build the endgame tables that are missing
#[derive(Debug, Args)]
#[command(after_help = "\
A slice is named by stones: 3v2 has three for the side to move and two for the other. Tables that \
are there are kept, so a build that was stopped goes on where it was: at the last checkpoint, or \
where there is none at the last finished slice. At the end two tables tell where the time went: by \
phase, where phases that overlap share the clock as their threads did, and by number of stones, \
loading not included. Positions are all placements, no symmetry taken out.

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
    /// the directory of the tables that a killed build goes on from. Ctrl-C saves one too. never
    /// for none
    #[arg(long, value_name = "MINUTES", default_value = "3", value_parser = interval)]
    checkpoint: Interval,

    /// The memory that it may take, MiB; what the system has available if this is not given
    #[arg(long, value_name = "MIB", value_parser = at_least(1u64))]
    memory: Option<u64>,

    /// Only tell what it takes
    #[arg(long)]
    estimate: bool,

    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Clone, Copy, Debug, Args)]
#[group(required = true, multiple = false)]
struct GoalOptions {
    /// Every slice with up to so many stones, both sides together
    #[arg(long, value_name = "N", value_parser = at_least(2u32))]
    stones: Option<u32>,

    /// One slice, with the side to move exchanged too, and what play can lead to from there
    #[arg(long, value_name = "SLICE")]
    slice: Option<Slice>,
}

impl GoalOptions {
    /// What to build, if the board has so many stones.
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

#[derive(Serialize)]
struct EstimateReport {
    stones: u32,
    positions: u64,
    memory: u64,
    memory_available: u64,
    disk: u64,
    checkpoints: u64,
    disk_available: u64,
    seconds: f64,
    slices: Vec<SliceEstimateReport>,
}

#[derive(Serialize)]
struct SliceEstimateReport {
    own: u8,
    opponent: u8,
    positions: u64,
    canonical: u64,
    there: bool,
}

impl Build {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = Output::new(self.common.json);
        let rules = self.game.rules()?;
        let board = self.game.board;
        let goal = self.goal.resolve(board)?;
        self.common.start_threads()?;
        let (metric, method) = (self.metric.into(), self.method.into());
        let dir = self.tables.dir();
        let options = BuildOptions {
            method,
            checkpoint: self.checkpoint.0,
            memory: self.memory.map(|mib| mib.saturating_mul(1 << 20)),
            ..BuildOptions::new(dir, board, rules, goal, metric)
        };
        if self.estimate {
            let estimate = estimate(&options).map_err(failure::of_tables)?;
            return tell_estimate(output, &estimate);
        }
        interrupt::install()?;
        let progress = BuildProgress::new(output);
        let result = build(&options, &progress, interrupt::flag());
        let Built { slices, phases, saved } = progress.finish();
        let written = slices.iter().filter(|slice| slice.written == Some(true)).count();
        let kept = kept(&slices, saved, dir);
        let times = phases::tables(&phases);
        output.json(&Report { slices, phases })?;
        match result {
            Ok(report) => {
                let tables = report.tables.len();
                let dir = dir.display();
                if written > 0 {
                    output.text(format_args!("\n{times}\n"))?;
                }
                output.text(format_args!(
                    "{tables} tables in {dir}, {written} of them written now"
                ))?;
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

fn tell_estimate(output: Output, estimate: &Estimate) -> anyhow::Result<()> {
    let stones = estimate.goal.stones();
    let positions = estimate.slices.iter().map(|slice| slice.positions).sum();
    let slices = estimate.slices.iter().map(|s| SliceEstimateReport {
        own: s.slice.own,
        opponent: s.slice.opponent,
        positions: s.positions,
        canonical: s.canonical,
        there: s.there,
    });
    output.json(&EstimateReport {
        stones,
        positions,
        memory: estimate.memory,
        memory_available: estimate.memory_available,
        disk: estimate.disk,
        checkpoints: estimate.checkpoints,
        disk_available: estimate.disk_available,
        seconds: estimate.seconds,
        slices: slices.collect(),
    })?;
    let mut rows = table(&["slice", "positions", "up to symmetry", ""], &[0, 3]);
    for s in &estimate.slices {
        let there = if s.there { "there" } else { "missing" };
        let [positions, canonical] = [s.positions, s.canonical].map(|n| n.to_string());
        rows.add_row(Row::from([s.slice.to_string(), positions, canonical, there.to_owned()]));
    }
    output.text(format_args!("{}\n", rows.trim_fmt()))?;
    output.text(format_args!("stones     {stones}\npositions  {positions}"))?;
    let mib = |bytes: u64| bytes.div_ceil(1 << 20);
    let Estimate { memory, memory_available, disk, checkpoints, disk_available, .. } = *estimate;
    let has = |available: u64| format!("{} MiB available", available >> 20);
    output.text(format_args!("memory     {} MiB, {}", mib(memory), has(memory_available)))?;
    let meanwhile = match checkpoints {
        0 => String::new(),
        bytes => format!(" and meanwhile {} MiB for checkpoints", mib(bytes)),
    };
    output.text(format_args!(
        "disk       {} MiB{meanwhile}, {}",
        mib(disk),
        has(disk_available)
    ))?;
    output.text(format_args!("time       {} (rough)", duration(estimate.seconds)))?;
    Ok(())
}

fn duration(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("{seconds:.0} s")
    } else if seconds < 90.0 * 60.0 {
        format!("{:.0} min", seconds / 60.0)
    } else {
        format!("{:.1} h", seconds / 3600.0)
    }
}

/// A bar on a terminal, and a line for each finished table.
struct BuildProgress {
    output: Output,
    bar: ProgressBar,
    slices: Mutex<Vec<SliceReport>>,
    phases: phases::Collector,
    /// The unit at work, if it has a checkpoint.
    saved: Mutex<Option<Unit>>,
}

/// What a build has done when it ends.
struct Built {
    /// The tables that are there.
    slices: Vec<SliceReport>,
    phases: Vec<phases::Phase>,
    /// The unit that has a checkpoint.
    saved: Option<Unit>,
}

impl BuildProgress {
    fn new(output: Output) -> Self {
        let bar = ProgressBar::new(0);
        let template = "{prefix} {msg:12} {percent:>3} % {wide_bar} {rate}, {eta} left";
        let style = ProgressStyle::with_template(template).expect("it is well formed");
        bar.set_style(style.with_key("rate", |state: &ProgressState, to: &mut dyn fmt::Write| {
            // A rate that cannot be written is no reason to end a build.
            let _ = write!(to, "{:.1} M/s", state.per_sec() / 1e6);
        }));
        bar.enable_steady_tick(Duration::from_millis(200));
        let (slices, phases, saved) = Default::default();
        Self { output, bar, slices, phases, saved }
    }

    fn finish(self) -> Built {
        self.bar.finish_and_clear();
        Built {
            slices: self.slices.into_inner().unwrap_or_default(),
            phases: self.phases.finish(),
            saved: self.saved.into_inner().unwrap_or_default(),
        }
    }
}

impl Progress for BuildProgress {
    fn begin(&self, unit: Unit, phase: Phase, entries: u64) {
        self.bar.reset();
        self.bar.set_length(entries);
        self.bar.set_prefix(unit.to_string());
        self.bar.set_message(phase.to_string());
    }

    fn advance(&self, entries: u64) {
        self.bar.inc(entries);
    }

    fn spent(&self, unit: Unit, part: Part, spent: Spent) {
        self.phases.spent(unit, part, spent);
    }

    fn checkpoint(&self, unit: Unit, checkpoint: &Checkpoint) {
        self.bar.suspend(|| eprintln!("{unit} {checkpoint}"));
        if let (Ok(mut saved), Checkpoint::Saved { .. } | Checkpoint::Resumed { .. }) =
            (self.saved.lock(), checkpoint)
        {
            *saved = Some(unit);
        }
    }

    fn finished(&self, table: &TableFile, written: bool) {
        self.phases.finished(table, written);
        let report = SliceReport { written: Some(written), ..SliceReport::new(table) };
        let line = format!(
            "{:>6} {} {:>14} positions {:>12} bytes  {}",
            format!("{}v{}", report.own, report.opponent),
            report.metric,
            report.positions,
            report.bytes,
            if written { "written" } else { "there" }
        );
        // A reader who has gone away is found out at the end; the build goes on.
        let _ = self.bar.suspend(|| self.output.text(line));
        if let Ok(mut slices) = self.slices.lock() {
            slices.push(report);
        }
        // It goes with the tables.
        if let Ok(mut saved) = self.saved.lock() {
            *saved = saved.filter(|unit| !unit.slices().any(|s| s == table.metadata().slice));
        }
    }
}
