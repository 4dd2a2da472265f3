//! `perft --suite`: the counts of suite files, checked.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use fanorona_perft::suite::{Entry, parse};
use fanorona_perft::{Counting, parallel_perft};
use rayon::prelude::*;
use serde::Serialize;

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

/// Checks the files' counts up to `max_nodes`.
pub(super) fn run(
    output: Output,
    files: &[PathBuf],
    max_nodes: Option<u128>,
) -> anyhow::Result<()> {
    let mut entries = Vec::new();
    for file in files {
        entries.extend(read(file)?);
    }
    let mut report = Report::default();
    let checked = check(output, &entries, max_nodes, &mut report)?;

    output.json(&report)?;
    let Report { checked: counts, skipped, failed } = &report;
    if checked.is_none() {
        return Err(Failure::Interrupted(format!("{counts} counts were checked")).into());
    }
    output.text(format_args!(
        "{counts} counts of {} positions checked, {} differ",
        entries.len(),
        failed.len()
    ))?;
    if let Some(max_nodes) = max_nodes {
        output.text(format_args!("{skipped} counts above {max_nodes} skipped"))?;
    }
    if failed.is_empty() {
        Ok(())
    } else {
        Err(Failure::Check(format!("{} of {counts} counts differ", failed.len())).into())
    }
}

fn read(file: &Path) -> anyhow::Result<Vec<Entry>> {
    let name = file.display();
    let text = fs::read_to_string(file).with_context(|| format!("'{name}' cannot be read"))?;
    let entries =
        parse(&text).map_err(|error| Failure::input(format!("{name}, not a suite: {error}")))?;
    if entries.is_empty() {
        return Err(Failure::input(format!("{name} has no entry to check")));
    }
    Ok(entries)
}

/// Fills the report and tells each count that differs, in the order of the files; `None` if
/// interrupted.
fn check(
    output: Output,
    entries: &[Entry],
    max_nodes: Option<u128>,
    report: &mut Report,
) -> anyhow::Result<Option<()>> {
    let all = entries.iter().flat_map(|entry| {
        entry.counts.iter().map(move |(&depth, &expected)| (entry, depth, expected))
    });
    let is_wanted = |&(_, _, expected): &(_, _, u128)| max_nodes.is_none_or(|max| expected <= max);
    let (wanted, skipped): (Vec<_>, Vec<_>) = all.partition(is_wanted);
    report.skipped = skipped.len();

    let progress = spinner(String::new());
    let count = |&(entry, depth, _): &(&Entry, u32, u128)| {
        progress.set_message(entry.id.clone());
        let Entry { rules, position, counting, .. } = entry;
        Ok(parallel_perft(rules, position, depth, *counting, interrupt::flag())?)
    };
    let is_unique = |(entry, ..): &(&Entry, u32, u128)| entry.counting == Counting::Unique;
    let counted = wanted.par_iter().map(|it| if is_unique(it) { Ok(None) } else { count(it) });
    let mut counted: Vec<Option<u128>> = counted.collect::<anyhow::Result<_>>()?;
    // Unique positions take all threads, and much memory: these counts come one after the other.
    for (it, found) in wanted.iter().zip(&mut counted).filter(|(it, _)| is_unique(it)) {
        *found = count(it)?;
    }
    progress.finish_and_clear();

    report.checked = counted.iter().flatten().count();
    for (&(entry, depth, expected), found) in wanted.iter().zip(&counted) {
        let Entry { id, rules, position, counting, .. } = entry;
        if let Some(found) = found.filter(|found| *found != expected) {
            output.text(format_args!(
                "{id}: {counting} at depth {depth} of '{position}', {rules}: expected {expected}, \
                 found {found}"
            ))?;
            let (expected, found) = (Count(expected), Count(found));
            report.failed.push(Failed { id: id.clone(), depth, expected, found });
        }
    }
    Ok(counted.iter().all(Option::is_some).then_some(()))
}
