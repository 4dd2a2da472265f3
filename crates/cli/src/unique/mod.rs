//! Distinct positions, one level of the tree after the other, in bounded memory.
//!
//! A level is a sorted list of [`Orbit`]s, in memory or in a file. All threads take parts of it and
//! collect where the turns lead; what gets too long is sorted, joined and written to a file without a
//! name. Merging the lists gives the next level.

mod runs;

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use fanorona_core::{Orbit, OrbitFinder, Position, RuleSet};

use crate::interrupt;
use runs::{Merge, Run, Runs, Sorted};

/// The orbits that a thread takes at a time.
const BATCH: usize = 4096;

/// Where the work may be done.
#[derive(Clone, Debug)]
pub struct Room {
    /// The memory for lists, in bytes.
    pub memory: usize,
    /// The directory for what does not fit.
    pub dir: PathBuf,
}

impl Default for Room {
    /// A gibibyte, and the system's directory for temporary files.
    fn default() -> Self {
        Self { memory: 1 << 30, dir: std::env::temp_dir() }
    }
}

/// The size of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Size {
    pub positions: u128,
    /// Positions that are the same but for symmetry counted once.
    pub canonical: u128,
}

/// The levels below a position.
pub struct Levels {
    rules: RuleSet,
    start: Position,
    room: Room,
    /// How many turns the level is below the start.
    depth: u32,
    level: Level,
}

enum Level {
    Memory(Vec<Orbit>),
    File(Run),
}

impl Levels {
    /// The level of a position alone.
    pub fn new(rules: &RuleSet, start: &Position, room: &Room) -> Self {
        let level = Level::Memory(vec![OrbitFinder::new(rules, start).start()]);
        Self { rules: *rules, start: *start, room: room.clone(), depth: 0, level }
    }

    /// Goes on to the next level, and tells its size; `None` if it was interrupted. Of the `last` one
    /// nothing is kept but its size.
    pub fn next(&mut self, last: bool) -> anyhow::Result<Option<Size>> {
        let depth = self.depth + 1;
        self.advance(last).with_context(|| {
            let dir = self.room.dir.display();
            format!(
                "the positions of depth {depth} cannot be sorted in '{dir}'; --temp names another \
                 directory, and --memory makes more room without one"
            )
        })
    }

    fn advance(&mut self, last: bool) -> std::io::Result<Option<Size>> {
        let runs = Mutex::new(Runs::new(&self.room.dir));
        let level = match std::mem::replace(&mut self.level, Level::Memory(Vec::new())) {
            Level::Memory(orbits) => Sorted::memory(orbits),
            Level::File(run) => run.read()?,
        };
        let level = Mutex::new(level);
        let lists = rayon::broadcast(|_| self.collect(&level, &runs));
        drop(level);
        if interrupt::requested() {
            return Ok(None);
        }
        let mut sources = runs.into_inner().unwrap_or_else(PoisonError::into_inner).read()?;
        let mut most = if sources.is_empty() { 0 } else { usize::MAX };
        for list in lists {
            let list = list?;
            most = most.saturating_add(list.len());
            sources.push(Sorted::memory(list));
        }

        self.depth += 1;
        let finder = self.finder();
        let mut size = Size::default();
        let mut counted = Merge::new(sources)?.inspect(|orbit| {
            if let Ok(orbit) = orbit {
                size.positions += u128::from(finder.positions(*orbit));
                size.canonical += 1;
            }
        });
        // Long merges listen to Ctrl-C too.
        let mut orbits = counted.by_ref().take_while(|_| !interrupt::requested());
        self.level = if last {
            orbits.try_for_each(|orbit| orbit.map(drop))?;
            Level::Memory(Vec::new())
        } else if most <= self.orbits_in(self.room.memory / 4) {
            Level::Memory(orbits.collect::<Result<_, _>>()?)
        } else {
            Level::File(Run::write(&self.room.dir, orbits)?)
        };
        Ok((!interrupt::requested()).then_some(size))
    }

    /// What one thread does: it collects orbits below parts of the level, until none is left. Gives
    /// those that it has in memory then, sorted.
    fn collect(&self, level: &Mutex<Sorted>, runs: &Mutex<Runs>) -> std::io::Result<Vec<Orbit>> {
        let room = self.orbits_in(self.room.memory / 2 / rayon::current_num_threads());
        let mut finder = self.finder();
        let mut found = Vec::with_capacity(room);
        // A position has some more successors than fit, now and then.
        let enough = room - room / 8;
        let mut batch = Vec::with_capacity(BATCH);
        while !interrupt::requested() {
            {
                let mut level = level.lock().unwrap_or_else(PoisonError::into_inner);
                for orbit in level.by_ref().take(BATCH) {
                    batch.push(orbit?);
                }
            }
            if batch.is_empty() {
                break;
            }
            for orbit in batch.drain(..) {
                finder.successors(orbit, &mut found);
                if found.len() < enough {
                    continue;
                }
                Orbit::sort_and_join(&mut found);
                if found.len() >= enough / 2 {
                    let run = Run::write(&self.room.dir, found.drain(..).map(Ok))?;
                    Runs::add(runs, run)?;
                }
            }
        }
        Orbit::sort_and_join(&mut found);
        Ok(found)
    }

    /// A finder for the level.
    fn finder(&self) -> OrbitFinder {
        let mut finder = OrbitFinder::new(&self.rules, &self.start);
        if self.depth % 2 == 1 {
            finder.pass();
        }
        finder
    }

    fn orbits_in(&self, bytes: usize) -> usize {
        (bytes / size_of::<Orbit>()).max(64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fanorona_core::{Board, Counting, perft};

    fn sizes(rules: &RuleSet, start: &Position, depth: u32, memory: usize) -> Vec<Size> {
        let room = Room { memory, ..Room::default() };
        let mut levels = Levels::new(rules, start, &room);
        let sizes = (1..=depth).map(|d| levels.next(d == depth).unwrap());
        sizes.map(|size| size.expect("nobody interrupts")).collect()
    }

    /// Lists of 64 orbits are written out by the hundred, and merged in several goes.
    #[test]
    fn little_memory_gives_the_same_counts() {
        for (_, rules) in RuleSet::PRESETS {
            let start = Board::tsivy().start();
            let much = sizes(&rules, &start, 5, 1 << 24);
            assert_eq!(sizes(&rules, &start, 5, 0), much, "{rules}");
            assert_eq!(sizes(&rules, &start, 5, 1 << 17), much, "{rules}");
            for (depth, size) in (1..).zip(&much) {
                let expected = perft(&rules, &start, depth, Counting::Unique);
                assert_eq!(size.positions, expected, "{rules}, depth {depth}");
                assert!(size.canonical <= size.positions);
            }
        }
    }

    #[test]
    fn a_symmetric_start_has_few_canonical_positions() {
        let start = "B2/1W1/2B w".parse().unwrap();
        let size = sizes(&RuleSet::FREE_CAPTURE, &start, 1, 0)[0];
        assert_eq!(size.positions, perft(&RuleSet::FREE_CAPTURE, &start, 1, Counting::Unique));
        assert!(size.canonical < size.positions, "{size:?}");
    }
}
