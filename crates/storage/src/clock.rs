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

/// The CPU time that this thread, or all of them, used so far.
#[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
fn processor_time(of_thread: bool) -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let clock = if of_thread { ClockId::ThreadCPUTime } else { ClockId::ProcessCPUTime };
    Duration::try_from(clock_gettime(clock)).unwrap_or_default()
}

#[cfg(not(any(target_os = "linux", target_os = "macos", target_os = "freebsd")))]
fn processor_time(_: bool) -> Duration {
    Duration::ZERO
}

/// Measures time from its start.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    of_thread: bool,
    started: Instant,
    processor: Duration,
}

impl Stopwatch {
    /// Measures the CPU time of all threads.
    pub fn start() -> Self {
        Self { of_thread: false, started: Instant::now(), processor: processor_time(false) }
    }

    /// Measures the CPU time of this thread only.
    pub fn start_on_this_thread() -> Self {
        Self { of_thread: true, started: Instant::now(), processor: processor_time(true) }
    }

    /// The time since the start.
    pub fn read(&self) -> Spent {
        let processor = processor_time(self.of_thread).saturating_sub(self.processor);
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
