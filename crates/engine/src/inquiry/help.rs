//! Steps that would tell more, where an answer is open or lacks a part.

use std::path::Path;

use fanorona_core::{Stones, Value};
use fanorona_knowledge::{BuildPlan, Knowledge, LineEnd, Source};
use fanorona_solver::{DEFAULT_TIME, End};
use fanorona_tablebase::Metric;

use super::answer::{Answer, Help, Purpose};
use super::means::Means;
use crate::error::EngineError;

/// No build is advised that takes longer, in seconds, except for the tables of a certificate.
const LONGEST_BUILD: f64 = 900.0;

/// The memory hardly fills further.
const FULL: f64 = 0.9;

/// The steps that would help with an answer, the best first. None if it lacks nothing.
pub(super) fn help(
    answer: &Answer,
    known: &Knowledge,
    means: &Means,
) -> Result<Vec<Help>, EngineError> {
    let mut help = Vec::new();
    let assessment = answer.assessment();
    let dir = means.build_in.as_deref();
    let lacks_line =
        answer.line.end == LineEnd::TableEdge && assessment.source == Some(Source::Proof);
    if let (Some(dir), Some(_)) = (dir, &answer.certified)
        && (!answer.is_proved() || lacks_line)
    {
        help.extend(tables_of_certificates(answer, known, dir)?);
    }
    if let Some(value) = assessment.value() {
        let is_by_table = assessment.source == Some(Source::Table);
        if value != Value::Draw && is_by_table && assessment.dtw.is_none() {
            help.extend(dir.and_then(|dir| distances(answer, dir)));
        }
        return Ok(help);
    }
    let Some(analysis) = answer.search.as_ref().filter(|found| found.end != End::Proved) else {
        return Ok(help);
    };
    if let (Some(dir), []) = (dir, &help[..]) {
        help.extend(tables(answer, dir));
    }
    if analysis.search.memory_filled >= FULL {
        help.push(Help::Memory { bytes: means.memory });
    }
    match analysis.end {
        End::Time => {
            let time = means.time.unwrap_or(DEFAULT_TIME).as_secs_f64();
            help.push(Help::Time { seconds: (10.0 * time).max(10.0) });
        }
        End::Nodes => help.push(Help::Nodes),
        _ => {}
    }
    Ok(help)
}

/// The tables that the certificates end in, if some are missing.
fn tables_of_certificates(
    answer: &Answer,
    known: &Knowledge,
    dir: &Path,
) -> Result<Option<Help>, EngineError> {
    let Some(missing) = known.missing_of_book()? else { return Ok(None) };
    let (stones, metric) = (missing.stones(), missing.metric);
    let plan = BuildPlan::with_metric(dir, missing.board, missing.rules, stones, metric);
    let purpose = if answer.is_proved() { Purpose::Line } else { Purpose::Certificate };
    Ok(plan.map(|plan| Help::Tables { purpose, plan }))
}

/// Tables that would answer, or help the search.
fn tables(answer: &Answer, dir: &Path) -> Option<Help> {
    let stones = stones(answer);
    let plan = |stones| BuildPlan::new(dir, answer.look.position.board(), answer.rules, stones);
    let plan = largest_missing((2..=stones).map_while(plan))?;
    let purpose = if plan.stones == stones { Purpose::Position } else { Purpose::Search };
    Some(Help::Tables { purpose, plan })
}

/// The last of some plans, each larger than the one before, that can be carried out and builds
/// something.
fn largest_missing(plans: impl Iterator<Item = BuildPlan>) -> Option<BuildPlan> {
    let possible = plans.take_while(|plan| plan.fits_here && plan.seconds <= LONGEST_BUILD);
    possible.filter(|plan| plan.disk_bytes > 0).last()
}

/// Tables with the distance of a position that tables without distances hold.
fn distances(answer: &Answer, dir: &Path) -> Option<Help> {
    let (board, stones) = (answer.look.position.board(), stones(answer));
    let plan = BuildPlan::with_metric(dir, board, answer.rules, stones, Metric::Dtw)?;
    let is_possible = plan.fits_here && plan.seconds <= LONGEST_BUILD;
    is_possible.then_some(Help::Tables { purpose: Purpose::Distance, plan })
}

fn stones(answer: &Answer) -> u32 {
    Stones::of(&answer.look.position).count()
}

#[cfg(test)]
mod tests {
    use fanorona_core::{Board, RuleSet};

    use super::*;

    /// A plan for each number of stones from 2: the bytes that are missing, the seconds, and whether
    /// there is room.
    fn advised(plans: &[(u64, f64, bool)]) -> Option<u32> {
        let plan = |(stones, (disk_bytes, seconds, fits_here)): (_, &(u64, f64, bool))| BuildPlan {
            board: Board::tsivy(),
            rules: RuleSet::STANDARD,
            stones,
            metric: Metric::Wdl,
            memory_bytes: 1 << 20,
            disk_bytes: *disk_bytes,
            seconds: *seconds,
            fits_here: *fits_here,
        };
        largest_missing((2..).zip(plans).map(plan)).map(|plan| plan.stones)
    }

    #[test]
    fn only_tables_that_are_missing_and_possible_are_advised() {
        let (there, short) = ((0, 0.0, true), (9, 1.0, true));
        let (long, large) = ((9, LONGEST_BUILD * 1.01, true), (9, 1.0, false));
        assert_eq!(advised(&[there, there, there]), None);
        assert_eq!(advised(&[there, short, short]), Some(4));
        assert_eq!(advised(&[short, (9, LONGEST_BUILD, true), long]), Some(3));
        assert_eq!(advised(&[there, short, large, short]), Some(3));
        assert_eq!(advised(&[there, there, long]), None);
        assert_eq!(advised(&[there, large]), None);
        assert_eq!(advised(&[]), None);
    }
}
