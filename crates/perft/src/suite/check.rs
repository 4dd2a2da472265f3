//! Checking the counts of a suite.

use std::sync::atomic::AtomicBool;

use rayon::prelude::*;

use super::parse::Entry;
use crate::counting::Counting;
use crate::levels::{LevelError, LevelOptions, Levels};
use crate::node::PerftNode;
use crate::parallel::ParallelPerft;

/// A count that differs from the suite's.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct Mismatch<'a> {
    pub entry: &'a Entry,
    pub depth: u8,
    pub expected: u128,
    pub found: u128,
}

/// The result of [`check`].
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Report<'a> {
    /// The number of counts that were compared.
    pub checked: usize,
    /// The number of counts that were too large to be checked.
    pub skipped: usize,
    /// The number of counts that were left when the check was stopped.
    pub unfinished: usize,
    /// The counts that differ, in the order of the entries, then by depth.
    pub mismatches: Vec<Mismatch<'a>>,
}

impl Report<'_> {
    /// Whether all requested counts were compared and are right.
    pub fn is_good(&self) -> bool {
        self.unfinished == 0 && self.mismatches.is_empty()
    }
}

/// Counts what the entries say, on all threads of the current rayon pool, until it is done or
/// `stop` is set. Counts above `max_nodes` are left out. `levels` has the memory and the directory
/// for unique positions. `progress` is called with each entry before one of its counts, from any thread.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use fanorona_perft::{LevelOptions, suite};
/// let text = "id one\nrules standard\ncount turns\nposition 3/1W1/2B w\nperft 1 1\nperft 2 1\n";
/// let entries = suite::parse(text)?;
/// let stop = AtomicBool::new(false);
/// let report = suite::check(&entries, None, &LevelOptions::default(), &stop, |_| {})?;
/// assert_eq!((report.checked, report.mismatches.len()), (2, 1));
/// // The capture at depth 1 ends the game.
/// assert_eq!(report.mismatches[0].found, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If unique positions cannot be sorted on disk.
pub fn check<'a>(
    entries: &'a [Entry],
    max_nodes: Option<u128>,
    levels: &LevelOptions,
    stop: &AtomicBool,
    progress: impl Fn(&Entry) + Sync,
) -> Result<Report<'a>, LevelError> {
    let mut report = Report { checked: 0, skipped: 0, unfinished: 0, mismatches: Vec::new() };
    let mut wanted = Vec::new();
    for entry in entries {
        for (&depth, &expected) in &entry.counts {
            if max_nodes.is_some_and(|most| expected > most) {
                report.skipped += 1;
            } else {
                wanted.push((entry, depth, expected));
            }
        }
    }

    let mut found: Vec<Option<u128>> = wanted
        .par_iter()
        .map(|&(entry, depth, _)| {
            if entry.counting == Counting::Unique {
                return None;
            }
            progress(entry);
            let perft = ParallelPerft::new(&entry.rules, entry.counting, stop);
            perft.count(&PerftNode::new(&entry.position), depth)
        })
        .collect();
    // Unique positions take all threads, and much memory: these counts come one after the other.
    for (&(entry, depth, _), found) in wanted.iter().zip(&mut found) {
        if entry.counting == Counting::Unique {
            progress(entry);
            let mut levels = Levels::new(&entry.rules, &entry.position, levels);
            *found = levels.size_at(depth.into(), stop)?.map(|size| size.positions);
        }
    }

    for ((entry, depth, expected), found) in wanted.into_iter().zip(found) {
        let Some(found) = found else {
            report.unfinished += 1;
            continue;
        };
        report.checked += 1;
        if found != expected {
            report.mismatches.push(Mismatch { entry, depth, expected, found });
        }
    }
    Ok(report)
}
