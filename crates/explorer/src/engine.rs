//! An external engine: a program that visitors can play against.
//!
//! Whoever runs the server chooses the program. Requests choose it by its name, and can give it
//! neither a command nor an option. They never reach a program that is busy with another request.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use fanorona_engine::{Game, MAX_NAME};
use fanorona_ugi::client::{ClientError, Found, Program, ProgramSettings};
use fanorona_ugi::protocol::{Go, OptionDeclaration};

use crate::problem::{Problem, ProblemKind};
use crate::variant::Variant;

/// The time that a turn may take beyond its own.
const GRACE: Duration = Duration::from_secs(2);

/// How often a request that waits for the engine asks whether its client is still there.
const WAIT_INTERVAL: Duration = Duration::from_millis(50);

/// After this number of failures within [`FAILURE_TIME`], the engine is not started again until the
/// first of them is that old.
const MAX_FAILURES: usize = 5;

/// How long a failure counts.
const FAILURE_TIME: Duration = Duration::from_secs(60);

/// An external engine with its processes.
///
/// A process that fails is ended, and another one is started for the next request.
#[derive(Debug)]
pub struct ExternalEngine {
    name: String,
    settings: ProgramSettings,
    /// The processes that may run at a time.
    processes: usize,
    /// Its options for the board and for the rules, as it declared them when it was first started.
    board: Option<OptionDeclaration>,
    rules: Option<OptionDeclaration>,
    pool: Mutex<Pool>,
    is_free: Condvar,
}

#[derive(Debug)]
struct Pool {
    /// Processes that run and wait.
    idle: Vec<Program>,
    /// Processes that run and think, or are started.
    busy: usize,
    /// When the last failures were, oldest first.
    failures: VecDeque<Instant>,
}

impl ExternalEngine {
    /// Starts an engine. `name` is what visitors see and what requests choose it by; without it, that
    /// is what the program calls itself. Up to `processes` of it run at a time, at least one.
    ///
    /// # Errors
    /// If it cannot be started, or does not speak the protocol.
    pub fn start(
        name: Option<&str>,
        settings: ProgramSettings,
        processes: usize,
        stop: &AtomicBool,
    ) -> Result<Self, ClientError> {
        let program = Program::start(&settings, stop)?;
        let name = name.unwrap_or(program.name());
        let name = name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
        let option = |name| program.options().iter().find(|option| option.is_named(name)).cloned();
        let (board, rules) = (option("Board"), option("Rules"));
        let pool = Pool { idle: vec![program], busy: 0, failures: VecDeque::new() };
        let (pool, is_free) = (Mutex::new(pool), Condvar::new());
        Ok(Self { name, settings, processes: processes.max(1), board, rules, pool, is_free })
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Refuses games that the program does not know. One without options for boards and rules plays
    /// the default ones.
    fn check(&self, variant: Variant) -> Result<(), Problem> {
        let usual = Variant::default();
        let Variant { board, rules } = variant;
        let has = |option: &Option<OptionDeclaration>, value: String| {
            option.as_ref().is_some_and(|option| option.value(&value).is_ok())
        };
        let knows_board = board == usual.board || has(&self.board, board.to_string());
        if knows_board && (rules == usual.rules || has(&self.rules, rules.to_string())) {
            return Ok(());
        }
        let message = format!("the engine {} does not play {board} under {rules}", self.name);
        let expected = format!("{} under {}, or a level", usual.board, usual.rules);
        Err(Problem::new(ProblemKind::LevelUnavailable, message, expected).in_field("engine"))
    }

    /// The engine's turn in a game that is not over. Waits until a process is free.
    ///
    /// # Errors
    /// If the program does not know the game; if no process is free within `time`; if the engine
    /// fails, or has failed too often; or if `stop` is set.
    pub(crate) fn play(
        &self,
        variant: Variant,
        game: &Game,
        time: Duration,
        stop: &AtomicBool,
    ) -> Result<Found, Problem> {
        self.check(variant)?;
        let program = self.take(Instant::now() + time, stop)?;
        // However the work ends, the process is given back.
        let mut slot = Slot { engine: self, program, has_failed: true };
        let found = slot.ask(game, time, stop);
        slot.has_failed = !matches!(found, Ok(_) | Err(ClientError::Stopped));
        found.map_err(|error| self.problem(&error))
    }

    /// A process that runs, or `None` for the right to start one.
    fn take(&self, deadline: Instant, stop: &AtomicBool) -> Result<Option<Program>, Problem> {
        let mut pool = self.lock();
        loop {
            if stop.load(Ordering::Relaxed) {
                return Err(self.problem(&ClientError::Stopped));
            }
            pool.failures.retain(|failure| failure.elapsed() < FAILURE_TIME);
            if pool.failures.len() >= MAX_FAILURES {
                let message = format!("the engine {} has failed too often", self.name);
                let expected = "a level, or the same request in a minute";
                return Err(Problem::new(ProblemKind::Busy, message, expected));
            }
            if pool.busy < self.processes {
                pool.busy += 1;
                return Ok(pool.idle.pop());
            }
            if Instant::now() >= deadline {
                let message = format!("the engine {} is busy with other games", self.name);
                let expected = "the same request in a moment";
                return Err(Problem::new(ProblemKind::Busy, message, expected));
            }
            let waited = self.is_free.wait_timeout(pool, WAIT_INTERVAL);
            pool = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The message names no command and no path: it may be read by strangers.
    fn problem(&self, error: &ClientError) -> Problem {
        let what = match error {
            ClientError::Stopped => "was stopped",
            ClientError::Silent { .. } | ClientError::NotReading => "has not answered in time",
            ClientError::IllegalTurn { .. } | ClientError::NoTurn => "gave no legal turn",
            ClientError::Start { .. } => "cannot be started",
            ClientError::Ended(_) => "has ended",
            _ => "does not play this game",
        };
        let message = format!("the engine {} {what}", self.name);
        Problem::new(ProblemKind::EngineFailed, message, "the same request again, or a level")
    }

    fn lock(&self) -> MutexGuard<'_, Pool> {
        // The pool is whole between any two changes.
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place in the pool while it is used.
struct Slot<'a> {
    engine: &'a ExternalEngine,
    program: Option<Program>,
    has_failed: bool,
}

impl Slot<'_> {
    fn ask(
        &mut self,
        game: &Game,
        time: Duration,
        stop: &AtomicBool,
    ) -> Result<Found, ClientError> {
        let program = match &mut self.program {
            Some(program) => program,
            empty => empty.insert(Program::start(&self.engine.settings, stop)?),
        };
        // Another visitor may have used it before.
        program.new_game(game, stop)?;
        let go = Go { movetime: Some(time), ..Go::default() };
        program.go(game, &go, time + GRACE, stop)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        // Ending a process may take a moment, so nobody waits for the lock meanwhile.
        let program = self.program.take().filter(|program| !program.is_broken());
        let mut pool = self.engine.lock();
        pool.busy -= 1;
        pool.idle.extend(program);
        if self.has_failed {
            pool.failures.push_back(Instant::now());
        }
        drop(pool);
        self.engine.is_free.notify_one();
    }
}
