//! `analyze --batch`: one position a line.

use std::path::Path;

use fanorona_core::Position;
use fanorona_solver::{Analysis, End, Solver};
use fanorona_tablebase::Tables;
use indicatif::ProgressBar;
use serde::Serialize;

use super::report::Report;
use super::{Analyze, show};
use crate::failure::Failure;
use crate::interrupt;
use crate::lines::{Line, Lines};
use crate::options::Root;
use crate::output::{self, spinner};

#[derive(Serialize)]
struct LineError {
    position: String,
    error: String,
    line: u64,
}

/// Answers each line as it comes.
///
/// # Errors
/// If a line could not be answered, and after Ctrl-C.
pub(super) fn run(
    command: &Analyze,
    root: &Root,
    tables: Option<&Tables>,
    file: &Path,
) -> anyhow::Result<()> {
    let output = command.common.output();
    let mut lines = Lines::open(file)?;
    let mut solver = command.solver(root.rules, root.board, tables)?;
    let bar = spinner("searching".to_owned());
    let (mut answered, mut failed) = (0u64, 0u64);
    let mut is_stopped = false;
    // Without a reader, nobody wants the rest.
    while !is_stopped && !output::is_lost() {
        let Some(line) = lines.next_line()? else { break };
        match answer(command, &mut solver, &line, &bar) {
            Ok((position, analysis)) => {
                is_stopped = analysis.end == End::Stopped;
                answered += u64::from(!is_stopped);
                let report = Report::new(&position, &analysis);
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
        return Err(Failure::Interrupted(format!("{answered} positions were analyzed")).into());
    }
    if failed > 0 {
        return Err(Failure::input(format!(
            "{failed} of {} positions of {} could not be analyzed; their lines say why",
            answered + failed,
            lines.name()
        )));
    }
    Ok(())
}

/// The answer for a line, or why there is none.
fn answer(
    command: &Analyze,
    solver: &mut Solver<'_>,
    line: &Line,
    bar: &ProgressBar,
) -> Result<(Position, Analysis), String> {
    let position = line.position()?;
    let (limits, stop) = (command.limits(), interrupt::flag());
    let analysis = solver.analyze(&position, &limits, stop, |now| show(bar, now));
    analysis.map(|analysis| (position, analysis)).map_err(|error| error.to_string())
}
