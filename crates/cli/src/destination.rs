//! Files that a command writes; `-` is standard output. Whether those that are written at its end can
//! be written is checked at its beginning.

use std::fmt;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use fanorona_storage::{AtomicFile, PartialKind, same_file, write_atomically};

use crate::failure::Failure;
use crate::output::{self, Output};

/// The name of files while they are written.
const PARTIAL: PartialKind = PartialKind::new("output");

/// A file to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Destination<'a> {
    /// The contents of the file, with an article, as in "the chart".
    pub what: &'static str,
    /// The option that names it.
    pub option: &'static str,
    pub path: &'a Path,
}

impl<'a> Destination<'a> {
    /// The file of an option, if that was given.
    pub(crate) fn of(
        what: &'static str,
        option: &'static str,
        path: &'a Option<PathBuf>,
    ) -> Option<Self> {
        Some(Self { what, option, path: path.as_deref()? })
    }

    pub(crate) fn is_standard_output(&self) -> bool {
        self.path == Path::new("-")
    }

    /// Its name, for messages.
    pub(crate) fn name(&self) -> impl fmt::Display {
        if self.is_standard_output() { Path::new("standard output") } else { self.path }.display()
    }

    /// The message of a failure to write it.
    pub(crate) fn not_written(&self) -> String {
        format!("cannot write {} '{}'", self.what, self.path.display())
    }

    /// Creates or replaces the file, for texts that are written bit by bit and stay if the program ends.
    pub(crate) fn begin(&self) -> anyhow::Result<Box<dyn Write + Send>> {
        if self.is_standard_output() {
            return Ok(Box::new(StandardOutput));
        }
        Ok(Box::new(File::create(self.path).with_context(|| self.not_written())?))
    }

    /// Checks that the file can be written, as far as that can be known beforehand.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        if self.is_standard_output() {
            return Ok(());
        }
        AtomicFile::create(self.path, PARTIAL).map(drop).with_context(|| self.not_written())
    }

    /// Writes the file with what `fill` writes, bit by bit, or replaces it in one step. If that fails, an
    /// existing file is unchanged.
    pub(crate) fn stream<T>(
        &self,
        fill: impl FnOnce(&mut (dyn Write + Send)) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        if self.is_standard_output() {
            return fill(&mut StandardOutput);
        }
        let file = AtomicFile::create(self.path, PARTIAL).with_context(|| self.not_written())?;
        let mut file = BufWriter::new(file);
        let result = fill(&mut file)?;
        let file = file.into_inner().map_err(io::IntoInnerError::into_error);
        file.with_context(|| self.not_written())?.commit().with_context(|| self.not_written())?;
        Ok(result)
    }

    /// Writes the file, or replaces it in one step. If that fails, an existing file is unchanged.
    pub(crate) fn write(&self, bytes: &[u8]) -> anyhow::Result<()> {
        if self.is_standard_output() {
            output::print(bytes);
            return Ok(());
        }
        let written = write_atomically(self.path, PARTIAL, |out| out.write_all(bytes));
        written.with_context(|| self.not_written())
    }
}

/// Standard output, whose errors the program reports at its end.
struct StandardOutput;

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        output::print(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where a command prints that writes these files: not where one of them goes. Refuses two that are the
/// same, and one that would be written where JSON is printed.
pub(crate) fn output_beside(output: Output, files: &[Destination<'_>]) -> anyhow::Result<Output> {
    check_distinct(files)?;
    match files.iter().find(|file| file.is_standard_output()) {
        None => Ok(output),
        Some(file) if output == Output::Json => Err(Failure::input(format!(
            "{} - and --json would both write to standard output; name a file",
            file.option
        ))),
        Some(_) => Ok(Output::Aside),
    }
}

/// Refuses two paths of the same file: one output would replace the other.
fn check_distinct(all: &[Destination<'_>]) -> anyhow::Result<()> {
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
