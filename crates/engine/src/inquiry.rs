//! A question about a position: what the rules, the tables and the certificates know of it, then what a
//! search proves, with memory that grows with its length.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use fanorona_core::{Position, Side, Turn, Value};
use fanorona_knowledge::{Assessment, Knowledge, Line, LineEnd, Look, RankedTurn, Source};
use fanorona_proof::Bounds;
use fanorona_solver::{
    Analysis, DEFAULT_MEMORY, End, Limits, QuestionState, SearchReport, Solver, SolverError,
    large_memory,
};
use web_time::Instant;

use crate::error::EngineError;

/// Bytes that a thread fills in a second at most.
const FILLED_PER_SECOND: f64 = 64e6;

/// A search goes on with more memory when the small one is so full, from 0 to 1.
const HALF_FULL: f64 = 0.5;

/// The answer about a position: of the sources, and of a search if there was one.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The position and its turns, with what the sources and the search prove together.
    pub look: Look,
    /// A turn that gets at least the lower bound, if that is more than a loss; in a lost position, one
    /// that delays the end. `None` if no such turn is known.
    pub best: Option<Turn>,
    /// If the value is known, best play up to the first turn that makes no certain progress.
    pub line: Line,
    /// The search; `None` if there was none.
    pub search: Option<Analysis>,
    /// The time that the answer took.
    pub elapsed: Duration,
}

impl Answer {
    /// The answer of the sources alone.
    ///
    /// # Errors
    /// If a table or a certificate cannot be used.
    pub fn of_sources(known: &Knowledge, position: &Position) -> Result<Self, EngineError> {
        let began = Instant::now();
        let look = known.look(position)?;
        let assessment = look.assessment;
        let line = match assessment.value() {
            Some(_) => {
                let most = usize::from(assessment.dtw.unwrap_or_default());
                known.line(position, most.max(Line::LONGEST))?.with_progress()
            }
            None => Line::found(&known.rules(), *position, assessment, Vec::new()),
        };
        let best = look.best().map(|best| best.turn.clone());
        Ok(Self { look, best, line, search: None, elapsed: began.elapsed() })
    }

    /// All that is proved of the position.
    pub fn assessment(&self) -> Assessment {
        self.look.assessment
    }

    /// Whether the value is known.
    pub fn is_proved(&self) -> bool {
        self.look.assessment.value().is_some()
    }

    /// Why the answer has no more: [`End::Proved`] if the sources have the value.
    pub fn end(&self) -> End {
        self.search.as_ref().map_or(End::Proved, |search| search.end)
    }

    /// The positions searched, and how many of them a table decided.
    pub fn nodes(&self) -> (u64, u64) {
        self.search.as_ref().map_or((0, 0), |found| (found.search.nodes, found.search.table_hits))
    }
}

/// The bounds that the answers to both questions prove, for the side to move in the searched position.
pub fn proved(questions: &[QuestionState; 2], mover: Side) -> Assessment {
    let mut bounds = Bounds::UNKNOWN;
    for state in questions {
        if let Some(answer) = state.answer {
            state.question.apply(answer, &mut bounds, mover);
        }
    }
    Assessment::new(bounds, Source::Search)
}

/// The turns of which a search has proved something, each with that, for the side that makes it.
pub fn proved_of_turns(now: &SearchReport) -> Vec<(Turn, Assessment)> {
    let mover = now.questions[0].question.attacker;
    let turns = now.turns.iter().map(|state| (&state.turn, proved(&state.questions, mover)));
    let turns = turns.filter(|(_, found)| found.is_known());
    turns.map(|(turn, found)| (turn.clone(), found)).collect()
}

/// Asks about positions of one game: the sources, and where these do not have the value, a search for
/// proofs. What one search finds helps the next. A large table costs seconds until it is filled, and most
/// searches are done before that. So a search begins with a small one, and begins again with a large one
/// when that is half full and most of the time is left.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use fanorona_core::{Board, RuleSet, Value};
/// use fanorona_engine::inquiry::Inquiry;
/// use fanorona_knowledge::{Knowledge, Source};
/// use fanorona_solver::Limits;
///
/// let known = Knowledge::of_rules(Board::telo(), RuleSet::STANDARD);
/// let mut inquiry = Inquiry::new(&known, None)?;
/// let (limits, stop) = (Limits::default(), AtomicBool::new(false));
/// let answer = inquiry.ask(&Board::telo().start(), &limits, &stop, |_| {})?;
/// assert_eq!(answer.assessment().value(), Some(Value::Win));
/// assert_eq!(answer.assessment().source, Some(Source::Search));
/// # Ok::<(), fanorona_engine::EngineError>(())
/// ```
#[derive(Debug)]
pub struct Inquiry<'a> {
    known: &'a Knowledge,
    small: Solver<'a>,
    /// The solver of long searches, once there was one.
    large: Option<Solver<'a>>,
    /// Whether memory can be chosen.
    is_free: bool,
    is_small_full: bool,
    is_large_last: bool,
}

impl<'a> Inquiry<'a> {
    /// Questions to these sources, and to a search with this memory in bytes; without a number, with
    /// what the length of a search asks for.
    ///
    /// # Errors
    /// If the rule set cannot be used on the board, a table is damaged, or the memory cannot be had.
    pub fn new(known: &'a Knowledge, memory: Option<usize>) -> Result<Self, EngineError> {
        let small = solver(known, memory.unwrap_or(DEFAULT_MEMORY))?;
        let (large, is_free) = (None, memory.is_none());
        Ok(Self { known, small, large, is_free, is_small_full: false, is_large_last: false })
    }

    /// Asks about a position.
    ///
    /// # Errors
    /// If a table or a certificate cannot be used, or as for [`Solver::analyze`].
    pub fn ask(
        &mut self,
        position: &Position,
        limits: &Limits,
        stop: &AtomicBool,
        progress: impl FnMut(&SearchReport),
    ) -> Result<Answer, EngineError> {
        let before = Answer::of_sources(self.known, position)?;
        match before.is_proved() {
            true => Ok(before),
            false => self.search(before, limits, stop, progress),
        }
    }

    /// Searches a position for more than the sources know of it. The search leaves out what
    /// certificates prove, but not what tables do: what it finds can be
    /// [certified](Solver::certify) with these tables alone.
    ///
    /// # Errors
    /// As for [`ask`](Self::ask).
    pub fn search(
        &mut self,
        before: Answer,
        limits: &Limits,
        stop: &AtomicBool,
        progress: impl FnMut(&SearchReport),
    ) -> Result<Answer, EngineError> {
        let position = before.look.position;
        let own = self.known.lookup(&position)?;
        let given = match own.source {
            Some(Source::Proof) => own.bounds,
            _ => Bounds::UNKNOWN,
        };
        let found = self.run(&position, given, limits, stop, progress)?;
        self.together(before, found)
    }

    /// Joins the answer before a search with the result of the search.
    fn together(&self, before: Answer, found: Analysis) -> Result<Answer, EngineError> {
        let Answer { mut look, best, mut line, .. } = before;
        let searched = Assessment::new(found.bounds(), Source::Search);
        let before = look.assessment.bounds.at_least;
        look.assessment = look.assessment.narrowed_by(searched);
        if let Some(turns) = &mut look.turns {
            RankedTurn::learn(turns, &look.assessment, &proved_of_turns(&found.search));
        }
        // The turn of the better proof; the one known before if they prove the same.
        let by_search = found.best.clone();
        let best = match before >= found.bounds().at_least && before > Value::Loss {
            true => best.or(by_search),
            false => by_search.or(best),
        };
        if line.line.is_empty() {
            line = self.line(&look, &found)?;
        }
        line.assessment = look.assessment;
        let elapsed = found.search.elapsed;
        Ok(Answer { look, best, line, search: Some(found), elapsed })
    }

    /// The line of a search, with distances where tables have them.
    fn line(&self, look: &Look, found: &Analysis) -> Result<Line, EngineError> {
        let mut turns = Vec::with_capacity(found.line.len());
        for line in &found.line {
            let known = self.known.lookup(&line.after)?.before_turn();
            let assessment = match known.value() == Some(line.value) {
                true => known,
                false => Assessment::new(Bounds::exact(line.value), Source::Search),
            };
            turns.push(RankedTurn { turn: line.turn.clone(), after: line.after, assessment });
        }
        // The search stops where tables begin, and these may know the rest.
        if let Some(last) = turns.last()
            && self.known.lookup(&last.after)?.source == Some(Source::Table)
        {
            let rest = self.known.line(&last.after, Line::LONGEST.saturating_sub(turns.len()))?;
            let is_known = rest.end != LineEnd::Unknown;
            turns.extend(rest.line.into_iter().filter(|_| is_known));
        }
        let rules = self.known.rules();
        Ok(Line::found(&rules, look.position, look.assessment, turns).with_progress())
    }

    /// Searches a position of which bounds are known.
    fn run(
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

    /// The solver of the last search, which can [certify](Solver::certify) what that has proved.
    pub fn solver(&mut self) -> &mut Solver<'a> {
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
pub fn memory_for(time: Duration, threads: usize) -> usize {
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
    use fanorona_core::{Board, RuleSet};
    use fanorona_knowledge::Book;

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
        let answer = |board: Board, limits: &Limits| {
            let known = Knowledge::of_rules(board, RuleSet::STANDARD);
            let mut inquiry = Inquiry::new(&known, None).expect("there is memory");
            let stop = AtomicBool::new(false);
            inquiry.ask(&board.start(), limits, &stop, |_| {}).expect("it searches")
        };
        let limits = Limits::default().with_time(Duration::from_secs(60)).with_threads(1);
        let found = answer(Board::telo(), &limits);
        assert_eq!((found.assessment().value(), found.end()), (Some(Value::Win), End::Proved));
        let first =
            answer(Board::tsivy(), &limits.with_nodes(1)).search.expect("it searched").search;
        let mut before = first.clone();
        before.bounds = Bounds { at_least: Value::Draw, at_most: Value::Win };
        before.questions[1].answer = Some(false);
        let all = both(&before, first.clone());
        assert_eq!(all.nodes, 2 * first.nodes);
        assert_eq!((all.bounds, all.questions[1].answer), (before.bounds, Some(false)));
    }

    /// A bound that a certificate proves is not searched for again, and both together are the value.
    #[test]
    fn a_search_takes_what_certificates_prove() {
        let proofs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/proofs");
        let book = Book::open([format!("{proofs}/5x5-standard.proof")]).expect("a book");
        let known = Knowledge::of_rules(Board::dimy(), RuleSet::STANDARD);
        let with_book =
            Knowledge::new(Board::dimy(), RuleSet::STANDARD, None, Some(Arc::new(book)));
        let with_book = with_book.expect("one game");
        let limits = Limits::default().with_threads(1).with_nodes(2000);
        let stop = AtomicBool::new(false);
        let (mut fewer, mut more) = (0, 0);
        for first in RuleSet::STANDARD.successors(&Board::dimy().start()) {
            let ask = |known| {
                let mut inquiry = Inquiry::new(known, Some(1 << 20)).expect("there is memory");
                inquiry.ask(&first, &limits, &stop, |_| {}).expect("it searches")
            };
            let [without, with] = [&known, &with_book].map(ask);
            let both = without.assessment().narrowed_by(with.assessment());
            assert_eq!(both.bounds, with.assessment().bounds, "it knows no less");
            fewer += u32::from(with.nodes() < without.nodes());
            more += u32::from(with.nodes() > without.nodes());
        }
        assert!(fewer > 0 && more == 0, "{fewer} {more}");
    }
}
