//! Bytes of memory that all backends count in the same way.

use fanorona_core::Board;

use fanorona_tablebase::orbits::{MAX_LISTED_FOR_BUILDERS, choose};

/// Bytes of memory in addition: the program, and the blocks that are packed at a time.
pub(super) const MEMORY_AT_LEAST: u64 = 16 << 20;

/// Bytes of memory per listed set of stones. Some are freed after listing.
const MEMORY_PER_SET: u64 = 11;

/// The memory and the temporary files of some work, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Memory {
    /// The memory of the work: as much of the available memory as makes it faster, or `least` if
    /// that is not available.
    pub needed: u64,
    /// The memory if everything goes to files that can.
    pub least: u64,
    /// The memory without files.
    pub most: u64,
    /// The temporary files, without those of units in work.
    pub files: u64,
    /// The file of a unit in work: what does not fit in memory. A checkpoint keeps it.
    pub in_work: u64,
    /// The most bytes of both at the same time.
    pub both: u64,
}

impl Memory {
    /// The memory of work that has no temporary files.
    pub(super) fn without_files(needed: u64) -> Self {
        Self { needed, least: needed, most: needed, files: 0, in_work: 0, both: 0 }
    }

    /// The memory of two pieces of work, one after the other.
    pub(super) fn max(self, other: Self) -> Self {
        Self {
            needed: self.needed.max(other.needed),
            least: self.least.max(other.least),
            most: self.most.max(other.most),
            files: self.files.max(other.files),
            in_work: self.in_work.max(other.in_work),
            both: self.both.max(other.both),
        }
    }
}

/// The bytes of the orbits of all sets with up to a number of stones.
pub(super) fn sets(board: Board, stones: u32) -> u64 {
    sum((1..=stones).map(|n| {
        let sets = choose(board.num_points(), n);
        let listed = if sets <= MAX_LISTED_FOR_BUILDERS { sets * MEMORY_PER_SET } else { 0 };
        // A bit per set, and counts.
        (sets / 6).saturating_add(listed)
    }))
}

/// The sum of some numbers of bytes, at most the largest number.
pub(super) fn sum(bytes: impl Iterator<Item = u64>) -> u64 {
    bytes.fold(0, u64::saturating_add)
}
