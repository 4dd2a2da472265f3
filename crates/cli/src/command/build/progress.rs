//! The progress of a build: a bar on a terminal, a line each minute elsewhere, and a line for each
//! finished table.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fanorona_builder::{
    Activity, BuildOptions, CheckpointEvent, Part, ProcessGroup, Progress, estimate_distributed,
};
use fanorona_core::RuleSet;
use fanorona_tablebase::{Spent, TableFile, Unit};
use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use super::forecast::Forecast;
use super::phases;
use super::together::CountedGroup;
use crate::command::slice_report::SliceReport;
use crate::human::{grouped, rough_duration, whole_seconds};
use crate::output::{self, Output};
use crate::progress::{self, log_progress};

pub(super) struct BuildProgress<'r> {
    processes: &'r CountedGroup<'r>,
    output: Output,
    rules: RuleSet,
    bar: ProgressBar,
    started: Instant,
    forecast: Arc<Mutex<Forecast>>,
    slices: Mutex<Vec<SliceReport>>,
    phases: phases::Collector,
    /// The unit at work, if it has a checkpoint.
    saved: Mutex<Option<Unit>>,
}

/// The results of a build.
pub(super) struct Built {
    /// The tables of the build, whether they were written now or existed before.
    pub slices: Vec<SliceReport>,
    pub phases: Vec<phases::Phase>,
    /// The unit that has a checkpoint.
    pub saved: Option<Unit>,
}

impl<'r> BuildProgress<'r> {
    pub(super) fn new(
        output: Output,
        options: &BuildOptions,
        processes: &'r CountedGroup<'r>,
    ) -> Self {
        let bar = match processes.index() {
            // Nothing of an unknown length is 100 % done, so the length must not be 0.
            0 => progress::bar(Some(1)),
            _ => ProgressBar::hidden(),
        };
        bar.set_message("preparing");
        let started = Instant::now();
        let forecast = Arc::new(Mutex::new(Forecast::default()));
        // The other processes report nothing.
        if processes.index() == 0 {
            // If estimating fails, the build fails in the same way.
            if let Ok(estimate) = estimate_distributed(options, processes.count()) {
                *forecast.lock().unwrap_or_else(PoisonError::into_inner) = Forecast::new(&estimate);
            }
            let known = forecast.clone();
            log_progress(&bar, move |bar| describe(bar, started, &known));
        }
        bar.set_style(style(started, forecast.clone()));
        bar.enable_steady_tick(Duration::from_millis(200));
        let (slices, phases, saved) = Default::default();
        let rules = options.rules;
        Self { processes, output, rules, bar, started, forecast, slices, phases, saved }
    }

    /// Ends the report.
    pub(super) fn finish(self) -> Built {
        self.bar.finish_and_clear();
        Built {
            slices: self.slices.into_inner().unwrap_or_default(),
            phases: self.phases.finish(),
            saved: self.saved.into_inner().unwrap_or_default(),
        }
    }
}

/// A bar for the activity, with the time left of the whole build.
fn style(started: Instant, forecast: Arc<Mutex<Forecast>>) -> ProgressStyle {
    let template = "{prefix} {msg:12} {percent:>3} % {wide_bar} {rate}{left}";
    let style = ProgressStyle::with_template(template).expect("the template is well formed");
    // A bar that cannot be written does not end a build.
    let rate = |state: &ProgressState, to: &mut dyn fmt::Write| {
        let _ = write!(to, "{:.1} M/s", state.per_sec() / 1e6);
    };
    let left = move |_: &ProgressState, to: &mut dyn fmt::Write| {
        let _ = to.write_str(&time_left(started, &forecast));
    };
    style.with_key("rate", rate).with_key("left", left)
}

/// The text of a bar that is not shown, and how long the build has taken.
fn describe(bar: &ProgressBar, started: Instant, forecast: &Mutex<Forecast>) -> String {
    let percent = 100.0 * bar.position() as f64 / bar.length().unwrap_or(1).max(1) as f64;
    let what = format!("{} {}", bar.prefix(), bar.message());
    let time = whole_seconds(started.elapsed().as_secs_f64());
    format!("{} {percent:.0} %, {time}{}", what.trim_start(), time_left(started, forecast))
}

/// The time left of the whole build after a comma, if it is known.
fn time_left(started: Instant, forecast: &Mutex<Forecast>) -> String {
    let forecast = forecast.lock().unwrap_or_else(PoisonError::into_inner);
    let left = forecast.seconds_left(started.elapsed());
    left.map_or_else(String::new, |seconds| format!(", {} left", rough_duration(seconds)))
}

impl Progress for BuildProgress<'_> {
    fn begin(&self, unit: Unit, activity: Activity, entries: u64) {
        let now = self.started.elapsed();
        self.forecast.lock().unwrap_or_else(PoisonError::into_inner).begin(unit, now);
        self.bar.reset();
        self.bar.set_length(entries);
        self.bar.set_prefix(unit.to_string());
        self.bar.set_message(activity.to_string());
    }

    fn advance(&self, entries: u64) {
        self.bar.inc(entries);
    }

    fn spent(&self, unit: Unit, part: Part, spent: Spent) {
        self.phases.add(unit, part, spent, self.processes.take());
    }

    fn checkpoint(&self, unit: Unit, event: &CheckpointEvent) {
        let event_text = match event {
            CheckpointEvent::Saved { stage, bytes } => {
                format!("checkpoint at {stage}, {} bytes", grouped(bytes))
            }
            event => event.to_string(),
        };
        // The other processes print nothing.
        if self.processes.index() == 0 {
            self.bar.suspend(|| output::message(format_args!("{unit} {event_text}")));
        }
        if let (Ok(mut saved), CheckpointEvent::Saved { .. } | CheckpointEvent::Resumed { .. }) =
            (self.saved.lock(), event)
        {
            *saved = Some(unit);
        }
    }

    fn finished(&self, table: &TableFile, written: bool) {
        self.phases.finished(table);
        let report = SliceReport::of_work(table, &self.rules, written);
        self.bar.suspend(|| self.output.text(report.line(self.rules)));
        if let Ok(mut slices) = self.slices.lock() {
            slices.push(report);
        }
        // The checkpoint is deleted when the tables of its unit are written.
        if let Ok(mut saved) = self.saved.lock() {
            *saved = saved.filter(|unit| *unit != table.metadata().key().unit());
        }
    }
}
