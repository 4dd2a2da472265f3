//! The search for proofs: a small one first, then a large one.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use fanorona_core::{Position, Side};
use fanorona_knowledge::{Assessment, Knowledge, Look, Source};
use fanorona_proof::Bounds;
use fanorona_solver::{
    Analysis, DEFAULT_MEMORY, End, Limits, QuestionState, SearchReport, Solver, SolverError,
    TurnState, large_memory,
};

/// Bytes that a thread fills in a second at most.
const FILLED_PER_SECOND: f64 = 64e6;

/// A search goes on with more memory when the small one is so full, from 0 to 1.
const HALF_FULL: f64 = 0.5;

/// The bounds that the answers to both questions prove, for the side to move in the searched position.
fn proved(questions: &[QuestionState; 2], mover: Side) -> Assessment {
    let mut bounds = Bounds::UNKNOWN;
    for state in questions {
        if let Some(answer) = state.answer {
            state.question.apply(answer, &mut bounds, mover);
        }
    }
    Assessment::new(bounds, Source::Search)
}

/// The turns of a search, each with what is proved of it for the side that makes it: the best ones
/// first, then those that are closer to a win, then those that are closer to not losing.
pub fn searched_turns(now: &SearchReport) -> Vec<(&TurnState, Assessment)> {
    let mover = now.questions[0].question.attacker;
    let turns = now.turns.iter().map(|state| (state, proved(&state.questions, mover)));
    let mut turns: Vec<_> = turns.collect();
    turns.sort_by(|(a, one), (b, other)| {
        let numbers = |turn: &TurnState| (turn.questions[0].proof, turn.questions[1].disproof);
        one.best_first(other).then_with(|| numbers(a).cmp(&numbers(b)))
    });
    turns
}

/// Adds to a look at a position the bounds that a search has proved by now.
pub fn with_search(look: &Look, now: &SearchReport) -> Look {
    let known = |(state, found): &(&TurnState, Assessment)| {
        found.is_known().then(|| (state.turn.clone(), *found))
    };
    let proved: Vec<_> = searched_turns(now).iter().filter_map(known).collect();
    look.clone().narrowed_by(Assessment::new(now.bounds, Source::Search), &proved)
}

/// The solvers of an inquiry. A large table costs seconds until it is filled, and most searches are done
/// before that. So a search begins with a small one, and begins again with a large one when that is half
/// full and most of the time is left.
#[derive(Debug)]
pub(super) struct Solvers<'a> {
    known: &'a Knowledge,
    small: Solver<'a>,
    /// The solver of long searches, once there was one.
    large: Option<Solver<'a>>,
    /// Whether memory can be chosen.
    is_free: bool,
    is_small_full: bool,
    is_large_last: bool,
}

impl<'a> Solvers<'a> {
    /// Solvers with this memory in bytes; without a number, with what the length of a search asks for.
    pub(super) fn new(known: &'a Knowledge, memory: Option<usize>) -> Result<Self, SolverError> {
        let small = solver(known, memory.unwrap_or(DEFAULT_MEMORY))?;
        let (large, is_free) = (None, memory.is_none());
        Ok(Self { known, small, large, is_free, is_small_full: false, is_large_last: false })
    }

    /// Searches a position of which bounds are known.
    pub(super) fn run(
        &mut self,
        position: &Position,
        given: Bounds,
        limits: &Limits,
        stop: &AtomicBool,
        mut progress: impl FnMut(&SearchReport),
    ) -> Result<Analysis, SolverError> {
        self.is_large_last = false;
        let most = limits.time.map(|time| memory_for(time, limits.threads));
        let long = most.filter(|most| self.is_free && *most > DEFAULT_MEMORY).zip(limits.time);
        let Some((memory, time)) = long else {
            return self.small.analyze_given(position, given, limits, stop, progress);
        };
        let first = match self.is_small_full {
            true => None,
            false => {
                let (own, mut is_full) = (AtomicBool::new(false), false);
                let found = self.small.analyze_given(position, given, limits, &own, |now| {
                    is_full |= now.memory_filled >= HALF_FULL && now.elapsed < time / 3;
                    if is_full || stop.load(Ordering::Relaxed) {
                        own.store(true, Ordering::Relaxed);
                    }
                    progress(now);
                })?;
                if found.end != End::Stopped || stop.load(Ordering::Relaxed) {
                    return Ok(found);
                }
                self.is_small_full = true;
                Some(found)
            }
        };
        let large = match &mut self.large {
            Some(large) => large,
            empty => match solver(self.known, memory) {
                Ok(large) => empty.insert(large),
                Err(SolverError::Memory { .. }) => &mut self.small,
                Err(error) => return Err(error),
            },
        };
        let Some(first) = first else {
            let found = large.analyze_given(position, given, limits, stop, progress)?;
            self.is_large_last = self.large.is_some();
            return Ok(found);
        };
        let mut limits = limits.clone().with_time(time.saturating_sub(first.search.elapsed));
        limits.nodes = limits.nodes.map(|nodes| nodes.saturating_sub(first.search.nodes));
        let mut second = large.analyze_given(position, given, &limits, stop, |now| {
            progress(&both(&first.search, now.clone()));
        })?;
        self.is_large_last = self.large.is_some();
        second.search = both(&first.search, second.search);
        if second.best.is_none() {
            second.best = first.best;
        }
        Ok(second)
    }

    /// The solver of the last search, which can certify what that has proved.
    pub(super) fn last(&mut self) -> &mut Solver<'a> {
        match &mut self.large {
            Some(large) if self.is_large_last => large,
            _ => &mut self.small,
        }
    }
}

fn solver(known: &Knowledge, memory: usize) -> Result<Solver<'_>, SolverError> {
    let tables = known.search_tables().map(Arc::as_ref);
    Solver::new(known.rules(), known.board(), tables, memory)
}

/// The memory that threads can fill in a time, up to a share of what is available. 0 threads mean one
/// for each processor.
fn memory_for(time: Duration, threads: usize) -> usize {
    let all = || thread::available_parallelism().map_or(1, usize::from);
    let threads = if threads == 0 { all() } else { threads };
    let most = time.as_secs_f64() * threads as f64 * FILLED_PER_SECOND;
    large_memory().min(most as usize)
}

/// The report of a search that has begun again, with what the first part has done.
fn both(first: &SearchReport, mut second: SearchReport) -> SearchReport {
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
    use fanorona_core::{Board, RuleSet, Value};

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
        let run = |board: Board, limits: &Limits| {
            let known = Knowledge::of_rules(board, RuleSet::STANDARD);
            let mut solvers = Solvers::new(&known, None).expect("there is memory");
            let stop = AtomicBool::new(false);
            let found = solvers.run(&board.start(), Bounds::UNKNOWN, limits, &stop, |_| {});
            found.expect("it searches")
        };
        let limits = Limits::default().with_time(Duration::from_secs(60)).with_threads(1);
        let found = run(Board::telo(), &limits);
        assert_eq!((found.value(), found.end), (Some(Value::Win), End::Proved));
        let first = run(Board::tsivy(), &limits.with_nodes(1)).search;
        let mut before = first.clone();
        before.bounds = Bounds { at_least: Value::Draw, at_most: Value::Win };
        before.questions[1].answer = Some(false);
        let all = both(&before, first.clone());
        assert_eq!(all.nodes, 2 * first.nodes);
        assert_eq!((all.bounds, all.questions[1].answer), (before.bounds, Some(false)));
    }
}
