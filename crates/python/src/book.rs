//! Books: certificates that answer positions.

use std::path::PathBuf;
use std::sync::Arc;

use fanorona_knowledge::{Knowledge, Source};
use pyo3::prelude::*;

use crate::args::{PathsArg, PositionArg};
use crate::attributes::attributes;
use crate::classes::{Board, Position, RuleSet, Turn};
use crate::errors::exception;
use crate::search_args::shared;
use crate::tables::Tables;
use crate::value::{Assessed, Assessment};

/// Certificates of one board and rule set, which answer the positions of their proofs.
///
/// Opening does not check that the proofs hold: check_certificate does. Several threads can use the
/// same Book.
///
/// Raises FileError if a file cannot be read, DamagedFileError if it is damaged, OtherGameError if it
/// is of another game than the first, and ValueError if there is none.
#[pyclass(module = "fanorona", frozen)]
#[derive(Debug)]
pub(crate) struct Book(pub(crate) Arc<fanorona_knowledge::Book>);

attributes! {
    of Book, self:
    /// The board.
    board: Board = Board(self.0.board());
    /// The rule set.
    rules: RuleSet = RuleSet(self.0.rules());
    /// The files of the certificates.
    paths: Vec<PathBuf> = self.0.certificates().iter().map(|file| file.path().to_owned()).collect();

    methods:
    #[new]
    fn new(py: Python<'_>, paths: PathsArg) -> PyResult<Self> {
        let opened = py.detach(|| fanorona_knowledge::Book::open(&paths.0));
        Ok(Self(Arc::new(opened.map_err(exception)?)))
    }

    /// The value that the certificates and the tables prove for a position. Without tables less is
    /// known, but nothing wrong.
    #[pyo3(signature = (position, tables = None))]
    fn lookup(
        &self,
        py: Python<'_>,
        position: PositionArg,
        tables: Option<&Bound<'_, Tables>>,
    ) -> PyResult<Assessed<BookAnswer>> {
        let (book, tables) = (self.0.clone(), shared(tables)?);
        let (position, rules) = (position.0, book.rules());
        let found = py.detach(|| {
            let known = Knowledge::new(book.board(), rules, tables, Some(book.clone()))?;
            let entry = book.entry(&position)?;
            let known = known.lookup(&position)?;
            Ok::<_, fanorona_knowledge::KnowledgeError>((
                known,
                entry.filter(|_| known.source == Some(Source::Proof)),
            ))
        });
        let (known, entry) = found.map_err(exception)?;
        let distance = entry.as_ref().and_then(|entry| entry.distance);
        let turn = entry.map(|entry| Turn { turn: entry.turn, position, rules });
        Ok(Assessed(known, BookAnswer { position: Position(position), turn, distance }))
    }

    fn __repr__(&self) -> String {
        let count = self.0.certificates().len();
        format!("<Book of {} under {}: {count} certificates>", self.0.board(), self.0.rules())
    }
}

/// The answer of a book for a position.
#[pyclass(module = "fanorona", frozen, get_all, extends = Assessment)]
#[derive(FromPyObject, Debug)]
pub(crate) struct BookAnswer {
    /// The position.
    position: Position,
    /// The turn that keeps what is proved for the side to move; None if the book has none.
    turn: Option<Turn>,
    /// In a proof of a win, after how many further positions of the proof, at most, a stone is
    /// captured or the proof ends.
    distance: Option<u32>,
}

#[pymethods]
impl BookAnswer {
    fn __repr__(slf: PyRef<'_, Self>) -> String {
        format!("<BookAnswer '{}': {}>", slf.position.0, slf.as_super().0)
    }
}
