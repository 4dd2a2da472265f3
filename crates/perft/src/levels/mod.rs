//! Distinct positions, one level of the tree after another, in bounded memory.
//!
//! A level is a sorted list of [`Orbit`]s, in memory or in a file. Each thread takes parts of it
//! and collects where the turns lead. A list that gets too long is sorted, joined and written to a
//! file without a name: a run. Merging the runs gives the next level. This is external merge sort.

mod orbit;
mod runs;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use fanorona_core::{ErrorKind, Position, RuleSet, Stones, Symmetry};
use thiserror::Error;

use crate::counting::stopped;
use orbit::{Orbit, OrbitFinder};
use runs::{Merge, Sorted, Tiers, add_run};

/// The number of orbits that a thread takes at a time.
const BATCH: usize = 4096;

/// The memory and the directory for sorting the positions of a level.
///
/// ```
/// let mut options = fanorona_perft::LevelOptions::default();
/// options.memory = 256 << 20;
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct LevelOptions {
    /// The memory for lists of positions, in bytes. Lists that do not fit go to files.
    pub memory: usize,
    /// The directory for files. They have no names and vanish with the program, however it ends.
    pub dir: PathBuf,
}

impl Default for LevelOptions {
    /// 1 GiB of memory, and the system's directory for temporary files.
    fn default() -> Self {
        Self { memory: 1 << 30, dir: std::env::temp_dir() }
    }
}

/// The size of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LevelSize {
    /// Distinct positions.
    pub positions: u128,
    /// Distinct positions up to the symmetries of the board.
    pub canonical: u128,
}

/// The positions of a level cannot be sorted, because there is too little disk space or memory.
#[derive(Debug, Error)]
#[error("the positions of depth {depth} cannot be sorted in '{}'", .dir.display())]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub struct LevelError {
    pub depth: u32,
    pub dir: PathBuf,
    pub source: std::io::Error,
}

impl LevelError {
    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        self.source.kind().into()
    }
}

/// The levels of the tree below a position: the distinct positions after 1, 2, 3, … turns.
///
/// This is the way to count [`Counting::Unique`](crate::Counting::Unique): it uses all threads,
/// bounded memory, and the symmetries of the board. A position takes about 3 bytes on disk.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_perft::{Keep, LevelOptions, Levels};
/// let start = Board::tsivy().start();
/// let mut levels = Levels::new(&RuleSet::STANDARD, &start, &LevelOptions::default());
/// let stop = AtomicBool::new(false);
/// let mut sizes = Vec::new();
/// for _ in 1..=4 {
///     let size = levels.advance(Keep::Positions, &stop)?.expect("it is not stopped");
///     sizes.push(size.positions);
/// }
/// assert_eq!(sizes, [5, 39, 724, 17_075]);
/// # Ok::<(), fanorona_perft::LevelError>(())
/// ```
#[derive(Debug)]
pub struct Levels {
    rules: RuleSet,
    start: Position,
    options: LevelOptions,
    /// The number of turns from the start to the level.
    depth: u32,
    level: Sorted,
}

/// Whether [`Levels::advance`] keeps the positions that it finds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Keep {
    /// The positions of the level, so that a further level can follow.
    Positions,
    /// Only the size of the level, because it is the last one.
    Size,
}

impl Levels {
    /// The level of a position alone.
    pub fn new(rules: &RuleSet, start: &Position, options: &LevelOptions) -> Self {
        let finder = OrbitFinder::new(rules, start.board(), start.to_move());
        let orbit = finder.orbit(Symmetry::Identity.bit(), Stones::of(start));
        let level = Sorted::Memory(vec![orbit].into_iter());
        Self { rules: *rules, start: *start, options: options.clone(), depth: 0, level }
    }

    /// Advances to the next level and counts it, on all threads of the current rayon pool; `None`
    /// if `stop` was set before the end. After [`Keep::Size`] or a stop every further level is
    /// empty.
    ///
    /// # Errors
    /// If files cannot be written or read, or there is too little memory.
    pub fn advance(
        &mut self,
        keep: Keep,
        stop: &AtomicBool,
    ) -> Result<Option<LevelSize>, LevelError> {
        let depth = self.depth + 1;
        self.next_level(keep, stop).map_err(|source| {
            let dir = self.options.dir.clone();
            LevelError { depth, dir, source }
        })
    }

    /// Advances by `depth` levels and counts the last one; `None` if it was stopped. No
    /// further level can follow. The time and the memory go with the levels that are not empty.
    ///
    /// # Errors
    /// As for [`advance`](Self::advance).
    pub fn size_at(
        &mut self,
        depth: u32,
        stop: &AtomicBool,
    ) -> Result<Option<LevelSize>, LevelError> {
        let mut size = Some(LevelSize { positions: 1, canonical: 1 });
        for level in 1..=depth {
            let keep = if level == depth { Keep::Size } else { Keep::Positions };
            size = self.advance(keep, stop)?;
            // Below an empty level, all are.
            if size.is_none_or(|size| size.positions == 0) {
                break;
            }
        }
        Ok(size)
    }

    fn next_level(&mut self, keep: Keep, stop: &AtomicBool) -> std::io::Result<Option<LevelSize>> {
        let tiers = Tiers::default();
        let empty = Sorted::Memory(Vec::new().into_iter());
        let level = Mutex::new(std::mem::replace(&mut self.level, empty));
        let lists = rayon::broadcast(|_| self.collect(&level, &tiers, stop));
        drop(level);
        if stopped(stop) {
            return Ok(None);
        }
        let tiers = tiers.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut sources: Vec<_> = tiers.into_iter().flatten().collect();
        let mut upper_bound = if sources.is_empty() { 0 } else { usize::MAX };
        for list in lists {
            let list = list?;
            upper_bound = upper_bound.saturating_add(list.len());
            sources.push(Sorted::Memory(list.into_iter()));
        }

        self.depth += 1;
        let finder = self.finder();
        let mut size = LevelSize::default();
        let mut counted = Merge::new(sources)?.inspect(|orbit| {
            if let Ok(orbit) = orbit {
                size.positions += u128::from(finder.positions(*orbit));
                size.canonical += 1;
            }
        });
        // A long merge can be stopped too.
        let mut orbits = counted.by_ref().take_while(|_| !stopped(stop));
        self.level = if keep == Keep::Size {
            orbits.try_for_each(|orbit| orbit.map(drop))?;
            Sorted::Memory(Vec::new().into_iter())
        } else if upper_bound <= self.orbits_in(self.options.memory / 4) {
            Sorted::Memory(orbits.collect::<Result<Vec<_>, _>>()?.into_iter())
        } else {
            Sorted::write(&self.options.dir, orbits)?
        };
        Ok((!stopped(stop)).then_some(size))
    }

    /// The work of one thread: collects orbits below parts of the level, until none is left. Returns
    /// those that it has in memory then, sorted.
    fn collect(
        &self,
        level: &Mutex<Sorted>,
        tiers: &Tiers,
        stop: &AtomicBool,
    ) -> std::io::Result<Vec<Orbit>> {
        let capacity = self.orbits_in(self.options.memory / 2 / rayon::current_num_threads());
        let mut finder = self.finder();
        let mut found = Vec::new();
        found.try_reserve_exact(capacity).map_err(|_| std::io::ErrorKind::OutOfMemory)?;
        // The rest of the capacity is for the successors of the last position.
        let full = capacity - capacity / 8;
        let mut batch = Vec::with_capacity(BATCH);
        while !stopped(stop) {
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
                if found.len() < full {
                    continue;
                }
                Orbit::sort_and_join(&mut found);
                if found.len() >= full / 2 {
                    let run = Sorted::write(&self.options.dir, found.drain(..).map(Ok))?;
                    add_run(tiers, &self.options.dir, run)?;
                }
            }
        }
        Orbit::sort_and_join(&mut found);
        Ok(found)
    }

    /// A finder for the level.
    fn finder(&self) -> OrbitFinder {
        let first = self.start.to_move();
        let to_move = if self.depth.is_multiple_of(2) { first } else { first.other() };
        OrbitFinder::new(&self.rules, self.start.board(), to_move)
    }

    fn orbits_in(&self, bytes: usize) -> usize {
        (bytes / size_of::<Orbit>()).max(64)
    }
}
