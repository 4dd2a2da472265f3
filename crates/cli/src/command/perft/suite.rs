//! `perft --suite`: checks the counts of suite files.

use std::path::{Path, PathBuf};

use anyhow::Context;
use fanorona_perft::suite::{self, Entry, Mismatch};
use fanorona_perft::{Count, LevelOptions};
use serde::Serialize;

use crate::failure::Failure;
use crate::files::read_text;
use crate::human::{counted, grouped};
use crate::interrupt;
use crate::options::Root;
use crate::output::Output;
use crate::progress::spinner;

#[derive(Serialize)]
struct Report {
    checked: usize,
    skipped: usize,
    failed: Vec<Failed>,
}

#[derive(Serialize)]
struct Failed {
    #[serde(flatten)]
    root: Root,
    id: String,
    depth: u8,
    expected: Count,
    found: Count,
}

/// The longest suite, in MiB.
const MAX_SUITE: u64 = 64;

/// Reads suite files.
pub(super) fn read(files: &[PathBuf]) -> anyhow::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for file in files {
        entries.extend(read_file(file)?);
    }
    Ok(entries)
}

fn read_file(file: &Path) -> anyhow::Result<Vec<Entry>> {
    let name = file.display();
    let text = read_text(file, MAX_SUITE)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    let entries = suite::parse(text).with_context(|| format!("'{name}' is not a suite"))?;
    if entries.is_empty() {
        return Err(Failure::input(format!("'{name}' has no entry to check")));
    }
    Ok(entries)
}

/// Checks the entries' counts up to `max_nodes`.
pub(super) fn run(
    output: Output,
    entries: &[Entry],
    max_nodes: Option<u128>,
) -> anyhow::Result<()> {
    let progress = spinner(String::new());
    let levels = LevelOptions::default();
    let found = suite::check(entries, max_nodes, &levels, interrupt::flag(), |entry| {
        progress.set_message(entry.id.clone());
    })?;
    progress.finish_and_clear();

    let mut report = Report { checked: found.checked, skipped: found.skipped, failed: Vec::new() };
    for Mismatch { entry, depth, expected, found, .. } in found.mismatches {
        let Entry { id, rules, position, counting, .. } = entry;
        output.text(format_args!(
            "{id}: {counting} at depth {depth} of '{position}', {rules}: expected {}, found {}",
            grouped(expected),
            grouped(found)
        ));
        let (expected, found) = (Count(expected), Count(found));
        let root = Root { board: position.board(), rules: *rules, position: *position };
        report.failed.push(Failed { root, id: id.clone(), depth, expected, found });
    }
    output.json(&report);
    let Report { checked: counts, skipped, failed } = &report;
    if found.unfinished > 0 && failed.is_empty() {
        let counts = counted(counts, "count");
        return Err(Failure::Interrupted(format!("{counts} checked, none differs")).into());
    }
    output.text(format_args!(
        "{} of {} checked, {} differ",
        counted(counts, "count"),
        counted(entries.len(), "position"),
        grouped(failed.len())
    ));
    if let Some(max_nodes) = max_nodes {
        let limit = grouped(max_nodes);
        output.text(format_args!("{} above {limit} skipped", counted(skipped, "count")));
    }
    if failed.is_empty() {
        Ok(())
    } else {
        let (failed, counts) = (grouped(failed.len()), counted(counts, "count"));
        Err(Failure::Check(format!("{failed} of {counts} differ")).into())
    }
}
