//! The memory of the dense builder, and the length of its rows.

use fanorona_core::Board;

use super::columns::MAX_STONES;
use crate::builder::schedule::is_needed;
use crate::builder::work::{Work, planes, sets, sum};
use crate::error::{Result, TableError};
use crate::orbits::{MAX_LISTED_FOR_BUILDERS, choose, placements_up_to_symmetry};
use crate::slice::{Slice, Unit};
use crate::value::Metric;

/// Bytes of memory in addition: the program, and what threads pack, load or save at a time.
const MEMORY_AT_LEAST: u64 = 32 << 20;

/// The memory in bytes that the dense builder takes. It has no temporary files, so this is both the
/// least and the most.
pub(in crate::builder) fn dense_memory(work: Work<'_>) -> u64 {
    let Work { units, to_process, missing, .. } = work;
    let sizes = Sizes::new(work);
    let max_stones = units.iter().map(|unit| unit.stronger().stones()).max();
    let of_unit = |(i, unit): (usize, &Unit)| {
        let solved = units.iter().take_while(|other| *other != unit).flat_map(|unit| unit.slices());
        let solved = solved.filter(|slice| is_needed(*slice, &to_process[i..]));
        let solved = sum(solved.map(|slice| sizes.solved(slice)));
        let is_kept = Some(unit.stronger().stones()) < max_stones;
        let own = match missing.contains(unit) {
            true => sizes.working(*unit, is_kept),
            false => sum(unit.slices().map(|slice| sizes.solved(slice))),
        };
        sum([sizes.numbers(*unit), solved, own].into_iter())
    };
    let most = to_process.iter().enumerate().map(of_unit).max();
    let total = most.unwrap_or(0).saturating_add(MEMORY_AT_LEAST);
    // What is freed and not returned to the system, and buffers. Measured without distances: 16 %
    // for all of 7x3, and 10 % for 5x5 with 10 stones.
    total.saturating_add(total / 5)
}

/// The sizes of slices in memory.
struct Sizes {
    board: Board,
    metric: Metric,
    /// The matrices that have a row for each orbit, in work: undecided and safe positions.
    own_planes: u64,
}

impl Sizes {
    fn new(work: Work<'_>) -> Self {
        let Work { board, metric, rules, .. } = work;
        let own_planes = match metric {
            Metric::Wdl => planes(rules) as u64 - 1,
            // Grades show which positions are safe.
            Metric::Dtw => 1,
        };
        Self { board, metric, own_planes }
    }

    /// The numbers of the sets, and the columns.
    fn numbers(&self, unit: Unit) -> u64 {
        let stones = unit.stronger().stones();
        // For each column its set, and a bit for each of its points. Those of all slices that
        // captures lead to are needed too.
        let columns = (1..=stones).map(|n| {
            let most = u64::from(unit.stronger().own).min((n / 2).into()) as u32;
            choose(n, most).saturating_mul(4 + u64::from(n) / 8 + 1)
        });
        sum(columns).saturating_add(sets(self.board, stones))
    }

    /// The slices of a unit in work, and then in solved form if they are kept.
    fn working(&self, unit: Unit, is_kept: bool) -> u64 {
        let is_kept = is_kept || self.metric == Metric::Dtw;
        let of_slice = |slice: Slice| {
            let row = 8 * words(slice);
            let planes = choose(self.board.num_points(), slice.stones()).saturating_mul(2 * row);
            // A byte to mark rows, and a filter of grades.
            let marks = if self.metric == Metric::Dtw { 33 } else { 1 };
            let own = orbits(self.board, slice).saturating_mul(self.own_planes * row + marks);
            let kept = if is_kept { self.solved(slice) } else { 0 };
            sum([planes, own, kept].into_iter())
        };
        sum(unit.slices().map(of_slice))
    }

    /// A solved slice.
    fn solved(&self, slice: Slice) -> u64 {
        let row = match self.metric {
            Metric::Wdl => 16 * words(slice),
            Metric::Dtw => choose(slice.stones(), slice.own.into()),
        };
        orbits(self.board, slice).saturating_mul(row)
    }
}

/// The number of rows that are computed.
fn orbits(board: Board, slice: Slice) -> u64 {
    u64::try_from(placements_up_to_symmetry(board, slice.stones(), 0)).unwrap_or(u64::MAX)
}

/// The words of a row of bits.
fn words(slice: Slice) -> u64 {
    choose(slice.stones(), slice.own.into()).div_ceil(64)
}

/// The number of bits of the rows that are computed for a slice, unused ones included.
pub(in crate::builder) fn dense_places(board: Board, slice: Slice) -> u64 {
    orbits(board, slice).saturating_mul(64 * words(slice))
}

/// Checks that the dense builder can number the sets of occupied points of a slice.
///
/// # Errors
/// [`TableError::TooLarge`] if not.
pub(in crate::builder) fn check_dense(board: Board, slice: Slice) -> Result<()> {
    let stones = slice.stones();
    if stones > MAX_STONES || choose(board.num_points(), stones) > MAX_LISTED_FOR_BUILDERS {
        return Err(TableError::TooLarge { slice, board });
    }
    Ok(())
}
