//! `--log`: a line of JSON in a file, every minute and at the end of a search.

use std::io::{self, Write};
use std::time::Duration;

use anyhow::Context;
use fanorona_core::Position;
use fanorona_solver::{Analysis, SearchReport};
use serde::Serialize;

use super::questions::{QuestionReport, SearchedTurn};
use crate::destination::Destination;

/// Time between two lines.
const PAUSE: Duration = Duration::from_secs(60);

pub(super) struct Log<'a> {
    destination: Destination<'a>,
    file: Box<dyn Write + Send>,
    position: &'a Position,
    next: Duration,
    /// The first error of writing. It is reported at the end.
    error: Option<io::Error>,
}

#[derive(Serialize)]
struct Line {
    seconds: f64,
    nodes: u64,
    table_hits: u64,
    memory_filled: f64,
    questions: [QuestionReport; 2],
    searched: Vec<SearchedTurn>,
}

impl<'a> Log<'a> {
    /// Appends to a file, which is created if it does not exist.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub(super) fn open(
        destination: Destination<'a>,
        position: &'a Position,
    ) -> anyhow::Result<Self> {
        let file = destination.append()?;
        Ok(Self { destination, file, position, next: PAUSE, error: None })
    }

    /// Writes a line if it is time for one.
    pub(super) fn report(&mut self, now: &SearchReport) {
        if now.elapsed >= self.next {
            self.next = now.elapsed + PAUSE;
            self.write(now);
        }
    }

    fn write(&mut self, now: &SearchReport) {
        let line = Line {
            seconds: now.elapsed.as_secs_f64(),
            nodes: now.nodes,
            table_hits: now.table_hits,
            memory_filled: now.memory_filled,
            questions: now.questions.each_ref().map(QuestionReport::new),
            searched: SearchedTurn::list(self.position, &now.turns),
        };
        let written = serde_json::to_string(&line)
            .map_err(io::Error::from)
            .and_then(|line| writeln!(self.file, "{line}"));
        if let Err(error) = written {
            self.error.get_or_insert(error);
        }
    }

    /// Writes the last line.
    ///
    /// # Errors
    /// If this line or an earlier one could not be written.
    pub(super) fn finish(mut self, analysis: &Analysis) -> anyhow::Result<()> {
        self.write(&analysis.search);
        self.error.map_or(Ok(()), Err).with_context(|| self.destination.not_written())
    }
}
