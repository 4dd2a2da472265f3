//! `perft --suite`: checks the counts of suite files.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use fanorona_perft::suite::{Entry, parse};
use fanorona_perft::{Counting, parallel_perft};
use rayon::prelude::*;
use serde::Serialize;

use super::counter::uncountable;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::{Count, Output, spinner};

#[derive(Default, Serialize)]
struct Report {
    checked: usize,
    skipped: usize,
    failed: Vec<Failed>,
}

#[derive(Serialize)]
struct Failed {
    id: String,
    depth: u32,
    expected: Count,
    found: Count,
}

/// A count of an entry.
#[derive(Clone, Copy)]
struct Expected<'e> {
    entry: &'e Entry,
    depth: u32,
    nodes: u128,
}

impl Expected<'_> {
    fn is_unique(&self) -> bool {
        self.entry.counting == Counting::Unique
    }
}

/// Whether everything was done.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Completion {
    Finished,
    Interrupted,
}

/// Reads suite files.
///
/// # Errors
/// If one cannot be read, is no suite, or has no entry.
pub(super) fn read(files: &[PathBuf]) -> anyhow::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for file in files {
        entries.extend(read_file(file)?);
    }
    Ok(entries)
}

fn read_file(file: &Path) -> anyhow::Result<Vec<Entry>> {
    let name = file.display();
    let text = fs::read_to_string(file).with_context(|| format!("'{name}' cannot be read"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let entries =
        parse(text).map_err(|error| Failure::input(format!("{name}, not a suite: {error}")))?;
    if entries.is_empty() {
        return Err(Failure::input(format!("{name} has no entry to check")));
    }
    Ok(entries)
}

/// Checks the entries' counts up to `max_nodes`.
///
/// # Errors
/// If a count differs, or after Ctrl-C.
pub(super) fn run(
    output: Output,
    entries: &[Entry],
    max_nodes: Option<u128>,
) -> anyhow::Result<()> {
    let mut report = Report::default();
    let completion = check(output, entries, max_nodes, &mut report)?;

    output.json(&report);
    let Report { checked: counts, skipped, failed } = &report;
    if completion == Completion::Interrupted && failed.is_empty() {
        return Err(Failure::Interrupted(format!("{counts} counts were checked")).into());
    }
    output.text(format_args!(
        "{counts} counts of {} positions checked, {} differ",
        entries.len(),
        failed.len()
    ));
    if let Some(max_nodes) = max_nodes {
        output.text(format_args!("{skipped} counts above {max_nodes} skipped"));
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Failure::Check(format!("{} of {counts} counts differ", failed.len())).into())
    }
}

/// Fills the report and prints each count that differs, in the order of the files.
fn check(
    output: Output,
    entries: &[Entry],
    max_nodes: Option<u128>,
    report: &mut Report,
) -> anyhow::Result<Completion> {
    let all = entries.iter().flat_map(|entry| {
        entry.counts.iter().map(move |(&depth, &nodes)| Expected { entry, depth, nodes })
    });
    let is_wanted = |expected: &Expected<'_>| max_nodes.is_none_or(|max| expected.nodes <= max);
    let (wanted, skipped): (Vec<_>, Vec<_>) = all.partition(is_wanted);
    report.skipped = skipped.len();

    let progress = spinner(String::new());
    let count = |&Expected { entry, depth, .. }: &Expected<'_>| {
        progress.set_message(entry.id.clone());
        let Entry { id, rules, position, counting, .. } = entry;
        let found = parallel_perft(rules, position, depth, *counting, interrupt::flag())?;
        if found == Some(u128::MAX) {
            return Err(Failure::input(format!("{id}: {}", uncountable(depth))));
        }
        Ok(found)
    };
    let counted = wanted.par_iter().map(|it| if it.is_unique() { Ok(None) } else { count(it) });
    let mut counted: Vec<Option<u128>> = counted.collect::<anyhow::Result<_>>()?;
    // Unique positions take all threads, and much memory: these counts come one after the other.
    for (it, found) in wanted.iter().zip(&mut counted).filter(|(it, _)| it.is_unique()) {
        *found = count(it)?;
    }
    progress.finish_and_clear();

    report.checked = counted.iter().flatten().count();
    for (&Expected { entry, depth, nodes: expected }, found) in wanted.iter().zip(&counted) {
        let Entry { id, rules, position, counting, .. } = entry;
        if let Some(found) = found.filter(|found| *found != expected) {
            output.text(format_args!(
                "{id}: {counting} at depth {depth} of '{position}', {rules}: expected {expected}, \
                 found {found}"
            ));
            let (expected, found) = (Count(expected), Count(found));
            report.failed.push(Failed { id: id.clone(), depth, expected, found });
        }
    }
    let is_finished = counted.iter().all(Option::is_some);
    Ok(if is_finished { Completion::Finished } else { Completion::Interrupted })
}
