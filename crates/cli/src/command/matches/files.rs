//! Files that grow during a match: the games, and the transcript.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use anyhow::Context;
use fanorona_ugi::client::{Direction, Trace};

use crate::failure::Failure;

/// A file that texts are appended to.
#[derive(Debug)]
pub(super) struct Appended {
    what: &'static str,
    path: PathBuf,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    file: File,
    /// The first error of writing. It is reported at the end.
    error: Option<io::Error>,
}

impl Appended {
    /// Opens a file, or creates it.
    ///
    /// # Errors
    /// If that fails.
    pub(super) fn open(what: &'static str, path: &Path) -> anyhow::Result<Self> {
        let file = File::options().create(true).append(true).open(path);
        let file = file.with_context(|| not_written(what, path))?;
        Ok(Self { what, path: path.to_owned(), inner: Mutex::new(Inner { file, error: None }) })
    }

    /// Appends a text.
    pub(super) fn write(&self, text: &str) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.error.is_none() {
            inner.error = inner.file.write_all(text.as_bytes()).err();
        }
    }

    /// Reports the first error of writing.
    ///
    /// # Errors
    /// If there was one.
    pub(super) fn finish(&self) -> anyhow::Result<()> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        match inner.error.take() {
            None => Ok(()),
            Some(error) => {
                let what = not_written(self.what, &self.path);
                Err(Failure::NotKept(format!("{what}: {error}")).into())
            }
        }
    }
}

fn not_written(what: &str, path: &Path) -> String {
    format!("cannot write {what} '{}'", path.display())
}

/// Makes what sees the lines of a player, from the player's number. A line of the file has the
/// seconds since the beginning, the player's number, `<` for a line to the program or `>` for one
/// from it, and the line.
pub(super) fn transcript(log: &Arc<Appended>) -> impl Fn(usize) -> Trace + use<> {
    let (log, began) = (log.clone(), Instant::now());
    move |player| {
        let log = log.clone();
        Arc::new(move |direction, line: &str| {
            let mark = match direction {
                Direction::Sent => '<',
                Direction::Received => '>',
            };
            let seconds = began.elapsed().as_secs_f64();
            log.write(&format!("{seconds:.3} {} {mark} {line}\n", player + 1));
        })
    }
}
