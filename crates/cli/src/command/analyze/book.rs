//! `--book`: answers from certificates.

use std::cell::Cell;
use std::path::PathBuf;
use std::time::Instant;

use fanorona_core::{Position, Value};
use fanorona_proof::{Book, Bounds};
use fanorona_tablebase::Tables;
use serde::Serialize;

use crate::advice;
use crate::command::bounds::BoundsReport;
use crate::failure::{self, Failure};
use crate::options::Root;
use crate::output;

/// An open book, with the tables that belong to it.
pub(super) struct BookAnswers<'a> {
    book: Book,
    tables: Option<&'a Tables>,
    /// Whether the user knows that tables are missing.
    is_noted: Cell<bool>,
}

/// What the book proves of a position that neither the rules nor a table decide.
#[derive(Serialize)]
pub(super) struct FromBook {
    position: Position,
    #[serde(skip)]
    bounds: Bounds,
    #[serde(flatten)]
    report: BoundsReport,
    proved: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<String>,
    /// In a won position, how many more entries the proof can go through before a capture or a
    /// leaf.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance_to_conversion: Option<u32>,
    /// The certificate with an entry of the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// No position was searched.
    nodes: u64,
    seconds: f64,
}

impl<'a> BookAnswers<'a> {
    /// Opens certificates; `None` if there are no files.
    ///
    /// # Errors
    /// If one is damaged or of another game.
    pub(super) fn open(
        files: &[PathBuf],
        root: &Root,
        tables: Option<&'a Tables>,
    ) -> anyhow::Result<Option<Self>> {
        if files.is_empty() {
            return Ok(None);
        }
        let book = Book::open(files).map_err(failure::of_book)?;
        let (board, rules) = (book.board(), book.rules());
        if (board, rules) != (root.board, root.rules) {
            return Err(Failure::input(format!(
                "the book {} is about {board} under {rules}, not {} under {}; \
                 choose them with '--board {board} --rules {rules}'",
                files[0].display(),
                root.board,
                root.rules
            )));
        }
        Ok(Some(Self { book, tables, is_noted: Cell::new(false) }))
    }

    /// What the book proves; `None` if that is nothing, if the game is over, and if the tables hold
    /// the position and so know more.
    ///
    /// If the value stays unknown and tables are missing, a message says so once.
    pub(super) fn answer(&self, position: &Position) -> anyhow::Result<Option<FromBook>> {
        let started = Instant::now();
        if position.board() != self.book.board() || self.is_decided(position)? {
            return Ok(None);
        }
        let answer = self.book.lookup(position, self.tables).map_err(failure::of_book)?;
        if answer.value().is_none() && !self.is_noted.replace(true) {
            self.note_missing_tables()?;
        }
        if !answer.is_known() {
            return Ok(None);
        }
        let entry = answer.entry.as_ref();
        let file = entry.map(|entry| self.book.certificates()[entry.certificate].path());
        Ok(Some(FromBook {
            position: *position,
            bounds: answer.bounds,
            report: answer.bounds.into(),
            proved: answer.value().is_some(),
            best: answer.turn().map(|turn| turn.text(position.board()).to_string()),
            distance_to_conversion: entry.and_then(|entry| entry.distance),
            file: file.map(|path| path.display().to_string()),
            nodes: 0,
            seconds: started.elapsed().as_secs_f64(),
        }))
    }

    /// Whether the game is over, or tables hold the position.
    fn is_decided(&self, position: &Position) -> anyhow::Result<bool> {
        let held = |tables: &Tables| Ok(tables.probe_if_held(position)?.is_some());
        let held = self.tables.map_or(Ok(false), held).map_err(failure::of_tables)?;
        Ok(held || self.book.rules().outcome(position).is_some())
    }

    fn note_missing_tables(&self) -> anyhow::Result<()> {
        let missing = self.book.missing_tables(self.tables).map_err(failure::of_book)?;
        if let Some(missing) = missing {
            let advice = advice::about_missing(&missing, self.tables);
            output::message(format_args!("note: {missing}; {advice}"));
        }
        Ok(())
    }
}

impl FromBook {
    /// What the book proves.
    pub(super) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Whether the value is known.
    pub(super) fn is_exact(&self) -> bool {
        self.bounds.value().is_some()
    }

    /// The turn that keeps what is proved for the side to move.
    pub(super) fn best(&self) -> Option<String> {
        self.best.clone()
    }

    /// Bounds of the same position, narrowed by what the book proves.
    pub(super) fn narrowed(&self, bounds: Bounds) -> Bounds {
        self.bounds.intersection(bounds)
    }

    /// Whether the book proves at least as much as these bounds for the side to move, and something.
    pub(super) fn proves_more(&self, bounds: Bounds) -> bool {
        self.bounds.at_least >= bounds.at_least && self.bounds.at_least > Value::Loss
    }

    /// The answer as text.
    pub(super) fn describe(&self) -> String {
        let mut text = format!("{}: {}", self.position, self.report.in_words());
        if let Some(best) = &self.best {
            text += &format!("\nbest turn: {best}");
        }
        format!("{text}\n{}", self.source())
    }

    /// Where the answer comes from.
    pub(super) fn source(&self) -> String {
        match &self.file {
            Some(file) => format!("from the book {file}: {}", self.report.in_words()),
            None => format!("from the book: {}", self.report.in_words()),
        }
    }
}
