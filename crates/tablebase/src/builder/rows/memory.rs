//! The memory of the backend by rows, and what goes to temporary files if it is short.

use fanorona_core::Board;

use super::store::{LOG_AT_LEAST, Layout, UnitMemory};
use crate::builder::checkpoint::most_held;
use crate::builder::memory::{MEMORY_AT_LEAST, Memory, sets, sum};
use crate::builder::schedule::{is_needed, slices_to_load, steps};
use crate::builder::work::{SliceRule, Work};
use crate::orbits::placements_up_to_symmetry;
use crate::slice::{Role, Slice, Unit};
use crate::value::Metric;

/// The bytes of a matrix's rows that are decided or read together, if rows are short.
const ROWS_TOGETHER: u64 = if cfg!(test) { 1 << 8 } else { 4 << 20 };

/// The most columns whose ranks are kept only to write tables. Few in this crate's tests, so that
/// they also write tables without.
pub(super) const MAX_RANKED: u64 = if cfg!(test) { 1 << 8 } else { 1 << 26 };

/// The most stones of a side.
fn most_of_side(unit: Unit) -> u8 {
    unit.stronger().own.max(unit.stronger().opponent)
}

/// The memory that smaller units have freed, but that cannot be returned to the system because
/// memory behind it is in use, and many small lists. Measured on Linux, on 9x5: 3 MiB of 92 and up to
/// 63 MiB of 960, for 6 and 7 stones without distances.
fn not_returned(bytes: u64) -> u64 {
    // Rounded up, so that parts have together at least as much as the whole.
    bytes.div_ceil(8).min((96 << 20) + bytes.div_ceil(64))
}

/// The number of rows that are decided or read together, if a row of a matrix has some words.
pub(super) fn rows_together(words: u64) -> u64 {
    (ROWS_TOGETHER / (8 * words)).max(1)
}

/// The most bytes of memory that a frame of a matrix takes while it is in a file, and in the index of a
/// checkpoint. Few in this crate's tests, whose frames have hardly more.
const FRAME_AT_MOST: u64 = if cfg!(test) { 1 } else { 192 };

/// The matrices of a slice that is loaded: won, lost and open positions, and safe ones if there are
/// any.
fn matrices_loaded(rule: SliceRule) -> u64 {
    3 + u64::from(rule.has_safe())
}

/// The matrices of a solved slice without distances.
const MATRICES_SOLVED: u64 = 2;

/// The bytes that a unit takes.
#[derive(Default)]
struct UnitNeeds {
    /// The program, the numbers of sets, and so on.
    base: u64,
    /// The solved slices that this unit or later ones capture into, before it.
    solved: u64,
    /// Its matrices in work, and what several processes keep of what passes read.
    tiles: u64,
    /// The second part of that.
    after: u64,
    /// The bytes of all that in a file.
    in_frames: u64,
    /// Its log of rounds.
    log: u64,
    /// One stripe, or some rows.
    work: u64,
    /// Its slices in solved form, if they are kept.
    kept: u64,
    /// The largest of them, before it is in a file.
    largest_kept: u64,
}

impl UnitNeeds {
    /// The memory with some bytes of matrices and log, and solved slices in memory or in files.
    fn total(&self, in_work: u64, maps_solved: bool) -> u64 {
        let (solved, kept) = match maps_solved {
            true => (0, self.largest_kept),
            false => (self.solved, self.kept),
        };
        let parts = [self.base, solved, in_work, self.work.max(kept)];
        let total = sum(parts.into_iter());
        total.saturating_add(not_returned(total))
    }
}

impl UnitNeeds {
    /// The bytes of files with some memory for matrices and for the log: what passes read, the file of
    /// the unit, and its largest checkpoint.
    fn files(&self, tiles: u64, log: u64) -> [u64; 3] {
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
        let held = most_held(packed(in_file));
        let checkpoint = all.saturating_add(twice).saturating_add(held);
        // Gaps between frames: 7 % more were measured for 4v3 of 9x5.
        let checkpoint = checkpoint.saturating_add(checkpoint / 8);
        [packed(after), in_work, checkpoint]
    }
}

/// The memory of some work by rows.
pub(super) struct RowsMemory {
    pub memory: Memory,
    /// Whether solved slices go to files.
    pub maps_solved: bool,
    /// The memory of the units that are processed.
    units: Vec<(Unit, UnitMemory)>,
    /// Their checkpoints, in bytes.
    checkpoints: Vec<(Unit, u64)>,
}

impl RowsMemory {
    /// Plans the memory of some work. Without a number of available bytes, it may use any.
    pub(super) fn new(work: Work<'_>, matrices: &Matrices, available: Option<u64>) -> Self {
        let needs = match work.is_first_phase() {
            true => Self::needs_of_first_phase(work, matrices),
            false => Self::needs(work, matrices),
        };
        Self::of_needs(&needs, available)
    }

    fn needs(work: Work<'_>, matrices: &Matrices) -> Vec<(Unit, UnitNeeds)> {
        let Work { board, metric, .. } = work;
        // The most stones of a side so far.
        let mut side = 0;
        let needs = steps(work).map(|(unit, solved, later)| {
            side = most_of_side(unit).max(side);
            let is_kept = |slice| is_needed(slice, later);
            let base = matrices.base(board, side);
            let solved = sum(solved.into_iter().map(|slice| matrices.solved(slice, metric)));
            (unit, UnitNeeds { base, solved, ..matrices.needs(work, unit, &is_kept) })
        });
        needs.collect()
    }

    /// In the first phase of the vela, what a unit needs is loaded before it.
    fn needs_of_first_phase(work: Work<'_>, matrices: &Matrices) -> Vec<(Unit, UnitNeeds)> {
        let Work { board, rules, metric, missing, .. } = work;
        let needs = missing.iter().flat_map(|&unit| {
            let loaded = slices_to_load(board, rules, unit);
            let base = matrices.base(board, most_of_side(unit));
            let solved = sum(loaded.iter().map(|slice| matrices.solved(*slice, metric)));
            // The next unit of the victor's needs what it solves.
            let is_kept = |slice: Slice| slice.role == Some(Role::Victor);
            let of_unit = matrices.needs(work, unit, &is_kept);
            let loading = loaded.iter().map(|slice| matrices.loading(work, *slice)).max();
            let loading = loading.unwrap_or(0);
            let while_loading = UnitNeeds { base, solved, work: loading, ..Default::default() };
            [UnitNeeds { base, solved, ..of_unit }, while_loading].map(|needs| (unit, needs))
        });
        needs.collect()
    }

    fn of_needs(needs: &[(Unit, UnitNeeds)], available: Option<u64>) -> Self {
        let greatest =
            |total: &dyn Fn(&UnitNeeds) -> u64| needs.iter().map(|(_, unit)| total(unit)).max();
        let all = |unit: &UnitNeeds, maps| unit.total(unit.tiles.saturating_add(unit.log), maps);
        let most = greatest(&|unit| all(unit, false)).unwrap_or(MEMORY_AT_LEAST);
        let least = greatest(&|unit| unit.total(0, true)).unwrap_or(MEMORY_AT_LEAST).min(most);
        let available = available.unwrap_or(u64::MAX);
        let maps_solved = available < most;
        let mut memory = Memory { needed: least, least, most, files: 0, in_work: 0 };
        let (mut units, mut checkpoints) = (Vec::new(), Vec::new());
        for (unit, needs) in needs {
            let whole = needs.tiles.saturating_add(needs.log);
            let room = match needs.total(whole, maps_solved) <= available {
                true => whole,
                // A part of the rest is lost to memory that is not returned.
                false => {
                    let rest = available.saturating_sub(needs.total(0, maps_solved));
                    rest.saturating_sub(not_returned(rest))
                }
            };
            let tiles = needs.tiles.min(room);
            let log = needs.log.min(room - tiles);
            let solved = if maps_solved { needs.solved.saturating_add(needs.kept) } else { 0 };
            let [after, in_work, checkpoint] = needs.files(tiles, log);
            memory.files = memory.files.max(after.saturating_add(solved));
            memory.in_work = memory.in_work.max(in_work);
            checkpoints.push((*unit, checkpoint));
            memory.needed = memory.needed.max(needs.total(tiles + log, maps_solved));
            units.push((*unit, UnitMemory { tiles, log }));
        }
        Self { memory, maps_solved, units, checkpoints }
    }

    /// The most bytes of a checkpoint of a unit, of the process with the most.
    pub(super) fn checkpoint(&self, unit: Unit) -> u64 {
        let of_unit = self.checkpoints.iter().filter(|(planned, _)| *planned == unit);
        of_unit.map(|(_, bytes)| *bytes).max().unwrap_or(0)
    }

    /// The memory of a unit in work.
    pub(super) fn unit(&self, unit: Unit) -> UnitMemory {
        let planned = self.units.iter().find(|(planned, _)| *planned == unit);
        planned.map_or(UnitMemory { tiles: u64::MAX, log: u64::MAX }, |(_, memory)| *memory)
    }
}

/// The sizes of matrices. Their columns are all sets of the opponent, including those that overlap
/// the row's set.
pub(super) struct Matrices {
    order: u64,
    /// The number of processes. Each has a part of the unit in work.
    ranks: usize,
    /// The number of orbits for each number of stones.
    orbits: Vec<u64>,
}

impl Matrices {
    /// The sizes for the units of some work.
    pub(super) fn new(Work { board, units, ranks, .. }: Work<'_>) -> Self {
        let most = units.iter().map(|unit| most_of_side(*unit)).max().unwrap_or(0);
        let orbits = |stones: u8| {
            u64::try_from(placements_up_to_symmetry(board, stones.into(), 0))
                .expect("each side of a slice with an index has at most 2^34 sets")
        };
        let orbits = (0..=most).map(orbits).collect();
        Self { order: board.symmetries().len() as u64, ranks, orbits }
    }

    /// The number of rows for an own set of some stones.
    pub(super) fn orbits(&self, stones: u8) -> u64 {
        self.orbits[usize::from(stones)]
    }

    fn layout(&self, slice: Slice, planes: usize) -> Layout {
        let order = self.order as usize;
        Layout::new(self.orbits(slice.own), self.orbits(slice.opponent), order, planes, self.ranks)
    }

    /// The bytes of some matrices of a slice with one bit per position.
    pub(super) fn bits(&self, slice: Slice, matrices: u64) -> u64 {
        self.layout(slice, 1).bytes().saturating_mul(matrices)
    }

    /// The number of places in a matrix of a slice.
    pub(super) fn places(&self, slice: Slice) -> u64 {
        self.orbits(slice.own)
            .saturating_mul(self.orbits(slice.opponent))
            .saturating_mul(self.order)
    }

    /// The bytes of a matrix of a slice: of the process with the most, and of all.
    pub(super) fn shares(&self, slice: Slice) -> [u64; 2] {
        let layout = self.layout(slice, 1);
        [layout.rank_bytes(), layout.bytes()]
    }

    /// The bytes of a solved slice.
    fn solved(&self, slice: Slice, metric: Metric) -> u64 {
        match metric {
            Metric::Wdl => self.bits(slice, MATRICES_SOLVED),
            // A byte for each grade.
            Metric::Dtw => self.places(slice),
        }
    }

    /// The program, the numbers of sets with up to `side` stones, and their columns.
    fn base(&self, board: Board, side: u8) -> u64 {
        let numbers = sets(board, side.into()).saturating_add(self.columns(board, side));
        MEMORY_AT_LEAST.saturating_add(numbers)
    }

    /// The bytes for loading a slice: each process loads some of its rows, and then transposes them
    /// and receives the others.
    fn loading(&self, work: Work<'_>, slice: Slice) -> u64 {
        let Work { board, rules, metric, .. } = work;
        let matrices = matrices_loaded(SliceRule::new(board, slice, rules));
        let (bits, distances) = (self.bits(slice, matrices), metric == Metric::Dtw);
        let all = bits.saturating_add(u64::from(distances) * self.places(slice));
        let groups = self.orbits(slice.own).div_ceil(64 / self.order);
        let most = groups.div_ceil(self.ranks as u64);
        let rows = (u128::from(all) * u128::from(most) / u128::from(groups)) as u64;
        rows.saturating_add(self.solved(slice, metric))
    }

    /// The bytes of the slices of a unit. `is_kept` says which of them are needed later.
    fn needs(&self, work: Work<'_>, unit: Unit, is_kept: &dyn Fn(Slice) -> bool) -> UnitNeeds {
        let Work { board, rules, metric, missing, .. } = work;
        let of_slices =
            |bytes: &dyn Fn(Slice) -> u64| -> Vec<u64> { unit.slices().map(bytes).collect() };
        let layout =
            |slice: Slice| self.layout(slice, SliceRule::new(board, slice, rules).planes());
        let distances = u64::from(metric == Metric::Dtw);
        let greatest = |bytes: &[u64]| bytes.iter().copied().max().unwrap_or(0);
        let ([tiles, after], in_frames, log, work) = if missing.contains(&unit) {
            // Several processes keep what passes read, too.
            let after = of_slices(&|slice| match self.ranks {
                1 => 0,
                _ => layout(slice).of_after().rank_bytes(),
            });
            let tiles = unit.slices().zip(&after);
            let tiles =
                tiles.map(|(slice, after)| layout(slice).rank_bytes().saturating_add(*after));
            let tiles: Vec<_> = tiles.collect();
            // Measured on 9x5 without distances: three quarters of the places where sets do not
            // overlap.
            let in_frames = unit.slices().zip(&tiles).map(|(slice, tiles)| {
                let (own, opponent) = (slice.own.into(), slice.opponent.into());
                let free = placements_up_to_symmetry(board, own, opponent);
                let places = u128::from(self.places(slice)).max(1);
                (u128::from(*tiles) * free * 4).div_ceil(5 * places) as u64
            });
            let in_frames = sum(in_frames);
            // Measured on 9x5: some 3 bits per position with distances.
            let log = of_slices(&|slice| {
                distances * (self.places(slice) / 2).div_ceil(self.ranks as u64)
            });
            // A stripe, and the wins and losses that it reads. Several processes send and receive
            // those of a part of it, and make a copy of what they send.
            let stripe = of_slices(&|slice| {
                let layout = layout(slice);
                let sent = if self.ranks > 1 { layout.part_bytes() * 3 * 2 } else { 0 };
                layout.stripe_bytes() + layout.of_after().stripe_bytes() + sent
            });
            // Rows that captures decide, in about as many matrices and buffers, or that are read.
            let rows = of_slices(&|slice| {
                let layout = layout(slice);
                let words = layout.words() as u64;
                let threads = rayon::current_num_threads() as u64;
                let rows = rows_together(words).max(threads);
                // With distances, rows are read up to the end of a band.
                let read = rows + layout.band_rows() as u64;
                // If stripes are in a file, rows are collected until frames are whole. When they are
                // read one after the other, as much is kept.
                let frame_rows = self.layout(slice.swapped(), 1).swapped_rows(0).len();
                let frames =
                    layout.bytes() / layout.rows() as u64 * frame_rows.min(layout.rows()) as u64;
                let decided = 8 * words * (rows * 8 + threads * 8);
                decided + frames + distances * 64 * words * read * 2
            });
            // The sets of rows and columns, which frames are packed with, and where the frames are.
            let overlaps = of_slices(&|slice| {
                let (points, layout) = (u64::from(board.num_points()), layout(slice));
                let sets = 8 * (self.orbits(slice.own) + points * layout.words() as u64);
                let rows = self.layout(slice.swapped(), 1).swapped_frame_rows();
                let frame = (8 * layout.width() * rows) as u64;
                let frames = layout.rank_bytes() / frame * FRAME_AT_MOST;
                if self.ranks > 1 { 2 * (sets + frames) } else { sets + frames }
            });
            let work = greatest(&stripe).max(greatest(&rows)) + sum(overlaps.into_iter());
            let work = work + distances * LOG_AT_LEAST;
            let tiles = [sum(tiles.into_iter()), sum(after.into_iter())];
            (tiles, in_frames, sum(log.into_iter()), work)
        } else {
            ([0, 0], 0, 0, greatest(&of_slices(&|slice| self.loading(work, slice))))
        };
        let kept = unit.slices().filter(|slice| is_kept(*slice));
        let kept: Vec<_> = kept.map(|slice| self.solved(slice, metric)).collect();
        let (largest_kept, kept) = (greatest(&kept), sum(kept.into_iter()));
        UnitNeeds { base: 0, solved: 0, tiles, after, in_frames, log, work, kept, largest_kept }
    }

    /// The bytes of the columns of up to `most` stones: for each number of stones, a row of bits for
    /// each point, and the ranks of the sets that captures leave.
    fn columns(&self, board: Board, most: u8) -> u64 {
        let points = u64::from(board.num_points());
        let most = usize::from(most);
        sum((1..=most).map(|n| {
            let columns = self.orbits[n] * self.order;
            // Captures need the ranks of smaller sets.
            let ranks = if n < most || columns <= MAX_RANKED { 4 } else { 0 };
            columns.saturating_mul(points / 8 + 1 + ranks)
        }))
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::RuleSet;

    use super::*;

    fn plan(metric: Metric, available: Option<u64>) -> RowsMemory {
        let board = Board::tsivy();
        let units: Vec<_> = Unit::up_to(board, 9).collect();
        let (units, rules) = (&units[..], &RuleSet::STANDARD);
        let work =
            Work { board, rules, metric, units, to_process: units, missing: units, ranks: 1 };
        RowsMemory::new(work, &Matrices::new(work), available)
    }

    #[test]
    fn less_memory_means_larger_files() {
        for metric in Metric::ALL {
            let whole = plan(metric, None);
            let Memory { least, most, .. } = whole.memory;
            assert_eq!(whole.memory, Memory { least, ..Memory::without_files(most) });
            assert!(!whole.maps_solved);
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
