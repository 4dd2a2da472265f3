//! The memory of the backend by rows, and what goes to temporary files if it is short: the sizes of
//! [matrices](matrices), what a unit [needs](needs), and the plan of them all.

mod matrices;
mod needs;

use fanorona_tablebase::{Role, Slice, Unit};

use self::matrices::most_of_side;
pub(super) use self::matrices::{Matrices, kept_together};
use self::needs::{UnitNeeds, UnitUse};
use super::store::UnitMemory;
use crate::memory::{MEMORY_AT_LEAST, Memory};
use crate::schedule::{is_needed, slices_to_load, steps};
use crate::sizes::Sizes;
use crate::work::Work;

/// The memory that is planned for a unit, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PlannedMemory {
    /// For its matrices and log.
    pub store: UnitMemory,
    /// For copies of solved slices in files, while captures read them.
    pub captures: u64,
    checkpoint: u64,
}

pub(super) struct RowsMemory {
    pub memory: Memory,
    /// Whether solved slices go to files.
    pub solved_in_files: bool,
    /// The memory of the units that are processed. A unit can be there more than once.
    units: Vec<(Unit, PlannedMemory)>,
}

impl RowsMemory {
    /// Plans the memory of some work. Without a number of available bytes, it may use any.
    pub(super) fn new(work: Work<'_>, matrices: &Matrices, available: Option<u64>) -> Self {
        let needs = match work.is_first_phase() {
            true => Self::needs_of_first_phase(work, matrices),
            false => Self::needs(work, matrices),
        };
        Self::of_needs(&needs, matrices.sizes, available)
    }

    fn needs(work: Work<'_>, matrices: &Matrices) -> Vec<(Unit, UnitNeeds)> {
        let Work { board, missing, .. } = work;
        // The most stones of a side so far.
        let mut side = 0;
        let needs = steps(work).map(|(unit, before, later)| {
            side = most_of_side(unit).max(side);
            let is_kept = |slice| is_needed(slice, later);
            let needs = matrices.needs(work, unit, &before, &is_kept);
            let base = matrices.base(board, side);
            let needs = UnitNeeds { base, ..needs };
            match missing.contains(&unit) {
                true => (unit, needs),
                // Nothing is removed while the slices of a unit are loaded.
                false => (unit, UnitNeeds { later: needs.solved, ..needs }),
            }
        });
        needs.collect()
    }

    /// In the first phase of the vela, what a unit needs is loaded before it.
    fn needs_of_first_phase(work: Work<'_>, matrices: &Matrices) -> Vec<(Unit, UnitNeeds)> {
        let Work { board, rules, missing, .. } = work;
        let needs = missing.iter().flat_map(|&unit| {
            let loaded = slices_to_load(board, rules, unit);
            let base = matrices.base(board, most_of_side(unit));
            // The next unit of the victor's needs what it solves.
            let is_kept = |slice: Slice| slice.role == Some(Role::Victor);
            let of_unit = UnitNeeds { base, ..matrices.needs(work, unit, &loaded, &is_kept) };
            let while_loading = loaded.iter().map(|slice| {
                let of_slice = matrices.needs_to_load(work, *slice, &loaded);
                let keeping = of_slice.keeping.saturating_add(matrices.keeping(work, *slice));
                let unit = Unit::holding(board, rules, *slice);
                (unit, UnitNeeds { base, keeping, ..of_slice })
            });
            std::iter::once((unit, of_unit)).chain(while_loading).collect::<Vec<_>>()
        });
        needs.collect()
    }

    fn of_needs(needs: &[(Unit, UnitNeeds)], sizes: &Sizes, available: Option<u64>) -> Self {
        let greatest =
            |total: &dyn Fn(&UnitNeeds) -> u64| needs.iter().map(|(_, unit)| total(unit)).max();
        let most = greatest(&|unit| unit.total(unit.whole(false))).unwrap_or(MEMORY_AT_LEAST);
        let none = UnitUse { in_files: true, copies: 0, tiles: 0, log: 0 };
        let least = greatest(&|unit| unit.total(none)).unwrap_or(MEMORY_AT_LEAST).min(most);
        let available = available.unwrap_or(u64::MAX);
        let solved_in_files = available < most;
        let mut memory = Memory { needed: least, least, ..Memory::without_files(most) };
        let mut units = Vec::new();
        for (unit, needs) in needs {
            let used = needs.best_use(solved_in_files, available);
            let [files, in_work, checkpoint] = needs.files(used, sizes);
            // At the beginning of a unit, its file is empty.
            let files_before = if used.in_files { needs.solved.files } else { 0 };
            memory.files = memory.files.max(files).max(files_before.saturating_sub(in_work));
            memory.in_work = memory.in_work.max(in_work);
            memory.both = memory.both.max(files.saturating_add(in_work)).max(files_before);
            memory.needed = memory.needed.max(needs.total(used));
            let store = UnitMemory { tiles: used.tiles, log: used.log };
            units.push((*unit, PlannedMemory { store, captures: used.copies, checkpoint }));
        }
        Self { memory, solved_in_files, units }
    }

    /// The most bytes of a checkpoint of a unit, of the process with the most.
    pub(super) fn checkpoint(&self, unit: Unit) -> u64 {
        let of_unit = self.units.iter().filter(|(planned, _)| *planned == unit);
        of_unit.map(|(_, planned)| planned.checkpoint).max().unwrap_or(0)
    }

    /// The memory of a unit in work: the least that was planned.
    pub(super) fn unit(&self, unit: Unit) -> PlannedMemory {
        let planned = self.units.iter().filter(|(planned, _)| *planned == unit);
        let any = UnitMemory { tiles: u64::MAX, log: u64::MAX };
        let any = PlannedMemory { store: any, captures: u64::MAX, checkpoint: 0 };
        planned.fold(any, |a, (_, b)| {
            let [tiles, log] = [a.store.tiles.min(b.store.tiles), a.store.log.min(b.store.log)];
            let captures = a.captures.min(b.captures);
            PlannedMemory { store: UnitMemory { tiles, log }, captures, ..*b }
        })
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::{Board, RuleSet};

    use super::*;
    use crate::schedule::units_to_process;
    use fanorona_tablebase::Metric;

    fn plan_of(
        units: &[Unit],
        missing: &[Unit],
        metric: Metric,
        available: Option<u64>,
    ) -> RowsMemory {
        let to_process = &units_to_process(units, missing)[..];
        let (board, rules) = (Board::tsivy(), &RuleSet::STANDARD);
        let work = Work { board, rules, metric, units, to_process, missing, ranks: 1 };
        RowsMemory::new(work, &Matrices::new(&Sizes::USUAL, work), available)
    }

    fn plan(metric: Metric, available: Option<u64>) -> RowsMemory {
        let units: Vec<_> = Unit::up_to(Board::tsivy(), 9).collect();
        plan_of(&units, &units, metric, available)
    }

    /// 5v5 fits 20 GiB of memory and less than 40 GB of disk, whether its smaller slices have tables
    /// or not.
    #[test]
    fn ten_stones_fit() {
        let unit = Unit::of("5v5".parse().unwrap());
        let units = Unit::up_to(Board::tsivy(), 10).filter(|smaller| unit.rests_on(*smaller));
        let units: Vec<_> = units.collect();
        let available = 20 << 30;
        for missing in [&units[..], &[unit]] {
            let RowsMemory { memory, .. } = plan_of(&units, missing, Metric::Wdl, Some(available));
            assert!(memory.needed <= available && memory.least < 4 << 30, "{memory:?}");
            // Not both at once: 5v5 copies the slices that it captures into to memory, and removes
            // their files.
            assert!(memory.both < 40_000_000_000, "{memory:?}");
        }
    }

    #[test]
    fn less_memory_means_larger_files() {
        for metric in Metric::ALL {
            let whole = plan(metric, None);
            let Memory { least, most, .. } = whole.memory;
            assert_eq!(whole.memory, Memory { least, ..Memory::without_files(most) });
            assert!(!whole.solved_in_files);
            assert!(least < most / 3, "{least} of {most}");
            assert_eq!(plan(metric, Some(least - 1)).memory.needed, least);
            let enough = plan(metric, Some(most));
            assert_eq!((enough.memory, enough.units), (whole.memory, whole.units));
            let mut files = Vec::new();
            for part in 0..8 {
                let available = least + (most - least) * part / 8;
                let found = plan(metric, Some(available)).memory;
                assert_eq!((found.least, found.most), (least, most));
                assert!(found.needed <= available, "{} of {available}", found.needed);
                files.push(found.files + found.in_work);
            }
            assert!(files.is_sorted_by(|more, less| more >= less && *less > 0), "{files:?}");
            // Frames in the file are not copied to checkpoints.
            let unit = Unit::up_to(Board::tsivy(), 9).last().expect("there are units");
            let checkpoint = |available| plan(metric, available).checkpoint(unit);
            assert!(checkpoint(Some(least)) < checkpoint(None) * 9 / 10);
        }
    }
}
