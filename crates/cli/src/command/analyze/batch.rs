//! `analyze --batch`: analyzes the position on each line.

use std::path::Path;

use fanorona_engine::inquiry::{End, Help, Inquiry};

use super::answer;
use super::help;
use crate::failure::Failure;
use crate::human::{counted, grouped, rounded};
use crate::interrupt;
use crate::lines::Lines;
use crate::output::{self, Output};
use crate::progress::spinner;

/// Answers each line as it comes. Tables would be built in `dir`.
pub(super) fn run(
    output: Output,
    mut lines: Lines,
    inquiry: &mut Inquiry<'_>,
    dir: &Path,
) -> anyhow::Result<()> {
    let bar = spinner("searching".to_owned());
    let (mut answered, mut failed, mut searched) = (0u64, 0u64, 0u64);
    // The first step that would help with each position that is open.
    let mut steps: Vec<Help> = Vec::new();
    let mut is_stopped = false;
    // Each answer takes long, so the work ends when nobody reads them.
    while !is_stopped && !output::is_lost() {
        let Some(line) = lines.next_line()? else { break };
        let show = |now: u64| {
            let (lines, nodes) = (counted(answered + failed, "position"), rounded(searched + now));
            bar.set_message(format!("{lines} answered, {nodes} searched"));
        };
        show(0);
        let found = line.position().and_then(|position| {
            Ok(inquiry.ask(&position, interrupt::flag(), |now| show(now.nodes))?)
        });
        match found {
            Ok(answer) => {
                is_stopped = answer.end() == End::Stopped;
                answered += u64::from(!is_stopped);
                searched += answer.nodes().0;
                if !answer.is_proved() {
                    steps.extend(answer.help.first());
                }
                bar.suspend(|| {
                    output.text(answer::line(&answer));
                    output.json(&answer);
                });
            }
            Err(error) => {
                failed += 1;
                let failed = line.failed(inquiry.knowledge(), &error);
                bar.suspend(|| {
                    output.text(format_args!("{}: {}", line.text, failed.error.message));
                    output.json(&failed);
                });
            }
        }
    }
    bar.finish_and_clear();
    let count = |step: &Help| steps.iter().filter(|other| *other == step).count();
    if let Some(step) = steps.iter().max_by_key(|step| count(step)) {
        let open = format!("{} of {}", grouped(steps.len()), counted(answered, "position"));
        output::message(format_args!(
            "note: {open} are open.\n{}",
            help::after("Next:", step, dir)
        ));
    }
    if is_stopped || interrupt::requested() {
        let answered = counted(answered, "position");
        return Err(Failure::Interrupted(format!("{answered} analyzed")).into());
    }
    lines.check(answered, failed)
}
