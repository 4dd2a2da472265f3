//! Proofs: is a position won, drawn or lost?

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;

use fanorona_core::Value;
use fanorona_knowledge::{Knowledge, Look, Source};
use fanorona_solver::{DEFAULT_MEMORY, End, Limits, SearchReport, Solver};
use pyo3::prelude::*;

use crate::args::{Number, PathArg, RulesArg};
use crate::classes::{Position, RuleSet, Turn};
use crate::enums::Named;
use crate::errors::exception;
use crate::interrupt::{Threads, run};
use crate::search_args::{check_memory, shared, time};
use crate::tables::Tables;
use crate::value::{Assessed, Assessment, RankedTurn};

/// The result of analyze for a position.
#[pyclass(module = "fanorona", frozen, extends = Assessment)]
#[derive(Debug)]
pub(crate) struct Analysis {
    position: fanorona_core::Position,
    rules: fanorona_core::RuleSet,
    found: fanorona_solver::Analysis,
    ranking: Option<Vec<fanorona_knowledge::RankedTurn>>,
    certificate: Option<PathBuf>,
}

#[pymethods]
impl Analysis {
    /// The position.
    #[getter]
    fn position(&self) -> Position {
        Position(self.position)
    }

    /// The rule set.
    #[getter]
    fn rules(&self) -> RuleSet {
        RuleSet(self.rules)
    }

    /// Whether the value is known.
    #[getter]
    fn proved(&self) -> bool {
        self.found.value().is_some()
    }

    /// A turn that gets at least the lower bound of the value, if that is more than a loss; in a
    /// lost position, one that delays the end. None if no such turn is known.
    #[getter]
    fn best(&self) -> Option<Turn> {
        let (position, rules) = (self.position, self.rules);
        let ranked = self.ranking.as_ref().and_then(|ranking| ranking.first());
        let best = ranked.map(|ranked| &ranked.turn).or(self.found.best.as_ref());
        best.map(|turn| Turn { turn: turn.clone(), position, rules })
    }

    /// If the value is known, a line of best play, which may be cut short.
    #[getter]
    fn line(&self) -> Vec<Turn> {
        let mut position = self.position;
        let played = |played: &fanorona_solver::LineTurn| {
            let at = std::mem::replace(&mut position, played.after);
            Turn { turn: played.turn.clone(), position: at, rules: self.rules }
        };
        self.found.line.iter().map(played).collect()
    }

    /// The turns with their values, best first, if tables hold the position; otherwise None.
    #[getter]
    fn ranking(&self) -> Option<Vec<Assessed<RankedTurn>>> {
        let ranking = self.ranking.as_ref()?.iter().cloned();
        Some(ranking.map(|ranked| RankedTurn::new(self.position, self.rules, ranked)).collect())
    }

    /// The number of positions that were searched.
    #[getter]
    fn nodes(&self) -> u64 {
        self.found.search.nodes
    }

    /// How many of them a table decided.
    #[getter]
    fn table_hits(&self) -> u64 {
        self.found.search.table_hits
    }

    /// The time taken, in seconds.
    #[getter]
    fn seconds(&self) -> f64 {
        self.found.search.elapsed.as_secs_f64()
    }

    /// Why the search ended: ``proved``, ``nodes`` or ``time``.
    #[getter]
    fn end(&self) -> &'static str {
        match self.found.end {
            End::Proved => "proved",
            End::Nodes => "nodes",
            End::Time => "time",
            _ => "stopped",
        }
    }

    /// The certificate that was written; None if none was asked for, or nothing was proved.
    #[getter]
    fn certificate(&self) -> Option<PathBuf> {
        self.certificate.clone()
    }

    fn __repr__(slf: PyRef<'_, Self>) -> String {
        let known = slf.as_super().0;
        format!("<Analysis of '{}': {known}, {} nodes>", slf.position, slf.nodes())
    }

    /// The position with the best turn as a picture, for notebooks.
    fn _repr_svg_(slf: &Bound<'_, Self>) -> PyResult<String> {
        crate::svg::draw(slf.py(), "analysis_svg", (slf,))
    }
}

/// The progress of a search for a proof.
#[pyclass(module = "fanorona", frozen, get_all)]
#[derive(Clone, Debug)]
pub(crate) struct SearchProgress {
    /// The value is this or better.
    at_least: Named<Value>,
    /// The value is this or worse.
    at_most: Named<Value>,
    /// The number of positions that were searched.
    nodes: u64,
    /// How many of them a table decided.
    table_hits: u64,
    /// How full the memory is, from 0 to 1.
    memory_filled: f64,
    /// The time taken, in seconds.
    seconds: f64,
}

impl SearchProgress {
    fn new(now: &SearchReport) -> Self {
        Self {
            at_least: Named(now.bounds.at_least),
            at_most: Named(now.bounds.at_most),
            nodes: now.nodes,
            table_hits: now.table_hits,
            memory_filled: now.memory_filled,
            seconds: now.elapsed.as_secs_f64(),
        }
    }
}

#[pymethods]
impl SearchProgress {
    fn __repr__(&self) -> String {
        let Self { at_least, at_most, nodes, seconds, .. } = self;
        format!("<SearchProgress: {} to {}, {nodes} nodes, {seconds:.1} s>", at_least.0, at_most.0)
    }
}

/// The work of one call of [`analyze`].
struct Job {
    position: fanorona_core::Position,
    rules: fanorona_core::RuleSet,
    tables: Option<std::sync::Arc<fanorona_tablebase::Tables>>,
    memory: usize,
    limits: Limits,
    certificate: Option<PathBuf>,
}

impl Job {
    fn carry_out(
        &self,
        stop: &AtomicBool,
        events: &Sender<SearchProgress>,
    ) -> PyResult<(Look, fanorona_solver::Analysis, Option<PathBuf>)> {
        let Self { position, rules, ref limits, .. } = *self;
        let tables = self.tables.as_deref();
        let solver = Solver::new(rules, position.board(), tables, self.memory);
        let mut solver = solver.map_err(exception)?;
        let analysis = solver.analyze(&position, limits, stop, |now| {
            // Nobody receives it if the waiting thread has gone.
            let _ = events.send(SearchProgress::new(now));
        });
        let analysis = analysis.map_err(exception)?;
        let known = Knowledge::new(position.board(), rules, self.tables.clone(), None);
        let look = known.and_then(|known| known.with_all_turns().look(&position));
        let look = look.map_err(exception)?;
        let Some(path) = &self.certificate else { return Ok((look, analysis, None)) };
        let maker = solver.certify(&position, analysis.bounds(), limits, stop, |_| {});
        let maker = maker.map_err(exception)?;
        let written = maker.map(|maker| maker.write(path, stop).map(|_| path.clone()));
        Ok((look, analysis, written.transpose().map_err(exception)?))
    }
}

/// Finds out whether a position is won, drawn or lost, and proves it: from tables where they reach,
/// by a proof search beyond them. Without limits it searches until the value is known.
///
/// - ``tables``: Tables of the board and the rule set.
/// - ``nodes``, ``time``: stop after searching this many positions, or this many seconds. Then the
///   bounds of the value may be all that is known. The certificate may take as long again.
/// - ``memory``: the memory for the search, in bytes; 256 MiB if it is None.
/// - ``threads``: the number of threads; one for each processor if it is None.
/// - ``certificate``: a file to write the proof to, which check_certificate checks.
/// - ``resume``: a file that keeps the search for a later call with the same file. What it says is
///   believed.
/// - ``progress``: a function that is called with a SearchProgress about twice a second. An exception
///   that it raises stops the search.
///
/// Ctrl-C stops the search with KeyboardInterrupt.
///
/// Raises DamagedFileError if ``resume`` is not a saved search, OtherFileError if it is one of
/// something else, FileError if it cannot be read or ``certificate`` cannot be written,
/// OutOfMemoryError if ``memory`` is not available or too little for the certificate, and
/// OtherGameError if the tables are of another board or rule set.
///
/// >>> analyze(Board.telo().start()).value
/// <Value.WIN: 1>
#[pyfunction]
#[pyo3(
    signature = (
        position,
        rules = RulesArg::STANDARD,
        *,
        tables = None,
        nodes = None,
        time = None,
        memory = None,
        threads = None,
        certificate = None,
        resume = None,
        progress = None,
    ),
    text_signature = "(position, rules='standard', *, tables=None, nodes=None, time=None, \
        memory=None, threads=None, certificate=None, resume=None, progress=None)"
)]
#[expect(clippy::too_many_arguments, reason = "in Python most of them are named and optional")]
pub(crate) fn analyze(
    py: Python<'_>,
    position: &Position,
    rules: RulesArg,
    tables: Option<&Bound<'_, Tables>>,
    nodes: Option<Number<u64>>,
    time: Option<f64>,
    memory: Option<Number<usize>>,
    threads: Option<Number<usize>>,
    certificate: Option<PathArg>,
    resume: Option<PathArg>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Assessed<Analysis>> {
    let (position, rules) = (position.0, rules.on(position.0.board())?);
    let threads = threads.map(Threads::check).transpose()?;
    let memory = Number::optional(memory, "memory", 0..=usize::MAX)?.unwrap_or(DEFAULT_MEMORY);
    check_memory(memory)?;
    let mut limits = Limits::default().with_threads(threads.unwrap_or(0));
    limits.nodes = Number::optional(nodes, "nodes", 0..=u64::MAX)?;
    limits.time = self::time(time)?;
    limits.resume = resume.map(|path| path.0);
    let certificate = certificate.map(|path| path.0);
    let has_tables = tables.is_some();
    let job = Job { position, rules, tables: shared(tables)?, memory, limits, certificate };
    let found = run(
        py,
        |stop, events| job.carry_out(stop, events),
        |py, now| match (&progress, now) {
            (Some(progress), Some(now)) => progress.call1(py, (now,)).map(drop),
            _ => Ok(()),
        },
    )?;
    let (look, found, certificate) = found?;
    // The search went on without saving; the caller should know.
    if let Some(failed) = &found.search.not_saved {
        let category = py.get_type::<pyo3::exceptions::PyRuntimeWarning>();
        let text = std::ffi::CString::new(failed.to_string()).unwrap_or_default();
        PyErr::warn(py, &category, &text, 1)?;
    }
    let are_known = |turns: &Vec<fanorona_knowledge::RankedTurn>| {
        has_tables && turns.iter().all(|ranked| ranked.assessment.value().is_some())
    };
    let ranking = look.turns.filter(are_known);
    let searched = fanorona_knowledge::Assessment::new(found.bounds(), Source::Search);
    let known = look.assessment.narrowed_by(searched);
    Ok(Assessed(known, Analysis { position, rules, found, ranking, certificate }))
}

/// A certificate that has been checked: its claims hold.
#[pyclass(module = "fanorona", frozen, extends = Assessment)]
#[derive(Debug)]
pub(crate) struct CertificateReport {
    certificate: fanorona_proof::Certificate,
}

#[pymethods]
impl CertificateReport {
    /// The file.
    #[getter]
    fn path(&self) -> PathBuf {
        self.certificate.path().to_owned()
    }

    /// The position that the proof is about.
    #[getter]
    fn position(&self) -> Position {
        Position(self.certificate.position())
    }

    /// The rule set.
    #[getter]
    fn rules(&self) -> RuleSet {
        RuleSet(self.certificate.rules())
    }

    /// The number of positions of the proofs.
    #[getter]
    fn positions(&self) -> u64 {
        self.certificate.positions()
    }

    /// The slices of the tables that the proofs rest on.
    #[getter]
    fn tables(&self) -> Vec<String> {
        self.certificate.tables().iter().map(|table| table.slice.to_string()).collect()
    }

    fn __repr__(slf: PyRef<'_, Self>) -> String {
        let (position, positions) = (slf.certificate.position(), slf.positions());
        format!("<CertificateReport '{position}': {}, {positions} positions>", slf.as_super().0)
    }
}

/// Checks that a certificate holds. It shares nothing with the search but the rules and the tables.
///
/// ``tables`` are needed if the certificate names tables; only their directory matters. ``threads``
/// is the number of threads; one for each processor if it is None. ``progress`` is called with the
/// number of positions checked so far. Ctrl-C stops the check.
///
/// Raises CertificateError if the certificate does not hold, DamagedFileError if it is damaged,
/// FileError if it cannot be read, MissingTableError if a table that it names is missing,
/// OtherFileError if a table is not the one that it names, and OutOfMemoryError if the check needs
/// too much memory.
#[pyfunction]
#[pyo3(signature = (path, tables = None, *, threads = None, progress = None))]
pub(crate) fn check_certificate(
    py: Python<'_>,
    path: PathArg,
    tables: Option<&Bound<'_, Tables>>,
    threads: Option<Number<usize>>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Assessed<CertificateReport>> {
    let (tables, threads) = (shared(tables)?, Threads::new(threads)?);
    let opened = py.detach(|| fanorona_proof::Certificate::open(&path.0));
    let certificate = opened.map_err(exception)?;
    let work = |stop: &_, events: &Sender<u64>| {
        threads.install(|| {
            certificate.check(tables.as_deref(), stop, |checked| {
                // Nobody receives it if the waiting thread has gone.
                let _ = events.send(checked);
            })
        })
    };
    let checked = run(py, work, |py, checked| match (&progress, checked) {
        (Some(progress), Some(checked)) => progress.call1(py, (checked,)).map(drop),
        _ => Ok(()),
    })?;
    checked.map_err(exception)?;
    let known = fanorona_knowledge::Assessment::new(certificate.bounds(), Source::Proof);
    Ok(Assessed(known, CertificateReport { certificate }))
}
