//! Asking about positions of one game.

use std::ops::Neg;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use fanorona_core::Position;
use fanorona_knowledge::{
    Assessment, Knowledge, KnowledgeError, Line, LineEnd, RankedTurn, Source, Tried,
};
use fanorona_proof::{Bounds, CertificateError, Maker};
use fanorona_solver::{Analysis, End, Limits, SearchReport, play_out};
use web_time::Instant;

use super::answer::{Answer, Estimate};
use super::help::help;
use super::means::{Means, Opinion, SHARE_OF_SEARCH};
use super::search::{Solvers, with_search};
use crate::analysis;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::options::Options;
use crate::score::Score;

type Result<T> = std::result::Result<T, EngineError>;

/// The shortest and the longest time of the engine for a position.
const TIMES_OF_ENGINE: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(2)];

/// Questions about positions of one game. What one search finds helps the next. See the
/// [module](super).
#[derive(Debug)]
pub struct Inquiry<'a> {
    pub(super) known: &'a Knowledge,
    pub(super) means: Means,
    /// Built when there is something to search.
    solvers: Option<Solvers<'a>>,
    /// Built when it is asked for the first time.
    engine: Option<Engine>,
    /// The earlier positions of the game, which the engine does not repeat without need.
    earlier: Vec<Position>,
}

impl<'a> Inquiry<'a> {
    /// Questions to these sources, with these means. It takes memory when there is something to search.
    pub fn new(known: &'a Knowledge, means: Means) -> Self {
        Self { known, means, solvers: None, engine: None, earlier: Vec::new() }
    }

    /// The same about a position that comes after others in a game: the engine knows what is there again.
    #[must_use]
    pub fn after(self, earlier: &[Position]) -> Self {
        Self { earlier: earlier.to_vec(), ..self }
    }

    /// The sources.
    pub fn knowledge(&self) -> &Knowledge {
        self.known
    }

    /// Asks about a position. `progress` hears of the search about twice a second. Soon after `stop` is
    /// set, it ends with what was found by then.
    ///
    /// # Errors
    /// If the rule set cannot be used on the board, if a table, a certificate or the file of the search
    /// cannot be used, or if memory is lacking.
    pub fn ask(
        &mut self,
        position: &Position,
        stop: &AtomicBool,
        progress: impl FnMut(&SearchReport),
    ) -> Result<Answer> {
        let began = Instant::now();
        let mut answer = Answer::of_sources(self.known, position)?;
        answer.certified = self.known.certified(position)?;
        answer.is_ahead = self.known.lookup(position)?.source != answer.assessment().source;
        if answer.is_proved() {
            let most = usize::from(answer.assessment().dtw.unwrap_or_default());
            answer.line = self.known.line(position, most.max(Line::LONGEST))?.with_progress();
        }
        answer.elapsed = began.elapsed();
        let by_certificate = answer.assessment().source == Some(Source::Proof);
        if !answer.is_proved() || self.means.certify && !by_certificate {
            let limits = self.means.limits();
            let given = match &answer.certified {
                Some(fact) => fact.assessment.bounds,
                None => Bounds::UNKNOWN,
            };
            self.search(&mut answer, given, &limits, stop, progress)?;
            if answer.end() != End::Stopped && !self.means.certify {
                self.opinion(&mut answer, stop)?;
            }
        }
        self.play_out(&mut answer, stop)?;
        let turns = answer.look.turns.as_deref().unwrap_or_default();
        answer.tried = Tried::of(&answer.rules, position, turns);
        answer.help = help(&answer, self.known, &self.means)?;
        Ok(answer)
    }

    /// Makes a certificate of what the last search has proved; the caller writes it to a file. `None` if
    /// that is nothing. `progress` gets the number of positions found so far, and at last the number that
    /// the certificate has. It may take as long as the search.
    ///
    /// # Errors
    /// If a limit is reached, a table fails, or `stop` was set.
    pub fn certify(
        &mut self,
        answer: &Answer,
        stop: &AtomicBool,
        progress: impl FnMut(usize),
    ) -> std::result::Result<Option<Maker>, CertificateError> {
        let Some(found) = &answer.search else { return Ok(None) };
        let Some(solvers) = &mut self.solvers else { return Ok(None) };
        let (position, limits) = (answer.look.position, self.means.limits());
        solvers.last().certify(&position, found.bounds(), &limits, stop, progress)
    }

    /// Searches a position of which bounds are given for more than is known.
    pub(super) fn search(
        &mut self,
        answer: &mut Answer,
        given: Bounds,
        limits: &Limits,
        stop: &AtomicBool,
        progress: impl FnMut(&SearchReport),
    ) -> Result<()> {
        let solvers = match &mut self.solvers {
            Some(solvers) => solvers,
            empty => empty.insert(Solvers::new(self.known, self.means.memory)?),
        };
        let found = solvers.run(&answer.look.position, given, limits, stop, progress)?;
        answer.learn(with_search(&answer.look, &found.search), found.best.as_ref());
        if answer.line.line.is_empty() {
            answer.line = self.line(answer, &found)?;
        }
        answer.elapsed = found.search.elapsed;
        answer.search = Some(found);
        Ok(())
    }

    /// The line of a search, with distances where tables have them.
    fn line(&self, answer: &Answer, found: &Analysis) -> Result<Line> {
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
        let position = answer.look.position;
        Ok(Line::found(&answer.rules, position, answer.assessment(), turns).with_progress())
    }

    /// Asks the engine about a position that the search has left open.
    pub(super) fn opinion(&mut self, answer: &mut Answer, stop: &AtomicBool) -> Result<()> {
        if answer.is_proved() || self.means.opinion == Opinion::None {
            return Ok(());
        }
        let [least, most] = TIMES_OF_ENGINE;
        let time = answer.elapsed.mul_f64(1.0 / SHARE_OF_SEARCH - 1.0).clamp(least, most);
        let limits = analysis::Limits { time: Some(time), ..Default::default() };
        let (position, earlier) = (answer.look.position, std::mem::take(&mut self.earlier));
        let found = self.engine()?.analyze(&position, &earlier, &limits, stop, |_| {});
        self.earlier = earlier;
        let found = found?;
        if let Score::Estimate(score) = found.score {
            answer.estimate = Some(Estimate { score, depth: found.depth });
            answer.engine_turn = found.turn;
            return Ok(());
        }
        if self.means.opinion == Opinion::Proof {
            // The distance is only a bound.
            let proved = Assessment { dtw: None, ..found.assessment() };
            answer.learn(answer.look.clone().narrowed_by(proved, &[]), found.turn.as_ref());
            answer.is_followed = answer.is_proved();
            if answer.is_followed {
                answer.line = line_of(&found, answer);
            }
        }
        Ok(())
    }

    fn engine(&mut self) -> Result<&mut Engine> {
        let empty = match &mut self.engine {
            Some(engine) => return Ok(engine),
            empty => empty,
        };
        let mut options = Options::default();
        let all = || thread::available_parallelism().map_or(1, usize::from);
        let threads = if self.means.threads == 0 { all() } else { self.means.threads };
        options.threads = threads.min(Options::MAX_THREADS);
        Ok(empty.insert(Engine::new(self.known.clone(), options)?))
    }

    /// Searches the end of a line that ends where tables know who wins, but not how.
    fn play_out(&self, answer: &mut Answer, stop: &AtomicBool) -> Result<()> {
        let (time, line) = (self.means.line_time, &mut answer.line);
        let (Some(tables), LineEnd::TableEdge) = (self.known.tables(), line.end) else {
            return Ok(());
        };
        let is_of_table = |turn: &mut RankedTurn| turn.assessment.source == Some(Source::Table);
        let Some(last) = line.line.pop_if(|turn| !time.is_zero() && is_of_table(turn)) else {
            return Ok(());
        };
        let from = line.line.last().map_or(line.position, |turn| turn.after);
        let tables = Arc::as_ref(tables);
        let found =
            play_out(&answer.rules, tables, &from, time, stop).map_err(KnowledgeError::from)?;
        if !found.is_finished {
            line.line.push(last);
            return Ok(());
        }
        for (turn, after) in found.turns {
            let assessment = self.known.lookup(&after)?.before_turn();
            line.line.push(RankedTurn { turn, after, assessment });
        }
        line.end = LineEnd::Finished;
        answer.is_played_out = true;
        Ok(())
    }
}

/// The line that the engine expects, in a position of which it has proved the value.
fn line_of(found: &analysis::Analysis, answer: &Answer) -> Line {
    let (mut position, mut value) = (answer.look.position, answer.assessment().value());
    let turns = found.line.iter().map(|turn| {
        position = position.play_unchecked(turn);
        let bounds = value.map_or(Bounds::UNKNOWN, Bounds::exact);
        value = value.map(Neg::neg);
        let assessment = Assessment::new(bounds, Source::Search);
        RankedTurn { turn: turn.clone(), after: position, assessment }
    });
    Line::found(&answer.rules, answer.look.position, answer.assessment(), turns.collect())
}

#[cfg(test)]
mod tests {
    use fanorona_core::{Board, RuleSet};
    use fanorona_knowledge::Book;

    use super::*;

    /// A bound that a certificate proves is not searched for again, and both together are the value.
    #[test]
    fn a_search_takes_what_certificates_prove() {
        let proofs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/proofs");
        let book = Book::open([format!("{proofs}/5x5-standard.proof")]).expect("a book");
        let known = Knowledge::of_rules(Board::dimy(), RuleSet::STANDARD);
        let with_book =
            Knowledge::new(Board::dimy(), RuleSet::STANDARD, None, Some(Arc::new(book)));
        let with_book = with_book.expect("one game");
        let means =
            Means { nodes: Some(2000), threads: 1, memory: Some(1 << 20), ..Means::default() };
        let (mut fewer, mut more) = (0, 0);
        for first in RuleSet::STANDARD.successors(&Board::dimy().start()) {
            let ask = |known| {
                let mut inquiry = Inquiry::new(known, means.clone());
                inquiry.ask(&first, &AtomicBool::new(false), |_| {}).expect("it searches")
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
