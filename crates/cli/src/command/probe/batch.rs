//! `probe --batch`: a JSON object for the position on each line.

use std::path::Path;

use fanorona_knowledge::Knowledge;
use rayon::prelude::*;

use super::report::Report;
use crate::failure::Failure;
use crate::human::counted;
use crate::interrupt;
use crate::lines::{Line, Lines};
use crate::output::{self, JsonLines};

/// The most lines that are read before they are answered. With more lines, fewer blocks of a table
/// are decompressed twice.
const BATCH: usize = 1 << 14;

/// Answers all lines.
pub(super) fn run(knowledge: &Knowledge, file: &Path) -> anyhow::Result<()> {
    let mut lines = Lines::of_positions(file, knowledge.board(), knowledge.rules())?;
    let (mut answered, mut failed) = (0, 0);
    // Bad lines decide the exit status even if nobody reads the answers, so a file is read to its
    // end. Other inputs may have no end.
    while !output::is_lost() || lines.is_finite() {
        let batch = lines.next_batch(BATCH)?;
        if batch.is_empty() {
            break;
        }
        let positions: Vec<_> = batch.par_iter().map(Line::position).collect();
        let good: Vec<_> = positions.iter().flatten().copied().collect();
        let mut looks = knowledge.look_many(&good);
        let mut printed = JsonLines::default();
        for (line, position) in batch.iter().zip(positions) {
            let found = position.and_then(|position| {
                let look = looks.next().expect("as many looks as positions");
                Report::new(knowledge, &position, look)
            });
            match found {
                Ok(report) => {
                    answered += 1;
                    printed.add(&report);
                }
                Err(error) => {
                    failed += 1;
                    printed.add(&line.failed(knowledge, &error));
                }
            }
        }
    }
    if interrupt::requested() {
        let answered = counted(answered, "position");
        return Err(Failure::Interrupted(format!("{answered} answered")).into());
    }
    lines.check(answered, failed)
}
