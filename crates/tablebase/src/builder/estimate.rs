//! Estimates of the memory, disk space and time of a build.

use std::time::Duration;

use fanorona_core::Board;

use super::memory::Memory;
use super::method::Method;
use super::options::BuildOptions;
use super::plans::PlannedUnits;
use super::schedule::units_to_process;
use super::work::Work;
use crate::error::{Resource, Result, TableError, Task};
use crate::goal::Goal;
use crate::index::{check_size, num_entries};
use crate::key::{TableKey, captures_are_stored};
use crate::orbits::{placements, placements_up_to_symmetry};
use crate::resources::{check_room, disk_available, memory_available};
use crate::slice::{Slice, Unit};
use crate::value::Metric;

/// The estimate for one slice.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct SliceEstimate {
    pub slice: Slice,
    pub unit: Unit,
    /// The number of positions, without symmetry.
    pub positions: u64,
    /// The number of positions up to symmetry.
    pub canonical: u64,
    /// The length of its index.
    pub entries: u64,
    /// How it is solved, if it has to be.
    pub method: Method,
    /// Whether its table exists.
    pub there: bool,
    /// Seconds of wall-clock time for its table, 0 if it exists. A rough guess.
    pub seconds: f64,
}

/// The estimate of a build, from [`estimate`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Estimate {
    /// The slices that are to be built.
    pub goal: Goal,
    /// How slices are solved: the method of the options, or the one that was chosen. In the first phase
    /// of the vela, each unit has [its own](SliceEstimate::method): [`Method::Rows`] or
    /// [`Method::Plain`].
    pub method: Method,
    /// Every slice of the goal, in the order in which they are solved.
    pub slices: Vec<SliceEstimate>,
    /// Memory in bytes: what the build takes of the available memory, or
    /// [`least_memory`](Self::least_memory) if less is available. Mapped files do not count: the
    /// system keeps as much of them in memory as there is room for.
    pub memory: u64,
    /// The least memory in bytes with which the build works. Everything that can is then in
    /// temporary files. This takes longer.
    pub least_memory: u64,
    /// The memory in bytes with which the build is fastest, because it needs no temporary files.
    /// More is of no use.
    pub most_memory: u64,
    /// Memory that is available now, in bytes. `None` if the system does not report it; then the
    /// check of memory always succeeds.
    pub memory_available: Option<u64>,
    /// Disk space for the missing tables, in bytes. A high guess, because it depends on how well
    /// values compress.
    pub disk: u64,
    /// Disk space for checkpoints during the build, in bytes, with what does not fit in memory, which
    /// is a part of them. 0 if everything fits, and no unit should take long enough for a checkpoint.
    pub checkpoints: u64,
    /// Disk space that is available, in bytes. `None` if the system does not report it; then the
    /// check of disk space always succeeds.
    pub disk_available: Option<u64>,
    /// Disk space for temporary files during the build, in bytes, beyond the tables and checkpoints.
    /// Without checkpoints, they have the matrices that do not fit in memory.
    pub work: u64,
    /// Disk space that is available in the directory of temporary files, in bytes. `None` if the
    /// system does not report it.
    pub work_available: Option<u64>,
    /// Seconds of wall-clock time for the missing tables with the current number of threads. A
    /// rough guess.
    pub seconds: f64,
    /// The number of processes. Memory and temporary files are those of each of them.
    pub ranks: usize,
    /// How unevenly the processes share the rounds of the missing slices: the columns of the process
    /// with the most, divided by the mean, where each slice counts by its size. 1 for one process.
    pub imbalance: f64,
}

/// How a build is done.
pub(super) struct BuildPlan {
    pub estimate: Estimate,
    /// All units outside the first phase of the vela.
    pub planned: PlannedUnits,
    /// The units of the first phase.
    pub first_phase: Vec<PlannedUnits>,
}

/// Bytes on disk for a table with a number of entries.
///
/// If positions with captures are left out, larger tables compress better. Standard tables of 9x5
/// take 0.295 bits per entry at 5 stones, 0.205 at 6, 0.173 at 7, 0.136 at 8 and 0.105 at 9; with
/// distances 1.35, 1.07, 0.82 and 0.60 at 5 to 8. If they are stored, size makes no difference: 0.62 and, with
/// distances, 2.8 bits (9x5 free-capture, 6 stones), 0.86 and 3.2 (5x5 standard, 8 stones), 0.92
/// and 3.7 (all of 5x3). The estimate is 1.2 to 2 times these measurements.
fn bytes_on_disk(metric: Metric, captures_stored: bool, entries: u64) -> u64 {
    let entries = entries as f64;
    let bits = match (metric, captures_stored) {
        (Metric::Wdl, false) => 1.95 * entries.powf(-0.112),
        (Metric::Dtw, false) => 9.2 * entries.powf(-0.113),
        (Metric::Wdl, true) => 1.2,
        (Metric::Dtw, true) => 4.6,
    };
    // Even a small table takes this much for header, metadata and distances.
    2048 + (entries * bits / 8.0) as u64
}

/// The factor by which a unit may take longer than estimated, on a machine with other load.
const SLOWNESS: f64 = 4.0;

/// Estimates the memory, disk space and time of a build. Takes milliseconds: it visits no position
/// and computes no orbits.
///
/// # Errors
/// If a slice has more positions than can be numbered.
pub fn estimate(options: &BuildOptions) -> Result<Estimate> {
    estimate_distributed(options, 1)
}

/// Estimates a build by a number of processes: the memory, the temporary files and the threads of
/// each of them, and the disk space of all tables.
///
/// # Errors
/// As for [`estimate`], and [`TableError::OneProcess`] if the options ask for another method than
/// that by rows, or for the first phase of the vela.
pub fn estimate_distributed(options: &BuildOptions, ranks: usize) -> Result<Estimate> {
    Ok(BuildPlan::new(options, ranks)?.estimate)
}

impl BuildPlan {
    /// Plans a build by a number of processes.
    pub(super) fn new(options: &BuildOptions, ranks: usize) -> Result<Self> {
        let BuildOptions { board, ref rules, metric, .. } = *options;
        let name = |slice| TableKey::new(board, rules, slice, metric).file_name();
        Self::given(options, ranks, &|slice| options.dir.join(name(slice)).exists())
    }

    /// Plans a build by a number of processes, given which tables exist.
    pub(super) fn given(
        options: &BuildOptions,
        ranks: usize,
        is_there: &dyn Fn(Slice) -> bool,
    ) -> Result<Self> {
        let BuildOptions { ref dir, board, ref rules, goal, metric, method, .. } = *options;
        let alone = |method: &Method| ranks > 1 && !method.backend().shares_work();
        if let Some(method) = method.filter(alone) {
            return Err(TableError::OneProcess { method: method.name() });
        }
        let all = goal.units(board, rules);
        for slice in all.iter().flat_map(|unit| unit.slices()) {
            check_size(board, slice)?;
        }
        let is_missing = |unit: &&Unit| unit.slices().any(|slice| !is_there(slice));
        let missing: Vec<_> = all.iter().filter(is_missing).copied().collect();
        let of_phase = |units: &[Unit]| -> [Vec<Unit>; 2] {
            units.iter().partition(|unit| !unit.is_first_phase()).into()
        };
        let [units, first_phase] = of_phase(&all);
        let [missing_units, missing_first_phase] = of_phase(&missing);
        let memory_available = options.memory.or_else(memory_available);
        let work = Work {
            board,
            rules: &rules.without_vela(),
            metric,
            units: &units,
            to_process: &units_to_process(&units, &missing_units),
            missing: &missing_units,
            ranks,
        };
        let planned = PlannedUnits::new(method, work, memory_available);
        let missing_units = &missing_first_phase[..];
        let work = Work {
            rules,
            units: &first_phase,
            to_process: missing_units,
            missing: missing_units,
            ..work
        };
        let first_phase = PlannedUnits::each(method, work, memory_available);

        let plan_of = |unit: Unit| {
            let found = first_phase.iter().find(|planned| planned.units.contains(&unit));
            found.unwrap_or(&planned)
        };
        let (mut slices, mut disk) = (Vec::new(), 0u64);
        for (unit, slice) in all.iter().flat_map(|unit| unit.slices().map(|slice| (*unit, slice))) {
            let entries = num_entries(board, slice);
            let there = is_there(slice);
            if !there {
                let stored = captures_are_stored(board, &slice.rules(board, rules), slice);
                disk = disk.saturating_add(bytes_on_disk(metric, stored, entries));
            }
            let (own, opponent) = (slice.own.into(), slice.opponent.into());
            slices.push(SliceEstimate {
                slice,
                unit,
                positions: indexed(placements(board, own, opponent)),
                canonical: indexed(placements_up_to_symmetry(board, own, opponent)),
                entries,
                method: plan_of(unit).method,
                there,
                seconds: 0.0,
            });
        }
        let shares = slices.iter().filter(|slice| !slice.there);
        let shares =
            shares.map(|of| plan_of(of.unit).plan.shares(of.slice).map(|bytes| bytes as f64));
        let [greatest, sum] = shares.fold([0.0; 2], |[a, b], [c, d]| [a + c, b + d]);
        let imbalance = if sum > 0.0 { greatest * ranks as f64 / sum } else { 1.0 };
        let threads = (ranks * rayon::current_num_threads()) as f64;
        for of in slices.iter_mut().filter(|slice| !slice.there) {
            of.seconds = plan_of(of.unit).plan.seconds(of.slice) / threads * imbalance;
        }
        let saved = |unit: &Unit| {
            let slices = slices.iter().filter(|slice| slice.unit == *unit);
            let seconds: f64 = slices.map(|slice| slice.seconds).sum();
            let is_saved = |interval: Duration| SLOWNESS * seconds >= interval.as_secs_f64();
            match options.checkpoint.is_some_and(is_saved) {
                true => plan_of(*unit).plan.checkpoint(*unit),
                false => 0,
            }
        };
        let memory = first_phase.iter().map(|planned| planned.plan.memory());
        let memory = memory.fold(planned.plan.memory(), Memory::max);
        let in_work = memory.in_work.saturating_mul(ranks as u64);
        let (checkpoints, work) = match options.checkpoint {
            Some(_) => (missing.iter().map(saved).fold(in_work, u64::max), memory.files),
            None => (0, memory.both),
        };
        let estimate = Estimate {
            goal,
            method: planned.method,
            seconds: slices.iter().map(|slice| slice.seconds).sum(),
            slices,
            memory: memory.needed,
            least_memory: memory.least,
            most_memory: memory.most,
            memory_available,
            disk,
            checkpoints,
            disk_available: disk_available(dir),
            work,
            work_available: disk_available(options.scratch_dir()),
            ranks,
            imbalance,
        };
        Ok(Self { estimate, planned, first_phase })
    }

    /// Checks that the methods can number the positions, and that the resources are enough.
    ///
    /// # Errors
    /// [`TableError::TooLarge`] or [`TableError::Resources`] if not.
    pub(super) fn checked(self, board: Board) -> Result<Self> {
        for planned in std::iter::once(&self.planned).chain(&self.first_phase) {
            planned.check(board)?;
        }
        self.estimate.check()?;
        Ok(self)
    }
}

impl Estimate {
    /// Checks that the available memory and disk space are enough for the build.
    ///
    /// # Errors
    /// [`TableError::Resources`](crate::TableError::Resources) if not.
    pub fn check(&self) -> Result<()> {
        let task = Task::Build(self.goal);
        check_room(task, Resource::Memory, self.memory, self.memory_available)?;
        check_room(task, Resource::Disk, self.disk, self.disk_available)?;
        check_room(task, Resource::DiskForWork, self.work, self.work_available)?;
        let disk = self.disk.saturating_add(self.checkpoints);
        check_room(task, Resource::DiskWithCheckpoints, disk, self.disk_available)
    }
}

/// The number of positions of a slice that has an index, as a `u64`.
fn indexed(positions: u128) -> u64 {
    u64::try_from(positions).expect("each side of a slice with an index has at most 2^34 sets")
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use fanorona_core::{PointSet, RuleSet, SymmetryGroup};

    use super::*;

    fn slices(names: &[&str]) -> Vec<Slice> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    /// Recomputes every number of one build, from orbits that are found one by one and from
    /// explicit lists of slices.
    #[test]
    fn the_numbers_of_a_build_are_those_of_its_parts() {
        let board: Board = "5x3".parse().unwrap();
        let group = SymmetryGroup::new(board);
        let orbits = |stones: u8| {
            let sets = (0..1_u64 << 15).map(PointSet::from_bits);
            let sets = sets.filter(|set| set.len() == u32::from(stones));
            let least =
                |set| board.symmetries().iter().map(|g| group.apply(*g, set)).min().unwrap();
            sets.map(least).collect::<HashSet<_>>().len() as u64
        };
        let orbits = [1, orbits(1), orbits(2), orbits(3)];
        // A matrix has 16 rows for each word of the transposed matrix, which has 16 orbits.
        let words = |stones: u8| orbits[usize::from(stones)].div_ceil(16);
        let bytes = |bits: u64, names: &[&str]| -> u64 {
            let of = |slice: &Slice| 16 * words(slice.own) * words(slice.opponent) * 8;
            slices(names).iter().map(|slice| of(slice) * bits).sum()
        };
        let grades = |names: &[&str]| -> u64 {
            let of = |slice: &Slice| {
                4 * orbits[usize::from(slice.own)] * orbits[usize::from(slice.opponent)]
            };
            slices(names).iter().map(of).sum()
        };

        let dir = tempfile::tempdir().unwrap();
        let options = BuildOptions::new(dir.path(), board, RuleSet::STANDARD, 4)
            .with_method(Method::Rows)
            .with_checkpoint(Some(Duration::ZERO));
        for metric in Metric::ALL {
            let found = estimate(&options.clone().with_metric(metric)).unwrap();
            let nanoseconds = match metric {
                Metric::Wdl => 33.0,
                Metric::Dtw => 160.0,
            };
            let sets = [15, 15 * 14 / 2, 15 * 14 * 13 / 6];
            let listed = |stones: usize| -> u64 {
                sets[..stones].iter().map(|sets| 11 * sets + sets / 6).sum()
            };
            // The unit 3v1 is the largest. It needs at least its matrices in work, or a stripe of
            // them, and the solved slices that it captures into.
            let largest = ["3v1", "1v3"];
            let at_work = bytes(2, &largest)
                + match metric {
                    Metric::Wdl => bytes(2, &["1v1", "2v1"]),
                    Metric::Dtw => grades(&["1v1", "2v1"]) + grades(&largest) / 2,
                };
            let numbers = listed(3) + (16 << 20);
            assert!(found.most_memory >= at_work + numbers, "{metric}");
            assert!(found.most_memory < 2 * at_work + numbers * 5 / 4, "{metric}");
            assert!(found.least_memory < found.most_memory && found.memory == found.most_memory);
            assert_eq!(found.work, 0);
            let with_less = options.clone().with_metric(metric).with_memory(Some(0));
            let with_less = estimate(&with_less).unwrap();
            assert_eq!(with_less.memory, found.least_memory);
            // In a file, the matrices in work are compressed.
            let compressed = bytes(2, &largest) * 2 / 5;
            let in_files = at_work - bytes(2, &["1v1"]) - bytes(2, &largest) + compressed;
            let without = options.clone().with_metric(metric).with_memory(Some(0));
            let without = estimate(&without.with_checkpoint(None)).unwrap();
            assert!(without.work >= in_files && without.checkpoints == 0, "{metric}");
            // A checkpoint has the files, the matrices that are in memory, and what replaces those.
            let log = match metric {
                Metric::Wdl => 0,
                Metric::Dtw => grades(&largest) / 2,
            };
            let range = compressed * 3 / 2 + log..2 * bytes(2, &largest) + 2 * log;
            assert!(
                range.contains(&found.checkpoints),
                "{metric}: {} {range:?}",
                found.checkpoints
            );
            assert!(with_less.work + with_less.checkpoints >= without.work, "{metric}");
            assert!(with_less.checkpoints <= found.checkpoints, "{metric}");

            let entries: Vec<u64> = found.slices.iter().map(|slice| slice.entries).collect();
            let names: Vec<_> = found.slices.iter().map(|slice| slice.slice).collect();
            assert_eq!(names, slices(&["1v1", "2v1", "1v2", "2v2", "3v1", "1v3"]));
            let disk: u64 = entries
                .iter()
                .zip([false, false, false, true, true, true])
                .map(|(entries, stored)| bytes_on_disk(metric, stored, *entries))
                .sum();
            assert_eq!(found.disk, disk);
            let seconds = entries.iter().sum::<u64>() as f64 * nanoseconds * 1e-9
                / rayon::current_num_threads() as f64;
            assert!((found.seconds / seconds - 1.0).abs() < 1e-9);

            let plain = estimate(&options.clone().with_metric(metric).with_method(Method::Plain));
            let plain = plain.unwrap();
            assert_eq!(plain.memory, 2 * entries.iter().sum::<u64>() + listed(3) + (16 << 20));
            assert_eq!((plain.disk, plain.checkpoints), (disk, 0));
        }
    }

    /// A unit needs disk space for checkpoints if it is estimated to take a quarter of the
    /// interval.
    #[test]
    fn only_long_units_are_expected_to_write_checkpoints() {
        let dir = tempfile::tempdir().unwrap();
        let board: Board = "9x5".parse().unwrap();
        let with = |seconds: f64| {
            let interval = Duration::from_secs_f64(seconds);
            let options = BuildOptions::new(dir.path(), board, RuleSet::STANDARD, 4);
            estimate(&options.with_checkpoint(Some(interval))).unwrap()
        };
        let all = with(0.0);
        let unit = |names: &[&str]| {
            let names = slices(names);
            let of_unit = all.slices.iter().filter(|slice| names.contains(&slice.slice));
            let entries: u64 = of_unit.map(|slice| slice.entries).sum();
            4.0 * all.seconds * entries as f64
                / all.slices.iter().map(|slice| slice.entries).sum::<u64>() as f64
        };
        let (two, three) = (unit(&["2v2"]), unit(&["3v1", "1v3"]));
        assert!(three > two, "3v1 and 1v3 take longer");
        assert_eq!(with(0.99 * three).checkpoints, all.checkpoints);
        assert_eq!(with(1.01 * three).checkpoints, 0);
    }
}
