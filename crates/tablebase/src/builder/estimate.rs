//! What a build takes, estimated before it begins.

use std::time::Duration;

use fanorona_core::Board;

use super::options::{BuildOptions, Method};
use super::schedule::{is_needed, units_to_process};
use crate::error::{Resource, Result, Task};
use crate::goal::Goal;
use crate::index::check_size;
use crate::key::{TableKey, captures_are_stored};
use crate::orbits::{choose, placements, placements_up_to_symmetry};
use crate::resources::{check_room, disk_available, memory_available};
use crate::slice::{Slice, Unit};
use crate::value::Metric;

/// What one slice takes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SliceEstimate {
    /// The slice.
    pub slice: Slice,
    /// The number of positions, no symmetry taken out.
    pub positions: u64,
    /// The number of positions up to symmetry.
    pub canonical: u64,
    /// The number of places of its index.
    pub entries: u64,
    /// Whether its table is there.
    pub there: bool,
}

/// What a build takes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// What is to be built.
    pub goal: Goal,
    /// Every slice of the goal, in the order in which they are solved.
    pub slices: Vec<SliceEstimate>,
    /// Memory in bytes. Distances above 248 take twice as much for their slices and for those that
    /// capture into them; the builder by rows checks that when it meets them.
    pub memory: u64,
    /// Memory that is available now, in bytes; `None` if the system does not say. Then no build is
    /// refused because of it.
    pub memory_available: Option<u64>,
    /// Disk for what is missing, in bytes: a cautious guess, because it depends on how well values
    /// compress.
    pub disk: u64,
    /// Disk for checkpoints while the build runs, in bytes: twice the largest one, because the next
    /// one is written before it is removed. 0 if no unit should take long enough for one.
    pub checkpoints: u64,
    /// Disk that is available, in bytes; `None` if the system does not say. Then no build is refused
    /// because of it.
    pub disk_available: Option<u64>,
    /// Seconds for what is missing, with the threads that there are: a rough guess.
    pub seconds: f64,
}

/// Bytes in memory for each place of each slice, of the plain builder.
const MEMORY_PER_ENTRY: u64 = 2;

/// Bits for each place that the builder by rows keeps of slices that are solved.
fn bits_kept(metric: Metric) -> u64 {
    match metric {
        Metric::Wdl => 2,
        Metric::Dtw => 8,
    }
}

/// Bits for each place of the unit that it works on, beside those.
fn bits_at_work(metric: Metric) -> u64 {
    match metric {
        Metric::Wdl => 6,
        Metric::Dtw => 14,
    }
}

/// Bytes in memory for each set of stones that is numbered, and as much again while that is done.
const MEMORY_PER_SET: u64 = 8;

/// Bytes in memory beside all that: the program, and what is packed at a time.
const MEMORY_AT_LEAST: u64 = 16 << 20;

/// Bytes on disk for a table of so many places.
///
/// Where positions with captures are left out, larger tables pack better: with `n` places in all
/// slices of so many stones, standard tables of 9x5 have 0.295 bits a place at 5 stones, 0.205 at
/// 6, 0.173 at 7, 0.136 at 8, and 1.35, 1.07, 0.82 at 5 to 7 with distances. Where they are stored
/// there is no such gain: 0.62 and 2.8 bits (9x5 free-capture, 6 stones), 0.86 and 3.2 (5x5
/// standard, 8 stones), 0.92 and 3.7 (all of 5x3). What stands here is 1.2 to 2 times that.
fn bytes_on_disk(metric: Metric, captures_stored: bool, entries: u64) -> u64 {
    let entries = entries as f64;
    let bits = match (metric, captures_stored) {
        (Metric::Wdl, false) => 1.8 * entries.powf(-0.1),
        (Metric::Dtw, false) => 9.0 * entries.powf(-0.1),
        (Metric::Wdl, true) => 1.2,
        (Metric::Dtw, true) => 4.6,
    };
    // Header, metadata and distances take this much however few values there are.
    2048 + (entries * bits / 8.0) as u64
}

/// Bits that a checkpoint has for each place of the unit's matrices. Found on 9x5, standard: 0.75
/// (5v1) to 2.05 (3v3), with distances 2.9 (4v1) to 5.4 (3v3). There would be 4 and 12 if nothing
/// could be packed.
fn bits_in_checkpoint(metric: Metric) -> u64 {
    match metric {
        Metric::Wdl => 3,
        Metric::Dtw => 8,
    }
}

/// A unit may take so many times what is estimated, on a machine that has other work too.
const SLOW: f64 = 4.0;

/// Nanoseconds of one thread for each place, all rounds together; measured on 9x5 at 5 stones for
/// the plain builder, and at 7 for the one by rows.
fn nanoseconds_per_entry(method: Method, metric: Metric) -> f64 {
    match (method, metric) {
        (Method::Rows, Metric::Wdl) => 50.0,
        (Method::Rows, Metric::Dtw) => 150.0,
        (Method::Plain, _) => 5000.0,
    }
}

/// How large matrices with a row for each orbit of own sets are: columns are not cut to the free
/// points.
struct Matrices {
    order: u64,
    /// Orbits of the sets of so many stones.
    orbits: Vec<u64>,
}

impl Matrices {
    fn new(board: Board, units: &[Unit]) -> Self {
        let most = units.iter().map(|unit| unit.stronger().own).max().unwrap_or(0);
        let orbits = |stones: u8| indexed(placements_up_to_symmetry(board, stones.into(), 0));
        Self { order: board.symmetries().len() as u64, orbits: (0..=most).map(orbits).collect() }
    }

    /// Bytes of one matrix for each slice, with so many bits a place.
    fn bytes(&self, slices: impl Iterator<Item = Slice>, bits: u64) -> u64 {
        let orbits = |stones: u8| self.orbits[usize::from(stones)];
        let matrix = |slice: Slice| {
            let one_bit = orbits(slice.own).saturating_mul(orbits(slice.opponent));
            one_bit.saturating_mul(self.order).saturating_mul(bits).div_ceil(8)
        };
        slices.map(matrix).fold(0, u64::saturating_add)
    }
}

/// The memory for processing some of these units, one after the other. Of what is solved or loaded
/// the builder keeps what later units capture into.
pub(super) fn memory(
    board: Board,
    units: &[Unit],
    to_process: &[Unit],
    method: Method,
    metric: Metric,
) -> u64 {
    let most = units.iter().map(|unit| unit.stronger().own).max().unwrap_or(0);
    let sets: u64 = (1..=u32::from(most)).map(|n| choose(board.num_points(), n)).sum();
    let values = match method {
        Method::Rows => memory_by_rows(board, units, to_process, metric),
        Method::Plain => {
            let entries = units.iter().flat_map(|unit| unit.slices()).map(|s| entries(board, s));
            entries.fold(0, u64::saturating_add).saturating_mul(MEMORY_PER_ENTRY)
        }
    };
    values.saturating_add(sets * MEMORY_PER_SET).saturating_add(MEMORY_AT_LEAST)
}

/// The memory of the builder by rows, but for the numbers of sets.
fn memory_by_rows(board: Board, units: &[Unit], to_process: &[Unit], metric: Metric) -> u64 {
    let matrices = Matrices::new(board, units);
    let at_unit = |i: usize| {
        let solved = units.iter().take_while(|unit| **unit != to_process[i]);
        let kept = solved.flat_map(|unit| unit.slices());
        let kept = kept.filter(|slice| is_needed(*slice, &to_process[i..]));
        let new = matrices.bytes(to_process[i].slices(), bits_at_work(metric));
        matrices.bytes(kept, bits_kept(metric)).saturating_add(new)
    };
    let largest = (0..to_process.len()).map(at_unit).max().unwrap_or(0);
    // For each number of stones, a row of bits a point, and the numbers of sets with it added.
    let points = u64::from(board.num_points());
    let most = matrices.orbits.len() - 1;
    let columns = (1..=most).map(|n| {
        let numbers = if n < most { 4 * points } else { 0 };
        (matrices.orbits[n] * matrices.order).saturating_mul(points / 8 + 1 + numbers)
    });
    columns.fold(largest, u64::saturating_add)
}

/// Estimates a build. Looks at no position and finds no orbits.
///
/// # Errors
/// If a slice has more positions than can be numbered, or is in the first phase of the vela.
pub fn estimate(options: &BuildOptions) -> Result<Estimate> {
    let is_there = |slice| {
        let key = TableKey::new(options.board, &options.rules, slice, options.metric);
        key.is_ok_and(|key| options.dir.join(key.file_name()).exists())
    };
    Estimate::new(options, &is_there)
}

impl Estimate {
    /// Estimates a build for which it is known which tables are there.
    pub(super) fn new(options: &BuildOptions, is_there: &dyn Fn(Slice) -> bool) -> Result<Self> {
        let BuildOptions { ref dir, board, ref rules, goal, metric, method, .. } = *options;
        let threads = rayon::current_num_threads() as f64;
        let seconds =
            |entries: u64| entries as f64 * nanoseconds_per_entry(method, metric) * 1e-9 / threads;
        let units = goal.units(board);
        for slice in units.iter().flat_map(|unit| unit.slices()) {
            check_size(board, slice)?;
        }
        let matrices = Matrices::new(board, &units);
        let mut slices = Vec::new();
        let (mut disk, mut checkpoints) = (0u64, 0);
        for &unit in &units {
            let mut unit_entries = 0u64;
            let mut missing = false;
            for slice in unit.slices() {
                let rules = slice.rules(board, rules)?;
                let entries = entries(board, slice);
                let there = is_there(slice);
                if !there {
                    let stored = captures_are_stored(board, &rules, slice);
                    disk = disk.saturating_add(bytes_on_disk(metric, stored, entries));
                }
                unit_entries = unit_entries.saturating_add(entries);
                missing |= !there;
                let (own, opponent) = (slice.own.into(), slice.opponent.into());
                slices.push(SliceEstimate {
                    slice,
                    positions: indexed(placements(board, own, opponent)),
                    canonical: indexed(placements_up_to_symmetry(board, own, opponent)),
                    entries,
                    there,
                });
            }
            let is_long =
                |interval: Duration| SLOW * seconds(unit_entries) >= interval.as_secs_f64();
            if missing && method == Method::Rows && options.checkpoint.is_some_and(is_long) {
                let bytes = matrices.bytes(unit.slices(), bits_in_checkpoint(metric));
                checkpoints = bytes.saturating_mul(2).max(checkpoints);
            }
        }
        let missing = slices.iter().filter(|slice| !slice.there);
        let missing = missing.fold(0, |sum: u64, slice| sum.saturating_add(slice.entries));
        let mut estimate = Self {
            goal,
            slices,
            memory: 0,
            memory_available: options.memory.or_else(memory_available),
            disk,
            checkpoints,
            disk_available: disk_available(dir),
            seconds: seconds(missing),
        };
        let to_process = units_to_process(&units, &estimate.units_missing());
        estimate.memory = memory(board, &units, &to_process, method, metric);
        Ok(estimate)
    }

    /// Whether it was made for these tables being there.
    pub(super) fn is_about(&self, is_there: &dyn Fn(Slice) -> bool) -> bool {
        self.slices.iter().all(|slice| slice.there == is_there(slice.slice))
    }

    /// The units that lack a table, in the order in which they are solved.
    pub(super) fn units_missing(&self) -> Vec<Unit> {
        let missing = self.slices.iter().filter(|slice| !slice.there);
        let mut units: Vec<_> = missing.map(|slice| Unit::of(slice.slice)).collect();
        units.dedup();
        units
    }

    /// Checks that there is enough memory and disk for the build.
    ///
    /// # Errors
    /// [`TableError::Resources`](crate::TableError::Resources) if not.
    pub fn check(&self) -> Result<()> {
        let task = Task::Build(self.goal);
        check_room(task, Resource::Memory, self.memory, self.memory_available)?;
        check_room(task, Resource::Disk, self.disk, self.disk_available)?;
        let disk = self.disk.saturating_add(self.checkpoints);
        check_room(task, Resource::DiskWithCheckpoints, disk, self.disk_available)
    }
}

/// The places of a slice's index. The orbits of single sets are counted as positions of a slice
/// with nothing on the other side.
fn entries(board: Board, slice: Slice) -> u64 {
    let orbits = indexed(placements_up_to_symmetry(board, slice.own.into(), 0));
    let free = board.num_points() - u32::from(slice.own);
    orbits.saturating_mul(choose(free, slice.opponent.into()))
}

/// A number of positions of a slice that has an index.
fn indexed(positions: u128) -> u64 {
    u64::try_from(positions).expect("each side of a slice with an index has at most 2^29 sets")
}

/// Compared with the index in a test: the estimate counts without finding any set.
#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::SliceIndex;
    use crate::orbits::OrbitSets;

    #[test]
    fn entries_are_those_of_the_index() {
        for size in ["3x3", "5x3", "5x5", "9x5"] {
            let board: Board = size.parse().unwrap();
            let sets = OrbitSets::new(board);
            for unit in Unit::up_to(board, 5) {
                for slice in unit.slices() {
                    assert_eq!(entries(board, slice), SliceIndex::new(&sets, slice).unwrap().len());
                }
            }
        }
    }
}
