//! Searches, with memory that grows with their length.

use std::time::Duration;

use fanorona_core::{Board, Position, RuleSet};
use fanorona_proof::Bounds;
use fanorona_solver::{
    Analysis, DEFAULT_MEMORY, End, Limits, SearchReport, Solver, SolverError, large_memory,
};
use fanorona_tablebase::Tables;

use crate::interrupt;

/// A search that may take at least this long gets more memory, if it is not done soon.
const LONG: Duration = Duration::from_secs(10);

/// The longest time of a search before it gets more memory.
const SOON: Duration = Duration::from_secs(5);

/// Finds proofs for the positions of a game. A large table costs seconds until it is filled, and most
/// searches are done before that. So a search begins with a small one, and begins again with a large
/// one if it takes long.
pub(super) struct Searcher<'a> {
    rules: RuleSet,
    board: Board,
    tables: Option<&'a Tables>,
    small: Solver<'a>,
    /// The solver of long searches, once there was one.
    large: Option<Solver<'a>>,
    /// The memory of long searches. `None` if all searches have the same memory.
    memory: Option<usize>,
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
        let large = large_memory();
        let memory = (memory.is_none() && large > DEFAULT_MEMORY).then_some(large);
        Ok(Self { rules, board, tables, small, large: None, memory, is_large_last: false })
    }

    /// Searches a position of which bounds are known.
    pub(super) fn search(
        &mut self,
        position: &Position,
        given: Bounds,
        limits: &Limits,
        mut progress: impl FnMut(&SearchReport),
    ) -> Result<Analysis, SolverError> {
        let stop = interrupt::flag();
        self.is_large_last = false;
        let long = limits.time.filter(|time| *time >= LONG).zip(self.memory);
        let Some((time, memory)) = long else {
            return self.small.analyze_given(position, given, limits, stop, progress);
        };
        let soon = SOON.min(time / 8);
        let short = limits.clone().with_time(soon);
        let first = self.small.analyze_given(position, given, &short, stop, &mut progress)?;
        if first.end != End::Time {
            return Ok(first);
        }
        let large = match &mut self.large {
            Some(large) => large,
            empty => match Solver::new(self.rules, self.board, self.tables, memory) {
                Ok(large) => empty.insert(large),
                Err(SolverError::Memory { .. }) => &mut self.small,
                Err(error) => return Err(error),
            },
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
