//! What a build will take, told before it starts.

use std::path::{Path, PathBuf};

use fanorona_core::Board;
use sysinfo::{Disks, System};

use super::{BuildOptions, Method, check_size};
use crate::error::{Result, TableError};
use crate::file_name;
use crate::orbits::{binomial, placements, placements_up_to_symmetry};
use crate::slice::{Slice, Unit};
use crate::value::Metric;

/// What one slice takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SliceEstimate {
    /// The slice.
    pub slice: Slice,
    /// Its positions, no symmetry taken out.
    pub positions: u64,
    /// Its positions up to symmetry.
    pub canonical: u64,
    /// The places of its index.
    pub entries: u64,
    /// Whether its table is there.
    pub there: bool,
}

/// What a build takes.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// Every slice up to the number of stones.
    pub slices: Vec<SliceEstimate>,
    /// Memory, bytes.
    pub memory: u64,
    /// Memory that is available now, bytes.
    pub memory_available: u64,
    /// Disk for what is missing, bytes; a cautious guess, for it depends on how values pack.
    pub disk: u64,
    /// Disk that is available, bytes.
    pub disk_available: u64,
    /// Seconds for what is missing, on the threads that there are; a rough guess.
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

/// Bits on disk for each place; measured on 9x5 at 3 to 6 stones, with a margin.
fn bits_per_entry(metric: Metric) -> f64 {
    match metric {
        Metric::Wdl => 0.6,
        Metric::Dtw => 1.9,
    }
}

/// Nanoseconds of one thread for each place, all rounds together; measured on 9x5 at 5 stones for
/// the plain builder, and at 7 for the one by rows.
fn nanoseconds_per_entry(method: Method, metric: Metric) -> f64 {
    match (method, metric) {
        (Method::Rows, Metric::Wdl) => 50.0,
        (Method::Rows, Metric::Dtw) => 150.0,
        (Method::Plain, _) => 5000.0,
    }
}

/// The memory of the builder by rows, but for the numbers of sets.
fn memory_by_rows(board: Board, stones: u32, metric: Metric) -> u64 {
    let order = board.symmetries().len() as u64;
    let orbits = |stones: u8| placements_up_to_symmetry(board, stones.into(), 0);
    let matrix = |slice: Slice| {
        let bits = orbits(slice.own).saturating_mul(orbits(slice.opponent)).saturating_mul(order);
        bits.div_ceil(8)
    };
    let (mut kept, mut at_work, mut most) = (0u64, 0, 0);
    for unit in Unit::up_to(board, stones) {
        let bit = unit.slices().map(matrix).fold(0, u64::saturating_add);
        if unit.stronger().stones() < stones {
            kept = kept.saturating_add(bit.saturating_mul(bits_kept(metric)));
        }
        at_work = bit.saturating_mul(bits_at_work(metric)).max(at_work);
        most = unit.stronger().own.max(most);
    }
    // For each number of stones, a row of bits a point, and the numbers of sets with it added.
    let points = u64::from(board.points());
    let columns = (1..=most).map(|n| {
        let numbers = if n < most { 4 * points } else { 0 };
        (orbits(n) * order).saturating_mul(points / 8 + 1 + numbers)
    });
    columns.fold(kept.saturating_add(at_work), u64::saturating_add)
}

/// Estimates a build. Finds the orbits of single sets of stones, but looks at no position.
///
/// # Errors
/// If a slice has more positions than can be numbered, or is in the first phase of the vela.
pub fn estimate(options: &BuildOptions<'_>) -> Result<Estimate> {
    let BuildOptions { dir, board, rules, stones, metric, method } = *options;
    let mut slices = Vec::new();
    for unit in Unit::up_to(board, stones) {
        for slice in unit.slices() {
            check_size(board, slice)?;
            let rules = slice.rules(board, &rules)?;
            let (own, opponent) = (slice.own.into(), slice.opponent.into());
            slices.push(SliceEstimate {
                slice,
                positions: placements(board, own, opponent),
                canonical: placements_up_to_symmetry(board, own, opponent),
                entries: entries(board, slice),
                there: dir.join(file_name(board, &rules, slice, metric)).exists(),
            });
        }
    }
    let most = slices.iter().map(|s| s.slice.own).max().unwrap_or(0);
    let sets: u64 = (1..=u32::from(most)).map(|n| binomial(board.points(), n)).sum();
    let total = |slices: &mut dyn Iterator<Item = &SliceEstimate>| -> u64 {
        slices.fold(0, |sum: u64, slice| sum.saturating_add(slice.entries))
    };
    let entries = total(&mut slices.iter());
    let missing = total(&mut slices.iter().filter(|slice| !slice.there));
    let values = match method {
        Method::Rows => memory_by_rows(board, stones, metric),
        Method::Plain => entries.saturating_mul(MEMORY_PER_ENTRY),
    };
    let memory = values.saturating_add(sets * MEMORY_PER_SET);
    Ok(Estimate {
        slices,
        memory,
        memory_available: memory_available(),
        disk: (missing as f64 * bits_per_entry(metric) / 8.0) as u64,
        disk_available: disk_available(dir),
        seconds: missing as f64 * nanoseconds_per_entry(method, metric) * 1e-9
            / rayon::current_num_threads() as f64,
    })
}

impl Estimate {
    /// Whether there is room for the build.
    ///
    /// # Errors
    /// If memory or disk will not do, with the numbers.
    pub fn check(&self) -> Result<()> {
        let stones = self.slices.last().map_or(0, |slice| slice.slice.stones());
        let check = |kind, needed: u64, available: u64, advice| {
            if needed <= available {
                return Ok(());
            }
            let what = format!("building all slices to {stones} stones");
            let (needed, available) = (needed.div_ceil(1 << 20), available >> 20);
            Err(TableError::Resources { what, kind, needed, available, advice })
        };
        check("memory", self.memory, self.memory_available, "; build fewer stones")?;
        check("disk", self.disk, self.disk_available, "; choose another directory")
    }
}

/// The places of a slice's index. The orbits of single sets are counted as positions of a slice
/// with nothing on the other side.
fn entries(board: Board, slice: Slice) -> u64 {
    let orbits = placements_up_to_symmetry(board, slice.own.into(), 0);
    let free = board.points() - u32::from(slice.own);
    orbits.saturating_mul(binomial(free, slice.opponent.into()))
}

/// The memory that the system has left for this program, in bytes.
pub fn memory_available() -> u64 {
    let mut system = System::new();
    system.refresh_memory();
    let free = system.available_memory();
    system.cgroup_limits().map_or(free, |limits| free.min(limits.free_memory))
}

/// The room on the file system that a directory is on, or will be on.
fn disk_available(dir: &Path) -> u64 {
    let absolute = std::path::absolute(dir).unwrap_or_else(|_| PathBuf::from("/"));
    let there = absolute.ancestors().find_map(|dir| dir.canonicalize().ok()).unwrap_or_default();
    let disks = Disks::new_with_refreshed_list();
    disks
        .iter()
        .filter(|disk| there.starts_with(disk.mount_point()))
        .max_by_key(|disk| disk.mount_point().as_os_str().len())
        // A file system that is not listed cannot be asked; writing will tell.
        .map_or(u64::MAX, |disk| disk.available_space())
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
                    assert_eq!(entries(board, slice), SliceIndex::new(&sets, slice).len());
                }
            }
        }
    }
}
