//! `analyze`: is a position won, drawn or lost?

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use fanorona_core::{Position, RuleSet, Value};
use fanorona_solver::{Analysis, End, Limits, LineTurn, Progress, Solver, SolverError};
use fanorona_tablebase::Tables;
use indicatif::ProgressBar;
use serde::Serialize;

use super::certificate;
use super::probe::{TurnReport, in_words};
use super::search_state::{Log, QuestionReport, SearchedTurn, numbers};
use crate::failure::{self, Failure};
use crate::interrupt;
use crate::options::{CommonOptions, PositionOptions, ReadOptions, Scene, at_least};
use crate::output::{Output, spinner};

/// Find out whether a position is won, drawn or lost
#[derive(Debug, Args)]
#[command(after_help = "\
Tables answer where they reach. Beyond them a proof search asks whether the side to move can force \
a win, and whether its opponent can; neither means a draw. What it cannot prove it calls unknown, \
and tells the bounds that it has proved. A certificate holds what proves the value, or a bound of \
it, for 'fanorona check'.

Example:
  fanorona analyze --board 3x3 --time 10 --certificate 3x3.cert")]
pub(crate) struct Analyze {
    #[command(flatten)]
    position: PositionOptions,

    #[command(flatten)]
    tables: ReadOptions,

    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0, value_parser = seconds)]
    time: f64,

    /// Give up after having looked at so many positions
    #[arg(long, value_name = "N", value_parser = at_least(1u64))]
    nodes: Option<u64>,

    /// What the search may remember, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = at_least(1usize))]
    memory: usize,

    /// Keep the search in this file at its end, at Ctrl-C and every few minutes; go on with it if
    /// the file is there
    #[arg(long, value_name = "FILE")]
    resume: Option<PathBuf>,

    /// Add a line of JSON to this file every minute and at the end: how far the search has come,
    /// for each turn too
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,

    /// Analyze one position a line of this file instead, - being standard input; --time and
    /// --nodes are for each, and with --json each has a JSON object on a line of its own
    #[arg(long, value_name = "FILE", conflicts_with_all = ["position", "after", "resume", "certificate", "log"])]
    batch: Option<PathBuf>,

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
    /// How play goes on, with what each turn is worth to its mover.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    line: Vec<LineReport>,
    questions: [QuestionReport; 2],
    /// The questions after each turn, if the position was searched.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    searched: Vec<SearchedTurn>,
    nodes: u64,
    nodes_per_second: u64,
    table_hits: u64,
    memory_filled: f64,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    turns: Option<Vec<TurnReport>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<certificate::Written>,
}

#[derive(Serialize)]
struct LineReport {
    turn: String,
    value: String,
}

impl Analyze {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = Output::new(self.common.json);
        let Scene { board, rules, position } = self.position.resolve()?;
        let tables = self.tables.open_if_there(board, rules)?;
        self.certificate.as_deref().map_or(Ok(()), certificate::check_place)?;
        interrupt::install()?;
        match &self.batch {
            Some(file) => self.batch(output, rules, &position, tables.as_ref(), file),
            None => self.one(output, rules, &position, tables.as_ref()),
        }
    }

    fn limits(&self) -> Limits {
        Limits {
            nodes: self.nodes,
            time: Some(Duration::from_secs_f64(self.time)),
            threads: self.common.threads(),
            resume: self.resume.clone(),
        }
    }

    fn solver<'a>(
        &self,
        rules: RuleSet,
        position: &Position,
        tables: Option<&'a Tables>,
    ) -> anyhow::Result<Solver<'a>> {
        let memory = self.memory.saturating_mul(1 << 20);
        Solver::new(rules, position.board(), tables, memory).map_err(of_solver)
    }

    fn one(
        &self,
        output: Output,
        rules: RuleSet,
        position: &Position,
        tables: Option<&Tables>,
    ) -> anyhow::Result<()> {
        let mut log = self.log.as_deref().map(|path| Log::open(path, position)).transpose()?;
        let mut solver = self.solver(rules, position, tables)?;
        let bar = spinner("searching".to_owned());
        let analysis = solver
            .analyze(position, &self.limits(), interrupt::flag(), |now| {
                tell(&bar, now);
                log.iter_mut().for_each(|log| log.tell(now));
            })
            .map_err(of_solver)?;
        bar.finish_and_clear();
        log.map_or(Ok(()), |log| log.finish(&analysis))?;

        let mut report = report(position, &analysis);
        let mut uncertified = Ok(());
        if let Some(file) = self.certificate.as_deref().filter(|_| analysis.end != End::Stopped) {
            let (of, memory) = ((&rules, position), self.memory.saturating_mul(1 << 20));
            // What is proved, the search can find again.
            let limits = Limits { threads: self.common.threads(), ..Limits::default() };
            match certificate::write(
                file,
                of,
                tables,
                analysis.bounds,
                memory,
                &mut solver,
                &limits,
            ) {
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
            let mut known = format!("the value is {}", value_in_words(&analysis));
            if let Some(file) = &self.resume {
                known += &format!("; the search is kept in {}", file.display());
            }
            return Err(Failure::Interrupted(known).into());
        }
        uncertified
    }

    fn batch(
        &self,
        output: Output,
        rules: RuleSet,
        board_of: &Position,
        tables: Option<&Tables>,
        file: &Path,
    ) -> anyhow::Result<()> {
        let mut text = String::new();
        let name = if file == Path::new("-") {
            io::stdin().read_to_string(&mut text).context("standard input cannot be read")?;
            "standard input".to_owned()
        } else {
            let name = format!("'{}'", file.display());
            text = fs::read_to_string(file).with_context(|| format!("{name} cannot be read"))?;
            name
        };
        let mut solver = self.solver(rules, board_of, tables)?;
        let bar = spinner("searching".to_owned());
        let (mut answered, mut failed) = (0, 0);
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let answer = line.parse::<Position>().map_err(|error| error.to_string());
            let answer = answer.and_then(|position| {
                solver
                    .analyze(&position, &self.limits(), interrupt::flag(), |now| tell(&bar, now))
                    .map(|analysis| (position, analysis))
                    .map_err(|error| error.to_string())
            });
            let end = match answer {
                Ok((position, analysis)) => {
                    answered += 1;
                    let report = report(&position, &analysis);
                    bar.suspend(|| {
                        output.text(describe(&report, &analysis) + "\n")?;
                        output.json(&report)
                    })?;
                    analysis.end
                }
                Err(error) => {
                    failed += 1;
                    bar.suspend(|| {
                        output.text(format_args!("{line}: {error}\n"))?;
                        output.json(&LineError { position: line, error })
                    })?;
                    continue;
                }
            };
            if end == End::Stopped {
                bar.finish_and_clear();
                let known = format!("{answered} positions were analyzed");
                return Err(Failure::Interrupted(known).into());
            }
        }
        bar.finish_and_clear();
        if failed > 0 {
            return Err(Failure::input(format!(
                "{failed} of {} positions of {name} could not be analyzed; their lines say why",
                answered + failed
            )));
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct LineError<'a> {
    position: &'a str,
    error: String,
}

/// An error of the solver. They tell their sources themselves.
fn of_solver(error: SolverError) -> anyhow::Error {
    match error {
        SolverError::Tables(error) => failure::of_tables(error),
        error => Failure::input(error),
    }
}

fn tell(bar: &ProgressBar, now: &Progress) {
    let Progress { nodes, table_hits, memory_filled, elapsed, questions, .. } = now;
    let rate = *nodes as f64 / elapsed.as_secs_f64().max(1e-9) / 1e6;
    let [own, other] = questions.each_ref().map(numbers);
    bar.set_message(format!(
        "win {own}, loss {other}; {nodes} positions, {rate:.2} million/s, {table_hits} from tables, \
         memory {:.1} % full",
        100.0 * memory_filled
    ));
}

fn report(position: &Position, analysis: &Analysis) -> Report {
    let value = analysis.bounds.value();
    let seconds = analysis.elapsed.as_secs_f64();
    Report {
        position: *position,
        value: value.map_or("unknown".to_owned(), |value| value.to_string()),
        dtw: analysis.dtw,
        proved: value.is_some(),
        at_least: analysis.bounds.at_least.to_string(),
        at_most: analysis.bounds.at_most.to_string(),
        best: analysis.best.as_ref().map(|turn| turn.text(position.board()).to_string()),
        line: line(position, &analysis.line),
        questions: analysis.questions.each_ref().map(QuestionReport::new),
        searched: SearchedTurn::list(position, &analysis.turns),
        nodes: analysis.nodes,
        nodes_per_second: (analysis.nodes as f64 / seconds.max(1e-9)) as u64,
        table_hits: analysis.table_hits,
        memory_filled: analysis.memory_filled,
        seconds,
        turns: analysis.ranking.as_ref().map(|ranking| TurnReport::list(position, ranking)),
        certificate: None,
    }
}

fn line(position: &Position, turns: &[LineTurn]) -> Vec<LineReport> {
    let before = [position].into_iter().chain(turns.iter().map(|turn| &turn.after));
    let report = |(before, turn): (&Position, &LineTurn)| LineReport {
        turn: turn.turn.text(before.board()).to_string(),
        value: turn.value.to_string(),
    };
    before.zip(turns).map(report).collect()
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
    if !report.line.is_empty() {
        let turns = report.line.iter().map(|turn| format!("{} {}", turn.turn, turn.value));
        text += &format!("\nbest play: {}", turns.collect::<Vec<_>>().join(", "));
    }
    if let Some(turns) = &report.turns {
        text += "\nfrom tables";
        if !turns.is_empty() {
            text += &format!("\n\n{}", TurnReport::table(turns));
        }
        return text;
    }
    let why = match analysis.end {
        End::Proved => "proved",
        End::Nodes => "not proved within the positions that were allowed",
        End::Time => "not proved in the time that was given",
        End::Stopped => "stopped",
    };
    if analysis.end != End::Proved {
        let [own, other] = analysis.questions.map(|state| numbers(&state));
        text += &format!("\nproof and disproof numbers: win {own}, loss {other}");
    }
    let Report { nodes, table_hits, seconds, .. } = report;
    text += &format!("\n{why}; {nodes} positions, {table_hits} from tables, {seconds:.3} s");
    if analysis.end != End::Proved && !analysis.turns.is_empty() {
        text += &format!("\n\n{}", SearchedTurn::table(&report.position, &analysis.turns));
    }
    text
}
