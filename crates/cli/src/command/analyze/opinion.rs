//! The engine's view of a position that nothing decides.

use std::thread;
use std::time::Duration;

use fanorona_core::Position;
use fanorona_engine::{Analysis, Engine, Limits, Options};
use fanorona_knowledge::Knowledge;

use crate::interrupt;

/// The shortest and the longest time for a position.
const TIMES: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(2)];

/// An engine at full strength, built when it is asked for the first time.
pub(super) struct Adviser {
    known: Knowledge,
    threads: usize,
    engine: Option<Engine>,
}

impl Adviser {
    /// An adviser with the same sources; 0 threads mean one for each processor.
    pub(super) fn new(known: &Knowledge, threads: usize) -> Self {
        let all = || thread::available_parallelism().map_or(1, usize::from);
        let threads = if threads == 0 { all() } else { threads };
        Self { known: known.clone(), threads, engine: None }
    }

    /// Asks the engine about a position, for about this time. Its score is an estimate, or proved.
    pub(super) fn ask(&mut self, position: &Position, time: Duration) -> anyhow::Result<Analysis> {
        let engine = match &mut self.engine {
            Some(engine) => engine,
            empty => {
                let mut options = Options::default();
                options.threads = self.threads.min(Options::MAX_THREADS);
                empty.insert(Engine::new(self.known.clone(), options)?)
            }
        };
        let [least, most] = TIMES;
        let limits = Limits { time: Some(time.clamp(least, most)), ..Limits::default() };
        Ok(engine.analyze(position, &[], &limits, interrupt::flag(), |_| {})?)
    }
}
