//! The sources of the answers that are made beforehand: those of the folder, and no others.

use std::io;
use std::path::Path;

use anyhow::Context;
use fanorona_explorer::{Library, LibraryOptions};
use tempfile::TempDir;

use super::contents::{Contents, Source};

/// A library of the contents of the folder. The directory has links to the tables.
pub(super) fn library(contents: &Contents) -> anyhow::Result<(TempDir, Library)> {
    let dir = tempfile::tempdir().context("cannot create a temporary directory")?;
    for table in &contents.tables {
        if let Source::File(path) = &table.source {
            let linked = path.canonicalize();
            let linked = linked.and_then(|path| link(&path, &dir.path().join(&table.name)));
            linked.with_context(|| format!("cannot read '{}'", path.display()))?;
        }
    }
    let mut options = LibraryOptions::new([dir.path().to_owned()]);
    options.starts = true;
    Ok((dir, Library::new(options, Vec::new())))
}

#[cfg(unix)]
fn link(path: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(path, link)
}

#[cfg(not(unix))]
fn link(path: &Path, link: &Path) -> io::Result<()> {
    std::fs::hard_link(path, link).or_else(|_| std::fs::copy(path, link).map(drop))
}
