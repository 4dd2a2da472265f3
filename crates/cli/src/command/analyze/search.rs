//! Searches, with memory that grows with their length.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use fanorona_core::{Board, Position, RuleSet};
use fanorona_proof::Bounds;
use fanorona_solver::{
    Analysis, DEFAULT_MEMORY, End, Limits, SearchReport, Solver, SolverError, large_memory,
};
use fanorona_tablebase::Tables;

use crate::interrupt;

/// Bytes that a thread fills in a second at most.
const FILLED_PER_SECOND: f64 = 64e6;

/// A search goes on with more memory when the small one is so full, from 0 to 1.
const HALF_FULL: f64 = 0.5;

/// Finds proofs for the positions of a game. A large table costs seconds until it is filled, and most
/// searches are done before that. So a search begins with a small one, and begins again with a large
/// one when that is half full and most of the time is left.
pub(super) struct Searcher<'a> {
    rules: RuleSet,
    board: Board,
    tables: Option<&'a Tables>,
    small: Solver<'a>,
    /// The solver of long searches, once there was one.
    large: Option<Solver<'a>>,
    /// Whether memory can be chosen.
    is_free: bool,
    is_small_full: bool,
    is_large_last: bool,
}

impl<'a> Searcher<'a> {
    /// A searcher with this memory in bytes; without a number, with what the length of a search asks
    /// for.
    pub(super) fn new(
        rules: RuleSet,
        board: Board,
        tables: Option<&'a Tables>,
        memory: Option<usize>,
    ) -> Result<Self, SolverError> {
        let small = Solver::new(rules, board, tables, memory.unwrap_or(DEFAULT_MEMORY))?;
        let is_free = memory.is_none();
        let (large, is_small_full, is_large_last) = (None, false, false);
        Ok(Self { rules, board, tables, small, large, is_free, is_small_full, is_large_last })
    }

    /// Searches a position of which bounds are known.
    pub(super) fn search(
        &mut self,
        position: &Position,
        given: Bounds,
        limits: &Limits,
        mut progress: impl FnMut(&SearchReport),
    ) -> Result<Analysis, SolverError> {
        self.is_large_last = false;
        let most = limits.time.map(|time| memory_for(time, limits.threads));
        let long = most.filter(|most| self.is_free && *most > DEFAULT_MEMORY).zip(limits.time);
        let Some((memory, time)) = long else {
            return self.small.analyze_given(position, given, limits, interrupt::flag(), progress);
        };
        let first = match self.is_small_full {
            true => None,
            false => {
                let (stop, mut is_full) = (AtomicBool::new(false), false);
                let found = self.small.analyze_given(position, given, limits, &stop, |now| {
                    is_full |= now.memory_filled >= HALF_FULL && now.elapsed < time / 3;
                    if is_full || interrupt::requested() {
                        stop.store(true, Ordering::Relaxed);
                    }
                    progress(now);
                })?;
                if found.end != End::Stopped || interrupt::requested() {
                    return Ok(found);
                }
                self.is_small_full = true;
                Some(found)
            }
        };
        let large = match &mut self.large {
            Some(large) => large,
            empty => match Solver::new(self.rules, self.board, self.tables, memory) {
                Ok(large) => empty.insert(large),
                Err(SolverError::Memory { .. }) => &mut self.small,
                Err(error) => return Err(error),
            },
        };
        let stop = interrupt::flag();
        let Some(first) = first else {
            let found = large.analyze_given(position, given, limits, stop, progress)?;
            self.is_large_last = self.large.is_some();
            return Ok(found);
        };
        let mut limits = limits.clone().with_time(time.saturating_sub(first.search.elapsed));
        limits.nodes = limits.nodes.map(|nodes| nodes.saturating_sub(first.search.nodes));
        let mut second = large.analyze_given(position, given, &limits, stop, |now| {
            progress(&together(&first.search, now.clone()));
        })?;
        self.is_large_last = self.large.is_some();
        second.search = together(&first.search, second.search);
        if second.best.is_none() {
            second.best = first.best;
        }
        Ok(second)
    }

    /// The solver of the last search.
    pub(super) fn last(&mut self) -> &mut Solver<'a> {
        match &mut self.large {
            Some(large) if self.is_large_last => large,
            _ => &mut self.small,
        }
    }
}

/// The memory that threads can fill in a time, up to a share of what is available. 0 threads mean one
/// for each processor.
pub(super) fn memory_for(time: Duration, threads: usize) -> usize {
    let all = || thread::available_parallelism().map_or(1, usize::from);
    let threads = if threads == 0 { all() } else { threads };
    let most = time.as_secs_f64() * threads as f64 * FILLED_PER_SECOND;
    large_memory().min(most as usize)
}

/// The report of a search that has begun again, with what the first part has done.
fn together(first: &SearchReport, mut second: SearchReport) -> SearchReport {
    second.nodes += first.nodes;
    second.table_hits += first.table_hits;
    second.elapsed += first.elapsed;
    let bounds = second.bounds.intersection(first.bounds);
    if bounds.at_least <= bounds.at_most {
        second.bounds = bounds;
    }
    for (question, earlier) in second.questions.iter_mut().zip(&first.questions) {
        question.answer = question.answer.or(earlier.answer);
    }
    second
}

#[cfg(test)]
mod tests {
    use fanorona_core::Value;

    use super::*;

    #[test]
    fn short_searches_need_little_memory() {
        assert_eq!(memory_for(Duration::ZERO, 1), 0);
        let second = memory_for(Duration::from_secs(1), 1);
        assert_eq!(second, 64_000_000.min(large_memory()));
        assert!(memory_for(Duration::from_secs(1_000_000), 2) <= 2 * large_memory());
    }

    /// As a search does that takes long: the second part knows what the first has proved, and counts
    /// what it did.
    #[test]
    fn a_search_that_begins_again_keeps_what_it_had() {
        let start = Board::telo().start();
        let mut searcher =
            Searcher::new(RuleSet::STANDARD, start.board(), None, None).expect("there is memory");
        let limits = Limits::default().with_time(Duration::from_secs(60)).with_threads(1);
        let found = searcher.search(&start, Bounds::UNKNOWN, &limits, |_| {}).expect("it searches");
        assert_eq!((found.value(), found.end), (Some(Value::Win), End::Proved));
        let open = limits.with_nodes(1);
        let start = Board::tsivy().start();
        let mut other =
            Searcher::new(RuleSet::STANDARD, start.board(), None, None).expect("there is memory");
        let first = other.search(&start, Bounds::UNKNOWN, &open, |_| {}).expect("it searches");
        let mut before = first.search.clone();
        before.bounds = Bounds { at_least: Value::Draw, at_most: Value::Win };
        before.questions[1].answer = Some(false);
        let both = together(&before, first.search.clone());
        assert_eq!(both.nodes, 2 * first.search.nodes);
        assert_eq!((both.bounds, both.questions[1].answer), (before.bounds, Some(false)));
    }
}
