//! `analyze --game`: each turn of a game with its value, and the mistakes.

mod file;
mod notes;
mod text;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fanorona_engine::inquiry::{Answer, Inquiry, Means, Time};
use fanorona_engine::{Record, RecordError};
use indicatif::ProgressBar;
use serde::Serialize;

use self::file::FileGame;
use self::notes::GameReport;
use super::sources::Sources;
use crate::destination::{Destination, output_beside};
use crate::failure::{ErrorReport, Failure};
use crate::human::counted;
use crate::interrupt;
use crate::options::{Certificates, TableOptions};
use crate::output::Output;
use crate::progress::spinner;

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
    pub tables: &'a TableOptions,
    pub certificates: Certificates<'a>,
    pub means: Means,
}

/// Annotates the games in the files. Those that are not right are left out, and named at the end. After
/// Ctrl-C, what was found before it is printed.
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
        let answers = answers(order, &record, &bar, &place)?;
        open += answers.iter().filter(|answer| answer.is_none()).count();
        let report = GameReport::new(&record, &answers, began.elapsed());
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

/// The answers about the positions of a game, the start first. `None` after Ctrl-C.
fn answers(
    order: &Order<'_>,
    record: &Record,
    bar: &ProgressBar,
    place: &str,
) -> anyhow::Result<Vec<Option<Answer>>> {
    let game = record.game();
    let (board, rules) = (game.start().board(), *game.rules());
    let tables = order.tables.open_if_there(board, rules)?.map(Arc::new);
    let sources = Sources::open(order.certificates, (board, rules), tables)?;
    let show = |left: usize, answers: &[Option<Answer>]| {
        let found = answers.iter().flatten().filter(|answer| answer.is_proved()).count();
        let (left, found) = (counted(left, "position"), counted(found, "value"));
        bar.set_message(format!("{place}{left} left, {found} found"));
    };
    show(game.turns().len() + 1, &[]);
    let time = Time::Each(order.means.time.unwrap_or(Duration::MAX));
    let mut inquiry = Inquiry::new(&sources.knowledge, order.means.clone());
    Ok(inquiry.game(game, time, interrupt::flag(), show)?)
}
