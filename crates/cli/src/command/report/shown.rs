//! The contents of the page for each table.

use fanorona_core::Position;
use fanorona_tablebase::{Metric, Slice, TableError, TableFile, Tables};

use crate::command::slice_report::{Distances, Longest, SliceReport};

/// A slice as the page shows it.
pub(super) struct Shown {
    pub slice: Slice,
    pub report: SliceReport,
    pub longest: Vec<LongestLine>,
}

/// A position with the longest win or loss, and best play from there.
pub(super) struct LongestLine {
    pub end: Longest,
    pub line: Line,
}

/// Best play from a position.
pub(super) struct Line {
    pub turns: Vec<String>,
    /// Whether it continues in slices that have no table of distances here.
    pub cut: bool,
}

/// One table of each slice: the one with distances, if there are two.
pub(super) fn richest<'t>(found: &'t [&'t TableFile]) -> impl Iterator<Item = &'t TableFile> {
    found.iter().copied().filter(|table| {
        let (slice, metric) = (table.metadata().slice, table.metadata().metric);
        let has_distances = |other: &&TableFile| other.metadata().metric == Metric::Dtw;
        let mut same = found.iter().filter(|other| other.metadata().slice == slice);
        metric == Metric::Dtw || !same.any(has_distances)
    })
}

/// The contents of the page for a table.
pub(super) fn show(tables: &Tables, table: &TableFile) -> Result<Shown, TableError> {
    let report = SliceReport::new(table);
    let longest = report.distances.iter().flat_map(Distances::longest).map(|end| {
        let line = best_line(tables, end.position)?;
        Ok(LongestLine { end, line })
    });
    let longest = longest.collect::<Result<_, TableError>>()?;
    Ok(Shown { slice: table.metadata().slice, report, longest })
}

/// Play in which each side takes the first of its best turns: the winner hurries and the loser
/// delays.
fn best_line(tables: &Tables, mut position: Position) -> Result<Line, TableError> {
    let mut line = Line { turns: Vec::new(), cut: false };
    loop {
        let ranked = match tables.rank(&position) {
            Ok(ranked) => ranked,
            Err(TableError::Missing { .. }) => return Ok(Line { cut: true, ..line }),
            Err(error) => return Err(error),
        };
        let Some(best) = ranked.first() else { return Ok(line) };
        // Without distances, play might never end.
        if best.value.dtw.is_none() {
            return Ok(Line { cut: true, ..line });
        }
        line.turns.push(best.turn.text(position.board()).to_string());
        position = best.after;
    }
}
