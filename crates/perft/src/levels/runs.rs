//! Runs: sorted lists of orbits in files without a name, which vanish with the program.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::Orbit;

/// The number of runs of one tier that are merged into one of the next, so that few files are open.
const FAN_IN: usize = 16;

/// The size of the buffer for reading and writing a run, in bytes.
const BUFFER: usize = 1 << 16;

/// A sorted list that is read once. In a file, an orbit is the difference of its number from the one
/// before, as a LEB128 number, and a byte for its images.
#[derive(Debug)]
pub(super) enum Sorted {
    Memory(std::vec::IntoIter<Orbit>),
    File { file: BufReader<File>, left: u64, last: u128 },
}

impl Sorted {
    /// Writes a list to a file in a directory.
    pub(super) fn write(
        dir: &Path,
        orbits: impl Iterator<Item = io::Result<Orbit>>,
    ) -> io::Result<Self> {
        let mut out = BufWriter::with_capacity(BUFFER, tempfile::tempfile_in(dir)?);
        let (mut last, mut left) = (0, 0);
        for orbit in orbits {
            let (number, images) = orbit?.parts();
            let mut rest = number - last;
            while rest >= 0x80 {
                out.write_all(&[rest as u8 | 0x80])?;
                rest >>= 7;
            }
            out.write_all(&[rest as u8, images])?;
            last = number;
            left += 1;
        }
        let mut file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        Ok(Self::File { file: BufReader::with_capacity(BUFFER, file), left, last: 0 })
    }
}

impl Iterator for Sorted {
    type Item = io::Result<Orbit>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Memory(orbits) => orbits.next().map(Ok),
            Self::File { file, left, last } => {
                *left = left.checked_sub(1)?;
                Some(read_orbit(file, last))
            }
        }
    }
}

fn read_orbit(file: &mut impl Read, last: &mut u128) -> io::Result<Orbit> {
    let mut byte = || {
        let mut byte = [0];
        file.read_exact(&mut byte).map(|()| byte[0])
    };
    let mut shift = 0;
    loop {
        let digit = byte()?;
        *last += u128::from(digit & 0x7f) << shift;
        shift += 7;
        if digit < 0x80 {
            return Ok(Orbit::from_parts(*last, byte()?));
        }
    }
}

/// A merge of sorted lists, in which each orbit occurs once.
pub(super) struct Merge {
    sources: Vec<Sorted>,
    /// The next orbit of each list that is not at its end.
    heads: BinaryHeap<Reverse<(Orbit, usize)>>,
}

impl Merge {
    pub(super) fn new(mut sources: Vec<Sorted>) -> io::Result<Self> {
        let mut heads = BinaryHeap::new();
        for (i, source) in sources.iter_mut().enumerate() {
            if let Some(orbit) = source.next() {
                heads.push(Reverse((orbit?, i)));
            }
        }
        Ok(Self { sources, heads })
    }
}

impl Iterator for Merge {
    type Item = io::Result<Orbit>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut least: Option<Orbit> = None;
        while let Some(mut head) = self.heads.peek_mut() {
            let Reverse((orbit, source)) = *head;
            if !least.get_or_insert(orbit).join(orbit) {
                break;
            }
            match self.sources[source].next() {
                Some(Ok(next)) => *head = Reverse((next, source)),
                Some(Err(error)) => return Some(Err(error)),
                None => drop(PeekMut::pop(head)),
            }
        }
        least.map(Ok)
    }
}

/// The runs of a level, in tiers: a run of a tier is made of [`FAN_IN`] runs of the tier before.
pub(super) type Tiers = Mutex<Vec<Vec<Sorted>>>;

/// Adds a run, and merges those of its tier if they are many. Other threads can add runs meanwhile.
pub(super) fn add_run(tiers: &Tiers, dir: &Path, mut run: Sorted) -> io::Result<()> {
    for tier in 0.. {
        let many = {
            let mut tiers = tiers.lock().unwrap_or_else(PoisonError::into_inner);
            if tiers.len() == tier {
                tiers.push(Vec::new());
            }
            let alike = &mut tiers[tier];
            alike.push(run);
            if alike.len() < FAN_IN {
                return Ok(());
            }
            std::mem::take(alike)
        };
        run = Sorted::write(dir, Merge::new(many)?)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orbits(numbers: impl IntoIterator<Item = u128>) -> Vec<Orbit> {
        numbers.into_iter().map(|number| Orbit::from_parts(number, 1)).collect()
    }

    #[test]
    fn a_run_is_read_as_it_was_written() {
        let list = orbits([0, 1, 127, 128, 300, 1 << 71, (1 << 101) - 1]);
        let run = Sorted::write(&std::env::temp_dir(), list.iter().copied().map(Ok)).unwrap();
        let read: io::Result<Vec<_>> = run.collect();
        assert_eq!(read.unwrap(), list);
    }

    #[test]
    fn merging_joins_what_is_the_same() {
        let lists = [vec![1, 3, 5], vec![], vec![3, 4], vec![5, 5, 9]];
        let mut sources: Vec<_> = lists.map(|list| Sorted::Memory(orbits(list).into_iter())).into();
        sources.push(Sorted::Memory(vec![Orbit::from_parts(4, 2)].into_iter()));
        let merged: io::Result<Vec<_>> = Merge::new(sources).unwrap().collect();
        let expected = [(1, 1), (3, 1), (4, 3), (5, 1), (9, 1)];
        assert_eq!(merged.unwrap(), expected.map(|(n, images)| Orbit::from_parts(n, images)));
    }

    #[test]
    fn few_files_stay_open() {
        let (tiers, dir) = (Tiers::default(), std::env::temp_dir());
        for i in 0..1000 {
            let list = orbits([i, i + 1000, 5000]);
            let run = Sorted::write(&dir, list.into_iter().map(Ok)).unwrap();
            add_run(&tiers, &dir, run).unwrap();
            let open: usize = tiers.lock().unwrap().iter().map(Vec::len).sum();
            assert!(open < 3 * FAN_IN, "{open}");
        }
        let sources = tiers.into_inner().unwrap().into_iter().flatten().collect();
        let merged: io::Result<Vec<_>> = Merge::new(sources).unwrap().collect();
        assert_eq!(merged.unwrap(), orbits((0..2000).chain([5000])));
    }
}
