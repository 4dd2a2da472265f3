//! The memory of the backend by rows, and what goes to temporary files if it is short: the sizes of
//! [matrices](matrices), what a unit [needs](needs), and the plan of them all.

mod matrices;
mod needs;

use fanorona_tablebase::Unit;

use self::matrices::most_of_side;
pub(super) use self::matrices::{Matrices, kept_together};
use self::needs::UnitNeeds;
use super::store::UnitMemory;
use crate::memory::{MEMORY_AT_LEAST, Memory};
use crate::sizes::Sizes;
use crate::work::{Step, Work};

/// The memory of the backend by rows, in bytes.
pub(super) struct RowsMemory {
    pub memory: Memory,
    /// Whether solved slices go to files.
    pub solved_in_files: bool,
    /// The memory of the units that are processed, and the largest checkpoint of the process with the
    /// most. A unit can be there more than once.
    units: Vec<(Unit, UnitMemory, u64)>,
}

impl RowsMemory {
    /// Plans the memory of the steps of some work. Without a number of available bytes, it may use any.
    pub(super) fn new(
        work: Work<'_>,
        steps: &[Step],
        matrices: &Matrices,
        available: Option<u64>,
    ) -> Self {
        // The most stones of a side so far, of which sets are numbered.
        let mut side = 0;
        let needs = steps.iter().map(|step| {
            side = most_of_side(step.unit).max(side);
            let needs = matrices.needs(work, step);
            let needs = UnitNeeds { base: matrices.base(work.board, side), ..needs };
            match step.is_solved {
                true => (step.unit, needs),
                // Nothing is removed while slices are loaded.
                false => (step.unit, UnitNeeds { later: needs.solved, ..needs }),
            }
        });
        Self::of_needs(&needs.collect::<Vec<_>>(), work.sizes, available)
    }

    fn of_needs(needs: &[(Unit, UnitNeeds)], sizes: &Sizes, available: Option<u64>) -> Self {
        let greatest =
            |total: &dyn Fn(&UnitNeeds) -> u64| needs.iter().map(|(_, unit)| total(unit)).max();
        let most = greatest(&|unit| unit.total(false, unit.whole())).unwrap_or(MEMORY_AT_LEAST);
        let least = greatest(&|unit| unit.total(true, UnitMemory::default()));
        let least = least.unwrap_or(MEMORY_AT_LEAST).min(most);
        let available = available.unwrap_or(u64::MAX);
        let solved_in_files = available < most;
        let mut memory = Memory { needed: least, least, ..Memory::without_files(most) };
        let mut units = Vec::new();
        for (unit, needs) in needs {
            let used = needs.best_use(solved_in_files, available);
            let [files, in_work, checkpoint] = needs.files(solved_in_files, used, sizes);
            // At the beginning of a unit, its file is empty.
            let files_before = if solved_in_files { needs.solved.files } else { 0 };
            memory.files = memory.files.max(files).max(files_before.saturating_sub(in_work));
            memory.in_work = memory.in_work.max(in_work);
            memory.both = memory.both.max(files.saturating_add(in_work)).max(files_before);
            memory.needed = memory.needed.max(needs.total(solved_in_files, used));
            units.push((*unit, used, checkpoint));
        }
        Self { memory, solved_in_files, units }
    }

    /// The most bytes of a checkpoint of a unit, of the process with the most.
    pub(super) fn checkpoint(&self, unit: Unit) -> u64 {
        self.of(unit).map(|(_, checkpoint)| checkpoint).max().unwrap_or(0)
    }

    /// The memory of a unit in work: the least that was planned.
    pub(super) fn unit(&self, unit: Unit) -> UnitMemory {
        let any = UnitMemory { copies: u64::MAX, in_work: u64::MAX };
        self.of(unit).fold(any, |a, (b, _)| UnitMemory {
            copies: a.copies.min(b.copies),
            in_work: a.in_work.min(b.in_work),
        })
    }

    fn of(&self, unit: Unit) -> impl Iterator<Item = (UnitMemory, u64)> {
        let of_unit = self.units.iter().filter(move |(planned, ..)| *planned == unit);
        of_unit.map(|(_, memory, checkpoint)| (*memory, *checkpoint))
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::{Board, RuleSet};

    use super::*;
    use fanorona_tablebase::Metric;
    use fanorona_tablebase::schedule::units_to_process;

    fn plan_of(
        units: &[Unit],
        missing: &[Unit],
        metric: Metric,
        available: Option<u64>,
    ) -> RowsMemory {
        let to_process = &units_to_process(units, missing)[..];
        let (board, rules) = (Board::tsivy(), &RuleSet::STANDARD);
        let work = Work {
            board,
            rules,
            metric,
            units,
            to_process,
            missing,
            processes: 1,
            sizes: &Sizes::USUAL,
        };
        RowsMemory::new(work, &work.steps(), &Matrices::new(work), available)
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
