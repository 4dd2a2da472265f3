//! Certificates that answer.

use std::path::{Path, PathBuf};

use clap::Args;

/// The certificates that a command asks.
#[derive(Debug, Args)]
pub(crate) struct BookOptions {
    /// Certificates to use in place of the built-in ones; 'none' for none
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub book: Vec<PathBuf>,
}

/// Where certificates come from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Certificates<'a> {
    None,
    /// Those of the start and of first turns, which are a part of the program or beside it.
    OfStart,
    Files(&'a [PathBuf]),
}

impl BookOptions {
    pub(crate) fn certificates(&self) -> Certificates<'_> {
        match &self.book[..] {
            [] => Certificates::OfStart,
            [only] if only == Path::new("none") => Certificates::None,
            files => Certificates::Files(files),
        }
    }

    /// The files that were named.
    pub(crate) fn files(&self) -> &[PathBuf] {
        match self.certificates() {
            Certificates::Files(files) => files,
            _ => &[],
        }
    }

    /// Whether the certificates of starts that are a part of the program are used.
    pub(crate) fn has_starts(&self) -> bool {
        !matches!(self.certificates(), Certificates::None)
    }
}
