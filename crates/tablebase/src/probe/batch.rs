//! Probing many positions at a time, in the order in which the tables have their values.

use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};

use fanorona_core::{Position, RuleSet, Turn};
use rayon::prelude::*;

use super::lookup::{RankedTurn, without_metric};
use super::search::{Place, Search, Step, Waiting};
use super::tables::{FileNumber, Tables};
use crate::error::{Result, TableError};
use crate::value::{Code, Metric, TableValue};

/// The positions that a thread works on before it looks at the stop flag.
const PIECE: usize = 1 << 10;

/// The most positions that are searched at the same time. With more, fewer blocks are decompressed
/// twice, but more is in memory: about 100 bytes a position.
const TOGETHER: usize = 1 << 19;

/// The captures of a piece that wait at most; beyond that, each position is probed by itself.
const MOST_CAPTURES: usize = 32 * PIECE;

/// With fewer values to look up, the order does not pay.
const FEW: usize = 1 << 9;

impl Tables {
    /// The values of many positions, in the given order, each as [`probe`](Self::probe) returns it.
    ///
    /// It searches the captures of all positions at the same time, each until it needs a value of a
    /// table. Then it looks up these values in the order of the tables, so each block is
    /// decompressed about once, and goes on. So the cost per position falls with the number of
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
        let mut results: Vec<Option<T>> = positions.iter().map(|_| None).collect();
        let rounds = positions.chunks(TOGETHER).zip(results.chunks_mut(TOGETHER));
        for (number, (positions, results)) in rounds.enumerate() {
            let make = |at, found| make(number * TOGETHER + at, found);
            self.probe_together(positions, results, stop, &make)?;
        }
        results.into_iter().collect()
    }

    /// Searches positions at the same time. `None` if the flag is set.
    fn probe_together<T: Send>(
        &self,
        positions: &[Position],
        results: &mut [Option<T>],
        stop: &AtomicBool,
        make: &(impl Fn(usize, Result<TableValue>) -> T + Sync),
    ) -> Option<()> {
        let goes_on = || (!stop.load(Ordering::Relaxed)).then_some(());
        let rules = &self.rules();
        let parts = positions.chunks(PIECE).zip(results.chunks_mut(PIECE)).enumerate();
        let mut parts: Vec<_> = parts
            .map(|(number, (positions, results))| BatchPart {
                tables: self,
                rules,
                make,
                first: number * PIECE,
                positions,
                results,
                waiting: Waiting::default(),
                lookups: Vec::new(),
            })
            .collect();
        let codes: Vec<AtomicU16> = positions.iter().map(|_| AtomicU16::default()).collect();
        parts.par_iter_mut().try_for_each(|part| goes_on().map(|()| part.start()))?;
        loop {
            let mut lookups: Vec<_> =
                parts.iter().flat_map(|part| &part.lookups).copied().collect();
            if lookups.len() < FEW {
                return parts.par_iter_mut().try_for_each(|part| goes_on().map(|()| part.finish()));
            }
            lookups.par_sort_unstable();
            lookups.par_chunks(PIECE).try_for_each(|lookups| {
                let files = lookups.chunk_by(|one, next| one.place().file == next.place().file);
                goes_on().map(|()| files.for_each(|lookups| self.look_up(lookups, &codes)))
            })?;
            parts.par_iter_mut().try_for_each(|part| goes_on().map(|()| part.go_on(&codes)))?;
        }
    }

    /// Writes down the values at places of one file, and [`Code::NONE`] for those that cannot be
    /// read.
    fn look_up(&self, lookups: &[BatchLookup], codes: &[AtomicU16]) {
        let write = |lookup: &BatchLookup, code: Result<Code>| {
            let code = code.unwrap_or(Code::NONE);
            codes[lookup.at()].store(code.0, Ordering::Relaxed);
        };
        let Some(first) = lookups.first() else { return };
        let file = self.open_file(first.place().file);
        if file.values_in_place().is_some() {
            let code = |lookup: &BatchLookup| file.code(lookup.place().index, self.cache());
            return lookups.iter().for_each(|lookup| write(lookup, code(lookup)));
        }
        let block_of = |lookup: &BatchLookup| file.block_of(lookup.place().index);
        for lookups in lookups.chunk_by(|one, next| block_of(one) == block_of(next)) {
            // A block that only one position needs would push others out of the cache.
            let is_kept = lookups.len() > 1;
            let read = file.with_block(block_of(&lookups[0]), is_kept, self.cache(), |block| {
                lookups.iter().for_each(|each| write(each, block.code(each.place().index)));
            });
            if read.is_err() {
                lookups.iter().for_each(|lookup| write(lookup, Ok(Code::NONE)));
            }
        }
    }

    /// The legal turns of many positions with their values, each list as [`rank`](Self::rank)
    /// returns it, probed as in [`probe_many`](Self::probe_many).
    ///
    /// # Errors
    /// As for [`rank`](Self::rank), separately for each position.
    pub fn rank_many(&self, positions: &[Position]) -> Vec<Result<Vec<RankedTurn>>> {
        let turns = positions.par_iter().map(|position| {
            self.check_board(position)?;
            Ok(self.rules().turns(position))
        });
        let turns: Vec<Result<Vec<Turn>>> = turns.collect();
        let all = positions.iter().zip(&turns);
        let after: Vec<_> = all
            .flat_map(|(position, turns)| {
                turns.iter().flatten().map(|turn| position.play_unchecked(turn))
            })
            .collect();
        let mut values = self.probe_many(&after).into_iter();
        let rank = |(turns, position): (Result<Vec<Turn>>, &Position)| {
            let turns = turns?;
            // Take all of them even if one is an error, so that the next position begins with its
            // own.
            let values: Vec<_> = values.by_ref().take(turns.len()).collect();
            let mut values = values.into_iter();
            let value = |_: &Position| values.next().expect("each turn has a value");
            RankedTurn::all(turns, position, value)
        };
        turns.into_iter().zip(positions).map(rank).collect()
    }

    /// The values of positions in which the side not to move has stones, and which are in the order of
    /// an index.
    pub(super) fn codes(&self, positions: &[Position], metric: Metric) -> Vec<Result<Code>> {
        let pieces = positions.par_chunks(PIECE);
        pieces.flat_map_iter(|piece| piece.iter().map(|at| self.code(at, metric))).collect()
    }
}

/// A value that the search of a position needs: the place, then the number of the position. One
/// number is sorted fastest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct BatchLookup(u128);

impl BatchLookup {
    fn new(place: Place, at: usize) -> Self {
        // Fewer than `TOGETHER` positions have numbers.
        Self(u128::from(place.file.0) << 96 | u128::from(place.index) << 32 | at as u128)
    }

    fn place(self) -> Place {
        Place { file: FileNumber((self.0 >> 96) as u16), index: (self.0 >> 32) as u64 }
    }

    fn at(self) -> usize {
        self.0 as u32 as usize
    }
}

/// Neighbouring positions with their searches.
struct BatchPart<'p, T, M> {
    tables: &'p Tables,
    rules: &'p RuleSet,
    make: &'p M,
    /// The number of the first position.
    first: usize,
    positions: &'p [Position],
    results: &'p mut [Option<T>],
    waiting: Waiting,
    /// The values that the searches wait for.
    lookups: Vec<BatchLookup>,
}

impl<T, M: Fn(usize, Result<TableValue>) -> T> BatchPart<'_, T, M> {
    /// Begins all searches.
    fn start(&mut self) {
        let metric = if self.tables.has_distances() { Metric::Dtw } else { Metric::Wdl };
        let mut search = Search::new(metric);
        self.lookups.reserve(self.positions.len());
        self.waiting.reserve(self.positions.len());
        for (at, position) in self.positions.iter().enumerate() {
            if let Err(error) = self.tables.check_board(position) {
                self.write(at, Err(error));
                continue;
            }
            search.metric = metric;
            let step = search.start(self.tables, self.rules, position);
            // Where there are captures, the game is not over.
            if !search.captures()
                && let Some(found) = self.tables.finished(position, Metric::Dtw).transpose()
            {
                self.write(at, found);
                continue;
            }
            self.take(at, &mut search, step);
        }
    }

    /// Goes on with all searches that wait.
    fn go_on(&mut self, codes: &[AtomicU16]) {
        self.lookups.clear();
        let mut search = Search::new(Metric::Wdl);
        let waiting = std::mem::take(&mut self.waiting);
        waiting.for_each(&mut search, |at, search| {
            let at = at as usize;
            let code = Code(codes[self.first + at].load(Ordering::Relaxed));
            if code == Code::NONE {
                // The error is found again.
                return self.write(at, self.tables.probe(&self.positions[at]));
            }
            let step = search.go_on(self.tables, self.rules, code);
            self.take(at, search, step);
        });
    }

    /// Ends all searches that wait, one after another.
    fn finish(&mut self) {
        for lookup in std::mem::take(&mut self.lookups) {
            let at = lookup.at() - self.first;
            self.write(at, self.tables.probe(&self.positions[at]));
        }
    }

    /// Takes a step of a search.
    fn take(&mut self, at: usize, search: &mut Search, mut step: Result<Step>) {
        if search.metric == Metric::Dtw && matches!(step, Err(TableError::Missing { .. })) {
            search.metric = Metric::Wdl;
            step = search.start(self.tables, self.rules, &self.positions[at]);
        }
        match step {
            Ok(Step::Known(code)) => self.write(at, Ok(code.to_table_value(search.metric))),
            // Other writers' tables may have positions with thousands of captures.
            Ok(Step::Needs(_)) if self.waiting.captures() > MOST_CAPTURES => {
                self.write(at, self.tables.probe(&self.positions[at]));
            }
            Ok(Step::Needs(place)) => {
                self.waiting.push(at as u32, search);
                self.lookups.push(BatchLookup::new(place, self.first + at));
            }
            Err(error) => self.write(at, Err(without_metric(error))),
        }
    }

    fn write(&mut self, at: usize, found: Result<TableValue>) {
        self.results[at] = Some((self.make)(self.first + at, found));
    }
}
