//! Checking the certificates of a game.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_core::{Board, ErrorKind, RuleSet};
use fanorona_knowledge::Book;
use fanorona_tablebase::Tables;
use serde::Serialize;
use utoipa::ToSchema;
use web_time::Instant;

use crate::library::OpenVariant;
use crate::problem::{Problem, ProblemKind};

/// The time between two reports.
const BETWEEN_REPORTS: Duration = Duration::from_millis(200);

/// The most bytes of tables that are read for a check in a browser, which has to fetch all of them.
const MAX_FETCHED: u64 = 16 << 20;

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
}

impl CheckAnswer {
    /// Checks the certificates of a game, and reports to `report` meanwhile. It ends soon after `stop`
    /// is set.
    ///
    /// # Errors
    /// If there are none, if tables are missing that they rest on or are too large for a browser, or if
    /// a certificate does not hold.
    pub fn new(
        open: &OpenVariant,
        stop: &AtomicBool,
        report: impl Fn(Self) + Sync,
    ) -> Result<Self, Problem> {
        let known = open.knowledge();
        let Some(book) = known.book() else {
            let message = "there is no certificate of this game";
            return Err(Problem::new(ProblemKind::NotFound, message, "another board or rule set"));
        };
        let tables = known.tables().map(AsRef::as_ref);
        if cfg!(target_family = "wasm") {
            check_size(book, tables)?;
        }
        let positions = book.certificates().iter().map(|each| each.positions()).sum();
        let (board, rules) = (known.board(), known.rules());
        let at = |checked| Self { board, rules, checked, positions };
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

/// Checks that the tables that certificates rest on are not too large to be fetched.
fn check_size(book: &Book, tables: Option<&Tables>) -> Result<(), Problem> {
    let mut bytes = 0_u64;
    for named in book.certificates().iter().flat_map(|certificate| certificate.tables()) {
        let table = tables.map(|tables| tables.table(named.slice, named.metric)).transpose()?;
        bytes += table.flatten().map_or(0, |table| table.bytes());
    }
    if bytes > MAX_FETCHED {
        let message = format!("the check reads tables of {} MB", bytes / 1_000_000);
        let expected = "'fanorona check' on a machine of your own";
        return Err(Problem::new(ProblemKind::TooLarge, message, expected));
    }
    Ok(())
}
