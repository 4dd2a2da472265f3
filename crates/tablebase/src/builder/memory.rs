//! The memory of a build, and how it divides rounds into stripes.

use fanorona_core::{Board, NoTurns, RuleSet};

use super::dense::DenseMemory;
use super::options::Method;
use super::schedule::is_needed;
use crate::index::num_entries;
use crate::key::captures_decide;
use crate::orbits::{choose, placements_up_to_symmetry};
use crate::slice::{Slice, Unit};
use crate::value::Metric;

/// Bytes of memory per entry of each slice, for the plain builder.
const MEMORY_PER_ENTRY: u64 = 2;

/// Bytes of memory per numbered set of stones. Half of them are freed after numbering.
const MEMORY_PER_SET: u64 = 8;

/// Bytes of memory in addition: the program, and the blocks that are packed at a time.
const MEMORY_AT_LEAST: u64 = 16 << 20;

/// The memory that smaller units have freed, but that cannot be returned to the system because
/// memory behind it is in use, and many small lists. Measured on Linux, on 9x5: 3 MiB of 92 and up to
/// 63 MiB of 960, for 6 and 7 stones without distances, and some 200 MiB of 15.7 GiB for 5v3 with
/// distances.
fn not_returned(bytes: u64) -> u64 {
    (bytes / 8).min((96 << 20) + bytes / 64)
}

/// Whether rules can make a position safe that paikas could otherwise lose. If captures are
/// mandatory, paikas decide only positions without a capture.
pub(super) fn has_safe(rules: &RuleSet) -> bool {
    !captures_decide(rules) || rules.no_turns == NoTurns::Draw
}

/// Bit matrices of a slice in work: won, lost and open positions, and safe ones if there are any.
fn matrices_at_work(rules: &RuleSet) -> u64 {
    3 + u64::from(has_safe(rules))
}

/// Transposed bit matrices of a slice in work, which its rounds read: won and lost positions. A
/// solved slice without distances consists of them.
const MATRICES_AFTER: u64 = 2;

/// The least words of a row that a stripe has, if rows are that long. In each stripe, finding the
/// paikas of a row takes as long as combining some 64 words. Small in this crate's tests, so that
/// small boards have many stripes.
const LEAST_WIDTH: u64 = if cfg!(test) { 1 } else { 64 };

/// How the rounds of a unit use memory for transposed values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RoundMemory {
    /// The transposed values of both slices are kept from round to round.
    Kept,
    /// Those of one stripe of columns are made at a time.
    Striped {
        /// The bytes that they may take.
        bytes: u64,
    },
}

impl RoundMemory {
    /// The words of a stripe, for matrices with these rows and words, if a number of them are
    /// needed at a time.
    pub(super) fn width(self, rows: usize, words: usize, matrices: usize) -> usize {
        match self {
            Self::Kept => words,
            Self::Striped { bytes } => {
                let widest = (bytes / (8 * rows * matrices) as u64).clamp(1, words as u64);
                // All stripes get about the same width.
                words.div_ceil(words.div_ceil(widest as usize))
            }
        }
    }
}

/// The memory of a build in bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct MemoryPlan {
    /// What the build takes: as much of the available memory as makes it faster, or the least
    /// memory if that is not available.
    pub needed: u64,
    /// What it takes with the most stripes.
    pub least: u64,
    /// What it takes without stripes.
    pub most: u64,
    /// The memory of rounds, for the units that are processed.
    rounds: Vec<(Unit, RoundMemory)>,
}

impl MemoryPlan {
    /// Plans the processing of the units `to_process` of `units`, one after the other. The builder
    /// keeps the slices that later units capture into. Without a number of available bytes, it may
    /// use any.
    pub(super) fn new(
        board: Board,
        rules: &RuleSet,
        units: &[Unit],
        to_process: &[Unit],
        method: Method,
        metric: Metric,
        available: Option<u64>,
    ) -> Self {
        match method {
            Method::Auto | Method::Rows => {
                Self::by_rows(board, rules, units, to_process, metric, available)
            }
            Method::Dense => {
                let DenseMemory { needed, least, most } =
                    DenseMemory::new(board, to_process, metric, available);
                Self { needed, least, most, rounds: Vec::new() }
            }
            Method::Plain => {
                let entries =
                    units.iter().flat_map(|unit| unit.slices()).map(|s| num_entries(board, s));
                let values = sum(entries).saturating_mul(MEMORY_PER_ENTRY);
                let most = units.iter().map(|unit| unit.stronger().own).max().unwrap_or(0);
                let needed = sum([values, sets(board, most), MEMORY_AT_LEAST].into_iter());
                Self { needed, least: needed, most: needed, rounds: Vec::new() }
            }
        }
    }

    fn by_rows(
        board: Board,
        rules: &RuleSet,
        units: &[Unit],
        to_process: &[Unit],
        metric: Metric,
        available: Option<u64>,
    ) -> Self {
        let matrices = Matrices::new(board, units);
        let max_stones = units.iter().map(|unit| unit.stronger().stones()).max();
        let [needed, least, most] = [MEMORY_AT_LEAST; 3];
        let mut plan = Self { needed, least, most, rounds: Vec::new() };
        // The most stones of a side so far.
        let mut side = 0;
        for (i, &unit) in to_process.iter().enumerate() {
            side = unit.stronger().own.max(side);
            let numbers = sets(board, side).saturating_add(matrices.columns(board, side));
            let solved = units.iter().take_while(|other| **other != unit);
            let kept = solved.flat_map(|unit| unit.slices());
            let kept = kept.filter(|slice| is_needed(*slice, &to_process[i..]));
            let kept = kept.map(|slice| match metric {
                Metric::Wdl => matrices.bits(slice, MATRICES_AFTER),
                Metric::Dtw => matrices.grades(slice),
            });
            let bits = |count| sum(unit.slices().map(|slice| matrices.bits(slice, count)));
            let grades = match metric {
                Metric::Wdl => 0,
                Metric::Dtw => sum(unit.slices().map(|slice| matrices.grades(slice))),
            };
            // Slices in the first phase of the vela have no tables.
            let rules = unit.stronger().rules(board, rules).unwrap_or(*rules);
            let at_work = bits(matrices_at_work(&rules)).saturating_add(grades);
            let base = sum([MEMORY_AT_LEAST, numbers, sum(kept), at_work].into_iter());
            let is_kept_later = Some(unit.stronger().stones()) < max_stones;
            let whole = if is_kept_later {
                // The transposed values of the solved slice are there at the end anyway.
                bits(MATRICES_AFTER).max(grades)
            } else {
                bits(MATRICES_AFTER)
            };
            let base = base.saturating_add(not_returned(base.saturating_add(whole)));
            let least = if is_kept_later { whole } else { whole.min(matrices.least_stripe(unit)) };
            let room = available.map_or(u64::MAX, |available| available.saturating_sub(base));
            let (bytes, rounds) = if room >= whole {
                (whole, RoundMemory::Kept)
            } else {
                let bytes = room.max(least);
                (bytes, RoundMemory::Striped { bytes })
            };
            plan.rounds.push((unit, rounds));
            plan.needed = plan.needed.max(base.saturating_add(bytes));
            plan.least = plan.least.max(base.saturating_add(least));
            plan.most = plan.most.max(base.saturating_add(whole));
        }
        plan
    }

    /// The memory of the rounds of a unit.
    pub(super) fn rounds(&self, unit: Unit) -> RoundMemory {
        let planned = self.rounds.iter().find(|(planned, _)| *planned == unit);
        planned.map_or(RoundMemory::Kept, |(_, rounds)| *rounds)
    }
}

/// The bytes of the numbers of all sets with up to a number of stones.
fn sets(board: Board, stones: u8) -> u64 {
    sum((1..=u32::from(stones)).map(|n| choose(board.num_points(), n) * MEMORY_PER_SET))
}

fn sum(bytes: impl Iterator<Item = u64>) -> u64 {
    bytes.fold(0, u64::saturating_add)
}

/// The sizes of matrices. Their columns are all sets of the opponent, including those that overlap
/// the row's set.
pub(super) struct Matrices {
    order: u64,
    /// The number of orbits for each number of stones.
    orbits: Vec<u64>,
}

impl Matrices {
    pub(super) fn new(board: Board, units: &[Unit]) -> Self {
        let most = units.iter().map(|unit| unit.stronger().own).max().unwrap_or(0);
        let orbits = |stones: u8| {
            u64::try_from(placements_up_to_symmetry(board, stones.into(), 0))
                .expect("each side of a slice with an index has at most 2^29 sets")
        };
        Self { order: board.symmetries().len() as u64, orbits: (0..=most).map(orbits).collect() }
    }

    /// The words of the columns of a number of stones.
    fn words(&self, stones: u8) -> u64 {
        (self.orbits[usize::from(stones)] * self.order).div_ceil(64)
    }

    /// The rows of a number of stones. They fill whole words of a transposed matrix.
    fn rows(&self, stones: u8) -> u64 {
        self.words(stones) * (64 / self.order)
    }

    /// The bytes of some matrices of a slice with one bit per position.
    pub(super) fn bits(&self, slice: Slice, matrices: u64) -> u64 {
        let one = self.rows(slice.own).saturating_mul(self.words(slice.opponent));
        one.saturating_mul(8 * matrices)
    }

    /// The bytes of the grades of a slice.
    fn grades(&self, slice: Slice) -> u64 {
        let orbits = |stones: u8| self.orbits[usize::from(stones)];
        orbits(slice.own).saturating_mul(orbits(slice.opponent)).saturating_mul(self.order)
    }

    /// The least bytes for the transposed values of a stripe of a unit: one matrix, or two with
    /// half the columns.
    fn least_stripe(&self, unit: Unit) -> u64 {
        let bytes = |slice: Slice| {
            let width = self.words(slice.opponent).min(LEAST_WIDTH);
            // The narrowest pair has a word each.
            self.rows(slice.own).saturating_mul(8 * width.max(2))
        };
        unit.slices().map(bytes).max().unwrap_or(0)
    }

    /// The bytes of the columns of up to `most` stones: for each number of stones and each point, a
    /// row of bits, and the numbers of the sets with the point added.
    fn columns(&self, board: Board, most: u8) -> u64 {
        let points = u64::from(board.num_points());
        let most = usize::from(most);
        sum((1..=most).map(|n| {
            let numbers = if n < most { 4 * points } else { 0 };
            (self.orbits[n] * self.order).saturating_mul(points / 8 + 1 + numbers)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(metric: Metric, available: Option<u64>) -> MemoryPlan {
        let board = Board::tsivy();
        let units: Vec<_> = Unit::up_to(board, 8).collect();
        MemoryPlan::new(board, &RuleSet::STANDARD, &units, &units, Method::Rows, metric, available)
    }

    #[test]
    fn stripes_take_what_is_available() {
        let board = Board::tsivy();
        let units: Vec<_> = Unit::up_to(board, 8).collect();
        let matrices = Matrices::new(board, &units);
        for metric in Metric::ALL {
            let MemoryPlan { least, most, needed, .. } = plan(metric, None);
            assert_eq!(needed, most);
            assert!(least < most);
            assert_eq!(plan(metric, Some(least - 1)).needed, least);
            assert_eq!(plan(metric, Some(u64::MAX)), plan(metric, None));
            let mut most_stripes = Vec::new();
            for part in 0..=8 {
                let available = least + (most - least) * part / 8;
                let found = plan(metric, Some(available));
                assert_eq!((found.least, found.most), (least, most));
                assert!(found.needed <= available && found.needed > available - available / 100);
                let mut stripes = 0;
                for slice in units.iter().flat_map(|unit| unit.slices()) {
                    let rounds = found.rounds(Unit::of(slice));
                    let rows = matrices.rows(slice.own) as usize;
                    let words = matrices.words(slice.opponent) as usize;
                    for together in [1, 2] {
                        let width = rounds.width(rows, words, together);
                        assert!(1 <= width && width <= words, "{slice}");
                        stripes = stripes.max(words.div_ceil(width));
                        if let RoundMemory::Striped { bytes } = rounds {
                            assert!((8 * rows * width * together) as u64 <= bytes, "{slice}");
                            assert!(slice.stones() == 8, "{slice}");
                        }
                    }
                }
                most_stripes.push(stripes);
            }
            assert!(most_stripes.is_sorted_by(|a, b| a >= b), "{most_stripes:?}");
            assert!(most_stripes[0] > 1 && most_stripes[8] == 1, "{most_stripes:?}");
        }
    }
}
