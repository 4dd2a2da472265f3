//! Checking the certificates of a game.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_core::{Board, ErrorKind, RuleSet};
use fanorona_knowledge::Book;
use fanorona_tablebase::{TableFile, Tables};
use serde::Serialize;
use utoipa::ToSchema;
use web_time::Instant;

use crate::library::OpenVariant;
use crate::problem::{Problem, ProblemKind};

/// The time between two reports.
const BETWEEN_REPORTS: Duration = Duration::from_millis(200);

/// A check of the certificates of a game: the events `progress` and `done`. Each position is checked by
/// the rules alone, and each table by its checksum.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckAnswer {
    /// The board.
    #[schema(value_type = String)]
    pub board: Board,
    /// The rule set.
    #[schema(value_type = String)]
    pub rules: RuleSet,
    /// The positions that have been checked. At the end that is all of them.
    pub checked: u64,
    /// The positions of all certificates.
    pub positions: u64,
    /// The bytes of the tables that the certificates rest on. A check reads all of them.
    pub table_bytes: u64,
}

impl CheckAnswer {
    /// Checks the certificates of a game, and reports to `report` before and meanwhile. It ends soon
    /// after `stop` is set. Reads tables of up to `most` bytes.
    ///
    /// # Errors
    /// If there are none, if tables are missing that they rest on or have more bytes, or if a
    /// certificate does not hold.
    pub fn new(
        open: &OpenVariant,
        most: u64,
        stop: &AtomicBool,
        report: impl Fn(Self) + Sync,
    ) -> Result<Self, Problem> {
        let known = open.knowledge();
        let Some(book) = known.book() else {
            let message = "there is no certificate of this game";
            return Err(Problem::new(ProblemKind::NotFound, message, "another board or rule set"));
        };
        let tables = known.tables().map(AsRef::as_ref);
        let named = named_tables(book, tables)?;
        let table_bytes = named.iter().map(|table| table.bytes()).sum();
        let positions = book.certificates().iter().map(|each| each.positions()).sum();
        let (board, rules) = (known.board(), known.rules());
        let at = |checked| Self { board, rules, checked, positions, table_bytes };
        report(at(0));
        if table_bytes > most {
            let message = format!("the certificates rest on tables of {table_bytes} bytes");
            let expected = format!("a limit of so many; it is {most}");
            return Err(Problem::new(ProblemKind::TooLarge, message, expected));
        }
        if cfg!(target_family = "wasm") {
            // All of them are asked for, so that they are fetched together.
            let read: Vec<_> = named.iter().map(|table| table.checksum()).collect();
            read.into_iter().collect::<Result<Vec<_>, _>>()?;
        }
        let last = Mutex::new(Instant::now());
        let checked = book.check(tables, stop, |checked| {
            // Another thread reports if the lock is taken.
            if let Ok(mut last) = last.try_lock()
                && last.elapsed() >= BETWEEN_REPORTS
            {
                *last = Instant::now();
                report(at(checked));
            }
        });
        match checked {
            Ok(checked) => Ok(at(checked)),
            Err(error) if error.kind() == ErrorKind::MissingTable => {
                let message = "the certificate rests on tables that are not there";
                let expected = "the tables that 'fanorona check' names";
                Err(Problem::new(ProblemKind::NotFound, message, expected))
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The tables that certificates rest on, as far as they are there.
fn named_tables<'a>(
    book: &Book,
    tables: Option<&'a Tables>,
) -> Result<Vec<&'a TableFile>, Problem> {
    let Some(tables) = tables else { return Ok(Vec::new()) };
    let mut found = Vec::<&TableFile>::new();
    for named in book.certificates().iter().flat_map(|certificate| certificate.tables()) {
        if let Some(table) = tables.table(named.slice, named.metric)?
            && !found.iter().any(|each| std::ptr::eq(*each, table))
        {
            found.push(table);
        }
    }
    Ok(found)
}
