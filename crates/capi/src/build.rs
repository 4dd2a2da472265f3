//! Building tables.

use std::ffi::c_char;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fanorona_core::Board;
use fanorona_tablebase::{BuildOptions as Options, Metric, Phase, Progress, TableFile, Unit};

use crate::boundary::{ErrorBuffer, run};
use crate::failure::Failure;
use crate::game::GameHandle;
use crate::grow::{self, Grows};
use crate::pointers::{Output, handle};
use crate::pool::{Pool, threads};
use crate::progress::Listener;
use crate::status::Status;
use crate::stop::{StopHandle, flag_or};
use crate::text;

/// Chooses the tables to build, and the means: `fanorona_build_options`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BuildOptions {
    /// The size of the struct.
    pub struct_size: usize,
    /// The most bytes of memory; 0 is what the system has available.
    pub memory: u64,
    /// The stones of the largest slices.
    pub stones: u32,
    /// Threads; 0 is one.
    pub threads: u32,
    /// `FANORONA_DTW` (0) or `FANORONA_WDL` (1).
    pub metric: i32,
    /// Always 0.
    pub reserved: u32,
    /// Hears of the progress.
    pub progress: Listener<BuildReport>,
}

// SAFETY: integers and pointers that may be NULL, the size first.
unsafe impl Grows for BuildOptions {
    const FIRST_SIZE: usize = size_of::<Self>();
}

/// The progress of a build: `fanorona_build_report`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BuildReport {
    /// The size of the struct.
    pub struct_size: usize,
    /// The entries of the phase.
    pub entries: u64,
    /// Of them, those that are done.
    pub done: u64,
    /// Tables that are complete.
    pub tables: u32,
    /// Of them, those that were not there before.
    pub written: u32,
    /// The stones of one side in the slices that are worked on.
    pub own: u32,
    /// The stones of the other.
    pub opponent: u32,
    /// The phase.
    pub phase: i32,
    /// The number of the round, if the phase is one; otherwise 0.
    pub round: u32,
}

/// The least time between two reports, except where a phase begins or a table is complete.
const INTERVAL: Duration = Duration::from_millis(100);

/// Tells the caller of the progress. Only one thread at a time does.
struct Reporter<'a> {
    listener: Listener<BuildReport>,
    stop: &'a AtomicBool,
    now: Mutex<(BuildReport, Option<Instant>)>,
}

impl Reporter<'_> {
    /// Changes the report, and shows it, if it is time or the change is large.
    fn report(&self, is_large: bool, change: impl FnOnce(&mut BuildReport)) {
        let mut held = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        let (report, last) = &mut *held;
        change(report);
        if is_large || last.is_none_or(|last| last.elapsed() >= INTERVAL) {
            *last = Some(Instant::now());
            // SAFETY: the lock is held.
            unsafe { self.listener.call(report, self.stop) };
        }
    }

    /// The report at the end.
    fn finish(self) -> BuildReport {
        self.now.into_inner().unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Progress for Reporter<'_> {
    fn begin(&self, unit: Unit, phase: Phase, entries: u64) {
        let slice = unit.stronger();
        let (number, round) = match phase {
            Phase::Load => (0, 0),
            Phase::Captures => (1, 0),
            Phase::Round(round) => (2, round),
            Phase::Write => (3, 0),
            // `Phase` is non-exhaustive.
            _ => (4, 0),
        };
        self.report(true, |report| {
            let (own, opponent) = (slice.own.into(), slice.opponent.into());
            *report =
                BuildReport { entries, done: 0, own, opponent, phase: number, round, ..*report };
        });
    }

    fn advance(&self, entries: u64) {
        self.report(false, |report| report.done = report.done.saturating_add(entries));
    }

    fn finished(&self, _: &TableFile, written: bool) {
        self.report(true, |report| {
            report.tables += 1;
            report.written += u32::from(written);
        });
    }
}

/// Builds tables.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fanorona_build(
    game: *const GameHandle,
    directory: *const c_char,
    options: *const BuildOptions,
    stop: *const StopHandle,
    written: *mut u32,
    error: *mut ErrorBuffer,
) -> Status {
    let work = || {
        let own_flag = AtomicBool::new(false);
        // SAFETY: all pointers are NULL or as the header says.
        let (game, directory, given, stop, out) = unsafe {
            let game = handle(game, "game")?;
            let directory = text::path(directory, "directory")?;
            // There is no default of the number of stones.
            let given = match options.is_null() {
                true => return Err(Failure::Null("options")),
                false => grow::read(options, "options")?,
            };
            let stop = flag_or(stop, &own_flag)?;
            (game, directory, given, stop, Output::new(written, "written")?)
        };
        grow::check_reserved(given.reserved, "options")?;
        let metric = match given.metric {
            0 => Metric::Dtw,
            1 => Metric::Wdl,
            other => {
                let why = format!("have the metric {other}, which is unknown");
                return Err(Failure::Argument { name: "options", why });
            }
        };
        check_stones(game.board, given.stones)?;
        let mut options = Options::new(directory, game.board, game.rules, given.stones);
        options.memory = (given.memory > 0).then_some(given.memory);
        let options = options.with_metric(metric);
        let start = BuildReport {
            struct_size: size_of::<BuildReport>(),
            entries: 0,
            done: 0,
            tables: 0,
            written: 0,
            own: 0,
            opponent: 0,
            phase: 0,
            round: 0,
        };
        let reporter = Reporter { listener: given.progress, stop, now: Mutex::new((start, None)) };
        let pool = Pool::new(threads(given.threads, "options")?)?;
        pool.run(|| fanorona_tablebase::build(&options, &reporter, stop))?;
        out.write(reporter.finish().written);
        Ok(())
    };
    // SAFETY: as above.
    unsafe { run(error, work) }
}

/// Checks the number of stones of the largest slices.
fn check_stones(board: Board, stones: u32) -> Result<(), Failure> {
    let most = 2 * board.max_stones();
    if (2..=most).contains(&stones) {
        return Ok(());
    }
    let why = format!("ask for {stones} stones, but {board} has 2 to {most}");
    Err(Failure::Argument { name: "options", why })
}
