//! The memory and the time of the dense builder.

use fanorona_core::Board;

use super::columns::MAX_STONES;
use crate::builder::schedule::needed_for;
use crate::error::{Result, TableError};
use crate::orbits::{Orbits, choose, placements_up_to_symmetry};
use crate::slice::{Slice, Unit};
use crate::value::Metric;

/// Bytes of memory in addition: the program, and what threads pack or load at a time.
const MEMORY_AT_LEAST: u64 = 32 << 20;

/// Bytes of memory per set of stones or of occupied points that is numbered.
const MEMORY_PER_SET: u64 = 8;

/// The memory of a build in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::builder) struct DenseMemory {
    /// What it takes of the available memory, or the least memory if that is not available.
    pub needed: u64,
    /// What it takes if solved slices are loaded from their tables whenever they are needed.
    pub least: u64,
    /// What it takes if all slices stay in memory that are needed later.
    pub most: u64,
}

impl DenseMemory {
    /// The memory for solving the units `to_solve`, in order, if smaller ones are solved.
    pub(in crate::builder) fn new(
        board: Board,
        to_solve: &[Unit],
        metric: Metric,
        available: Option<u64>,
    ) -> Self {
        let sizes = Sizes { board, metric };
        let [mut least, mut most] = [MEMORY_AT_LEAST; 2];
        for (i, unit) in to_solve.iter().enumerate() {
            let base = sizes.base(*unit);
            let kept = |units: &[Unit]| {
                let mut slices: Vec<_> = units.iter().copied().flat_map(needed_for).collect();
                slices.retain(|slice| Unit::of(*slice) != *unit);
                slices.sort_unstable();
                slices.dedup();
                let is_solved = |slice: &Slice| slice.stones() <= unit.stronger().stones();
                sum(slices.into_iter().filter(is_solved).map(|slice| sizes.solved(slice)))
            };
            least = least.max(base.saturating_add(kept(&to_solve[i..=i])));
            most = most.max(base.saturating_add(kept(&to_solve[i..])));
        }
        let needed = available.map_or(most, |available| available.clamp(least, most));
        Self { needed, least, most }
    }
}

/// The sizes of slices in memory.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub board: Board,
    pub metric: Metric,
}

impl Sizes {
    /// The bytes for work on a unit, without the slices that its captures lead to.
    pub(super) fn base(self, unit: Unit) -> u64 {
        let Self { board, metric } = self;
        let stones = unit.stronger().stones();
        let work = |slice: Slice| {
            let (orbits, row) = (self.orbits(slice), 8 * self.words(slice));
            let planes = choose(board.num_points(), stones).saturating_mul(2 * row);
            // The undecided positions, and the safe ones if there are any, a byte to mark rows, and
            // a filter of grades.
            let per_orbit = match metric {
                Metric::Wdl => 2 * row + 1,
                Metric::Dtw => row + 33,
            };
            sum([planes, orbits.saturating_mul(per_orbit), self.solved(slice)].into_iter())
        };
        let sets = (1..=stones).map(|n| choose(board.num_points(), n) * MEMORY_PER_SET);
        // For each column its set, and a bit for each of its points. The sets of the rows of all
        // slices that captures lead to are needed, too.
        let columns = (1..=stones).map(|n| {
            let most = u64::from(unit.stronger().own).min((n / 2).into()) as u32;
            choose(n, most).saturating_mul(4 + u64::from(n) / 8 + 1)
        });
        sum([MEMORY_AT_LEAST, sum(unit.slices().map(work)), sum(sets), sum(columns)].into_iter())
    }

    /// The bytes of a solved slice.
    pub(super) fn solved(self, slice: Slice) -> u64 {
        let row = match self.metric {
            Metric::Wdl => 16 * self.words(slice),
            Metric::Dtw => choose(slice.stones(), slice.own.into()),
        };
        self.orbits(slice).saturating_mul(row)
    }

    /// The number of rows that are computed.
    fn orbits(self, slice: Slice) -> u64 {
        u64::try_from(placements_up_to_symmetry(self.board, slice.stones(), 0)).unwrap_or(u64::MAX)
    }

    /// The words of a row of bits.
    fn words(self, slice: Slice) -> u64 {
        choose(slice.stones(), slice.own.into()).div_ceil(64)
    }

    /// The number of bits of the rows that are computed for a slice, gaps included: a measure of
    /// the time that it takes.
    pub(super) fn places(self, slice: Slice) -> u64 {
        self.orbits(slice).saturating_mul(64 * self.words(slice))
    }
}

fn sum(bytes: impl Iterator<Item = u64>) -> u64 {
    bytes.fold(0, u64::saturating_add)
}

/// Whether the dense builder solves a unit in less time than the builder by rows. Compares the
/// lengths of the rows that they compute; in those of the latter, most sets of the opponent overlap
/// the own set if the board is full.
pub(in crate::builder) fn is_cheaper_dense(board: Board, unit: Unit) -> bool {
    let sizes = Sizes { board, metric: Metric::Wdl };
    let dense = sum(unit.slices().map(|slice| sizes.places(slice)));
    let by_rows = sum(unit.slices().map(|slice| {
        let own = placements_up_to_symmetry(board, slice.own.into(), 0);
        let own = u64::try_from(own).unwrap_or(u64::MAX);
        own.saturating_mul(choose(board.num_points(), slice.opponent.into()))
    }));
    DENSE_FACTOR.saturating_mul(dense) < by_rows
}

/// The time of the dense builder per place, as a multiple of that of the builder by rows.
const DENSE_FACTOR: u64 = 8;

/// Checks that the dense builder can number the sets of occupied points of a unit.
///
/// # Errors
/// [`TableError::TooLarge`] if not.
pub(in crate::builder) fn check_dense_size(board: Board, unit: Unit) -> Result<()> {
    let slice = unit.stronger();
    let sets = choose(board.num_points(), slice.stones());
    if slice.stones() > MAX_STONES || sets > Orbits::MAX_SETS {
        return Err(TableError::TooLarge { slice, board });
    }
    Ok(())
}

/// The bytes of rows of a slice with a number of bits per position, without symmetric rows.
pub(in crate::builder) fn dense_bytes(board: Board, slice: Slice, bits: u64) -> u64 {
    let sizes = Sizes { board, metric: Metric::Wdl };
    (sizes.places(slice) / 8).saturating_mul(bits)
}
