//! Time by the clock, and processor time.

use std::ops::{AddAssign, Sub};
use std::time::{Duration, Instant};

/// The time that a part of some work took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent {
    /// By the clock.
    pub wall: Duration,
    /// Of all processors together; zero if the system does not say.
    pub processor: Duration,
}

/// Whose processor time is measured.
#[derive(Clone, Copy, Debug)]
enum Of {
    Program,
    Thread,
}

/// The processor time so far.
#[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
fn processor_time(of: Of) -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(match of {
        Of::Program => ClockId::ProcessCPUTime,
        Of::Thread => ClockId::ThreadCPUTime,
    });
    Duration::try_from(time).unwrap_or_default()
}

#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "freebsd")))]
fn processor_time(_: Of) -> Duration {
    Duration::ZERO
}

/// Measures time from its start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch {
    of: Of,
    started: Instant,
    processor: Duration,
}

impl Stopwatch {
    /// For work of all threads.
    pub(crate) fn start() -> Self {
        Self::of(Of::Program)
    }

    /// For work of this thread alone.
    pub(crate) fn start_on_this_thread() -> Self {
        Self::of(Of::Thread)
    }

    fn of(of: Of) -> Self {
        Self { of, started: Instant::now(), processor: processor_time(of) }
    }

    /// The time since the start.
    pub(crate) fn read(&self) -> Spent {
        let processor = processor_time(self.of).saturating_sub(self.processor);
        Spent { wall: self.started.elapsed(), processor }
    }
}

impl AddAssign for Spent {
    fn add_assign(&mut self, more: Self) {
        self.wall += more.wall;
        self.processor += more.processor;
    }
}

impl Sub for Spent {
    type Output = Self;

    /// Never negative, although clocks are read one after the other.
    fn sub(self, part: Self) -> Self {
        Self {
            wall: self.wall.saturating_sub(part.wall),
            processor: self.processor.saturating_sub(part.processor),
        }
    }
}
