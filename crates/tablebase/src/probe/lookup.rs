//! Probing one position.

use fanorona_core::{Position, RuleSet, Side, Stones, Turn, Value};

use super::search::{Search, Step};
use super::tables::Tables;
use crate::error::{Result, TableError};
use crate::index::SliceIndex;
use crate::key::Layout;
use crate::slice::{Slice, seen_rules};
use crate::value::{Code, Metric, TableValue};

impl Tables {
    /// The value of a position, with its distance if the directory has the `dtw` tables for it, and
    /// otherwise from `wdl` tables.
    ///
    /// A lookup takes some microseconds if its block is not in the cache. A quiet position takes one, a
    /// search of mandatory captures 1.5 on average at 7 stones.
    ///
    /// # Errors
    /// [`TableError::Missing`] if a table does not exist, [`TableError::OtherBoard`] if the
    /// position is on another board, and others if a table is damaged or cannot be read.
    pub fn probe(&self, position: &Position) -> Result<TableValue> {
        if let Some(value) = self.finished(position, Metric::Dtw)? {
            return Ok(value);
        }
        let probe = |metric| Ok(self.code(position, metric)?.to_table_value(metric));
        if self.has_distances() {
            match probe(Metric::Dtw) {
                Err(TableError::Missing { .. }) => {}
                result => return result,
            }
        }
        probe(Metric::Wdl).map_err(without_metric)
    }

    /// A value as arrays of values have it: without tables with distances, no position has a
    /// distance, not even one in which the game is over.
    pub fn as_in_arrays(&self, found: TableValue) -> TableValue {
        TableValue { dtw: found.dtw.filter(|_| self.has_distances()), ..found }
    }

    /// Whether the slice of a position has a table. A position without stones of a side has no slice.
    ///
    /// # Errors
    /// If the position is on another board, or the table cannot be opened.
    pub fn has_slice_of(&self, position: &Position) -> Result<bool> {
        self.check_board(position)?;
        let rules = seen_rules(&self.rules(), position);
        let table = Slice::of(position).map(|slice| self.first_table(&rules, slice, &Metric::ALL));
        Ok(table.transpose()?.flatten().is_some())
    }

    /// The value of a position; `None` if its slice or a smaller one that it needs has no table. With
    /// many stones this is cheaper than [`probe`](Self::probe), which follows captures until it finds
    /// that a table is missing.
    ///
    /// # Errors
    /// As for [`probe`](Self::probe), except for missing tables.
    pub fn probe_if_held(&self, position: &Position) -> Result<Option<TableValue>> {
        if Slice::of(position).is_some() && !self.has_slice_of(position)? {
            return Ok(None);
        }
        match self.probe(position) {
            Err(TableError::Missing { .. }) => Ok(None),
            found => found.map(Some),
        }
    }

    /// The value of a position from tables of one metric. Tables with distances serve both: under
    /// [`Metric::Wdl`] they answer where there is none without.
    ///
    /// # Errors
    /// As for [`probe`](Self::probe).
    pub fn probe_metric(&self, position: &Position, metric: Metric) -> Result<TableValue> {
        match self.finished(position, metric)? {
            Some(value) => Ok(value),
            None => Ok(self.code(position, metric)?.to_table_value(metric)),
        }
    }

    /// The value of a position in which the game is over.
    pub(super) fn finished(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Option<TableValue>> {
        self.check_board(position)?;
        Ok(self.rules().outcome(position).map(|outcome| {
            let value = outcome.value_for(position.to_move());
            let dtw = (metric.has_distances() && value != Value::Draw).then_some(0);
            TableValue { value, dtw }
        }))
    }

    /// Win, draw or loss for the side to move, from the stones alone.
    ///
    /// With an unpacked and mapped table this is the fastest probe: it takes a fraction of a
    /// microsecond. With others it costs the same as [`probe`](Self::probe).
    ///
    /// # Errors
    /// [`TableError::NotAPosition`] if the stones are not a legal position, and
    /// [`TableError::ColoursMatter`] if they can be one of the first phase of the vela; others as for
    /// [`probe`](Self::probe).
    #[inline]
    pub fn wdl(&self, stones: Stones) -> Result<Value> {
        match self.unpacked_wdl(stones)? {
            Some(value) => Ok(value),
            None => self.wdl_of_position(stones),
        }
    }

    /// The value of [`wdl`](Self::wdl), if its table is unpacked and already open;
    /// [`prepare`](Self::prepare) opens all. `None` if not, or if the stones are not a position. It never
    /// opens a file and never searches captures, so it takes a fraction of a microsecond.
    ///
    /// # Errors
    /// If the table cannot be read or has an impossible value.
    #[inline]
    pub fn unpacked_wdl(&self, stones: Stones) -> Result<Option<Value>> {
        let slice = Slice::from(stones);
        let is_on_board = stones.occupied().is_subset(self.board().all_points());
        if is_on_board
            && !stones.own.intersects(stones.opponent)
            && slice.is_on(self.board())
            && let Some(file) = self.open_already(slice, Metric::Wdl)
            && file.metadata().layout == Layout::Unpacked
            // In the vela colours matter, and the sets do not show them.
            && self.rules().vela().is_none()
        {
            let code = file.code(self.index(slice, stones)?, self.cache())?;
            return Ok(Some(code.value()));
        }
        Ok(None)
    }

    /// [`wdl`](Self::wdl) by way of a position. Opens the tables that it needs.
    #[cold]
    fn wdl_of_position(&self, stones: Stones) -> Result<Value> {
        let board = self.board();
        let position = Position::from_mover(board, stones, Side::White)
            .map_err(|source| TableError::NotAPosition { board, source })?;
        if let Some(slice) = Slice::of(&position)
            && self.rules().colours_matter(board, slice.own.into(), slice.opponent.into())
        {
            return Err(TableError::ColoursMatter { slice });
        }
        match self.probe_metric(&position, Metric::Wdl) {
            Err(TableError::Missing { .. }) => self.probe(&position).map(|found| found.value),
            found => found.map(|found| found.value),
        }
    }

    #[inline]
    pub(super) fn index(&self, slice: Slice, stones: Stones) -> Result<u64> {
        Ok(SliceIndex::new(self.sets(), slice)?.index(stones))
    }

    /// The legal turns with their values, in the order of [`TableValue::best_first`], and then in that of
    /// the generator. Each value is that of a [`probe`](Self::probe) of the position after the turn.
    ///
    /// # Errors
    /// As for [`probe`](Self::probe).
    pub fn rank(&self, position: &Position) -> Result<Vec<RankedTurn>> {
        self.check_board(position)?;
        RankedTurn::all(self.rules().turns(position), position, |after| self.probe(after))
    }

    pub(super) fn check_board(&self, position: &Position) -> Result<()> {
        let (expected, found) = (self.board(), position.board());
        if found == expected { Ok(()) } else { Err(TableError::OtherBoard { expected, found }) }
    }

    /// The value of a position in which the side not to move has stones.
    pub(crate) fn code(&self, position: &Position, metric: Metric) -> Result<Code> {
        self.code_by(&self.rules(), position, metric)
    }

    /// The value of a position under the rules of these tables or of one of them. The side not to move
    /// must have stones.
    pub(crate) fn code_by(
        &self,
        rules: &RuleSet,
        position: &Position,
        metric: Metric,
    ) -> Result<Code> {
        let mut search = Search::new(metric);
        let mut step = search.start(self, rules, position)?;
        loop {
            match step {
                Step::Known(code) => return Ok(code),
                Step::Needs(place) => {
                    let code = place.code(self)?;
                    step = search.go_on(self, rules, code)?;
                }
            }
        }
    }
}

/// A turn with its value for the side that makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct RankedTurn {
    pub turn: Turn,
    /// The position after it, with the other side to move.
    pub after: Position,
    /// The value for the side that makes the turn. The distance counts this turn too.
    pub value: TableValue,
}

impl RankedTurn {
    /// The turns of a position, best first. `value` has the values of the positions after them. Turns
    /// of equal value keep their order.
    pub(super) fn all(
        turns: Vec<Turn>,
        position: &Position,
        mut value: impl FnMut(&Position) -> Result<TableValue>,
    ) -> Result<Vec<Self>> {
        let ranked = turns.into_iter().map(|turn| {
            let after = position.play_unchecked(&turn);
            Ok(Self { turn, after, value: value(&after)?.before_turn() })
        });
        let mut ranked = ranked.collect::<Result<Vec<_>>>()?;
        ranked.sort_by(|a, b| a.value.best_first(&b.value));
        Ok(ranked)
    }
}

/// Changes the error of a missing table to say that it is missing in either metric.
pub(super) fn without_metric(error: TableError) -> TableError {
    match error {
        TableError::Missing { slice, board, rules, dir, .. } => {
            TableError::Missing { slice, board, rules, dir, metric: None }
        }
        other => other,
    }
}
