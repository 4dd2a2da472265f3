//! Estimates of the memory, disk space and time of a build.

use std::time::Duration;

use fanorona_core::Board;
use fanorona_storage::disk_available;
use fanorona_tablebase::index::{check_size, num_entries};
use fanorona_tablebase::orbits::{placements, placements_up_to_symmetry};
use fanorona_tablebase::schedule::units_to_process;
use fanorona_tablebase::{
    Goal, Metric, Resource, Result, Slice, TableError, TableKey, Task, Unit, captures_are_stored,
    check_room, memory_available, slice_fields,
};
use serde::Serialize;

use super::memory::Memory;
use super::method::Method;
use super::options::BuildOptions;
use super::plans::PlannedUnits;
use super::sizes::Sizes;
use super::work::Work;

/// The estimate for one slice.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct SliceEstimate {
    #[serde(flatten, serialize_with = "slice_fields")]
    pub slice: Slice,
    #[serde(skip)]
    pub unit: Unit,
    /// The number of positions, without symmetry.
    pub positions: u64,
    /// The number of positions up to symmetry.
    pub canonical: u64,
    /// The length of its index.
    #[serde(skip)]
    pub entries: u64,
    /// Whether its table exists.
    pub there: bool,
    /// Seconds of wall-clock time for its table, 0 if it exists. A rough guess.
    #[serde(skip)]
    pub seconds: f64,
}

/// The estimate of a build, from [`estimate`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Estimate {
    /// The slices that are to be built.
    #[serde(skip)]
    pub goal: Goal,
    /// How slices are solved: the method of the options, or the one that was chosen. In the first phase
    /// of the vela, [`Method::Rows`] takes the place of [`Method::Dense`].
    pub method: Method,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_available: Option<u64>,
    /// Disk space for the missing tables, in bytes. A high guess, because it depends on how well
    /// values compress.
    pub disk: u64,
    /// Disk space for checkpoints during the build, in bytes, with what does not fit in memory, which
    /// is a part of them. 0 if everything fits, and no unit should take long enough for a checkpoint.
    pub checkpoints: u64,
    /// Disk space that is available, in bytes. `None` if the system does not report it; then the
    /// check of disk space always succeeds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_available: Option<u64>,
    /// Disk space for temporary files during the build, in bytes, beyond the tables and checkpoints.
    /// Without checkpoints, they have the matrices that do not fit in memory.
    pub work: u64,
    /// Disk space that is available in the directory of temporary files, in bytes. `None` if the
    /// system does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub work_available: Option<u64>,
    /// Seconds of wall-clock time for the missing tables with the current number of threads. A
    /// rough guess.
    pub seconds: f64,
    /// The number of processes. Memory and temporary files are those of each of them.
    #[serde(rename = "processes")]
    pub processes: usize,
    /// Every slice of the goal, in the order in which they are solved.
    pub slices: Vec<SliceEstimate>,
}

/// How a build is done: first all units outside the first phase of the vela, then those of the first
/// phase.
pub(super) struct BuildPlan {
    pub estimate: Estimate,
    plans: Vec<PlannedUnits>,
}

/// Bytes on disk for a table with a number of entries.
///
/// If positions with captures are left out, larger tables compress better. Standard tables of 9x5
/// take 0.295 bits per entry at 5 stones, 0.205 at 6, 0.173 at 7, 0.136 at 8 and 0.105 at 9; with
/// distances 1.35, 1.07, 0.82 and 0.60 at 5 to 8. If they are stored, size makes no difference: 0.62 and, with
/// distances, 2.8 bits (9x5 free-capture, 6 stones), 0.86 and 3.2 (5x5 standard, 8 stones), 0.92
/// and 3.7 (all of 5x3). Without distances, slices of about equal sides take more than others: 0.236 for
/// 4v4, 0.152 for 5v4, 0.111 for 5v5. The estimate is 1.1 to 2.1 times these measurements.
fn bytes_on_disk(metric: Metric, captures_stored: bool, slice: Slice, entries: u64) -> u64 {
    let entries = entries as f64;
    let bits = match (metric, captures_stored) {
        (Metric::Wdl, false) if slice.own.abs_diff(slice.opponent) < 2 => {
            3.1 * entries.powf(-0.112)
        }
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
pub fn estimate_distributed(options: &BuildOptions, processes: usize) -> Result<Estimate> {
    Ok(BuildPlan::new(options, processes, &|slice| exists(options, slice))?.estimate)
}

/// Whether the directory has a file with the name of a slice's table.
pub(super) fn exists(options: &BuildOptions, slice: Slice) -> bool {
    let BuildOptions { dir, board, rules, metric, .. } = options;
    dir.join(TableKey::new(*board, rules, slice, *metric).file_name()).exists()
}

impl BuildPlan {
    /// Plans a build by a number of processes, given which tables exist.
    pub(super) fn new(
        options: &BuildOptions,
        processes: usize,
        is_there: &dyn Fn(Slice) -> bool,
    ) -> Result<Self> {
        let BuildOptions { board, ref rules, goal, metric, .. } = *options;
        let available = options.memory.or_else(memory_available);
        let all = goal.units(board, rules);
        for slice in all.iter().flat_map(|unit| unit.slices()) {
            check_size(board, slice)?;
        }
        let is_missing = |unit: &&Unit| unit.slices().any(|slice| !is_there(slice));
        let missing: Vec<_> = all.iter().filter(is_missing).copied().collect();
        let plans = plans(options, available, &all, &missing, processes)?;

        let threads = (processes * rayon::current_num_threads()) as f64;
        let slices = all.iter().flat_map(|unit| unit.slices().map(|slice| (*unit, slice)));
        let slices = slices.map(|(unit, slice)| {
            let (own, opponent) = (slice.own.into(), slice.opponent.into());
            let there = is_there(slice);
            SliceEstimate {
                slice,
                unit,
                positions: indexed(placements(board, own, opponent)),
                canonical: indexed(placements_up_to_symmetry(board, own, opponent)),
                entries: num_entries(board, slice),
                there,
                seconds: match there {
                    true => 0.0,
                    false => plan_of(&plans, unit).plan.seconds(slice) / threads,
                },
            }
        });
        let slices: Vec<_> = slices.collect();
        let absent = slices.iter().filter(|slice| !slice.there);
        let disk = absent.map(|SliceEstimate { slice, entries, .. }| {
            let stored = captures_are_stored(board, &slice.rules(board, rules), *slice);
            bytes_on_disk(metric, stored, *slice, *entries)
        });
        let disk = disk.fold(0, u64::saturating_add);
        let saved = |unit: &Unit| {
            let slices = slices.iter().filter(|slice| slice.unit == *unit);
            let seconds: f64 = slices.map(|slice| slice.seconds).sum();
            let is_saved = |interval: Duration| SLOWNESS * seconds >= interval.as_secs_f64();
            match options.checkpoint.is_some_and(is_saved) {
                true => plan_of(&plans, *unit).plan.checkpoint(*unit),
                false => 0,
            }
        };
        let memory = plans.iter().map(|planned| planned.plan.memory());
        let memory = memory.fold(Memory::default(), Memory::max);
        let in_work = memory.in_work.saturating_mul(processes as u64);
        let (checkpoints, work) = match options.checkpoint {
            Some(_) => (missing.iter().map(saved).fold(in_work, u64::max), memory.files),
            None => (0, memory.both),
        };
        let estimate = Estimate {
            goal,
            method: plans[0].method,
            seconds: slices.iter().map(|slice| slice.seconds).sum(),
            slices,
            memory: memory.needed,
            least_memory: memory.least,
            most_memory: memory.most,
            memory_available: available,
            disk,
            checkpoints,
            disk_available: disk_available(&options.dir),
            work,
            work_available: disk_available(options.scratch_dir()),
            processes,
        };
        Ok(Self { estimate, plans })
    }

    /// How a unit is built.
    pub(super) fn of(&self, unit: Unit) -> &PlannedUnits {
        plan_of(&self.plans, unit)
    }

    /// Checks that the methods can number the positions, and that the resources are enough.
    pub(super) fn checked(self, board: Board) -> Result<Self> {
        self.plans.iter().try_for_each(|planned| planned.check(board))?;
        self.estimate.check()?;
        Ok(self)
    }
}

fn plan_of(plans: &[PlannedUnits], unit: Unit) -> &PlannedUnits {
    plans.iter().find(|planned| planned.units.contains(&unit)).unwrap_or(&plans[0])
}

/// The plans of both phases.
fn plans(
    options: &BuildOptions,
    available: Option<u64>,
    units: &[Unit],
    missing: &[Unit],
    processes: usize,
) -> Result<Vec<PlannedUnits>> {
    let BuildOptions { board, ref rules, metric, method, .. } = *options;
    let of_phase = |units: &[Unit]| -> [Vec<Unit>; 2] {
        units.iter().partition(|unit| !unit.is_first_phase()).into()
    };
    let [units, first_phase] = &of_phase(units);
    let [missing, missing_first_phase] = &of_phase(missing);
    let (to_process, second) = (&units_to_process(units, missing)[..], &rules.without_vela());
    let sizes = Sizes::of(options.in_small_parts);
    let work = Work { board, rules: second, metric, units, to_process, missing, processes, sizes };
    if let Some(method) = method.filter(|method| processes > 1 && !method.backend().can(work)) {
        return Err(TableError::OneProcess { method: method.name() });
    }
    let mut plans = vec![PlannedUnits::new(method, work, available)];
    let (to_process, missing) = (&missing_first_phase[..], &missing_first_phase[..]);
    let work = Work { rules, units: first_phase, to_process, missing, ..work };
    if !first_phase.is_empty() {
        plans.push(PlannedUnits::new(method, work, available));
    }
    Ok(plans)
}

impl Estimate {
    /// Checks that the available memory and disk space are enough for the build.
    ///
    /// # Errors
    /// [`TableError::Resources`] if not.
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
    use fanorona_core::RuleSet;

    use super::*;

    fn slices(names: &[&str]) -> Vec<Slice> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    #[test]
    fn the_numbers_of_a_build_are_those_of_its_slices() {
        let dir = tempfile::tempdir().unwrap();
        let board: Board = "5x3".parse().unwrap();
        for metric in Metric::ALL {
            let options = BuildOptions::new(dir.path(), board, RuleSet::STANDARD, 4)
                .with_checkpoint(Some(Duration::ZERO))
                .with_metric(metric);
            let found = estimate(&options.clone().with_method(Method::Rows)).unwrap();
            let names: Vec<_> = found.slices.iter().map(|slice| slice.slice).collect();
            assert_eq!(names, slices(&["1v1", "2v1", "1v2", "2v2", "3v1", "1v3"]));
            let entries: Vec<u64> = found.slices.iter().map(|slice| slice.entries).collect();
            let stored = [false, false, false, true, true, true];
            let disk = found.slices.iter().zip(stored).map(|(estimate, stored)| {
                bytes_on_disk(metric, stored, estimate.slice, estimate.entries)
            });
            let disk = disk.sum();
            assert_eq!((found.disk, found.memory, found.work), (disk, found.most_memory, 0));
            let seconds: f64 = found.slices.iter().map(|slice| slice.seconds).sum();
            assert!(seconds > 0.0 && (found.seconds / seconds - 1.0).abs() < 1e-9);
            let with_less = options.clone().with_method(Method::Rows).with_memory(Some(0));
            let with_less = estimate(&with_less).unwrap();
            assert_eq!(with_less.memory, found.least_memory);
            assert!(
                with_less.checkpoints <= found.checkpoints && found.least_memory < found.memory
            );
            let plain = estimate(&options.with_method(Method::Plain)).unwrap();
            assert!(plain.memory > 2 * entries.iter().sum::<u64>() + (16 << 20));
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
            4.0 * of_unit.map(|slice| slice.seconds).sum::<f64>()
        };
        let (two, three) = (unit(&["2v2"]), unit(&["3v1", "1v3"]));
        assert!(three > two, "3v1 and 1v3 take longer");
        assert_eq!(with(0.99 * three).checkpoints, all.checkpoints);
        assert_eq!(with(1.01 * three).checkpoints, 0);
    }
}
