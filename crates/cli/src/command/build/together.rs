//! Counts of the bytes that the processes of a build exchange, and the sum of their work.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use fanorona_builder::ProcessGroup;

use super::phases::{Exchanged, Phase};

/// The processes of a build, with counters of what this one sends.
#[derive(Debug)]
pub(super) struct CountedGroup<'r> {
    processes: &'r dyn ProcessGroup,
    bytes: AtomicU64,
    nanoseconds: AtomicU64,
}

impl<'r> CountedGroup<'r> {
    pub(super) fn new(processes: &'r dyn ProcessGroup) -> Self {
        Self { processes, bytes: AtomicU64::new(0), nanoseconds: AtomicU64::new(0) }
    }

    /// The exchange of this process since the last call. `None` if it is the only one.
    pub(super) fn take(&self) -> Option<Exchanged> {
        let (bytes, nanoseconds) = (self.bytes.swap(0, Relaxed), self.nanoseconds.swap(0, Relaxed));
        let waiting_seconds = nanoseconds as f64 * 1e-9;
        (self.count() > 1).then_some(Exchanged { bytes, waiting_seconds, imbalance: 1.0 })
    }

    /// The phases of all processes together.
    pub(super) fn combined(&self, own: Vec<Phase>) -> io::Result<Vec<Phase>> {
        if self.count() == 1 {
            return Ok(own);
        }
        let numbers = own.iter().flat_map(Phase::to_numbers);
        let bytes: Vec<u8> = numbers.flat_map(f64::to_le_bytes).collect();
        let all = self.exchange(vec![bytes; self.count()])?;
        let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("8 bytes"));
        let all: Vec<Vec<f64>> =
            all.iter().map(|bytes| bytes.chunks_exact(8).map(number).collect()).collect();
        let combined = own.into_iter().enumerate().map(|(i, phase)| {
            let place = i * Phase::NUMBERS..(i + 1) * Phase::NUMBERS;
            phase.combined(all.iter().filter_map(|numbers| numbers.get(place.clone())))
        });
        Ok(combined.collect())
    }
}

impl ProcessGroup for CountedGroup<'_> {
    fn index(&self) -> usize {
        self.processes.index()
    }

    fn count(&self) -> usize {
        self.processes.count()
    }

    fn exchange(&self, bytes: Vec<Vec<u8>>) -> io::Result<Vec<Vec<u8>>> {
        let sizes = bytes.iter().enumerate().filter(|(process, _)| *process != self.index());
        self.bytes.fetch_add(sizes.map(|(_, bytes)| bytes.len() as u64).sum(), Relaxed);
        let start = Instant::now();
        let received = self.processes.exchange(bytes);
        self.nanoseconds.fetch_add(start.elapsed().as_nanos() as u64, Relaxed);
        received
    }
}
