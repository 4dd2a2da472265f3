//! The dense backend: what it can build, and what it takes.

use fanorona_core::Board;
use fanorona_tablebase::index::num_entries;
use fanorona_tablebase::orbits::{MAX_LISTED_FOR_BUILDERS, choose, placements_up_to_symmetry};
use fanorona_tablebase::{Metric, Result, Slice, TableError, Unit, captures_decide};

use super::columns::MAX_STONES;
use super::state::DenseSolver;
use crate::backend::{Backend, Plan, Solver};
use crate::context::BuildContext;
use crate::memory::{Memory, sets, sum};
use crate::work::{Step, Work};

/// Solves rows of positions with the same occupied points.
pub(crate) struct Dense;

impl Backend for Dense {
    fn can(&self, work: Work<'_>) -> bool {
        work.processes == 1 && work.is_by_rows() && !work.is_first_phase()
    }

    /// The sets of occupied points have to be listed.
    fn check(&self, board: Board, slice: Slice) -> Result<()> {
        let stones = slice.stones();
        if stones > MAX_STONES || choose(board.num_points(), stones) > MAX_LISTED_FOR_BUILDERS {
            return Err(TableError::TooLarge { slice, board });
        }
        Ok(())
    }

    fn plan(&self, work: Work<'_>, steps: &[Step], available: Option<u64>) -> Box<dyn Plan> {
        let Work { board, metric, .. } = work;
        let (memory, maps_solved) = memory_of(work, steps, available);
        Box::new(DensePlan { board, metric, memory, maps_solved })
    }
}

struct DensePlan {
    board: Board,
    metric: Metric,
    memory: Memory,
    maps_solved: bool,
}

impl Plan for DensePlan {
    fn memory(&self) -> Memory {
        self.memory
    }

    /// Nanoseconds per entry, the sum over all rounds, which copy what they find to all images. Measured
    /// on all of 7x3: 68 without distances and 290 with them; on all of 5x5 125 without.
    /// `data/notes/builds.md` compares units with the builder by rows.
    fn seconds(&self, slice: Slice) -> f64 {
        let of_image = match self.metric.has_distances() {
            false => 18.0,
            true => 74.0,
        };
        let nanoseconds = of_image * self.board.symmetries().len() as f64;
        num_entries(self.board, slice) as f64 * (nanoseconds * 1e-9)
    }

    /// The bits of a place without compression.
    fn checkpoint(&self, unit: Unit) -> u64 {
        let bits = match self.metric.has_distances() {
            false => 3,
            true => 11,
        };
        let bytes = |slice| (places(self.board, slice) / 8).saturating_mul(bits);
        // One is written before the last one is removed.
        sum(unit.slices().map(bytes)).saturating_mul(2)
    }

    fn start<'a>(&'a self, context: BuildContext<'a>) -> Box<dyn Solver + 'a> {
        let scratch_of_solved = self.maps_solved.then_some(context.scratch_dir);
        Box::new(DenseSolver::new(context, self.memory.needed, scratch_of_solved))
    }
}

/// Bytes of memory in addition: the program, and what threads pack, load or save at a time.
const MEMORY_AT_LEAST: u64 = 32 << 20;

/// The memory of some work, and whether solved slices go to files. Slices in work are always in memory.
fn memory_of(work: Work<'_>, steps: &[Step], available: Option<u64>) -> (Memory, bool) {
    let sizes = RowSizes::new(work);
    let (mut least, mut most, mut files) = (0u64, 0u64, 0u64);
    for step in steps {
        let before = sum(step.before.iter().map(|slice| sizes.solved(*slice)));
        let DenseNeeds { work, copies, files: kept } = sizes.needs(step);
        let base = sizes.numbers(step.unit).saturating_add(work);
        let largest = copies.iter().copied().max().unwrap_or(0);
        let all = before.saturating_add(sum(copies.into_iter()));
        least = least.max(base.saturating_add(largest));
        most = most.max(base.saturating_add(all));
        files = files.max(before.saturating_add(kept));
    }
    // Memory that is freed and not returned to the system, and buffers. Measured without
    // distances: 16 % for all of 7x3, and 10 % for 5x5 with 10 stones.
    let with_rest = |bytes: u64| {
        let total = bytes.saturating_add(MEMORY_AT_LEAST);
        total.saturating_add(total / 5)
    };
    let (least, most) = (with_rest(least), with_rest(most));
    let maps_solved = available.is_some_and(|available| available < most);
    let (needed, files) = if maps_solved { (least, files) } else { (most, 0) };
    (Memory { needed, least, most, files, in_work: 0, both: files }, maps_solved)
}

/// The bytes that the slices of a unit take.
struct DenseNeeds {
    /// Memory while they are in work.
    work: u64,
    /// Memory for each slice in solved form, in addition, before it is in a file.
    copies: Vec<u64>,
    /// Their files in solved form.
    files: u64,
}

/// The sizes of slices in memory.
struct RowSizes {
    board: Board,
    metric: Metric,
    /// The matrices that have a row for each orbit, in work: undecided and safe positions.
    own_planes: u64,
}

impl RowSizes {
    fn new(work: Work<'_>) -> Self {
        let Work { board, metric, rules, .. } = work;
        let own_planes = match metric.has_distances() {
            false => 1 + u64::from(!captures_decide(rules)),
            // Grades show which positions are safe.
            true => 1,
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

    /// The bytes of the slices of a unit, solved or loaded.
    fn needs(&self, step: &Step) -> DenseNeeds {
        let solved: Vec<_> = step.slices.iter().map(|slice| self.solved(*slice)).collect();
        let all = sum(solved.iter().copied());
        if !step.is_solved {
            return DenseNeeds { work: 0, copies: solved, files: all };
        }
        let work = sum(step.slices.iter().map(|slice| self.working(*slice)));
        let is_kept = step.slices.iter().any(|slice| step.is_kept(*slice));
        match self.metric.has_distances() {
            // They are written from the solved form, which takes over the grades.
            true => DenseNeeds { work, copies: Vec::new(), files: all },
            false if is_kept => DenseNeeds { work, copies: solved, files: all },
            false => DenseNeeds { work, copies: Vec::new(), files: 0 },
        }
    }

    fn working(&self, slice: Slice) -> u64 {
        let row = 8 * words(slice);
        let planes = choose(self.board.num_points(), slice.stones()).saturating_mul(2 * row);
        let (grades, marks) = match self.metric.has_distances() {
            // A byte to mark rows.
            false => (0, 1),
            // A filter of grades, too.
            true => (self.solved(slice), 33),
        };
        let own = orbits(self.board, slice).saturating_mul(self.own_planes * row + marks);
        sum([planes, own, grades].into_iter())
    }

    fn solved(&self, slice: Slice) -> u64 {
        let row = match self.metric.has_distances() {
            false => 16 * words(slice),
            true => choose(slice.stones(), slice.own.into()),
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
fn places(board: Board, slice: Slice) -> u64 {
    orbits(board, slice).saturating_mul(64 * words(slice))
}
