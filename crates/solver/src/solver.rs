//! The solver of a board.

use std::fmt;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Position, RuleSet};
use fanorona_proof::{Bounds, CertificateError, Claim, Maker};
use fanorona_tablebase::Tables;

use crate::error::{Result, SolverError};
use crate::game::Game;
use crate::limits::Limits;
use crate::line::best_play;
use crate::prover::{Counts, NodeLimits, Prover};
use crate::report::{Analysis, End, SearchReport};
use crate::session::Session;
use crate::strategy::Strategy;
use crate::transposition::TranspositionTable;

/// Proves values of positions of one board under one rule set.
///
/// Results for one position help with the next.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use fanorona_core::{Board, Position, RuleSet, Value};
/// use fanorona_solver::{Limits, Solver};
///
/// let mut solver = Solver::new(RuleSet::STANDARD, Board::telo(), None, 1 << 20)?;
/// let stop = AtomicBool::new(false);
/// for (text, value) in [("BBB/BW1/WWW w", Value::Win), ("B1B/3/1W1 w", Value::Loss)] {
///     let position: Position = text.parse()?;
///     let analysis = solver.analyze(&position, &Limits::default(), &stop, |_| {})?;
///     assert_eq!(analysis.value(), Some(value), "{text}");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Solver<'a> {
    prover: Prover<'a>,
    /// The memory that was asked for, in bytes.
    memory: usize,
}

impl fmt::Debug for Solver<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Solver")
            .field("rules", &self.prover.game.rules)
            .field("board", &self.prover.game.board)
            .finish_non_exhaustive()
    }
}

impl<'a> Solver<'a> {
    /// A solver with a transposition table of this many bytes. [`DEFAULT_MEMORY`] suits most
    /// positions; hard ones are solved faster with more. The memory is taken as it fills.
    ///
    /// [`DEFAULT_MEMORY`]: crate::DEFAULT_MEMORY
    ///
    /// # Errors
    /// - [`SolverError::Rules`] if the rule set cannot be used on the board.
    /// - [`SolverError::Tables`] if the tables are of another board or rule set
    ///   ([`OtherGame`](fanorona_tablebase::TableError::OtherGame)), or one is damaged.
    /// - [`SolverError::Memory`] if the memory cannot be allocated.
    pub fn new(
        rules: RuleSet,
        board: Board,
        tables: Option<&'a Tables>,
        memory: usize,
    ) -> Result<Self> {
        rules.check(board)?;
        tables.iter().try_for_each(|tables| tables.check_game(board, &rules))?;
        let game = Game::new(rules, board, tables)?;
        let table = TranspositionTable::new(memory)
            .map_err(|source| SolverError::Memory { bytes: memory, source })?;
        let prover = Prover { game, table, counts: Counts::default() };
        Ok(Self { prover, memory })
    }

    /// Finds the value of a position, or the bounds of it that can be proved within the limits.
    ///
    /// The search ends soon after `stop` is set. `progress` is called about twice a second. Each
    /// report lists all turns of the position, so it costs some microseconds for each of them.
    ///
    /// # Errors
    /// If a table is damaged or cannot be read, if a thread cannot be started, if the position is
    /// on another board, or if the file of [`Limits::resume`] exists and cannot be used. It is no
    /// error if a table is missing, which the search does without, or if the search cannot be saved,
    /// which [`SearchReport::not_saved`] reports.
    pub fn analyze(
        &mut self,
        position: &Position,
        limits: &Limits,
        stop: &AtomicBool,
        progress: impl FnMut(&SearchReport),
    ) -> Result<Analysis> {
        self.analyze_given(position, Bounds::UNKNOWN, limits, stop, progress)
    }

    /// Like [`analyze`](Self::analyze), if bounds of the value are known already, as from a
    /// certificate. The search asks only what is left, which can save most of the time.
    ///
    /// The analysis has only what it proves itself, so that a certificate of it needs no other proof.
    /// It ends with [`End::Proved`] if that and the given bounds together are a value.
    ///
    /// ```
    /// # use std::sync::atomic::AtomicBool;
    /// use fanorona_core::{Board, RuleSet, Value};
    /// use fanorona_solver::{Bounds, DEFAULT_MEMORY, End, Limits, Solver};
    ///
    /// let start = "5x3".parse::<Board>().expect("a board").start();
    /// let mut solver = Solver::new(RuleSet::STANDARD, start.board(), None, DEFAULT_MEMORY)?;
    /// // Somebody has shown that White does not lose, so Black's win is not searched for.
    /// let given = Bounds { at_least: Value::Draw, ..Bounds::UNKNOWN };
    /// let stop = AtomicBool::new(false);
    /// let analysis = solver.analyze_given(&start, given, &Limits::default(), &stop, |_| {})?;
    /// assert_eq!((analysis.end, analysis.value()), (End::Proved, Some(Value::Win)));
    /// # Ok::<(), fanorona_solver::SolverError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`analyze`](Self::analyze).
    pub fn analyze_given(
        &mut self,
        position: &Position,
        given: Bounds,
        limits: &Limits,
        stop: &AtomicBool,
        progress: impl FnMut(&SearchReport),
    ) -> Result<Analysis> {
        let game = &self.prover.game;
        let (expected, found) = (game.board, position.board());
        if expected != found {
            return Err(SolverError::OtherBoard { expected, found });
        }
        let table_value = game.probe(position)?;
        let ranked = match game.tables {
            Some(tables) if table_value.is_some() => match tables.rank(position) {
                Err(error) if error.is_absent() => None,
                ranked => ranked?.into_iter().next(),
            },
            _ => None,
        };
        let known = table_value.map(|found| found.value).or_else(|| {
            let outcome = game.rules.outcome(position);
            outcome.map(|outcome| outcome.value_for(position.to_move()))
        });
        let mut session = Session::new(&mut self.prover, position, known, given, limits, stop)?;
        let end = session.run(progress)?;
        let search = session.report();
        let reply = session.best();

        let line = match search.bounds.value() {
            Some(value) if end == End::Proved => {
                best_play(&mut self.prover, position, value, limits.num_threads(), stop)?
            }
            _ => Vec::new(),
        };
        let best = line.first().map(|first| first.turn.clone());
        let best = best.or(ranked.map(|ranked| ranked.turn)).or(reply);
        Ok(Analysis { search, end, best, line })
    }

    /// Makes a certificate of bounds that were proved; the caller writes it to a file. `None` if the
    /// bounds say nothing.
    ///
    /// The transposition table has most of the turns, and those that it has lost are searched for.
    /// `limits` hold for these searches together; [`Limits::resume`] has no effect. Each proof may take
    /// as much memory as the solver was given. `progress` is called with the number of positions
    /// found so far, and at last with the number that the certificate has.
    ///
    /// ```
    /// use std::sync::atomic::AtomicBool;
    /// use fanorona_core::{Board, RuleSet};
    /// use fanorona_solver::{DEFAULT_MEMORY, Limits, Solver};
    ///
    /// let start = "5x3".parse::<Board>().expect("a board").start();
    /// let mut solver = Solver::new(RuleSet::STANDARD, start.board(), None, DEFAULT_MEMORY)?;
    /// let (limits, stop) = (Limits::default(), AtomicBool::new(false));
    /// let bounds = solver.analyze(&start, &limits, &stop, |_| {})?.bounds();
    /// let certificate = solver.certify(&start, bounds, &limits, &stop, |_| {})?;
    /// # let dir = tempfile::tempdir()?;
    /// # let file = dir.path().join("5x3.cert");
    /// certificate.expect("something is proved").write(file, &stop)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`CertificateError::Stopped`] if `stop` was set; [`CertificateError::Guide`] with
    /// [`SolverError::Limit`] if a limit was reached; others of [`Maker::prove`], as for bounds that
    /// are not true.
    pub fn certify(
        &mut self,
        position: &Position,
        bounds: Bounds,
        limits: &Limits,
        stop: &AtomicBool,
        mut progress: impl FnMut(usize),
    ) -> Result<Option<Maker>, CertificateError> {
        let claims = Claim::of_bounds(bounds, position.to_move());
        if claims.is_empty() {
            return Ok(None);
        }
        let Game { rules, tables, .. } = self.prover.game;
        let mut maker = Maker::new(rules, position, tables)?.with_memory_limit(self.memory);
        let mut left = NodeLimits::new(limits, stop);
        let mut earlier = 0;
        for claim in claims {
            let mut strategy = Strategy::new(&mut self.prover, claim, left);
            earlier +=
                maker.prove(claim, &mut strategy, stop, |found| progress(earlier + found))?;
            left.nodes = strategy.nodes_left();
            progress(earlier);
        }
        Ok(Some(maker))
    }

    /// The turns that prove a claim, one position after another: a [`Guide`] for certificates.
    ///
    /// The transposition table has most of the turns, and those that it has lost are searched for.
    /// `limits` hold for these searches together; [`Limits::resume`] has no effect.
    ///
    /// [`Guide`]: fanorona_proof::Guide
    pub fn strategy<'s>(
        &'s mut self,
        claim: Claim,
        limits: &Limits,
        stop: &'s AtomicBool,
    ) -> Strategy<'s, 'a> {
        Strategy::new(&mut self.prover, claim, NodeLimits::new(limits, stop))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_search_that_cannot_be_saved_goes_on() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("none").join("search");
        let name = dir.path().join("none");
        let name = name.to_str().expect("it is text");
        let start = "7x3".parse::<Board>().expect("a board").start();
        let limits = Limits::default().with_threads(1).with_resume(&path);
        // It saves all the time.
        let limits = Limits { save_interval: Some(Duration::ZERO), ..limits };
        let mut solver = Solver::new(RuleSet::STANDARD, start.board(), None, 1 << 20).unwrap();
        let (mut reports, mut warned) = (0, 0);
        let stop = AtomicBool::new(false);
        let analysis = solver.analyze(&start, &limits, &stop, |now| {
            reports += 1;
            warned += u32::from(now.not_saved.as_ref().is_some_and(|failed| failed.contains(name)));
        });
        assert_eq!(analysis.expect("it is finished").end, End::Proved);
        assert!(reports > 1 && warned > 1, "{warned} of {reports}");
    }
}
