//! Answers without a search: from the rules, from tables, and from the certificates of `--book`.

use std::cell::Cell;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use fanorona_core::Position;
use fanorona_knowledge::Book;
use fanorona_knowledge::{Assessment, Knowledge, RankedTurn, Source};
use fanorona_proof::Bounds;
use fanorona_solver::LineTurn;
use fanorona_tablebase::Tables;
use serde::Serialize;

use crate::advice;
use crate::options::Root;
use crate::output;

/// The longest line of play, in turns, unless the end of the game is known to be further away.
const LINE: u16 = 100;

/// The sources to ask before a search.
pub(super) struct Sources {
    knowledge: Knowledge,
    /// Whether the user knows that tables are missing.
    is_noted: Cell<bool>,
}

/// The answer of the sources for a position.
pub(super) struct Known {
    pub root: Root,
    pub assessment: Assessment,
    /// The turn that is known to be the best, if there is one.
    pub best: Option<String>,
    /// Best play. Empty if the value is unknown.
    pub line: Vec<RankedTurn>,
    /// Best first. `None` if there are too many.
    pub turns: Option<Vec<RankedTurn>>,
    /// The answer of the certificates, unless the rules or tables decide.
    pub book: Option<FromBook>,
    pub seconds: f64,
}

/// The answer of certificates for a position that neither the rules nor a table decide.
#[derive(Serialize)]
pub(super) struct FromBook {
    #[serde(flatten)]
    assessment: Assessment,
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
        files: &[PathBuf],
        Root { board, rules, .. }: &Root,
        tables: Option<Arc<Tables>>,
    ) -> anyhow::Result<Self> {
        let book = match files {
            [] => None,
            files => Some(Arc::new(Book::open(files)?)),
        };
        let knowledge = Knowledge::new(*board, *rules, tables, book);
        let knowledge = knowledge.map_err(|error| match files {
            [] => error.into(),
            files => anyhow::Error::from(error)
                .context(format!("cannot use the book {}", files[0].display())),
        })?;
        Ok(Self { knowledge, is_noted: Cell::new(false) })
    }

    /// Asks the sources about a position.
    ///
    /// If the value stays unknown and the certificates need tables that are missing, a message says
    /// so once.
    pub(super) fn ask(&self, position: &Position) -> anyhow::Result<Known> {
        let begin = Instant::now();
        let look = self.knowledge.look(position)?;
        let assessment = look.assessment;
        let line = match assessment.value() {
            Some(_) => {
                let most = assessment.dtw.map_or(LINE, |dtw| dtw.max(LINE));
                let line = self.knowledge.line(position, most.into());
                line?.line
            }
            None => Vec::new(),
        };
        let book = self.ask_book(position)?;
        if assessment.value().is_none() && !self.is_noted.replace(true) {
            self.note_missing_tables()?;
        }
        let best = look.best().map(|best| best.turn.text(position.board()).to_string());
        let (board, rules) = (self.knowledge.board(), self.knowledge.rules());
        let root = Root { board, rules, position: *position };
        let seconds = begin.elapsed().as_secs_f64();
        Ok(Known { root, assessment, best, line, turns: look.turns, book, seconds })
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

    fn note_missing_tables(&self) -> anyhow::Result<()> {
        let Some(book) = self.knowledge.book() else { return Ok(()) };
        let tables = self.knowledge.tables().map(Arc::as_ref);
        if let Some(missing) = book.missing_tables(tables)? {
            let advice = advice::about_missing(&missing, tables.map(Tables::dir));
            output::message(format_args!("note: {missing}; {advice}"));
        }
        Ok(())
    }

    /// The line of a search, with distances where tables have them.
    pub(super) fn line(&self, turns: &[LineTurn]) -> anyhow::Result<Vec<RankedTurn>> {
        let ranked = |LineTurn { turn, after, value, .. }: &LineTurn| {
            let known = self.knowledge.lookup(after)?.before_turn();
            let assessment = match known.value() == Some(*value) {
                true => known,
                false => Assessment::new(Bounds::exact(*value), Source::Search),
            };
            Ok(RankedTurn { turn: turn.clone(), after: *after, assessment })
        };
        turns.iter().map(ranked).collect()
    }
}

impl Known {
    /// Whether the value is known.
    pub(super) fn is_answer(&self) -> bool {
        self.assessment.value().is_some()
    }

    /// Whether the value rests on certificates.
    pub(super) fn rests_on_book(&self) -> bool {
        self.assessment.source == Some(Source::Proof)
    }

    /// The bounds that certificates prove, so that the search can leave them out. Those of tables
    /// are not left out, because the search needs them for its certificate.
    pub(super) fn given(&self) -> Bounds {
        self.book.as_ref().map_or(Bounds::UNKNOWN, |book| book.assessment.bounds)
    }

    /// Where the answer comes from.
    pub(super) fn source(&self) -> String {
        match (self.assessment.source, &self.book) {
            (Some(Source::Rules), _) => "by the rules".to_owned(),
            (Some(Source::Proof), Some(book)) => book.in_words(),
            (Some(Source::Proof), None) => "from the book".to_owned(),
            _ => "from tables".to_owned(),
        }
    }
}

impl FromBook {
    pub(super) fn in_words(&self) -> String {
        match &self.file {
            Some(file) => format!("from the book {file}: {}", self.assessment),
            None => format!("from the book: {}", self.assessment),
        }
    }
}
