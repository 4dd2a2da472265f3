//! Wall-clock time and CPU time.

use std::ops::{AddAssign, Sub};
use std::time::Duration;

use web_time::Instant;

/// The time that some work took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent {
    /// Wall-clock time.
    pub wall: Duration,
    /// CPU time of all threads together. Zero if the system does not report it.
    pub processor: Duration,
}

/// Whose CPU time is measured.
#[derive(Clone, Copy, Debug)]
enum Of {
    Program,
    Thread,
}

/// The CPU time used so far.
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
pub struct Stopwatch {
    of: Of,
    started: Instant,
    processor: Duration,
}

impl Stopwatch {
    /// Measures the CPU time of all threads.
    pub fn start() -> Self {
        Self::of(Of::Program)
    }

    /// Measures the CPU time of this thread only.
    pub fn start_on_this_thread() -> Self {
        Self::of(Of::Thread)
    }

    fn of(of: Of) -> Self {
        Self { of, started: Instant::now(), processor: processor_time(of) }
    }

    /// The time since the start.
    pub fn read(&self) -> Spent {
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

    /// Saturates at zero. The two clocks are not read at the same instant.
    fn sub(self, part: Self) -> Self {
        Self {
            wall: self.wall.saturating_sub(part.wall),
            processor: self.processor.saturating_sub(part.processor),
        }
    }
}
