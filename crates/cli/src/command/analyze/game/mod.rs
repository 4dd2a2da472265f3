//! `analyze --game`: each turn of a game with its value, and the mistakes.

mod file;
mod notes;
mod text;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fanorona_engine::Record;
use fanorona_engine::review::{Judge, Judged, Means, Time};
use fanorona_solver::DEFAULT_MEMORY;
use indicatif::ProgressBar;
use serde::Serialize;

use self::notes::GameReport;
use super::known::{Certificates, Sources};
use super::search::memory_for;
use crate::destination::{Destination, output_beside};
use crate::failure::Failure;
use crate::human::counted;
use crate::interrupt;
use crate::options::{ReadOptions, Root};
use crate::output::Output;
use crate::progress::spinner;

/// The time for a position in seconds, if none is given.
const TIME: f64 = 1.0;

#[derive(Serialize)]
struct Games {
    games: Vec<GameReport>,
}

/// The games to annotate, and the means.
pub(super) struct Order<'a> {
    pub file: &'a Path,
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

/// Annotates the games in a file.
///
/// # Errors
/// If the file cannot be read or is not a game, if a table or the output cannot be used, and after
/// Ctrl-C, with what was found before it printed.
pub(super) fn run(order: &Order<'_>) -> anyhow::Result<()> {
    let annotated = &order.annotated;
    let output = output_beside(order.output, annotated.as_slice())?;
    annotated.iter().try_for_each(Destination::check)?;
    let records = file::read(order.file)?;
    interrupt::install()?;
    let bar = spinner("reading".to_owned());
    let (mut reports, mut texts) = (Vec::new(), String::new());
    let all = records.len();
    let mut open = 0;
    for (i, record) in records.into_iter().enumerate() {
        let place = if all == 1 { String::new() } else { format!("game {} of {all}, ", i + 1) };
        let began = Instant::now();
        let judged = positions(order, &record, &bar, &place)?;
        open += judged.iter().filter(|judged| judged.is_none()).count();
        let report = GameReport::new(&record, &judged, began.elapsed());
        let heading = if all == 1 { None } else { Some(i + 1) };
        bar.suspend(|| output.text(text::of(&report, heading)));
        if annotated.is_some() {
            if !texts.is_empty() {
                texts.push('\n');
            }
            texts += &file::annotated(&record, &report).to_string();
        }
        reports.push(report);
        if interrupt::requested() {
            break;
        }
    }
    bar.finish_and_clear();
    if let Some(file) = annotated {
        file.write(texts.as_bytes())?;
        output.text(format_args!("written to {}", file.name()));
    }
    let done = reports.len();
    output.json(&Games { games: reports });
    if interrupt::requested() {
        let (done, open) = (counted(done, "game"), counted(open, "position"));
        let text = format!("{done} of {all} printed; {open} of the last one not analyzed");
        return Err(Failure::Interrupted(text).into());
    }
    Ok(())
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
