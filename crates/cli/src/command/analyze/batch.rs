//! `analyze --batch`: analyzes the position on each line.

use fanorona_solver::{Analysis, End, Limits};
use indicatif::ProgressBar;

use super::answer;
use super::known::Sources;
use super::questions::show;
use super::report::Report;
use super::search::Searcher;
use crate::failure::Failure;
use crate::human::{counted, grouped};
use crate::interrupt;
use crate::lines::{Line, Lines};
use crate::output::{self, Output};
use crate::progress::spinner;

/// Answers each line as it comes. The limits apply to each line.
///
/// # Errors
/// If a line could not be answered, and after Ctrl-C.
pub(super) fn run(
    output: Output,
    mut lines: Lines,
    (searcher, sources): (&mut Searcher<'_>, &Sources),
    limits: &Limits,
) -> anyhow::Result<()> {
    let bar = spinner("searching".to_owned());
    let (mut answered, mut failed) = (0u64, 0u64);
    let mut is_stopped = false;
    // Each answer takes long, so the work ends when nobody reads them.
    while !is_stopped && !output::is_lost() {
        let Some(line) = lines.next_line()? else { break };
        match ask((&mut *searcher, sources), limits, &line, &bar) {
            Ok((report, analysis)) => {
                is_stopped = analysis.as_ref().is_some_and(|found| found.end == End::Stopped);
                answered += u64::from(!is_stopped);
                bar.suspend(|| {
                    output.text(answer::line(&report));
                    output.json(&report);
                });
            }
            Err(error) => {
                failed += 1;
                let failed = line.failed(sources.game(), &error);
                bar.suspend(|| {
                    output.text(format_args!("{}: {}", line.text, failed.error.message));
                    output.json(&failed);
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

/// The answer for a line, with the search if there was one; or why there is none.
fn ask(
    (searcher, sources): (&mut Searcher<'_>, &Sources),
    limits: &Limits,
    line: &Line,
    bar: &ProgressBar,
) -> anyhow::Result<(Report, Option<Analysis>)> {
    let position = line.position()?;
    let known = bar.suspend(|| sources.ask(&position))?;
    if known.is_answer() {
        return Ok((Report::known(known), None));
    }
    let given = known.given();
    let analysis = searcher.search(&position, given, limits, |now| show(bar, now, false))?;
    Ok((Report::searched(known, sources, &analysis)?, Some(analysis)))
}
