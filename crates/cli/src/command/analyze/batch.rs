//! `analyze --batch`: analyzes the position on each line.

use fanorona_core::Position;
use fanorona_proof::Bounds;
use fanorona_solver::{Analysis, End, Limits, Solver};
use indicatif::ProgressBar;
use serde::Serialize;

use super::book::{BookAnswers, FromBook};
use super::questions::show;
use super::report::Report;
use crate::failure::{Failure, describe};
use crate::human::{counted, grouped};
use crate::interrupt;
use crate::lines::{Line, Lines};
use crate::output::{self, Output};
use crate::progress::spinner;

#[derive(Serialize)]
struct LineError {
    position: String,
    error: String,
    line: u64,
}

/// Answers each line as it comes. The limits apply to each line.
///
/// # Errors
/// If a line could not be answered, and after Ctrl-C.
pub(super) fn run(
    output: Output,
    mut lines: Lines,
    (solver, book): (&mut Solver<'_>, Option<&BookAnswers<'_>>),
    limits: &Limits,
) -> anyhow::Result<()> {
    let bar = spinner("searching".to_owned());
    let (mut answered, mut failed) = (0u64, 0u64);
    let mut is_stopped = false;
    // Each answer takes long, so the work ends when nobody reads them.
    while !is_stopped && !output::is_lost() {
        let Some(line) = lines.next_line()? else { break };
        match answer((&mut *solver, book), limits, &line, &bar) {
            Ok(Answer::Book(found)) => {
                answered += 1;
                bar.suspend(|| {
                    output.text(found.describe() + "\n");
                    output.json(&found);
                });
            }
            Ok(Answer::Search(position, analysis, from_book)) => {
                is_stopped = analysis.end == End::Stopped;
                answered += u64::from(!is_stopped);
                let report = Report::new(&position, &analysis, from_book);
                bar.suspend(|| {
                    output.text(report.describe(&analysis) + "\n");
                    output.json(&report);
                });
            }
            Err(error) => {
                failed += 1;
                let Line { number, text, .. } = line;
                bar.suspend(|| {
                    output.text(format_args!("{text}: {error}\n"));
                    output.json(&LineError { position: text, error, line: number });
                });
            }
        }
    }
    bar.finish_and_clear();
    if is_stopped || interrupt::requested() {
        let answered = counted(answered, "position");
        return Err(Failure::Interrupted(format!("{answered} analyzed")).into());
    }
    if failed > 0 {
        return Err(Failure::input(format!(
            "{} of {} of {} got no answer; their output lines say why",
            grouped(failed),
            counted(answered + failed, "position"),
            lines.name()
        )));
    }
    Ok(())
}

/// Where the answer for a line comes from.
enum Answer {
    /// The book knows the value.
    Book(FromBook),
    /// Tables or a search, together with what the book knows.
    Search(Position, Box<Analysis>, Option<FromBook>),
}

/// The answer for a line, or why there is none.
fn answer(
    (solver, book): (&mut Solver<'_>, Option<&BookAnswers<'_>>),
    limits: &Limits,
    line: &Line,
    bar: &ProgressBar,
) -> Result<Answer, String> {
    let position = line.position()?;
    let from_book = book.map(|book| bar.suspend(|| book.answer(&position))).transpose();
    let from_book = match from_book.map_err(|error| describe(&error))?.flatten() {
        Some(answer) if answer.is_exact() => return Ok(Answer::Book(answer)),
        answer => answer,
    };
    let given = from_book.as_ref().map_or(Bounds::UNKNOWN, FromBook::bounds);
    let stop = interrupt::flag();
    let analysis = solver.analyze_given(&position, given, limits, stop, |now| show(bar, now));
    let answer = |analysis| Answer::Search(position, Box::new(analysis), from_book);
    analysis.map(answer).map_err(|error| describe(&error.into()))
}
