//! Files that grow during a match: the games, and the transcript.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use fanorona_ugi::client::{Direction, Trace};

use crate::destination::Destination;
use crate::failure::Failure;

/// A file that texts are appended to.
pub(super) struct Appended {
    /// The message of a failure.
    not_written: String,
    inner: Mutex<Inner>,
}

struct Inner {
    file: Box<dyn Write + Send>,
    /// The first error of writing. It is reported at the end.
    error: Option<io::Error>,
}

impl Appended {
    /// Creates a file, or replaces it.
    pub(super) fn open(destination: &Destination<'_>) -> anyhow::Result<Self> {
        let inner = Mutex::new(Inner { file: destination.begin()?, error: None });
        Ok(Self { not_written: destination.not_written(), inner })
    }

    /// Appends a text.
    pub(super) fn write(&self, text: &str) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.error.is_none() {
            inner.error = inner.file.write_all(text.as_bytes()).err();
        }
    }

    /// Reports the first error of writing.
    pub(super) fn finish(&self) -> anyhow::Result<()> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        match inner.error.take() {
            None => Ok(()),
            Some(error) => Err(Failure::NotKept(format!("{}: {error}", self.not_written)).into()),
        }
    }
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
