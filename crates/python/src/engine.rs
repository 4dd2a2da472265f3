//! The opponent.

use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, TryLockError};

use fanorona_engine::{Analysis, End, Level, Limits, Options, Score};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};

use crate::args::{BoardArg, ListArg, Number, PositionArg, RulesArg, wrong_type};
use crate::attributes::attributes;
use crate::book::Book;
use crate::classes::{Board, Position, RuleSet, Turn};
use crate::errors::{Exception, exception};
use crate::interrupt::{passed_to, run};
use crate::search_args::{check_memory, draw_rules, knowledge, shared, time};
use crate::tables::Tables;
use crate::value::{Assessed, Assessment};

/// A level of play: a number or a name.
pub(crate) struct LevelArg(Level);

impl FromPyObject<'_, '_> for LevelArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if !object.is_instance_of::<PyInt>() && !object.is_instance_of::<PyString>() {
            return Err(wrong_type(&object, "a level: a number from 1 to 9, or its name"));
        }
        let parsed = object.str()?.to_cow()?.parse().map(Self);
        parsed
            .map_err(|error: fanorona_engine::LevelError| PyValueError::new_err(error.to_string()))
    }
}

/// A player of one board and rule set.
///
/// - ``level``: 1 (a beginner) to 8 (full strength), or 9, which cannot lose and needs a proof of the
///   start; or the name of a level.
/// - ``tables``: tables for levels 8 and 9; lower levels use none. They may be closed while the engine
///   uses them.
/// - ``book``: a book for level 9; if it is None, the certificate of the start, which this package has
///   for most games.
/// - ``threads``: the number of threads of a search; from level 8 on.
/// - ``memory``: the memory for searches, in bytes; 64 MiB if it is None.
/// - ``seed``: the seed of what varies in its play: of the noise of levels 1 to 7, and at levels 8 and 9
///   of the choice between turns with nearly the same score. Another one each time if it is None.
/// - ``contempt``: how much levels 8 and 9 avoid simple positions, which are often drawn; 0 to 100. 0 is
///   for analysis, and then their play does not vary.
/// - ``draw_rules``: when the game is drawn, as for Game. They should be those of the game.
///
/// An engine does one search at a time: while it thinks, other threads get BusyError.
///
/// Raises OutOfMemoryError if ``memory`` is not available, and OtherGameError if the tables or the
/// book are of another board or rule set. Level 9 raises MissingCertificateError if there is no proof
/// of the start, and MissingTableError if tables that the book needs are missing.
#[pyclass(module = "fanorona", frozen)]
#[derive(Debug)]
pub(crate) struct Engine {
    engine: Mutex<fanorona_engine::Engine>,
    board: fanorona_core::Board,
    rules: fanorona_core::RuleSet,
    level: Level,
}

impl Engine {
    /// The engine, unless it thinks.
    fn lock(&self) -> PyResult<MutexGuard<'_, fanorona_engine::Engine>> {
        match self.engine.try_lock() {
            Ok(engine) => Ok(engine),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(Exception::Busy.because("the engine is already thinking"))
            }
        }
    }
}

attributes! {
    of Engine, self:
    /// The board.
    board: Board = Board(self.board);
    /// The rule set.
    rules: RuleSet = RuleSet(self.rules);
    /// The level, as a number.
    level: u8 = self.level.number();

    methods:
    #[new]
    #[pyo3(
        signature = (
            board = BoardArg::TSIVY,
            rules = RulesArg::STANDARD,
            *,
            level = LevelArg(Level::FULL),
            tables = None,
            book = None,
            threads = Number::new(Options::default().threads),
            memory = None,
            seed = None,
            contempt = Number::new(Options::CONTEMPT),
            draw_rules = "threefold",
        ),
        text_signature = "(board='9x5', rules='standard', *, level=8, tables=None, book=None, \
            threads=1, memory=None, seed=None, contempt=7, draw_rules='threefold')"
    )]
    #[expect(clippy::too_many_arguments, reason = "in Python most of them are named and optional")]
    fn new(
        py: Python<'_>,
        board: BoardArg,
        rules: RulesArg,
        level: LevelArg,
        tables: Option<&Bound<'_, Tables>>,
        book: Option<&Book>,
        threads: Number<usize>,
        memory: Option<Number<usize>>,
        seed: Option<Number<u64>>,
        contempt: Number<u32>,
        draw_rules: &str,
    ) -> PyResult<Self> {
        let (board, rules, level) = (board.0, rules.on(board.0)?, level.0);
        let memory = Number::optional(memory, "memory", 0..=usize::MAX)?;
        let mut options = Options::player(level);
        options.threads = threads.within("threads", 1..=Options::MAX_THREADS)?;
        options.memory = memory.unwrap_or(options.memory);
        options.seed = Number::optional(seed, "seed", 0..=u64::MAX)?;
        options.contempt = contempt.within("contempt", 0..=Options::MAX_CONTEMPT)?;
        options.draw_rules = self::draw_rules(draw_rules)?;
        check_memory(options.memory)?;
        let (tables, book) = (shared(tables)?, book.map(|book| book.0.clone()));
        let known = knowledge(board, rules, tables, book)?;
        let engine = py.detach(|| fanorona_engine::Engine::new(known, options));
        Ok(Self { engine: Mutex::new(engine.map_err(exception)?), board, rules, level })
    }

    /// Finds the turn to play.
    ///
    /// ``earlier`` are the positions of the game before this one, oldest first (Game.earlier has
    /// them). They count for draws by repetition, and for the turns without a capture. ``depth``,
    /// ``nodes`` and ``time`` (in seconds) end the search; without any of them it ends after 2 seconds.
    /// With ``time=math.inf`` it goes on, from level 8 on, until a win or a loss is proved, or to the
    /// depth 100. ``progress`` is called with a
    /// PlayResult after each depth; an exception that it raises stops the search. Ctrl-C stops it with
    /// KeyboardInterrupt.
    ///
    /// Raises OtherGameError if a position is of another board, BusyError if the engine is already
    /// thinking, and DamagedFileError, OtherFileError or FileError if a table or a certificate of the
    /// book cannot be used.
    ///
    /// >>> engine = Engine("5x5", level=4)
    /// >>> answer = engine.think("5/5/1W1B1/5/5 w")
    /// >>> answer.turn.text, answer.score
    /// ('b3-c3A', 'win in at most 1 (proved)')
    #[pyo3(
        signature = (
            position,
            earlier = ListArg(Vec::new()),
            *,
            depth = None,
            nodes = None,
            time = None,
            progress = None,
        ),
        text_signature = "($self, position, earlier=(), *, depth=None, nodes=None, time=None, \
            progress=None)"
    )]
    #[expect(clippy::too_many_arguments, reason = "in Python most of them are named and optional")]
    fn think(
        &self,
        py: Python<'_>,
        position: PositionArg,
        earlier: ListArg<PositionArg>,
        depth: Option<Number<u32>>,
        nodes: Option<Number<u64>>,
        time: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Assessed<PlayResult>> {
        let limits = Limits {
            depth: Number::optional(depth, "depth", 0..=u32::MAX)?,
            nodes: Number::optional(nodes, "nodes", 0..=u64::MAX)?,
            time: self::time(time)?,
        }
        .or_default_time();
        let (position, rules) = (position.0, self.rules);
        let earlier: Vec<_> = earlier.0.into_iter().map(|position| position.0).collect();
        if let Some(other) = earlier.iter().find(|earlier| earlier.board() != self.board) {
            return Err(Exception::OtherGame.because(format!(
                "an earlier position is of the board {}, and the engine plays on {}",
                other.board(),
                self.board
            )));
        }
        let work = |stop: &_, events: &Sender<_>| {
            let mut engine = self.lock()?;
            let found = engine.analyze(&position, &earlier, &limits, stop, |now| {
                // Nobody receives it if the waiting thread has gone.
                let _ = events.send(PlayResult::new(position, rules, now.clone()));
            });
            found.map_err(exception)
        };
        let found = run(py, work, passed_to(progress.as_ref()))?;
        found.map(|found| PlayResult::new(position, rules, found))
    }

    /// Forgets all earlier searches. Raises BusyError while the engine thinks.
    fn clear(&self) -> PyResult<()> {
        self.lock()?.clear();
        Ok(())
    }

    fn __repr__(&self) -> String {
        format!("<Engine of {} under {}, level {}>", self.board, self.rules, self.level)
    }
}

/// The answer of an engine for a position: the turn to play, with what is known about it.
#[pyclass(module = "fanorona", frozen, get_all, extends = Assessment)]
#[derive(FromPyObject, Debug)]
pub(crate) struct PlayResult {
    /// The position.
    position: Position,
    /// The rule set.
    rules: RuleSet,
    /// The turn to play; None if the game is over.
    turn: Option<Turn>,
    /// The score of that turn for the side to move, in words.
    score: String,
    /// The turns of both sides within which the game ends, if that is known: ``dtw``, or what a search
    /// has proved, and then the winner may need fewer.
    ends_within: Option<u16>,
    /// The estimate: 100 × the natural logarithm of the odds of winning, for the side to move; None if
    /// the value is known.
    estimate: Option<i32>,
    /// The line of play that is expected, beginning with the turn.
    line: Vec<Turn>,
    /// The depth that was searched completely.
    depth: u32,
    /// The number of positions that were visited.
    nodes: u64,
    /// How many of them a table decided.
    table_hits: u64,
    /// The time taken, in seconds.
    seconds: f64,
    /// Why the search ended: ``decided``, ``depth``, ``nodes`` or ``time``.
    end: String,
}

impl PlayResult {
    fn new(
        position: fanorona_core::Position,
        rules: fanorona_core::RuleSet,
        found: Analysis,
    ) -> Assessed<Self> {
        let (ends_within, estimate) = match found.score {
            Score::Exact(known) | Score::Proved(known) => (known.turns, None),
            Score::Estimate(estimate) => (None, Some(estimate)),
        };
        let end = match found.end {
            End::Decided => "decided",
            End::Depth => "depth",
            End::Nodes => "nodes",
            End::Time => "time",
            _ => "stopped",
        };
        let result = Self {
            position: Position(position),
            rules: RuleSet(rules),
            score: found.score.to_string(),
            ends_within,
            estimate,
            depth: found.depth,
            nodes: found.nodes,
            table_hits: found.table_hits,
            seconds: found.elapsed.as_secs_f64(),
            end: end.to_owned(),
            turn: found.turn.clone().map(|turn| Turn { turn, position, rules }),
            line: Turn::line(position, rules, found.line.iter().cloned()),
        };
        Assessed(found.assessment(), result)
    }
}

#[pymethods]
impl PlayResult {
    fn __repr__(&self) -> String {
        let turn = self.turn.as_ref().map_or_else(|| "no turn".to_owned(), Turn::to_text);
        format!("<PlayResult {turn}: {}>", self.score)
    }

    /// The position with the turn as a picture, for notebooks.
    fn _repr_svg_(slf: &Bound<'_, Self>) -> PyResult<String> {
        crate::svg::draw(slf.py(), "play_svg", (slf,))
    }
}
