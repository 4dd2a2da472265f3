//! Where a proof ends: finished games, and positions that the tables hold.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fanorona_core::{Board, Position, RuleSet, Value};
use fanorona_tablebase::{Metric, Slice, TableError, Tables, Unit};

use crate::error::CertificateError;
use crate::format::{Header, NamedTable, Reader};

/// The positions at which no proof is needed. All tables are of one metric: that no table of the
/// other is looked at is what makes checksums of these few enough.
#[derive(Debug)]
pub(crate) struct Leaves {
    rules: RuleSet,
    tables: Option<Shelf>,
}

/// Tables of one metric, some of which are used.
#[derive(Debug)]
struct Shelf {
    tables: Tables,
    metric: Metric,
    /// By [`place`]: whether the slice's values are taken.
    held: Vec<bool>,
    /// By place: whether they were asked for.
    asked: Vec<AtomicBool>,
}

/// Tables of the board under the rule set without the vela: its second phase is played by that, but
/// as long as the rule set says vela, tables do not tell a slice whose swapped one is in the first
/// phase. They are opened anew, without unpacked ones: no checksum of these is in a certificate.
fn packed(tables: &Tables, board: Board, rules: &RuleSet) -> Result<Tables, TableError> {
    tables.packed(board, RuleSet { vela: None, ..*rules })
}

/// The number of places.
const PLACES: usize = 32 * 32;

fn place(slice: Slice) -> usize {
    usize::from(slice.own) * 32 + usize::from(slice.opponent)
}

impl Leaves {
    /// All tables of the metric that reaches further; of win, draw and loss if both do.
    pub(crate) fn of_all(
        board: Board,
        rules: &RuleSet,
        tables: Option<&Tables>,
    ) -> Result<Self, CertificateError> {
        let tables = match tables {
            Some(tables) => Shelf::of_all(packed(tables, board, rules)?)?,
            None => None,
        };
        Ok(Self { rules: *rules, tables })
    }

    /// The tables that a certificate names, whose checksums are compared: all their bytes are read.
    pub(crate) fn of_named(
        certificate: &Reader,
        tables: Option<&Tables>,
    ) -> Result<Self, CertificateError> {
        let Header { board, rules, tables: named, .. } = certificate.header();
        let shelf = match (tables, named.iter().max_by_key(|table| table.slice.stones())) {
            (_, None) => None,
            (Some(tables), Some(_)) => {
                let tables = packed(tables, *board, rules)?;
                Some(Shelf::of_named(certificate.path(), tables, named)?)
            }
            (None, Some(&NamedTable { slice, metric, .. })) => {
                return Err(CertificateError::NeedsTables {
                    path: certificate.path().to_owned(),
                    tables: named.len(),
                    board: *board,
                    rules: RuleSet { vela: None, ..*rules },
                    slice,
                    metric,
                });
            }
        };
        Ok(Self { rules: *rules, tables: shelf })
    }

    /// The value of a position for the side to move, if no proof is needed.
    pub(crate) fn value(&self, position: &Position) -> Result<Option<Value>, TableError> {
        if let Some(outcome) = self.rules.outcome(position) {
            return Ok(Some(outcome.value_for(position.to_move())));
        }
        let (Some(shelf), Some(slice)) = (&self.tables, Slice::of(position)) else {
            return Ok(None);
        };
        if !shelf.held[place(slice)] || self.rules.endgame_of(position).vela.is_some() {
            return Ok(None);
        }
        shelf.asked[place(slice)].store(true, Ordering::Relaxed);
        Ok(Some(shelf.tables.probe_metric(position, shelf.metric)?.value))
    }

    /// The slices that were asked for since this was called last.
    pub(crate) fn take_asked(&self) -> Asked {
        let asked = self.tables.iter().flat_map(|shelf| &shelf.asked);
        Asked(asked.map(|asked| asked.swap(false, Ordering::Relaxed)).collect())
    }

    /// The tables of slices that were asked for, and those that they need for positions with
    /// captures; smaller slices first.
    pub(crate) fn named(&self, asked: Asked) -> Result<Vec<NamedTable>, TableError> {
        self.tables.as_ref().map_or(Ok(Vec::new()), |shelf| shelf.named(asked))
    }
}

/// A set of slices.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked(Vec<bool>);

impl Asked {
    /// Adds others.
    pub(crate) fn extend(&mut self, others: Self) {
        self.0.resize(others.0.len(), false);
        self.0.iter_mut().zip(others.0).for_each(|(asked, other)| *asked |= other);
    }
}

impl Shelf {
    fn new(tables: Tables, metric: Metric) -> Self {
        let asked = (0..PLACES).map(|_| AtomicBool::new(false)).collect();
        Self { tables, metric, held: vec![false; PLACES], asked }
    }

    fn of_all(tables: Tables) -> Result<Option<Self>, TableError> {
        let files = tables.all()?;
        let files: Vec<_> = files.iter().map(|file| file.metadata()).collect();
        let stones_of = |metric| {
            let of_metric = files.iter().filter(move |file| file.metric == metric);
            of_metric.map(|file| file.slice.stones()).max()
        };
        let furthest = [Metric::Dtw, Metric::Wdl].into_iter().max_by_key(|m| stones_of(*m));
        let Some(metric) = furthest.filter(|metric| stones_of(*metric).is_some()) else {
            return Ok(None);
        };
        // Smaller slices come first.
        let mut held = vec![false; PLACES];
        for file in files.into_iter().filter(|file| file.metric == metric) {
            held[place(file.slice)] = file.captures_stored
                || file.slice.after_captures().all(|smaller| held[place(smaller)]);
        }
        Ok(Some(Self { held, ..Self::new(tables, metric) }))
    }

    fn of_named(
        path: &Path,
        tables: Tables,
        named: &[NamedTable],
    ) -> Result<Self, CertificateError> {
        let mut shelf = Self::new(tables, named[0].metric);
        // The largest first: if it is missing, that is the one to tell.
        for table in named.iter().rev() {
            let NamedTable { slice, metric, checksum } = *table;
            let file = shelf.tables.table(slice, metric)?.ok_or_else(|| {
                let (board, rules) = (shelf.tables.board(), shelf.tables.rules());
                let (metric, dir) = (Some(metric), shelf.tables.dir().to_owned());
                TableError::Missing { slice, board, rules, metric, dir }
            })?;
            let found = file.checksum()?;
            if found != checksum {
                return Err(CertificateError::OtherTable {
                    path: path.to_owned(),
                    table: file.path().to_owned(),
                    found,
                    expected: checksum,
                });
            }
            shelf.held[place(slice)] = true;
            // No table is looked into whose checksum was not compared.
            let is_named = |needed: &Slice| named.iter().any(|table| table.slice == *needed);
            if !file.metadata().captures_stored && !slice.after_captures().all(|s| is_named(&s)) {
                let why = format!("it names the table {slice}, and not all that this needs");
                return Err(CertificateError::DoesNotHold { path: path.to_owned(), why });
            }
        }
        Ok(shelf)
    }

    fn named(&self, Asked(mut asked): Asked) -> Result<Vec<NamedTable>, TableError> {
        let (board, metric) = (self.tables.board(), self.metric);
        asked.resize(PLACES, false);
        let mut slices: Vec<_> =
            Unit::up_to(board, 2 * board.max_stones()).flat_map(Unit::slices).collect();
        slices.sort_by_key(|slice| (slice.stones(), slice.own));
        let mut named = Vec::new();
        // What a table needs is smaller.
        for slice in slices.into_iter().rev().filter(|slice| self.held[place(*slice)]) {
            if !asked[place(slice)] {
                continue;
            }
            let file =
                self.tables.table(slice, metric)?.expect("it was asked for, and has answered");
            if !file.metadata().captures_stored {
                slice.after_captures().for_each(|smaller| asked[place(smaller)] = true);
            }
            named.push(NamedTable { slice, metric, checksum: file.checksum()? });
        }
        named.reverse();
        Ok(named)
    }
}
