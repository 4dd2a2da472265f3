//! `analyze --game`: each turn of a game with its value, and the mistakes.

mod file;
mod notes;
mod text;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fanorona_engine::inquiry::memory_for;
use fanorona_engine::review::{Judge, Judged, Means, Time};
use fanorona_engine::{Record, RecordError};
use fanorona_solver::DEFAULT_MEMORY;
use indicatif::ProgressBar;
use serde::Serialize;

use self::file::FileGame;
use self::notes::GameReport;
use super::known::{Certificates, Sources};
use crate::destination::{Destination, output_beside};
use crate::failure::{ErrorReport, Failure};
use crate::human::counted;
use crate::interrupt;
use crate::options::{ReadOptions, Root};
use crate::output::Output;
use crate::progress::spinner;

/// The time for a position in seconds, if none is given.
const TIME: f64 = 1.0;

#[derive(Serialize)]
struct Games<'a> {
    games: Vec<AnnotatedGame<'a>>,
    /// Those that are not right.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failed: Vec<FailedGame<'a>>,
}

#[derive(Serialize)]
struct AnnotatedGame<'a> {
    file: Cow<'a, str>,
    /// Its number in the file.
    game: usize,
    #[serde(flatten)]
    report: GameReport,
}

#[derive(Serialize)]
struct FailedGame<'a> {
    file: Cow<'a, str>,
    game: usize,
    /// Left out if the file cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    error: ErrorReport,
}

/// The games to annotate, and the means.
pub(super) struct Order<'a> {
    pub files: &'a [PathBuf],
    pub output: Output,
    /// The file of the annotated games.
    pub annotated: Option<Destination<'a>>,
    pub tables: &'a ReadOptions,
    pub certificates: Certificates<'a>,
    /// For each position.
    pub seconds: Option<f64>,
    pub nodes: Option<u64>,
    /// Bytes.
    pub memory: Option<usize>,
    pub threads: usize,
}

/// Annotates the games in the files. Those that are not right are left out, and named at the end.
///
/// # Errors
/// If there are games that are not right, if a table or the output cannot be used, and after Ctrl-C,
/// with what was found before it printed.
pub(super) fn run(order: &Order<'_>) -> anyhow::Result<()> {
    let annotated = &order.annotated;
    let output = output_beside(order.output, annotated.as_slice())?;
    annotated.iter().try_for_each(Destination::check)?;
    let mut found = file::read(order.files);
    if let [FileGame { record: Err(_), .. }] = &found[..] {
        found.pop().map_or(Ok(()), |game| game.record.map(drop))?;
    }
    interrupt::install()?;
    let bar = spinner("reading".to_owned());
    let (mut games, mut failed, mut texts) = (Vec::new(), Vec::new(), String::new());
    let all = found.len();
    let mut open = 0;
    for (i, FileGame { file, number: game, is_alone, record }) in found.into_iter().enumerate() {
        let name = file.to_string_lossy();
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let line = error.downcast_ref().map(|error: &RecordError| error.line);
                let error = ErrorReport::new(&error);
                failed.push(FailedGame { file: name, game, line, error });
                continue;
            }
        };
        let place = if all == 1 { String::new() } else { format!("game {} of {all}, ", i + 1) };
        let began = Instant::now();
        let judged = positions(order, &record, &bar, &place)?;
        open += judged.iter().filter(|judged| judged.is_none()).count();
        let report = GameReport::new(&record, &judged, began.elapsed());
        let label = match (order.files.len() > 1, is_alone) {
            (false, true) => None,
            (false, false) => Some(format!("game {game}")),
            (true, true) => Some(name.to_string()),
            (true, false) => Some(format!("{name}, game {game}")),
        };
        bar.suspend(|| output.text(text::of(&report, label.as_deref())));
        if annotated.is_some() {
            if !texts.is_empty() {
                texts.push('\n');
            }
            texts += &file::annotated(&record, &report).to_string();
        }
        games.push(AnnotatedGame { file: name, game, report });
        if interrupt::requested() {
            break;
        }
    }
    bar.finish_and_clear();
    let failure = failed.iter().map(|game| game.error.message.clone()).collect::<Vec<_>>();
    let failure = failure.join("\n");
    if games.is_empty() && !failed.is_empty() {
        return Err(Failure::input(failure));
    }
    if let Some(file) = annotated {
        file.write(texts.as_bytes())?;
        output.text(format_args!("written to {}", file.name()));
    }
    let done = games.len();
    let is_whole = failed.is_empty();
    output.json(&Games { games, failed });
    if interrupt::requested() {
        let (done, open) = (counted(done, "game"), counted(open, "position"));
        let text = format!("{done} of {all} printed; {open} of the last one not analyzed");
        return Err(Failure::Interrupted(text).into());
    }
    if is_whole { Ok(()) } else { Err(Failure::Check(failure).into()) }
}

/// Judges each position of a game, the start first. `None` after Ctrl-C.
fn positions(
    order: &Order<'_>,
    record: &Record,
    bar: &ProgressBar,
    place: &str,
) -> anyhow::Result<Vec<Option<Judged>>> {
    let game = record.game();
    let (board, rules) = (game.start().board(), *game.rules());
    let tables = order.tables.open_if_there(board, rules)?.map(Arc::new);
    let root = Root { board, rules, position: *game.start() };
    let sources = Sources::open(&order.certificates, &root, tables)?;
    let time = Duration::from_secs_f64(order.seconds.unwrap_or(TIME));
    let memory = || memory_for(time, order.threads).max(DEFAULT_MEMORY);
    let means = Means {
        time: Time::Each(time),
        nodes: order.nodes,
        threads: order.threads,
        memory: order.memory.unwrap_or_else(memory),
    };
    let show = |left: usize, judged: &[Option<Judged>]| {
        let is_found = |it: &&Judged| it.assessment.value().is_some();
        let found = judged.iter().flatten().filter(is_found).count();
        let (left, found) = (counted(left, "position"), counted(found, "value"));
        bar.set_message(format!("{place}{left} left, {found} found"));
    };
    show(game.turns().len() + 1, &[]);
    let mut judge = Judge::new(sources.knowledge(), means)?;
    Ok(judge.game(game, interrupt::flag(), show)?)
}
