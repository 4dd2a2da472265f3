//! `analyze --batch`: analyzes the position on each line.

use fanorona_engine::inquiry::Inquiry;
use fanorona_solver::{Analysis, End, Limits};
use indicatif::ProgressBar;

use super::answer;
use super::known::Sources;
use super::report::Report;
use super::step::Step;
use crate::failure::Failure;
use crate::human::{counted, grouped, rounded};
use crate::interrupt;
use crate::lines::{Line, Lines};
use crate::output::{self, Output};
use crate::progress::spinner;

/// The means of the searches: these limits apply to each line.
type Searching<'s, 'a> = (&'s mut Inquiry<'a>, &'s Sources, &'s Limits);

/// Answers each line as it comes. `complete` adds to the report of a line what a search has left open.
///
/// # Errors
/// If a line could not be answered, and after Ctrl-C.
pub(super) fn run(
    output: Output,
    mut lines: Lines,
    (inquiry, sources, limits): Searching<'_, '_>,
    mut complete: impl FnMut(&mut Report, Option<&Analysis>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let bar = spinner("searching".to_owned());
    let (mut answered, mut failed, mut searched) = (0u64, 0u64, 0u64);
    // The first step that would help with each position that is open.
    let mut steps: Vec<Step> = Vec::new();
    let mut is_stopped = false;
    // Each answer takes long, so the work ends when nobody reads them.
    while !is_stopped && !output::is_lost() {
        let Some(line) = lines.next_line()? else { break };
        let show = |now: u64| {
            let (lines, nodes) = (counted(answered + failed, "position"), rounded(searched + now));
            bar.set_message(format!("{lines} answered, {nodes} searched"));
        };
        show(0);
        let found = ask((&mut *inquiry, sources, limits), &line, &bar, show);
        let found = found.and_then(|(mut report, analysis)| {
            complete(&mut report, analysis.as_ref()).map(|()| (report, analysis))
        });
        match found {
            Ok((report, analysis)) => {
                is_stopped = analysis.as_ref().is_some_and(|found| found.end == End::Stopped);
                answered += u64::from(!is_stopped);
                searched += analysis.map_or(0, |analysis| analysis.search.nodes);
                if report.assessment.value().is_none() {
                    steps.extend(report.next.first().cloned());
                }
                bar.suspend(|| {
                    output.text(answer::line(&report));
                    output.json(&report);
                });
            }
            Err(error) => {
                failed += 1;
                let failed = line.failed(sources.knowledge(), &error);
                bar.suspend(|| {
                    output.text(format_args!("{}: {}", line.text, failed.error.message));
                    output.json(&failed);
                });
            }
        }
    }
    bar.finish_and_clear();
    let count = |step: &Step| steps.iter().filter(|other| *other == step).count();
    if let Some(step) = steps.iter().max_by_key(|step| count(step)) {
        let open = format!("{} of {}", grouped(steps.len()), counted(answered, "position"));
        output::message(format_args!("note: {open} are open.\n{}", step.after("Next:")));
    }
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

/// The answer for a line, with the search if there was one; or why there is none. `show` gets the
/// number of positions searched.
fn ask(
    (inquiry, sources, limits): Searching<'_, '_>,
    line: &Line,
    bar: &ProgressBar,
    show: impl Fn(u64),
) -> anyhow::Result<(Report, Option<Analysis>)> {
    let position = line.position()?;
    let mut known = bar.suspend(|| sources.ask(&position))?;
    if !known.is_answer() {
        let stop = interrupt::flag();
        known.answer = inquiry.search(known.answer, limits, stop, |now| show(now.nodes))?;
    }
    let analysis = known.answer.search.clone();
    Ok((Report::new(known, sources)?, analysis))
}
