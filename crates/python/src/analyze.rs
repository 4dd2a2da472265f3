//! Proofs: is a position won, drawn or lost?

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::time::Duration;

use fanorona_core::Value;
use fanorona_engine::inquiry::{
    Answer, DEFAULT_MEMORY, DEFAULT_TIME, End, Inquiry, Means, SearchReport, Time,
};
use fanorona_knowledge::Source;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};

use crate::args::{Number, PathArg, PositionArg, RulesArg};
use crate::book::Book;
use crate::classes::{Position, RuleSet, Turn};
use crate::enums::Named;
use crate::errors::{Exception, exception};
use crate::game::Game;
use crate::interrupt::{Threads, passed_to, run};
use crate::search_args::{check_memory, knowledge, shared, time};
use crate::tables::Tables;
use crate::value::{Assessed, Assessment, RankedTurn};

/// The result of analyze for a position.
#[pyclass(module = "fanorona", frozen, get_all, extends = Assessment)]
#[derive(FromPyObject, Debug)]
pub(crate) struct Analysis {
    /// The position.
    position: Position,
    /// The rule set.
    rules: RuleSet,
    /// A turn that gets at least the lower bound of the value, if that is more than a loss; in a
    /// lost position, one that delays the end. None if no such turn is known.
    best: Option<Turn>,
    /// If the value is known, a line of best play, which may be cut short.
    line: Vec<Turn>,
    /// The turns with what is known of each, best first. None if there are more than 20,000.
    ranking: Option<Vec<Py<RankedTurn>>>,
    /// The number of positions that were searched.
    nodes: u64,
    /// How many of them a table decided.
    table_hits: u64,
    /// The time taken, in seconds.
    seconds: f64,
    /// Why the search ended: ``proved``, ``nodes`` or ``time``.
    end: String,
    /// The certificate that was written; None if none was asked for, or nothing was proved.
    certificate: Option<PathBuf>,
}

impl Analysis {
    fn new(
        py: Python<'_>,
        rules: fanorona_core::RuleSet,
        Found { answer, certificate }: Found,
    ) -> PyResult<Assessed<Self>> {
        let (known, position) = (answer.assessment(), answer.look.position);
        let (nodes, table_hits) = answer.nodes();
        let end = match answer.end() {
            End::Proved => "proved",
            End::Nodes => "nodes",
            End::Time => "time",
            _ => "stopped",
        };
        let object = |ranked| {
            let object = RankedTurn::new(position, rules, ranked).into_pyobject(py)?;
            Ok::<_, PyErr>(object.unbind())
        };
        let ranking = answer.look.turns.map(|turns| turns.into_iter().map(object).collect());
        let line = answer.line.line.into_iter().map(|ranked| ranked.turn);
        let analysis = Self {
            position: Position(position),
            rules: RuleSet(rules),
            best: answer.best.map(|turn| Turn { turn, position, rules }),
            line: Turn::line(position, rules, line),
            ranking: ranking.transpose()?,
            nodes,
            table_hits,
            seconds: answer.elapsed.as_secs_f64(),
            end: end.to_owned(),
            certificate,
        };
        Ok(Assessed(known, analysis))
    }
}

#[pymethods]
impl Analysis {
    /// Whether the value is known.
    #[getter]
    fn proved(slf: PyRef<'_, Self>) -> bool {
        slf.as_super().0.value().is_some()
    }

    fn __repr__(slf: PyRef<'_, Self>) -> String {
        let Self { position, nodes, .. } = &*slf;
        format!("<Analysis of '{}': {}, {nodes} nodes>", position.0, slf.as_super().0)
    }

    /// The position with the best turn as a picture, for notebooks.
    fn _repr_svg_(slf: &Bound<'_, Self>) -> PyResult<String> {
        crate::svg::draw(slf.py(), "analysis_svg", (slf,))
    }
}

/// The progress of a search for a proof.
#[pyclass(module = "fanorona", frozen, get_all)]
#[derive(FromPyObject, Debug)]
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

/// One position, several in a list or an array, or those of a game.
pub(crate) enum Positions {
    One(fanorona_core::Position),
    Many(Vec<fanorona_core::Position>),
    OfGame(fanorona_engine::Game),
}

impl FromPyObject<'_, '_> for Positions {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if let Ok(game) = object.cast::<Game>() {
            return Ok(Self::OfGame(game.borrow().game().clone()));
        }
        let is_one = object.is_instance_of::<Position>() || object.is_instance_of::<PyString>();
        match object.try_iter() {
            Ok(positions) if !is_one => {
                let position =
                    |object: PyResult<Bound<'_, PyAny>>| Ok(object?.extract::<PositionArg>()?.0);
                Ok(Self::Many(positions.map(position).collect::<PyResult<_>>()?))
            }
            _ => Ok(Self::One(object.extract::<PositionArg>()?.0)),
        }
    }
}

/// The work of one call of [`analyze`].
struct Job {
    rules: fanorona_core::RuleSet,
    tables: Option<std::sync::Arc<fanorona_tablebase::Tables>>,
    means: Means,
    certificate: Option<PathBuf>,
}

/// The answer for a position.
struct Found {
    answer: Answer,
    certificate: Option<PathBuf>,
}

impl Job {
    /// Analyses positions of one board, one after the other.
    fn carry_out(
        &self,
        positions: &Positions,
        stop: &AtomicBool,
        events: &Sender<SearchProgress>,
    ) -> PyResult<Vec<Found>> {
        let (positions, game) = match positions {
            Positions::One(position) => (std::slice::from_ref(position), None),
            Positions::Many(positions) => (&positions[..], None),
            Positions::OfGame(game) => (std::slice::from_ref(game.start()), Some(game)),
        };
        let Some(board) = positions.first().map(fanorona_core::Position::board) else {
            return Ok(Vec::new());
        };
        let mut known = knowledge(board, self.rules, self.tables.clone(), None)?;
        // What is written down is to be proved by the search alone.
        if self.means.certify {
            known = known.without_book();
        }
        let mut inquiry = Inquiry::new(&known, self.means.clone());
        if let Some(game) = game {
            let time = Time::Each(self.means.time.unwrap_or(Duration::MAX));
            let answers = inquiry.game(game, time, stop, |_, _| {}).map_err(exception)?;
            let found = |answer| Found { answer, certificate: None };
            return Ok(answers.into_iter().flatten().map(found).collect());
        }
        let mut found = Vec::with_capacity(positions.len());
        for position in positions {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            let answer = inquiry.ask(position, stop, |now| {
                // Nobody receives it if the waiting thread has gone.
                let _ = events.send(SearchProgress::new(now));
            });
            let (answer, mut certificate) = (answer.map_err(exception)?, None);
            if let Some(path) = &self.certificate {
                let maker = inquiry.certify(&answer, stop, |_| {});
                if let Some(maker) = maker.map_err(exception)? {
                    maker.write(path, stop).map_err(exception)?;
                    certificate = Some(path.clone());
                }
            }
            found.push(Found { answer, certificate });
        }
        Ok(found)
    }
}

/// Finds out whether a position is won, drawn or lost, and proves it: from tables where they reach, from
/// the certificate of the start, which this package has for most games, and else by a proof search.
///
/// - ``position``: a position, a list or an array of positions of one board, or a Game, whose positions
///   are searched from the last one, under its rules. For several the result is a list; the limits are
///   for each, and what one search finds helps the next.
/// - ``tables``: Tables of the board and the rule set.
/// - ``nodes``, ``time``: stop after searching this many positions, or this many seconds; without both
///   after 60 seconds. Then the bounds of the value may be all that is known. With ``time=math.inf`` it
///   searches until the value is known. The certificate may take as long again.
/// - ``memory``: the memory for the search, in bytes; 256 MiB if it is None.
/// - ``threads``: the number of threads; one for each processor if it is None.
/// - ``certificate``: a file to write the proof to, which check_certificate checks; for one position.
///   Then the search proves all without the certificate of the start.
/// - ``resume``: a file that keeps the search for a later call with the same file; for one position.
///   What it says is believed.
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
/// >>> analyze(Board("3x3").start()).value
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
    position: Positions,
    rules: RulesArg,
    tables: Option<&Bound<'_, Tables>>,
    nodes: Option<Number<u64>>,
    time: Option<f64>,
    memory: Option<Number<usize>>,
    threads: Option<Number<usize>>,
    certificate: Option<PathArg>,
    resume: Option<PathArg>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    let is_one = matches!(position, Positions::One(_));
    if !is_one && (certificate.is_some() || resume.is_some()) {
        return Err(PyValueError::new_err("certificate and resume are for one position"));
    }
    let rules = match &position {
        Positions::One(position) => rules.on(position.board())?,
        Positions::OfGame(game) => *game.rules(),
        Positions::Many(positions) => {
            let boards: HashSet<_> = positions.iter().map(fanorona_core::Position::board).collect();
            if boards.len() > 1 {
                return Err(Exception::OtherGame.because("the positions are of different boards"));
            }
            boards.into_iter().next().map_or(Ok(rules.0), |board| rules.on(board))?
        }
    };
    let threads = threads.map(Threads::check).transpose()?;
    let memory = Number::optional(memory, "memory", 0..=usize::MAX)?.unwrap_or(DEFAULT_MEMORY);
    check_memory(memory)?;
    let nodes = Number::optional(nodes, "nodes", 0..=u64::MAX)?;
    let certificate = certificate.map(|path| path.0);
    let means = Means {
        nodes,
        time: self::time(time)?.or(nodes.is_none().then_some(DEFAULT_TIME)),
        memory: Some(memory),
        threads: threads.unwrap_or(0),
        resume: resume.map(|path| path.0),
        certify: certificate.is_some(),
        ..Means::default()
    };
    let job = Job { rules, tables: shared(tables)?, means, certificate };
    let work = |stop: &_, events: &_| job.carry_out(&position, stop, events);
    let found = run(py, work, passed_to(progress.as_ref()))?;
    let mut results = Vec::new();
    for found in found? {
        // The search went on without saving; the caller should know.
        let search = found.answer.search.as_ref();
        if let Some(failed) = search.and_then(|found| found.search.not_saved.as_ref()) {
            let category = py.get_type::<pyo3::exceptions::PyRuntimeWarning>();
            let text = std::ffi::CString::new(failed.as_str()).unwrap_or_default();
            PyErr::warn(py, &category, &text, 1)?;
        }
        let analysis = Analysis::new(py, rules, found)?;
        results.push(analysis.into_pyobject(py)?.unbind());
    }
    match results.pop() {
        Some(result) if is_one => Ok(result.into_any()),
        last => Ok(PyList::new(py, results.into_iter().chain(last))?.into_any().unbind()),
    }
}

/// Everything that is known about the value of a position without a search: from the rules, the tables
/// and the certificates of a book, also by a look at its turns. Without a book, the certificate of the
/// start is asked, which this package has for most games.
///
/// Raises OtherGameError if the tables or the book are of another board or rule set, and
/// DamagedFileError, OtherFileError or FileError if one of their files cannot be used.
///
/// >>> found = assess("9/9/2W1B4/9/9 w")
/// >>> found.value, found.dtw, found.source
/// (<Value.WIN: 1>, 1, 'rules')
#[pyfunction]
#[pyo3(
    signature = (position, rules = RulesArg::STANDARD, *, tables = None, book = None),
    text_signature = "(position, rules='standard', *, tables=None, book=None)"
)]
pub(crate) fn assess(
    py: Python<'_>,
    position: PositionArg,
    rules: RulesArg,
    tables: Option<&Bound<'_, Tables>>,
    book: Option<&Book>,
) -> PyResult<Assessment> {
    let board = position.0.board();
    let (tables, book) = (shared(tables)?, book.map(|book| book.0.clone()));
    let known = knowledge(board, rules.on(board)?, tables, book)?;
    let found = py.detach(|| known.assess(&position.0));
    found.map(Assessment).map_err(exception)
}

/// A certificate that has been checked: its claims hold.
#[pyclass(module = "fanorona", frozen, get_all, extends = Assessment)]
#[derive(FromPyObject, Debug)]
pub(crate) struct CertificateReport {
    /// The file.
    path: PathBuf,
    /// The position that the proof is about.
    position: Position,
    /// The rule set.
    rules: RuleSet,
    /// The number of positions of the proofs.
    positions: u64,
    /// The slices of the tables that the proofs rest on.
    tables: Vec<String>,
}

#[pymethods]
impl CertificateReport {
    fn __repr__(slf: PyRef<'_, Self>) -> String {
        let (position, known) = (slf.position.0, slf.as_super().0);
        format!("<CertificateReport '{position}': {known}, {} positions>", slf.positions)
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
    let checked = run(py, work, passed_to(progress.as_ref()))?;
    checked.map_err(exception)?;
    let known = fanorona_knowledge::Assessment::new(certificate.bounds(), Source::Proof);
    let report = CertificateReport {
        path: certificate.path().to_owned(),
        position: Position(certificate.position()),
        rules: RuleSet(certificate.rules()),
        positions: certificate.positions(),
        tables: certificate.tables().iter().map(|table| table.slice.to_string()).collect(),
    };
    Ok(Assessed(known, report))
}
