//! The needs of a unit, and the best use of the memory that there is.

use crate::memory::sum;
use crate::rows::store::UnitMemory;
use crate::sizes::Sizes;

/// The memory that smaller units have freed, but that cannot be returned to the system because
/// memory behind it is in use, and many small lists. Measured on Linux, on 9x5: 3 MiB of 92 and up to
/// 63 MiB of 960, for 6 and 7 stones without distances.
fn not_returned(bytes: u64) -> u64 {
    // Rounded up, so that parts have together at least as much as the whole.
    bytes.div_ceil(8).min((96 << 20) + bytes.div_ceil(64))
}

#[derive(Clone, Copy, Default)]
pub(super) struct SolvedBytes {
    pub memory: u64,
    pub files: u64,
    /// In memory, for what is in files.
    pub index: u64,
}

impl SolvedBytes {
    pub(super) fn sum(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::default(), |a, b| Self {
            memory: a.memory.saturating_add(b.memory),
            files: a.files.saturating_add(b.files),
            index: a.index.saturating_add(b.index),
        })
    }
}

/// The copy of a solved slice in memory, while captures read it.
pub(super) struct CopyBytes {
    pub bytes: u64,
    pub is_removed: bool,
}

/// The bytes that a unit takes.
#[derive(Default)]
pub(super) struct UnitNeeds {
    /// The program, the numbers of sets, and so on.
    pub base: u64,
    /// The solved slices that this unit or later ones capture into, before it.
    pub solved: SolvedBytes,
    /// Those of them that later units capture into.
    pub later: SolvedBytes,
    /// Those that this unit captures into and that can be in files, of which memory can have copies. The
    /// smallest first.
    pub copies: Vec<CopyBytes>,
    /// Its matrices in work, and what several processes keep of what passes read.
    pub tiles: u64,
    /// The second part of that.
    pub after: u64,
    /// The bytes of all that in a file.
    pub in_frames: u64,
    pub log: u64,
    /// Some rows, while captures decide them.
    pub deciding: u64,
    pub rounds: u64,
    /// Its slices in solved form, if they are kept.
    pub kept: SolvedBytes,
    /// Rows that are put into that form together, before they are in a file.
    pub keeping: u64,
}

impl UnitNeeds {
    /// The larger one of what one of two slices needs.
    pub(super) fn max(self, other: Self) -> Self {
        Self {
            tiles: self.tiles.max(other.tiles),
            in_frames: self.in_frames.max(other.in_frames),
            log: self.log.max(other.log),
            deciding: self.deciding.max(other.deciding),
            rounds: self.rounds.max(other.rounds),
            keeping: self.keeping.max(other.keeping),
            ..self
        }
    }

    /// The memory for everything in work.
    pub(super) fn whole(&self) -> UnitMemory {
        UnitMemory { copies: 0, in_work: self.tiles.saturating_add(self.log) }
    }

    /// The memory of a unit, while captures are decided, and later. `in_files` says whether solved slices
    /// are in files.
    fn stages(&self, in_files: bool, UnitMemory { copies, in_work }: UnitMemory) -> [u64; 2] {
        let stages = match in_files {
            false => [
                [self.base, in_work, self.solved.memory, self.deciding],
                [self.base, in_work, self.later.memory, self.rounds.max(self.kept.memory)],
            ],
            true => {
                let keeping = self.kept.index.saturating_add(self.keeping);
                let deciding = copies.saturating_add(self.deciding);
                [
                    [self.base, in_work, self.solved.index, deciding],
                    [self.base, in_work, self.later.index, self.rounds.max(keeping)],
                ]
            }
        };
        stages.map(|parts| {
            let total = sum(parts.into_iter());
            total.saturating_add(not_returned(total))
        })
    }

    pub(super) fn total(&self, in_files: bool, used: UnitMemory) -> u64 {
        let [deciding, later] = self.stages(in_files, used);
        deciding.max(later)
    }

    pub(super) fn best_use(&self, in_files: bool, available: u64) -> UnitMemory {
        let [deciding, later] = self.stages(in_files, UnitMemory::default()).map(|needed| {
            let rest = available.saturating_sub(needed);
            // A part of the rest is lost to memory that is not returned.
            rest.saturating_sub(not_returned(rest))
        });
        let fit = self.copies.iter().scan(0, |all, copy| {
            *all += copy.bytes;
            (in_files && *all <= deciding).then_some(*all)
        });
        let copies = fit.last().unwrap_or(0);
        let whole = UnitMemory { copies, ..self.whole() };
        if self.total(in_files, whole) <= available {
            return whole;
        }
        UnitMemory { copies, in_work: whole.in_work.min(later).min(deciding - copies) }
    }

    /// The bytes of files: what passes read and solved slices, the file of the unit, and its largest
    /// checkpoint.
    pub(super) fn files(&self, in_files: bool, used: UnitMemory, sizes: &Sizes) -> [u64; 3] {
        let UnitMemory { copies, in_work } = used;
        let tiles = self.tiles.min(in_work);
        let log = self.log.min(in_work - tiles);
        let packed = |bytes: u64| {
            let share = u128::from(self.in_frames) * u128::from(bytes);
            share.div_ceil(u128::from(self.tiles).max(1)) as u64
        };
        // Matrices are in memory first.
        let after = self.after.min(self.tiles - tiles);
        let in_file = self.tiles - tiles - after;
        let in_work = packed(in_file).saturating_add(self.log - log);
        // What is in memory can change as a whole between two checkpoints.
        let all = packed(self.tiles - self.after).saturating_add(self.log);
        let twice = packed(tiles.min(self.tiles - self.after));
        let held = sizes.most_held(packed(in_file));
        let checkpoint = all.saturating_add(twice).saturating_add(held);
        // Gaps between frames: 7 % more were measured for 4v3 of 9x5.
        let checkpoint = checkpoint.saturating_add(checkpoint / 8);
        let solved = if in_files { self.solved_files(copies) } else { 0 };
        [packed(after).saturating_add(solved), in_work, checkpoint]
    }

    /// The bytes of files of solved slices: while captures are decided, or later.
    fn solved_files(&self, copies: u64) -> u64 {
        let removed = self.copies.iter().scan(0, |all, copy| {
            *all += copy.bytes;
            (*all <= copies).then_some(if copy.is_removed { copy.bytes } else { 0 })
        });
        let deciding = self.solved.files - removed.sum::<u64>();
        deciding.max(self.later.files.saturating_add(self.kept.files))
    }
}
