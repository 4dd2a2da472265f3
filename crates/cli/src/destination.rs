//! Files that a command writes at its end. Whether they can be written is checked at its beginning.

use std::path::Path;

use anyhow::Context;
use fanorona_storage::{PartialKind, check_replaceable, same_file, write_atomically};

use crate::failure::Failure;

/// The name of files while they are written.
const PARTIAL: PartialKind = PartialKind::new("output");

/// A file to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Destination<'a> {
    /// What the file holds, with an article, as in "the report".
    pub what: &'static str,
    /// The option that names it.
    pub option: &'static str,
    pub path: &'a Path,
}

impl Destination<'_> {
    /// The message of a failure to write it.
    fn not_written(&self) -> String {
        format!("cannot write {} '{}'", self.what, self.path.display())
    }

    /// Checks that the file can be written, as far as that can be known beforehand.
    ///
    /// # Errors
    /// If it cannot.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        check_replaceable(self.path, PARTIAL).with_context(|| self.not_written())
    }

    /// Writes the file, or replaces it in one step.
    ///
    /// # Errors
    /// If that fails. An existing file is then unchanged.
    pub(crate) fn write(&self, bytes: &[u8]) -> anyhow::Result<()> {
        let written = write_atomically(self.path, PARTIAL, |out| {
            use std::io::Write;
            out.write_all(bytes)
        });
        written.with_context(|| self.not_written())
    }
}

/// Refuses two paths of the same file: one output would replace the other.
///
/// # Errors
/// If there are two.
pub(crate) fn check_distinct(all: &[Destination<'_>]) -> anyhow::Result<()> {
    for (i, first) in all.iter().enumerate() {
        for second in &all[i + 1..] {
            // A device can be written twice. Paths that cannot be resolved are refused elsewhere.
            let is_device = first.path.metadata().is_ok_and(|found| !found.is_file());
            if !is_device && same_file(first.path, second.path).unwrap_or(false) {
                return Err(Failure::input(format!(
                    "{} '{}' and {} '{}' are the same file; use two different files",
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
