//! Probing many positions at a time. Lookups are sorted by file and index, so that each block is
//! decompressed once.

use fanorona_core::Position;
use rayon::prelude::*;

use super::lookup::{Source, without_metric};
use super::rank::RankedTurn;
use super::tables::Tables;
use crate::error::{Result, TableError};
use crate::format::TableFile;
use crate::value::{Code, Metric, TableValue};

/// The number of positions whose lookups are sorted together. The maximum limits memory. The
/// minimum keeps batches useful when they are divided among threads.
const TOGETHER: std::ops::RangeInclusive<usize> = 1 << 10..=1 << 16;

/// The search of a position with a capture.
struct Search {
    /// The position's index in the list.
    place: usize,
    /// The positions after its captures that are not probed yet, in reverse order.
    captures: Vec<Position>,
    best: Option<Code>,
}

impl Tables {
    /// The values of many positions, in the given order, each as [`probe`](Self::probe) returns it.
    ///
    /// Sorts the lookups of up to 65,536 positions at a time, so that a block that several of them
    /// need is decompressed once. So the cost per position falls with the number of positions. Uses
    /// all threads of the current rayon pool.
    ///
    /// # Errors
    /// As for [`probe`](Self::probe), separately for each position.
    pub fn probe_many(&self, positions: &[Position]) -> Vec<Result<TableValue>> {
        // Tables with distances first, then those without for the positions whose tables are missing.
        let without_distances = |positions: &[Position]| {
            let found = self.probe_metric_many(positions, Metric::Wdl).into_iter();
            found.map(|result| result.map_err(without_metric))
        };
        if !self.has_distances() {
            return without_distances(positions).collect();
        }
        let mut found = self.probe_metric_many(positions, Metric::Dtw);
        let missing = |result: &Result<_>| matches!(result, Err(TableError::Missing { .. }));
        let again: Vec<usize> = (0..found.len()).filter(|place| missing(&found[*place])).collect();
        let chosen: Vec<_> = again.iter().map(|place| positions[*place]).collect();
        for (place, result) in again.into_iter().zip(without_distances(&chosen)) {
            found[place] = result;
        }
        found
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

    fn probe_metric_many(&self, positions: &[Position], metric: Metric) -> Vec<Result<TableValue>> {
        let mut values = Vec::with_capacity(positions.len());
        let mut open = Vec::new();
        for (place, position) in positions.iter().enumerate() {
            values.push(match self.finished(position, Metric::Dtw) {
                Ok(Some(value)) => Ok(value),
                Ok(None) => {
                    open.push((place, *position));
                    // A placeholder, replaced below.
                    Ok(Code::DRAW.to_table_value(metric))
                }
                Err(error) => Err(error),
            });
        }
        let (places, open): (Vec<_>, Vec<_>) = open.into_iter().unzip();
        for (place, code) in places.into_iter().zip(self.codes(&open, metric)) {
            values[place] = code.map(|code| code.to_table_value(metric));
        }
        values
    }

    /// The values of positions in which the side not to move has stones.
    pub(super) fn codes(&self, positions: &[Position], metric: Metric) -> Vec<Result<Code>> {
        let for_each_thread = positions.len().div_ceil(rayon::current_num_threads());
        let parts = positions.par_chunks(for_each_thread.clamp(*TOGETHER.start(), *TOGETHER.end()));
        parts.flat_map_iter(|part| self.codes_together(part, metric)).collect()
    }

    fn codes_together(&self, positions: &[Position], metric: Metric) -> Vec<Result<Code>> {
        let mut codes: Vec<Result<Code>> = Vec::with_capacity(positions.len());
        let mut look_ups: Vec<(&TableFile, u64, usize)> = Vec::new();
        let mut searches = Vec::new();
        for (place, position) in positions.iter().enumerate() {
            codes.push(match self.source(&self.rules(), position, metric) {
                Ok(Source::Known(code)) => Ok(code),
                Ok(Source::Table(file, index)) => {
                    look_ups.push((file, index, place));
                    Ok(Code::NONE)
                }
                Ok(Source::Captures(mut captures)) => {
                    captures.reverse();
                    searches.push(Search { place, captures, best: None });
                    Ok(Code::NONE)
                }
                Err(error) => Err(error),
            });
        }
        look_ups.sort_unstable_by_key(|(file, index, _)| (file.id(), *index));
        for (file, index, place) in look_ups {
            codes[place] = self.code_in(file, index, metric);
        }
        // Most searches end after one or two captures, so probe one of each first, then two and so
        // on.
        let mut asked = 1;
        while !searches.is_empty() {
            let next = |search: &Search| {
                let captures = search.captures.iter().rev().take(asked);
                captures.copied().collect::<Vec<_>>()
            };
            let after: Vec<_> = searches.iter().flat_map(next).collect();
            let mut found = self.codes_together(&after, metric).into_iter();
            searches.retain_mut(|search| {
                let left = search.captures.len().saturating_sub(asked);
                let answers = found.by_ref().take(search.captures.len() - left);
                search.captures.truncate(left);
                let result = search.take(answers.collect(), metric);
                let Some(result) = result else { return true };
                codes[search.place] = result;
                false
            });
            asked *= 2;
        }
        codes
    }
}

impl Search {
    /// Adds the values of the next captures. Returns the position's value once it is known.
    fn take(&mut self, answers: Vec<Result<Code>>, metric: Metric) -> Option<Result<Code>> {
        for answer in answers {
            let code = match answer {
                Ok(code) => code.before_turn(metric),
                Err(error) => return Some(Err(error)),
            };
            if code == Code::WIN {
                return Some(Ok(code));
            }
            self.best = Some(self.best.map_or(code, |best| best.better(code)));
        }
        if self.captures.is_empty() { self.best.map(Ok) } else { None }
    }
}
