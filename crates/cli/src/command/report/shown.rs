//! The contents of the page for each table.

use fanorona_core::Position;
use fanorona_tablebase::{Metric, TableError, TableFile, TableKey, Tables};

use crate::command::probe::in_words;
use crate::command::slice_report::{Distances, Longest, SliceReport};

/// A slice as the page shows it.
pub(super) struct Shown {
    /// Its name.
    pub slice: String,
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
        let key = table.metadata().key();
        let richer = TableKey { metric: Metric::Dtw, ..key };
        key == richer || found.iter().all(|other| other.metadata().key() != richer)
    })
}

/// The contents of the page for a table.
pub(super) fn show(tables: &Tables, table: &TableFile) -> Result<Shown, TableError> {
    let report = SliceReport::new(table, &tables.rules());
    let longest = report.distances.iter().flat_map(Distances::longest).map(|end| {
        let line = best_line(tables, end.position)?;
        Ok(LongestLine { end, line })
    });
    let longest = longest.collect::<Result<_, TableError>>()?;
    Ok(Shown { slice: report.name(), report, longest })
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

/// How the header of a table contradicts its values, if it does: the position that it gives for the
/// longest win or loss has another value.
pub(super) fn contradiction(tables: &Tables, shown: &Shown) -> Result<Option<String>, TableError> {
    for LongestLine { end: Longest { value, distance, position }, .. } in &shown.longest {
        let found = match tables.probe_metric(position, Metric::Dtw) {
            // Its turns are captures that lead to other tables.
            Err(TableError::Missing { .. }) => continue,
            found => found?,
        };
        if (found.value, found.dtw) != (*value, Some(*distance)) {
            let (header, probed) =
                (in_words(*value, Some(*distance)), in_words(found.value, found.dtw));
            return Ok(Some(format!(
                "the table {} contradicts itself: in its header {position} is a {header}, and by \
                 its values a {probed}; delete it and build it again",
                shown.slice
            )));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use fanorona_core::RuleSet;
    use fanorona_tablebase::{BuildOptions, build};

    use super::*;

    #[test]
    fn headers_that_contradict_their_tables_are_noticed() {
        let dir = tempfile::tempdir().expect("a directory");
        let (board, rules) = ("5x3".parse().expect("a board"), RuleSet::STANDARD);
        let options = BuildOptions::new(dir.path(), board, rules, 3);
        build(&options, &(), &AtomicBool::new(false)).expect("it builds");
        let tables = Tables::open(dir.path(), board, rules).expect("it is there");
        for table in tables.all().expect("they are whole") {
            let shown = || show(&tables, table).expect("it can be read");
            let problem = |shown| contradiction(&tables, &shown).expect("it can be read");
            assert_eq!(problem(shown()), None);

            let mut longer = shown();
            longer.longest[1].end.distance += 2;
            let message = problem(longer).expect("it is longer than it is");
            assert!(message.contains(&table.metadata().slice.to_string()), "{message}");
            let mut swapped = shown();
            let [win, loss] = &mut swapped.longest[..] else { panic!("a win and a loss") };
            std::mem::swap(&mut win.end.position, &mut loss.end.position);
            assert!(problem(swapped).is_some());
        }
    }
}
