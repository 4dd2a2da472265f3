//! Answers without a search: from the rules, from tables, and from certificates.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use fanorona_core::Position;
use fanorona_engine::inquiry::Answer;
use fanorona_knowledge::{Assessment, Book, Knowledge, LineEnd, MissingTables, RankedTurn, Source};
use fanorona_solver::play_out;
use fanorona_tablebase::Tables;
use serde::Serialize;

use super::line::Line;
use crate::advice;
use crate::interrupt;
use crate::options::Root;
use crate::output;

/// The longest search for the end of a line.
const PLAY_OUT_TIME: Duration = Duration::from_secs(3);

/// The certificates to ask.
pub(super) enum Certificates<'a> {
    None,
    /// Those of the start and of first turns, which are a part of the program or beside it.
    OfStart,
    Files(&'a [PathBuf]),
}

/// The sources to ask before a search.
pub(super) struct Sources {
    knowledge: Knowledge,
    /// Whether the certificates are a part of the program.
    has_own_book: bool,
    /// Whether the user knows that tables are missing.
    is_noted: Cell<bool>,
    is_played_out: bool,
}

/// The answer for a position.
pub(super) struct Known {
    pub root: Root,
    pub answer: Answer,
    /// The answer of the certificates, unless the rules or tables decide.
    pub book: Option<FromBook>,
    /// Where the value comes from, as a sentence. Empty if the value is unknown.
    pub source: String,
}

/// The answer of certificates for a position that neither the rules nor a table decide.
#[derive(Serialize)]
pub(super) struct FromBook {
    #[serde(flatten)]
    pub assessment: Assessment,
    #[serde(skip_serializing_if = "Option::is_none")]
    best: Option<String>,
    /// In a won position, how many more entries the proof can go through before a capture or a
    /// leaf.
    #[serde(skip_serializing_if = "Option::is_none")]
    distance_to_conversion: Option<u32>,
    /// The certificate with an entry of the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

impl Sources {
    /// Opens the certificates, if there are any.
    ///
    /// # Errors
    /// If one is damaged or of another game.
    pub(super) fn open(
        certificates: &Certificates<'_>,
        Root { board, rules, .. }: &Root,
        tables: Option<Arc<Tables>>,
    ) -> anyhow::Result<Self> {
        let book = match certificates {
            Certificates::Files(files) => Some(Arc::new(Book::open(*files)?)),
            _ => None,
        };
        let knowledge = Knowledge::new(*board, *rules, tables, book);
        let mut knowledge = knowledge.map_err(|error| match certificates {
            Certificates::Files([first, ..]) => anyhow::Error::from(error)
                .context(format!("cannot use the book {}", first.display())),
            _ => error.into(),
        })?;
        let is_of_start = matches!(certificates, Certificates::OfStart);
        if is_of_start {
            knowledge = knowledge.with_start()?;
        }
        // A part of the program has a name only, and what was found has the path of its directory.
        let is_embedded =
            |book: &Arc<Book>| book.certificates().iter().all(|file| !file.path().is_absolute());
        let has_own_book = is_of_start && knowledge.book().is_some_and(is_embedded);
        let is_noted = Cell::new(is_of_start);
        Ok(Self { knowledge, has_own_book, is_noted, is_played_out: false })
    }

    /// The same, but a line into tables without distances is searched for the end of the game, within
    /// some seconds.
    pub(super) fn with_lines_to_the_end(self) -> Self {
        Self { is_played_out: true, ..self }
    }

    /// The rules, the tables and the certificates of the game.
    pub(super) fn knowledge(&self) -> &Knowledge {
        &self.knowledge
    }

    /// Asks the sources about a position.
    ///
    /// If the value stays unknown and the certificates that were given need tables that are missing, a
    /// message says so once.
    pub(super) fn ask(&self, position: &Position) -> anyhow::Result<Known> {
        let answer = Answer::of_sources(&self.knowledge, position)?;
        let assessment = answer.assessment();
        let book = self.ask_book(position)?;
        if assessment.value().is_none()
            && !self.is_noted.replace(true)
            && let Some(missing) = self.missing_tables()?
        {
            let advice = advice::about_missing(&missing, self.tables().map(Tables::dir));
            output::message(format_args!("note: {missing}; {advice}"));
        }
        let (board, rules) = (self.knowledge.board(), self.knowledge.rules());
        let root = Root { board, rules, position: *position };
        let source = match assessment.value() {
            Some(_) => self.source(position, &assessment, book.as_ref())?,
            None => String::new(),
        };
        Ok(Known { root, answer, book, source })
    }

    fn ask_book(&self, position: &Position) -> anyhow::Result<Option<FromBook>> {
        let Some(book) = self.knowledge.book() else { return Ok(None) };
        let assessment = self.knowledge.lookup(position)?;
        if assessment.source != Some(Source::Proof) {
            return Ok(None);
        }
        let entry = book.entry(position)?;
        let entry = entry.as_ref();
        let file = entry.map(|entry| book.certificates()[entry.certificate].path());
        Ok(Some(FromBook {
            assessment,
            best: entry.map(|entry| entry.turn.text(position.board()).to_string()),
            distance_to_conversion: entry.and_then(|entry| entry.distance),
            file: file.map(|path| path.display().to_string()),
        }))
    }

    /// Where a known value comes from, as a sentence.
    fn source(
        &self,
        position: &Position,
        assessment: &Assessment,
        book: Option<&FromBook>,
    ) -> anyhow::Result<String> {
        Ok(match assessment.source {
            Some(Source::Rules) => "By the rules.".to_owned(),
            Some(Source::Proof) => self.in_words(book),
            _ => {
                let place = match self.tables().map_or(&[][..], Tables::dirs) {
                    [dir] => format!(" in '{}'", dir.display()),
                    _ => String::new(),
                };
                let is_held = self.knowledge.lookup(position)?.source == Some(Source::Table);
                let ahead = if is_held { "" } else { ", one turn ahead" };
                format!("From the tables{place}{ahead}.")
            }
        })
    }

    /// The certificates that an answer comes from, as a sentence.
    pub(super) fn in_words(&self, book: Option<&FromBook>) -> String {
        let Some(known) = self.knowledge.book() else { return String::new() };
        let only = match known.certificates() {
            [only] => Some(only.path().display().to_string()),
            _ => None,
        };
        let is_only = only.is_some();
        match (self.has_own_book, book.and_then(|book| book.file.clone()).or(only)) {
            (true, Some(file)) => {
                format!("Proved by the certificate {file}, a part of this program.")
            }
            (true, None) => "Proved by certificates that are a part of this program.".to_owned(),
            (false, Some(file)) if is_only => format!("Proved by the certificate {file}."),
            (false, Some(file)) => format!("Proved by certificates; the position is in {file}."),
            (false, None) => "Proved by certificates.".to_owned(),
        }
    }

    /// The tables that the certificates need and that are missing.
    pub(super) fn missing_tables(&self) -> anyhow::Result<Option<MissingTables>> {
        let Some(book) = self.knowledge.book() else { return Ok(None) };
        Ok(book.missing_tables(self.tables())?)
    }

    pub(super) fn tables(&self) -> Option<&Tables> {
        self.knowledge.tables().map(Arc::as_ref)
    }

    /// A line that ends where tables know who wins, but not how, with turns to the end of the game if
    /// there is time to find them.
    pub(super) fn played_out(&self, found: fanorona_knowledge::Line) -> anyhow::Result<Line> {
        let position = found.position;
        let mut line = Line::new(found);
        let is_open = line.end == LineEnd::TableEdge;
        let (Some(tables), true) = (self.tables(), self.is_played_out && is_open) else {
            return Ok(line);
        };
        let Some(last) = line.turns.pop_if(|turn| turn.assessment.source == Some(Source::Table))
        else {
            return Ok(line);
        };
        let from = line.turns.last().map_or(position, |turn| turn.after);
        let rules = self.knowledge.rules();
        let found = play_out(&rules, tables, &from, PLAY_OUT_TIME, interrupt::flag())?;
        if !found.is_finished {
            line.turns.push(last);
            return Ok(line);
        }
        for (turn, after) in found.turns {
            let assessment = self.knowledge.lookup(&after)?.before_turn();
            line.turns.push(RankedTurn { turn, after, assessment });
        }
        Ok(Line { end: LineEnd::Finished, is_played_out: true, ..line })
    }
}

impl Known {
    /// Whether the value is known.
    pub(super) fn is_answer(&self) -> bool {
        self.answer.is_proved()
    }

    /// Whether the value rests on certificates.
    pub(super) fn rests_on_book(&self) -> bool {
        self.answer.assessment().source == Some(Source::Proof)
    }
}
