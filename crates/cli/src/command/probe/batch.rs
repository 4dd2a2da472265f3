//! `probe --batch`: a JSON object for the position on each line.

use std::path::Path;

use fanorona_core::Position;
use fanorona_tablebase::Tables;
use rayon::prelude::*;
use serde::Serialize;

use super::report::{Report, TurnReport};
use crate::failure::{Failure, describe};
use crate::human::{counted, grouped};
use crate::interrupt;
use crate::lines::{Line, Lines};
use crate::output;

/// The most lines that are probed together. With more lines, fewer blocks of a table are
/// decompressed twice, but all answers are in memory until they are printed in their order.
const BATCH: usize = 1 << 14;

/// The answer for one line.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Report(Report),
    Error { position: String, error: String, line: u64 },
}

/// Answers all lines.
///
/// # Errors
/// If a line could not be answered, and after Ctrl-C.
pub(super) fn run(tables: &Tables, file: &Path) -> anyhow::Result<()> {
    let mut lines = Lines::open(file)?;
    let (mut answered, mut failed) = (0, 0);
    // Bad lines decide the exit status even if nobody reads the answers, so a file is read to its
    // end. Other inputs may have no end.
    while !output::is_lost() || lines.is_finite() {
        let batch = lines.next_batch(BATCH)?;
        if batch.is_empty() {
            break;
        }
        let answers = answers(tables, &batch);
        let bad = answers.iter().filter(|answer| matches!(answer, Answer::Error { .. })).count();
        failed += bad;
        answered += answers.len() - bad;
        output::print_json_lines(&answers);
    }
    if interrupt::requested() {
        let answered = counted(answered, "position");
        return Err(Failure::Interrupted(format!("{answered} answered")).into());
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

/// The answers for some lines, probed together.
fn answers(tables: &Tables, lines: &[Line]) -> Vec<Answer> {
    let positions: Vec<_> = lines.par_iter().map(Line::position).collect();
    let good: Vec<_> = positions.iter().flatten().copied().collect();
    let mut found = tables.probe_many(&good).into_iter().zip(tables.rank_many(&good));
    let mut answer = |position: Result<Position, String>| -> Result<Report, String> {
        let position = position?;
        let (value, ranking) = found.next().expect("as many answers as positions");
        let value = value.map_err(|error| describe(&error.into()))?.into();
        let ranking = ranking.map_err(|error| describe(&error.into()))?;
        Ok(Report { position, value, turns: TurnReport::list(&position, &ranking) })
    };
    let line = |(line, position): (&Line, _)| match answer(position) {
        Ok(report) => Answer::Report(report),
        Err(error) => Answer::Error { position: line.text.clone(), error, line: line.number },
    };
    lines.iter().zip(positions).map(line).collect()
}
