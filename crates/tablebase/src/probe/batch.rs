//! Probing many positions at a time, in the order in which they need the blocks of the tables.

use std::sync::atomic::{AtomicBool, Ordering};

use fanorona_core::{Position, Stones};
use rayon::prelude::*;

use super::rank::RankedTurn;
use super::tables::Tables;
use crate::error::Result;
use crate::key::captures_are_stored;
use crate::slice::{Slice, seen_rules};
use crate::value::{Code, Metric, TableValue};

/// The neighbouring positions that a thread probes before it looks at the stop flag.
const PIECE: usize = 1 << 10;

impl Tables {
    /// The values of many positions, in the given order, each as [`probe`](Self::probe) returns it.
    ///
    /// It probes them in an order in which neighbours need the same blocks: those in a table by index, the
    /// others by the stones that captures leave. So the cost per position falls with the number of
    /// positions. Uses all threads of the current rayon pool.
    ///
    /// # Errors
    /// As for [`probe`](Self::probe), separately for each position.
    pub fn probe_many(&self, positions: &[Position]) -> Vec<Result<TableValue>> {
        let found = self.probe_many_as(positions, &AtomicBool::new(false), |_, found| found);
        found.expect("nobody sets the flag")
    }

    /// [`probe_many`](Self::probe_many) with results of any form, which `make` gets from the place of a
    /// position and its value. Results with errors are large: with small ones it is faster. `None` if
    /// the flag is set meanwhile, some milliseconds later.
    pub fn probe_many_as<T: Send>(
        &self,
        positions: &[Position],
        stop: &AtomicBool,
        make: impl Fn(usize, Result<TableValue>) -> T + Sync,
    ) -> Option<Vec<T>> {
        self.in_order(positions, stop, |place, position| make(place, self.probe(position)))
    }

    /// The legal turns of many positions with their values, each list as [`rank`](Self::rank)
    /// returns it, probed as in [`probe_many`](Self::probe_many).
    ///
    /// # Errors
    /// As for [`rank`](Self::rank), separately for each position.
    pub fn rank_many(&self, positions: &[Position]) -> Vec<Result<Vec<RankedTurn>>> {
        let turns: Vec<_> = positions
            .par_iter()
            .map(|position| {
                self.check_board(position)?;
                let turns = self.rules().turns(position).into_iter();
                Ok(turns.map(|turn| (position.play_unchecked(&turn), turn)).collect::<Vec<_>>())
            })
            .collect();
        let after: Vec<_> = turns.iter().flatten().flatten().map(|(after, _)| *after).collect();
        let mut values = self.probe_many(&after).into_iter();
        let rank = |turns: Result<Vec<(Position, _)>>| {
            let turns = turns?;
            // Take all of them even if one is an error, so that the next position begins with its
            // own.
            let values: Vec<_> = values.by_ref().take(turns.len()).collect();
            let ranked = turns.into_iter().zip(values);
            let ranked =
                ranked.map(|((after, turn), value)| Ok(RankedTurn::new(turn, after, value?)));
            let mut ranked = ranked.collect::<Result<Vec<_>>>()?;
            RankedTurn::sort(&mut ranked);
            Ok(ranked)
        };
        turns.into_iter().map(rank).collect()
    }

    /// The values of positions in which the side not to move has stones, and which are in the order of
    /// an index.
    pub(super) fn codes(&self, positions: &[Position], metric: Metric) -> Vec<Result<Code>> {
        let pieces = positions.par_chunks(PIECE);
        pieces.flat_map_iter(|piece| piece.iter().map(|at| self.code(at, metric))).collect()
    }

    /// Probes positions in the order of the tables, and returns the results in the given order.
    fn in_order<T: Send>(
        &self,
        positions: &[Position],
        stop: &AtomicBool,
        probe: impl Fn(usize, &Position) -> T + Sync,
    ) -> Option<Vec<T>> {
        let keys = positions.par_iter().map(|position| self.place_in_tables(position));
        let mut order: Vec<((u64, u64), usize)> =
            keys.enumerate().map(|(at, key)| (key, at)).collect();
        order.par_sort_unstable();
        let pieces = order.par_chunks(PIECE).map(|piece| {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            // Copied together, because each of them has to come from memory.
            let here: Vec<_> = piece.iter().map(|&(_, at)| (at, positions[at])).collect();
            let found = here.iter().map(|(at, position)| (*at, probe(*at, position)));
            Some(found.collect::<Vec<_>>())
        });
        let pieces = pieces.collect::<Option<Vec<_>>>()?;
        let mut results: Vec<Option<T>> = positions.iter().map(|_| None).collect();
        for (at, result) in pieces.into_iter().flatten() {
            results[at] = Some(result);
        }
        results.into_iter().collect()
    }

    /// Numbers that order positions as the tables have them: by file, and in a file by index. Those
    /// whose captures are searched are in the order of the opponent's stones, because most of them stay
    /// and choose the rows of the smaller tables.
    fn place_in_tables(&self, position: &Position) -> (u64, u64) {
        let Some(slice) = Slice::of(position).filter(|_| position.board() == self.board()) else {
            return (0, 0);
        };
        let rules = seen_rules(&self.rules(), position);
        let metrics = [Metric::Dtw, Metric::Wdl];
        let is_unpacked = self.uses_unpacked()
            && metrics
                .iter()
                .any(|metric| matches!(self.unpacked_for(&rules, slice, *metric), Ok(Some(_))));
        let is_searched = !is_unpacked
            && !captures_are_stored(self.board(), &rules, slice)
            && rules.has_capture(position);
        if !is_searched {
            for metric in metrics {
                if let Ok(Some(file)) = self.table_for(&rules, slice, metric)
                    && let Ok(index) = self.index(slice, Stones::of(position))
                {
                    return (file.id(), index);
                }
            }
        }
        // A board has up to 63 points, and numbers of files are small.
        (1 << 63 | position.opponent().bits(), position.own().bits())
    }
}
