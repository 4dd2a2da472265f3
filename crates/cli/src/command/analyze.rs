//! `analyze`: is a position won, drawn or lost?

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use fanorona_core::{Position, Value};
use fanorona_solver::certificate::Guide;
use fanorona_solver::{Analysis, End, Limits, Progress, SearchGuide, analyze};
use serde::Serialize;

use super::certificate;
use super::probe::{TurnReport, in_words};
use crate::failure::{self, Failure};
use crate::interrupt;
use crate::options::{CommonOptions, PositionOptions, TableOptions, at_least};
use crate::output::{Output, spinner};

/// Find out whether a position is won, drawn or lost
#[derive(Debug, Args)]
#[command(after_help = "\
Tables answer where they reach. Beyond them a search asks for a forced end or a table's value \
within one turn, two turns, and so on. What it cannot prove it calls unknown. A certificate holds \
what proves the value, or a bound of it, for 'fanorona check'.

Example:
  fanorona analyze --board 3x3 --time 10 --certificate 3x3.cert")]
pub struct Analyze {
    #[command(flatten)]
    position: PositionOptions,

    #[command(flatten)]
    tables: TableOptions,

    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    time: f64,

    /// Give up after having searched so many turns deep
    #[arg(long, value_name = "N", value_parser = at_least(0u16))]
    depth: Option<u16>,

    /// What the search may remember, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = at_least(1usize))]
    memory: usize,

    /// Write what proves the value, or a bound of it, to this file
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,

    #[command(flatten)]
    common: CommonOptions,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=1e9).contains(seconds));
    seconds.ok_or_else(|| "write a number of seconds, as in 0.5 or 60".to_owned())
}

#[derive(Serialize)]
struct Report {
    position: Position,
    value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    dtw: Option<u16>,
    proved: bool,
    at_least: String,
    at_most: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<String>,
    depth: u16,
    nodes: u64,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<Vec<TurnReport>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<certificate::Written>,
}

impl Analyze {
    pub fn run(self) -> anyhow::Result<()> {
        let output = Output::new(self.common.json);
        let (rules, position) = self.position.resolve()?;
        let tables = self.tables.open_if_there(position.board(), rules)?;
        let limits = Limits {
            depth: self.depth,
            time: Some(Duration::from_secs_f64(self.time)),
            memory: self.memory.saturating_mul(1 << 20),
        };
        self.certificate.as_deref().map_or(Ok(()), certificate::check_place)?;
        interrupt::install()?;
        let progress = spinner("searching".to_owned());
        let tell = |now: &Progress| {
            let Progress { depth, nodes, .. } = now;
            progress.set_message(format!("depth {} after {nodes} positions", depth + 1));
        };
        let stop = interrupt::flag();
        let analysis = analyze(&rules, &position, tables.as_ref(), &limits, stop, tell)
            .map_err(failure::of_tables)?;
        progress.finish_and_clear();

        let mut report = report(&position, &analysis);
        let mut uncertified = Ok(());
        if let Some(file) = self.certificate.filter(|_| analysis.end != End::Stopped) {
            let (of, tables) = ((&rules, &position), tables.as_ref());
            let guide = |claim| -> Box<dyn Guide> {
                Box::new(SearchGuide::new(&rules, tables, claim, stop))
            };
            match certificate::write(&file, of, tables, analysis.bounds, limits.memory, guide) {
                Ok(Some(written)) => report.certificate = Some(written),
                Ok(None) => output.text("no certificate, for nothing is proved")?,
                Err(error) => uncertified = Err(failure::of_certificate(error)),
            }
        }
        if output.is_text() {
            output.text(describe(&report, &analysis))?;
            if let Some(written) = &report.certificate {
                output.text(written)?;
            }
        }
        output.json(&report)?;
        if analysis.end == End::Stopped {
            let known = format!("the value is {}", value_in_words(&analysis));
            return Err(Failure::Interrupted(known).into());
        }
        uncertified
    }
}

fn report(position: &Position, analysis: &Analysis) -> Report {
    let Analysis { bounds, best, dtw, ranking, depth, nodes, elapsed, .. } = analysis;
    let value = bounds.value();
    Report {
        position: *position,
        value: value.map_or("unknown".to_owned(), |value| value.to_string()),
        dtw: *dtw,
        proved: value.is_some(),
        at_least: bounds.at_least.to_string(),
        at_most: bounds.at_most.to_string(),
        best: best.as_ref().map(|turn| turn.text(position).to_string()),
        depth: *depth,
        nodes: *nodes,
        seconds: elapsed.as_secs_f64(),
        turns: ranking.as_ref().map(|ranking| TurnReport::list(position, ranking)),
        certificate: None,
    }
}

fn value_in_words(analysis: &Analysis) -> String {
    let bounds = analysis.bounds;
    match (bounds.value(), bounds.at_least, bounds.at_most) {
        (Some(value), ..) => in_words(value, analysis.dtw),
        (None, Value::Draw, _) => "unknown, at least a draw".to_owned(),
        (None, _, Value::Draw) => "unknown, at most a draw".to_owned(),
        _ => "unknown".to_owned(),
    }
}

fn describe(report: &Report, analysis: &Analysis) -> String {
    let mut text = format!("{}: {}", report.position, value_in_words(analysis));
    if let Some(best) = &report.best {
        text += &format!("\nbest turn: {best}");
    }
    if let Some(turns) = &report.turns {
        text += "\nfrom tables";
        if !turns.is_empty() {
            text += &format!("\n\n{}", TurnReport::table(turns));
        }
        return text;
    }
    let Report { nodes, seconds, depth, .. } = report;
    let why = match analysis.end {
        End::Proved => format!("proved at depth {depth}"),
        End::Depth => format!("not proved at depth {depth}, the last that was asked for"),
        End::Time => format!("not proved in the time that was given; depth {depth} was finished"),
        End::Stopped => format!("stopped; depth {depth} was finished"),
    };
    text + &format!("\n{why}; {nodes} positions, {seconds:.3} s")
}
