//! The next step that would help where an answer is open, or lacks a part.

use std::path::Path;

use fanorona_core::{Position, Stones, Value};
use fanorona_knowledge::{BuildPlan, LineEnd, Source};
use fanorona_solver::{Analysis, End};
use fanorona_tablebase::Metric;

use super::known::Sources;
use super::report::Report;
use super::step::Step;
use crate::advice;

/// No build is advised that takes longer, in seconds.
const LONGEST_BUILD: f64 = 900.0;

/// The memory hardly fills further.
const FULL: f64 = 0.9;

/// The options of a search that can be raised.
#[derive(Clone, Copy)]
pub(super) struct Means {
    /// Seconds.
    pub time: f64,
    /// MiB, if they were given.
    pub memory: Option<usize>,
}

/// The steps that would help, the best first. None if the answer lacks nothing.
pub(super) fn steps(
    sources: &Sources,
    dir: &Path,
    report: &Report,
    search: Option<(&Analysis, Means)>,
) -> anyhow::Result<Vec<Step>> {
    let mut steps = Vec::new();
    let value = report.assessment.value();
    let lacks_line = report.line_to_show.end == LineEnd::TableEdge
        && report.assessment.source == Some(Source::Proof);
    if report.book.is_some() && (value.is_none() || lacks_line) {
        steps.extend(tables_of_certificates(sources, dir, report)?);
    }
    if let Some(value) = value {
        let assessment = &report.assessment;
        let is_by_table = assessment.source == Some(Source::Table);
        if value != Value::Draw && is_by_table && assessment.dtw.is_none() {
            steps.extend(distances(dir, report));
        }
        return Ok(steps);
    }
    let Some((analysis, means)) = search else { return Ok(steps) };
    if analysis.end == End::Proved {
        return Ok(steps);
    }
    if steps.is_empty() {
        steps.extend(tables(dir, report));
    }
    if analysis.search.memory_filled >= FULL {
        let now = means.memory.map_or(String::new(), |memory| format!(", now {memory} MiB"));
        steps.push(Step::new(format!("more memory for the search (--memory{now}), which is full")));
    }
    match analysis.end {
        End::Time => {
            let more = (means.time * 10.0).max(10.0);
            steps.push(Step::new(format!("more time for the search (--time {more})")));
        }
        End::Nodes => steps.push(Step::new("more positions for the search (--nodes)".to_owned())),
        _ => {}
    }
    Ok(steps)
}

/// The tables that the certificates end in, if they are missing.
fn tables_of_certificates(
    sources: &Sources,
    dir: &Path,
    report: &Report,
) -> anyhow::Result<Option<Step>> {
    let Some(missing) = sources.missing_tables()? else { return Ok(None) };
    let stones = missing.stones();
    let plan = BuildPlan::with_metric(dir, missing.board, missing.rules, stones, missing.metric);
    let why = match report.assessment.value().is_some() {
        true => "to see the whole line, build the tables",
        false => "the certificate knows more with the tables",
    };
    let advice = format!("{why} that it ends in, to {stones} stones");
    Ok(Some(match plan.filter(|plan| plan.fits_here) {
        Some(plan) => Step::build(&advice, &plan, dir),
        None => {
            let how = advice::about_missing(&missing, Some(dir));
            Step::new(format!("{advice}; {how}"))
        }
    }))
}

/// Tables that would answer, or help the search.
fn tables(dir: &Path, report: &Report) -> Option<Step> {
    let (board, rules) = (report.root.board, report.root.rules);
    let stones = stones(&report.root.position);
    let plans = (2..=stones).map_while(|stones| BuildPlan::new(dir, board, rules, stones));
    let plan = largest_missing(plans)?;
    let advice = match plan.stones == stones {
        true => format!("tables to {stones} stones hold this position"),
        false => format!("tables to {} stones help the search", plan.stones),
    };
    Some(Step::build(&advice, &plan, dir))
}

/// The last of some plans, each larger than the one before, that can be carried out and builds
/// something.
fn largest_missing(plans: impl Iterator<Item = BuildPlan>) -> Option<BuildPlan> {
    let possible = plans.take_while(|plan| plan.fits_here && plan.seconds <= LONGEST_BUILD);
    possible.filter(|plan| plan.disk_bytes > 0).last()
}

/// Tables with the distance of a position that tables without distances hold.
fn distances(dir: &Path, report: &Report) -> Option<Step> {
    let (board, rules, stones) =
        (report.root.board, report.root.rules, stones(&report.root.position));
    let plan = BuildPlan::with_metric(dir, board, rules, stones, Metric::Dtw)?;
    let is_possible = plan.fits_here && plan.seconds <= LONGEST_BUILD;
    is_possible.then(|| Step::build("to see in how many turns, build distances", &plan, dir))
}

fn stones(position: &Position) -> u32 {
    Stones::of(position).count()
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
