//! Time by the clock on the wall, and time that processors spent.

use std::ops::{AddAssign, Sub};
use std::time::{Duration, Instant};

/// What a part of some work took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent {
    /// By the clock on the wall.
    pub wall: Duration,
    /// Of all processors together, zero where the system does not tell.
    pub processor: Duration,
}

/// Whose processor time is asked for.
#[derive(Clone, Copy, Debug)]
enum Of {
    Program,
    Thread,
}

/// The processor time that was used so far.
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

/// Measures what happens from its start on.
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

    /// For work of this thread, while others do something else.
    pub(crate) fn start_on_this_thread() -> Self {
        Self::of(Of::Thread)
    }

    fn of(of: Of) -> Self {
        Self { of, started: Instant::now(), processor: processor_time(of) }
    }

    /// What was spent since the start.
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

    /// Never less than nothing, for clocks are read one after the other.
    fn sub(self, part: Self) -> Self {
        Self {
            wall: self.wall.saturating_sub(part.wall),
            processor: self.processor.saturating_sub(part.processor),
        }
    }
}
