//! Files that a command writes when its work is done. They are checked before the work begins.

use std::path::Path;

use anyhow::Context;
use fanorona_storage::{PartialKind, check_replaceable, same_file, write_atomically};

use crate::failure::Failure;

/// Names files that are being written.
const PARTIAL: PartialKind = PartialKind::new("output");

/// A file to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Destination<'a> {
    /// What it is to hold, with an article, as in "the report".
    pub what: &'static str,
    /// The option that names it.
    pub option: &'static str,
    pub path: &'a Path,
}

impl Destination<'_> {
    /// The message of a failure to write it.
    pub(crate) fn not_written(&self) -> String {
        format!("{} '{}' cannot be written", self.what, self.path.display())
    }

    /// Checks that it can be written, as far as that can be known beforehand.
    ///
    /// # Errors
    /// If it cannot.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        check_replaceable(self.path, PARTIAL).with_context(|| self.not_written())
    }

    /// Replaces it in one step.
    ///
    /// # Errors
    /// If that fails. What was there is kept.
    pub(crate) fn write(&self, bytes: &[u8]) -> anyhow::Result<()> {
        let written = write_atomically(self.path, PARTIAL, |out| {
            use std::io::Write;
            out.write_all(bytes)
        });
        written.with_context(|| self.not_written())
    }
}

/// Refuses two files that are one, however they are named: one would replace the other.
///
/// # Errors
/// If two are one.
pub(crate) fn check_distinct(all: &[Destination<'_>]) -> anyhow::Result<()> {
    for (i, first) in all.iter().enumerate() {
        for second in &all[i + 1..] {
            // A device can be written twice. What cannot be followed is refused elsewhere.
            let is_device = first.path.metadata().is_ok_and(|found| !found.is_file());
            if !is_device && same_file(first.path, second.path).unwrap_or(false) {
                return Err(Failure::input(format!(
                    "{} '{}' and {} '{}' are the same file: name two different ones",
                    first.option,
                    first.path.display(),
                    second.option,
                    second.path.display()
                )));
            }
        }
    }
    Ok(())
}
