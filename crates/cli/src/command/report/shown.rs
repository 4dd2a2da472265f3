//! The contents of the page for each table.

use fanorona_knowledge::{Assessment, Knowledge, KnowledgeError, SliceStatistics, Source};
use fanorona_tablebase::{Metric, TableError, TableFile, TableKey, TableValue, Tables};

use crate::command::slice_report::{Longest, SliceReport};

/// A slice as the page shows it.
pub(super) struct Shown {
    pub report: SliceReport,
    pub longest: Vec<LongestLine>,
}

/// A position with the longest win or loss, and best play from there.
pub(super) struct LongestLine {
    pub end: Longest,
    /// As far as the distances are known here.
    pub turns: Vec<String>,
}

impl Shown {
    pub(super) fn statistics(&self) -> &SliceStatistics {
        &self.report.statistics
    }
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
pub(super) fn show(knowledge: &Knowledge, table: &TableFile) -> Result<Shown, KnowledgeError> {
    let report = SliceReport::new(table, &knowledge.rules());
    let longest = report.longest().map(|end| {
        let line = knowledge.line(&end.position, end.distance.into())?.line;
        // Without distances, play might never end.
        let known = line.iter().take_while(|turn| turn.assessment.dtw.is_some());
        let turns = known.map(|turn| turn.turn.text(knowledge.board()).to_string()).collect();
        Ok(LongestLine { end, turns })
    });
    let longest = longest.collect::<Result<_, KnowledgeError>>()?;
    Ok(Shown { report, longest })
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
        let header = TableValue { value: *value, dtw: Some(*distance) };
        if found != header {
            let [header, probed] =
                [header, found].map(|value| Assessment::exact(value, Source::Table));
            return Ok(Some(format!(
                "the table {} contradicts itself: in its header {position} is a {header}, and by \
                 its values a {probed}; delete it and build it again",
                shown.statistics().slice
            )));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
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
        let tables = Arc::new(Tables::open(dir.path(), board, rules).expect("it is there"));
        let knowledge = Knowledge::new(board, rules, Some(tables.clone()), None).expect("one game");
        for table in tables.all().expect("they are whole") {
            let shown = || show(&knowledge, table).expect("it can be read");
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
