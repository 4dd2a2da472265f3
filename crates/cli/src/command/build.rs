//! `build`: the tables that are missing.

use std::fmt;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use clap::Args;
use comfy_table::Row;
use fanorona_tablebase::{
    BuildOptions, Estimate, Phase, Progress, TableError, TableFile, Unit, build, estimate,
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

/// Build the endgame tables that are missing
#[derive(Debug, Args)]
#[command(after_help = "\
A slice is named by stones: 3v2 has three for the side to move and two for the other. Tables that \
are there are kept, so a build that was stopped goes on where it was.

Examples:
  fanorona build --stones 3 --estimate
  fanorona build --stones 3
  fanorona build --board 3x3 --stones 8 --tables tables")]
pub struct Build {
    #[command(flatten)]
    game: GameOptions,

    #[command(flatten)]
    tables: TableOptions,

    /// Every slice with up to so many stones, both sides together
    #[arg(long, value_name = "N", value_parser = at_least(2u32))]
    stones: u32,

    /// Win, draw and loss alone (wdl), or the distance to win too (dtw)
    #[arg(long, value_name = "METRIC", default_value = "dtw")]
    metric: MetricOption,

    /// How slices are solved; the files are the same. By rows is fast, plain is slow and obviously
    /// right
    #[arg(long, value_name = "METHOD", default_value = "rows")]
    method: MethodOption,

    /// Only tell what it takes
    #[arg(long)]
    estimate: bool,

    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Serialize)]
struct Report {
    slices: Vec<SliceReport>,
}

#[derive(Serialize)]
struct EstimateReport {
    stones: u32,
    positions: u64,
    memory: u64,
    memory_available: u64,
    disk: u64,
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
    pub fn run(self) -> anyhow::Result<()> {
        let output = Output::new(self.common.json);
        let rules = self.game.rules()?;
        let board = self.game.board;
        if self.stones > 2 * board.max_stones() {
            return Err(Failure::input(format!(
                "--stones {}: there are {} stones on {board}, {} of each side",
                self.stones,
                2 * board.max_stones(),
                board.max_stones()
            )));
        }
        self.common.start_threads()?;
        let (metric, method) = (self.metric.into(), self.method.into());
        let dir = self.tables.dir();
        let options = BuildOptions { dir, board, rules, stones: self.stones, metric, method };
        if self.estimate {
            let estimate = estimate(&options).map_err(failure::of_tables)?;
            return tell_estimate(output, self.stones, &estimate);
        }
        interrupt::install()?;
        let progress = BuildProgress::new(output);
        let result = build(&options, &progress, interrupt::flag());
        let slices = progress.finish();
        let written = slices.iter().filter(|slice| slice.written == Some(true)).count();
        let kept = kept(&slices, dir);
        output.json(&Report { slices })?;
        match result {
            Ok(report) => {
                let tables = report.tables.len();
                let dir = dir.display();
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

/// What an interrupted build leaves.
fn kept(slices: &[SliceReport], dir: &Path) -> String {
    let dir = dir.display();
    match slices {
        [] => format!("no table was finished in {dir}; the next build begins anew"),
        [.., last] => format!(
            "{} tables are kept in {dir}, the last being {}v{}; the next build goes on from there",
            slices.len(),
            last.own,
            last.opponent
        ),
    }
}

fn tell_estimate(output: Output, stones: u32, estimate: &Estimate) -> anyhow::Result<()> {
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
    let Estimate { memory, memory_available, disk, disk_available, .. } = *estimate;
    let has = |available: u64| format!("{} MiB available", available >> 20);
    output.text(format_args!("memory     {} MiB, {}", mib(memory), has(memory_available)))?;
    output.text(format_args!("disk       {} MiB, {}", mib(disk), has(disk_available)))?;
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
        Self { output, bar, slices: Mutex::default() }
    }

    fn finish(self) -> Vec<SliceReport> {
        self.bar.finish_and_clear();
        self.slices.into_inner().unwrap_or_default()
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

    fn finished(&self, table: &TableFile, written: bool) {
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
    }
}
