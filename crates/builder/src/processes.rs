//! Building with several processes.

use std::fmt::Debug;
use std::io;
use std::ops::Range;

use fanorona_storage::{decode, encode};
use fanorona_tablebase::{Result, TableError};
use rayon::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use zerocopy::IntoBytes;

use super::count::sum;
use super::matrix::Item;

/// A group of processes that build tables together, each with its own memory.
///
/// Processes are numbered from 0. All do the same steps in the same order, so every call of
/// [`exchange`](Self::exchange) is a call by all of them.
pub trait ProcessGroup: Send + Sync + Debug {
    /// The number of this process.
    fn index(&self) -> usize;

    /// The number of processes, at least 1.
    fn count(&self) -> usize;

    /// Sends bytes to each process, and returns the bytes that each process has sent to this one. Both
    /// lists have [`count`](Self::count) members, in order of processes. Returns when everything has
    /// arrived.
    ///
    /// # Errors
    /// If the bytes cannot be sent. The other processes may then wait for ever, so whoever runs the
    /// processes has to end them.
    fn exchange(&self, bytes: Vec<Vec<u8>>) -> io::Result<Vec<Vec<u8>>>;
}

/// One process that builds alone.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl ProcessGroup for Alone {
    fn index(&self) -> usize {
        0
    }

    fn count(&self) -> usize {
        1
    }

    fn exchange(&self, bytes: Vec<Vec<u8>>) -> io::Result<Vec<Vec<u8>>> {
        Ok(bytes)
    }
}

/// The byte that a process sends at the end.
const GOES_ON: u8 = 0;
const IS_STOPPED: u8 = 1;
const HAS_FAILED: u8 = 2;

/// The calls of [`ProcessGroup`] that builders make. An error of one process ends the work of all: that process returns
/// its error, the others [`TableError::Stopped`] or [`TableError::OtherProcess`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Processes<'a>(pub &'a dyn ProcessGroup);

impl Processes<'_> {
    pub(super) fn index(self) -> usize {
        self.0.index()
    }

    pub(super) fn count(self) -> usize {
        self.0.count()
    }

    pub(super) fn is_alone(self) -> bool {
        self.count() == 1
    }

    /// Whether this process does what only one has to do.
    pub(super) fn is_first(self) -> bool {
        self.index() == 0
    }

    /// Sends bytes to each process, and returns what each has sent.
    pub(super) fn exchange(self, bytes: Result<Vec<Vec<u8>>>) -> Result<Vec<Vec<u8>>> {
        if self.is_alone() {
            return bytes;
        }
        let state = match &bytes {
            Ok(_) => GOES_ON,
            Err(TableError::Stopped) => IS_STOPPED,
            Err(_) => HAS_FAILED,
        };
        let (mut sent, failed) = match bytes {
            Ok(bytes) => (bytes, None),
            Err(error) => (vec![Vec::new(); self.count()], Some(error)),
        };
        sent.iter_mut().for_each(|bytes| bytes.push(state));
        let mut received = self.0.exchange(sent).map_err(TableError::Exchange)?;
        if let Some(error) = failed {
            return Err(error);
        }
        for (process, bytes) in received.iter_mut().enumerate() {
            match bytes.pop() {
                Some(GOES_ON) => {}
                Some(IS_STOPPED) => return Err(TableError::Stopped),
                _ => return Err(TableError::OtherProcess { process }),
            }
        }
        Ok(received)
    }

    /// Sends each process what `message` returns for it. Returns what each has sent.
    pub(super) fn exchange_with(
        self,
        message: impl Fn(usize) -> Result<Vec<u8>> + Sync + Send,
    ) -> Result<Vec<Vec<u8>>> {
        let processes = (0..self.count()).into_par_iter();
        self.exchange(processes.map(message).collect())
    }

    /// The result of some work that all processes have done. Waits until all are here.
    pub(super) fn all<T>(self, result: Result<T>) -> Result<T> {
        let mut found = None;
        self.gather(result.map(|done| found = Some(done)))?;
        Ok(found.expect("no error"))
    }

    /// Collects something of all processes, in order of processes.
    pub(super) fn gather<T: Serialize + DeserializeOwned>(self, own: Result<T>) -> Result<Vec<T>> {
        let all = self.gather_bytes(own.map(|own| encode(&own).expect("it can be encoded")))?;
        // They are of the same program.
        Ok(all.iter().map(|bytes| decode(bytes).expect("it was encoded")).collect())
    }

    fn gather_bytes(self, bytes: Result<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        self.exchange(bytes.map(|bytes| vec![bytes; self.count()]))
    }

    /// Sends the part of a matrix with rows of some length that this process has, some columns of some rows,
    /// and receives those of the others. All processes together send about `bytes` to one at a time.
    pub(super) fn share<T: Item>(
        self,
        data: &mut [T],
        len: usize,
        bytes: usize,
        part_of: impl Fn(usize) -> [Range<usize>; 2],
    ) -> Result<()> {
        if self.is_alone() {
            return Ok(());
        }
        let parts: Vec<_> = (0..self.count()).map(part_of).collect();
        let widest = parts.iter().map(|[_, columns]| columns.len()).max().unwrap_or(0).max(1);
        let together = (bytes / (self.count() * size_of::<T>() * widest)).max(1);
        let longest = parts.iter().map(|[rows, _]| rows.len()).max().unwrap_or(0);
        for first in (0..longest).step_by(together) {
            let places = |process: usize| {
                let [Range { start, end }, columns] = &parts[process];
                let rows = *end.min(&(start + first))..*end.min(&(start + first + together));
                rows.map(move |row| row * len + columns.start..row * len + columns.end)
            };
            let mut sent = Vec::new();
            places(self.index()).for_each(|row| sent.extend_from_slice(data[row].as_bytes()));
            for (process, bytes) in self.gather_bytes(Ok(sent))?.iter().enumerate() {
                let mut rest = &bytes[..];
                for row in places(process) {
                    let (bytes, after) = rest.split_at(row.len() * size_of::<T>());
                    data[row].as_mut_bytes().copy_from_slice(bytes);
                    rest = after;
                }
            }
        }
        Ok(())
    }

    /// The sums of the numbers that all processes give, place by place. Those missing at the end count as 0.
    pub(super) fn sums(self, numbers: Result<Vec<u64>>) -> Result<Vec<u64>> {
        Ok(self.gather(numbers)?.into_iter().fold(Vec::new(), sum))
    }

    /// Whether some process gives `true`.
    pub(super) fn any(self, found: Result<bool>) -> Result<bool> {
        Ok(self.gather(found)?.contains(&true))
    }

    /// The largest number that a process gives.
    pub(super) fn max(self, number: u64) -> Result<u64> {
        Ok(self.gather(Ok(number))?.into_iter().fold(number, u64::max))
    }
}

/// The share of a process in a number of things that are divided in order.
pub(super) fn share(all: usize, process: usize, processes: usize) -> Range<usize> {
    let until = |process: usize| (all as u128 * process as u128 / processes as u128) as usize;
    until(process)..until(process + 1)
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Mutex;
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;

    use super::*;

    #[derive(Debug)]
    pub(crate) struct ThreadRank {
        process: usize,
        to: Vec<Sender<Vec<u8>>>,
        from: Vec<Mutex<Receiver<Vec<u8>>>>,
    }

    impl ThreadRank {
        pub(crate) fn group(count: usize) -> Vec<Self> {
            let mut processes: Vec<_> = (0..count)
                .map(|process| Self { process, to: Vec::new(), from: Vec::new() })
                .collect();
            for from in 0..count {
                for to in 0..count {
                    let (sender, receiver) = channel();
                    processes[from].to.push(sender);
                    processes[to].from.push(Mutex::new(receiver));
                }
            }
            processes
        }
    }

    impl ProcessGroup for ThreadRank {
        fn index(&self) -> usize {
            self.process
        }

        fn count(&self) -> usize {
            self.to.len()
        }

        fn exchange(&self, bytes: Vec<Vec<u8>>) -> io::Result<Vec<Vec<u8>>> {
            assert_eq!(bytes.len(), self.count());
            for (to, bytes) in self.to.iter().zip(bytes) {
                to.send(bytes).map_err(io::Error::other)?;
            }
            let receive = |from: &Mutex<Receiver<Vec<u8>>>| {
                let from = from.lock().expect("no panic");
                from.recv_timeout(Duration::from_secs(300)).map_err(io::Error::other)
            };
            self.from.iter().map(receive).collect()
        }
    }

    /// Runs some work on a number of processes. Returns the results in order of processes.
    pub(crate) fn on_ranks<T: Send>(
        count: usize,
        work: impl Fn(&dyn ProcessGroup) -> T + Sync,
    ) -> Vec<T> {
        let processes = ThreadRank::group(count);
        std::thread::scope(|scope| {
            let work = &work;
            let threads: Vec<_> =
                processes.into_iter().map(|process| scope.spawn(move || work(&process))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        })
    }
}
