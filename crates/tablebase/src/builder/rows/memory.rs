//! The memory of the backend by rows, and what goes to temporary files if it is short.

use fanorona_core::Board;

use super::store::{LOG_AT_LEAST, Layout, MIN_PACKED_WORDS, UnitMemory};
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

/// The most bytes of rows that are put into the form of solved slices together, before they go to a
/// file: at least those of a segment for each thread, up to [`MAX_TOGETHER`].
const KEPT_TOGETHER: u64 = if cfg!(test) { 1 << 8 } else { 64 << 20 };

const MAX_TOGETHER: usize = 8;

/// The number of segments of a slice with some layout, and that of its swapped slice, that are put into
/// the form of solved slices together.
pub(super) fn kept_together(layout: &Layout, swapped: &Layout) -> usize {
    let threads = rayon::current_num_threads().min(MAX_TOGETHER);
    let fits = KEPT_TOGETHER / bytes_of_kept_segment(layout, swapped);
    threads.max(fits as usize)
}

/// The bytes of the wins and losses of a segment.
fn bytes_of_kept_segment(layout: &Layout, swapped: &Layout) -> u64 {
    (MATRICES_SOLVED as usize * 8 * layout.swapped_rows(0).len() * swapped.words()) as u64
}

/// The matrices of a slice with distances that is loaded: won, lost and open positions, and safe ones
/// if there are any.
fn matrices_loaded(rule: SliceRule) -> u64 {
    3 + u64::from(rule.has_safe())
}

/// The matrices of a solved slice without distances.
const MATRICES_SOLVED: u64 = 2;

/// The bytes of solved slices.
#[derive(Clone, Copy, Default)]
struct SolvedBytes {
    /// In memory.
    memory: u64,
    /// In files.
    files: u64,
    /// In memory, for what is in files.
    index: u64,
}

impl SolvedBytes {
    fn sum(all: impl Iterator<Item = Self>) -> Self {
        all.fold(Self::default(), |a, b| Self {
            memory: a.memory.saturating_add(b.memory),
            files: a.files.saturating_add(b.files),
            index: a.index.saturating_add(b.index),
        })
    }
}

/// The copy of a solved slice in memory, while captures read it.
struct Copied {
    /// Those of its file.
    bytes: u64,
    /// Whether its file is removed.
    is_removed: bool,
}

/// The bytes that a unit takes.
#[derive(Default)]
struct UnitNeeds {
    /// The program, the numbers of sets, and so on.
    base: u64,
    /// The solved slices that this unit or later ones capture into, before it.
    solved: SolvedBytes,
    /// Those of them that later units capture into.
    later: SolvedBytes,
    /// Those that this unit captures into and that can be in files, of which memory can have copies. The
    /// smallest first.
    copies: Vec<Copied>,
    /// Its matrices in work, and what several processes keep of what passes read.
    tiles: u64,
    /// The second part of that.
    after: u64,
    /// The bytes of all that in a file.
    in_frames: u64,
    /// Its log of rounds.
    log: u64,
    /// Some rows, while captures decide them.
    deciding: u64,
    /// One stripe, in rounds.
    rounds: u64,
    /// Its slices in solved form, if they are kept.
    kept: SolvedBytes,
    /// What is put into that form together, before it is in a file.
    keeping: u64,
}

/// How the memory of a unit is used.
#[derive(Clone, Copy)]
struct UnitUse {
    /// Whether solved slices are in files.
    in_files: bool,
    /// For copies of them while captures read them.
    copies: u64,
    /// For matrices.
    tiles: u64,
    /// For the log.
    log: u64,
}

impl UnitNeeds {
    /// The larger one of what one of two slices needs.
    fn max(self, other: Self) -> Self {
        Self {
            tiles: self.tiles.max(other.tiles),
            in_frames: self.in_frames.max(other.in_frames),
            deciding: self.deciding.max(other.deciding),
            rounds: self.rounds.max(other.rounds),
            keeping: self.keeping.max(other.keeping),
            ..self
        }
    }

    fn whole(&self, in_files: bool) -> UnitUse {
        UnitUse { in_files, copies: 0, tiles: self.tiles, log: self.log }
    }

    /// The memory of a unit: while captures are decided, and later.
    fn phases(&self, UnitUse { in_files, copies, tiles, log }: UnitUse) -> [u64; 2] {
        let in_work = tiles.saturating_add(log);
        let phases = match in_files {
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
        phases.map(|parts| {
            let total = sum(parts.into_iter());
            total.saturating_add(not_returned(total))
        })
    }

    fn total(&self, used: UnitUse) -> u64 {
        let [deciding, later] = self.phases(used);
        deciding.max(later)
    }

    /// The best use of some bytes.
    fn best_use(&self, in_files: bool, available: u64) -> UnitUse {
        let whole = self.whole(in_files);
        let none = UnitUse { in_files, copies: 0, tiles: 0, log: 0 };
        let [deciding, later] = self.phases(none).map(|needed| {
            let rest = available.saturating_sub(needed);
            // A part of the rest is lost to memory that is not returned.
            rest.saturating_sub(not_returned(rest))
        });
        let fit = self.copies.iter().scan(0, |all, copy| {
            *all += copy.bytes;
            (in_files && *all <= deciding).then_some(*all)
        });
        let copies = fit.last().unwrap_or(0);
        if self.total(UnitUse { copies, ..whole }) <= available {
            return UnitUse { copies, ..whole };
        }
        let in_work = later.min(deciding - copies);
        let tiles = self.tiles.min(in_work);
        UnitUse { in_files, copies, tiles, log: self.log.min(in_work - tiles) }
    }

    /// The bytes of files: what passes read and solved slices, the file of the unit, and its largest
    /// checkpoint.
    fn files(&self, UnitUse { in_files, copies, tiles, log }: UnitUse) -> [u64; 3] {
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

/// The memory that is planned for a unit, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PlannedMemory {
    /// For its matrices and log.
    pub store: UnitMemory,
    /// For copies of solved slices in files, while captures read them.
    pub captures: u64,
}

/// The memory of some work by rows.
pub(super) struct RowsMemory {
    pub memory: Memory,
    /// Whether solved slices go to files.
    pub solved_in_files: bool,
    /// The memory of the units that are processed. A unit can be there more than once.
    units: Vec<(Unit, PlannedMemory)>,
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

    fn of_needs(needs: &[(Unit, UnitNeeds)], available: Option<u64>) -> Self {
        let greatest =
            |total: &dyn Fn(&UnitNeeds) -> u64| needs.iter().map(|(_, unit)| total(unit)).max();
        let most = greatest(&|unit| unit.total(unit.whole(false))).unwrap_or(MEMORY_AT_LEAST);
        let none = UnitUse { in_files: true, copies: 0, tiles: 0, log: 0 };
        let least = greatest(&|unit| unit.total(none)).unwrap_or(MEMORY_AT_LEAST).min(most);
        let available = available.unwrap_or(u64::MAX);
        let solved_in_files = available < most;
        let mut memory = Memory { needed: least, least, ..Memory::without_files(most) };
        let (mut units, mut checkpoints) = (Vec::new(), Vec::new());
        for (unit, needs) in needs {
            let used = needs.best_use(solved_in_files, available);
            let [files, in_work, checkpoint] = needs.files(used);
            // At the beginning of a unit, its file is empty.
            let files_before = if used.in_files { needs.solved.files } else { 0 };
            memory.files = memory.files.max(files).max(files_before.saturating_sub(in_work));
            memory.in_work = memory.in_work.max(in_work);
            memory.both = memory.both.max(files.saturating_add(in_work)).max(files_before);
            checkpoints.push((*unit, checkpoint));
            memory.needed = memory.needed.max(needs.total(used));
            let store = UnitMemory { tiles: used.tiles, log: used.log };
            units.push((*unit, PlannedMemory { store, captures: used.copies }));
        }
        Self { memory, solved_in_files, units, checkpoints }
    }

    /// The most bytes of a checkpoint of a unit, of the process with the most.
    pub(super) fn checkpoint(&self, unit: Unit) -> u64 {
        let of_unit = self.checkpoints.iter().filter(|(planned, _)| *planned == unit);
        of_unit.map(|(_, bytes)| *bytes).max().unwrap_or(0)
    }

    /// The memory of a unit in work: the least that was planned.
    pub(super) fn unit(&self, unit: Unit) -> PlannedMemory {
        let planned = self.units.iter().filter(|(planned, _)| *planned == unit);
        let any = UnitMemory { tiles: u64::MAX, log: u64::MAX };
        planned.fold(PlannedMemory { store: any, captures: u64::MAX }, |a, (_, b)| {
            let [tiles, log] = [a.store.tiles.min(b.store.tiles), a.store.log.min(b.store.log)];
            let store = UnitMemory { tiles, log };
            PlannedMemory { store, captures: a.captures.min(b.captures) }
        })
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
    fn solved(&self, board: Board, slice: Slice, metric: Metric) -> SolvedBytes {
        if metric == Metric::Dtw {
            // A byte for each grade.
            let bytes = self.places(slice);
            return SolvedBytes { memory: bytes, files: bytes, index: 0 };
        }
        let bytes = self.bits(slice, MATRICES_SOLVED);
        let (layout, kept) = (self.layout(slice, 1), self.layout(slice.swapped(), 1));
        if kept.words() < MIN_PACKED_WORDS {
            return SolvedBytes { memory: bytes, files: 0, index: bytes };
        }
        // For each row where it begins and its form, and the overlaps.
        let rows = (layout.words() * layout.cells()) as u64;
        let index = rows * (MATRICES_SOLVED * 16 + 8);
        let overlaps = 8 * u64::from(board.num_points()) * kept.words() as u64;
        let files = self.packed(board, slice, bytes).saturating_add(4096);
        SolvedBytes { memory: bytes, files, index: index.saturating_add(overlaps) }
    }

    /// The bytes that some matrices of a slice take in a file. Measured on 9x5 without distances: nine
    /// tenths of the places where sets do not overlap for 4v3 when captures are decided, fewer with more
    /// stones and after rounds, and eight tenths of solved slices.
    fn packed(&self, board: Board, slice: Slice, bytes: u64) -> u64 {
        let free = placements_up_to_symmetry(board, slice.own.into(), slice.opponent.into());
        let places = u128::from(self.places(slice)).max(1);
        (u128::from(bytes) * free * 9).div_ceil(10 * places) as u64
    }

    /// The program, the numbers of sets with up to `side` stones, and their columns.
    fn base(&self, board: Board, side: u8) -> u64 {
        let numbers = sets(board, side.into()).saturating_add(self.columns(board, side));
        MEMORY_AT_LEAST.saturating_add(numbers)
    }

    /// The bytes for loading a slice with distances: each process loads some of its rows, and then
    /// transposes them and receives the others.
    fn loading_distances(&self, work: Work<'_>, slice: Slice) -> u64 {
        let Work { board, rules, metric, .. } = work;
        let matrices = matrices_loaded(SliceRule::new(board, slice, rules));
        let all = self.bits(slice, matrices).saturating_add(self.places(slice));
        let groups = self.orbits(slice.own).div_ceil(64 / self.order);
        let most = groups.div_ceil(self.ranks as u64);
        let rows = (u128::from(all) * u128::from(most) / u128::from(groups)) as u64;
        rows.saturating_add(self.solved(board, slice, metric).memory)
    }

    /// The bytes of a unit, with the solved slices `before` it. `is_kept` says which slices are needed
    /// later.
    fn needs(
        &self,
        work: Work<'_>,
        unit: Unit,
        before: &[Slice],
        is_kept: &dyn Fn(Slice) -> bool,
    ) -> UnitNeeds {
        let Work { board, metric, missing, .. } = work;
        let solved = |slice: &Slice| self.solved(board, *slice, metric);
        let kept: Vec<_> = unit.slices().filter(|slice| is_kept(*slice)).collect();
        let keeping = kept.iter().map(|slice| self.keeping(work, *slice)).max().unwrap_or(0);
        let is_solved = missing.contains(&unit);
        let copy_of = |slice: &Slice| {
            let SolvedBytes { files: bytes, .. } = solved(slice);
            let is_removed = is_solved && !is_kept(*slice);
            // What has no file is in memory already.
            let has_copy = metric == Metric::Wdl && bytes > 0;
            has_copy.then_some(Copied { bytes, is_removed })
        };
        let read = before.iter().filter(|slice| unit.captures_into(**slice));
        let mut copies: Vec<_> = read.filter_map(copy_of).collect();
        copies.sort_by_key(|copy| copy.bytes);
        let of_slices = match is_solved {
            true => self.needs_to_solve(work, unit),
            // One after the other.
            false => {
                let slices = unit.slices().map(|slice| self.needs_to_load(work, slice, &[]));
                slices.reduce(UnitNeeds::max).expect("a unit has slices")
            }
        };
        UnitNeeds {
            solved: SolvedBytes::sum(before.iter().map(solved)),
            later: SolvedBytes::sum(before.iter().filter(|slice| is_kept(**slice)).map(solved)),
            copies,
            kept: SolvedBytes::sum(kept.iter().map(solved)),
            keeping: keeping.saturating_add(of_slices.keeping),
            ..of_slices
        }
    }

    /// The memory for what is put into the form of solved slices together, before it is in a file, and
    /// a copy of what is packed.
    fn keeping(&self, Work { board, metric, .. }: Work<'_>, slice: Slice) -> u64 {
        match metric {
            Metric::Wdl => {
                let (layout, swapped) = (self.layout(slice, 1), self.layout(slice.swapped(), 1));
                let segments = layout.num_segments().min(kept_together(&layout, &swapped));
                // One of the matrices is packed, and collected to be written.
                2 * segments as u64 * bytes_of_kept_segment(&layout, &swapped)
            }
            Metric::Dtw => self.solved(board, slice, metric).memory,
        }
    }

    /// The bytes for loading a slice, with some solved slices.
    fn needs_to_load(&self, work: Work<'_>, slice: Slice, solved: &[Slice]) -> UnitNeeds {
        let Work { board, metric, .. } = work;
        let of_solved =
            SolvedBytes::sum(solved.iter().map(|slice| self.solved(board, *slice, metric)));
        let solved = UnitNeeds { solved: of_solved, later: of_solved, ..Default::default() };
        if metric == Metric::Dtw {
            let rounds = self.loading_distances(work, slice);
            return UnitNeeds { rounds, ..solved };
        }
        let layout = self.layout(slice, MATRICES_SOLVED as usize);
        let tiles = layout.rank_bytes();
        let in_frames = self.packed(board, slice, tiles);
        let overlaps =
            self.overlaps(board, slice, &layout) + self.overlaps(board, slice.swapped(), &layout);
        let deciding = self.rows(slice, &layout, 0).saturating_add(overlaps);
        UnitNeeds { tiles, in_frames, deciding, keeping: overlaps, ..solved }
    }

    /// Rows that captures decide, in about as many matrices and buffers, or that are read.
    fn rows(&self, slice: Slice, layout: &Layout, distances: u64) -> u64 {
        let words = layout.words() as u64;
        let threads = rayon::current_num_threads() as u64;
        let rows = rows_together(words).max(threads);
        // With distances, rows are read up to the end of a band.
        let read = rows + layout.band_rows() as u64;
        // If stripes are in a file, rows are collected until frames are whole. When they are
        // read one after the other, as much is kept.
        let frame_rows = self.layout(slice.swapped(), 1).swapped_rows(0).len();
        let frames = layout.bytes() / layout.rows() as u64 * frame_rows.min(layout.rows()) as u64;
        let decided = 8 * words * (rows * 8 + threads * 8);
        decided + frames + distances * 64 * words * read * 2
    }

    /// The sets of rows and columns, which frames are packed with, and where the frames are.
    fn overlaps(&self, board: Board, slice: Slice, layout: &Layout) -> u64 {
        let points = u64::from(board.num_points());
        let sets = 8 * (self.orbits(slice.own) + points * layout.words() as u64);
        let rows = self.layout(slice.swapped(), 1).swapped_frame_rows();
        let frame = (8 * layout.width() * rows) as u64;
        let frames = layout.rank_bytes() / frame * FRAME_AT_MOST;
        if self.ranks > 1 { 2 * (sets + frames) } else { sets + frames }
    }

    /// The bytes of the slices of a unit in work.
    fn needs_to_solve(&self, work: Work<'_>, unit: Unit) -> UnitNeeds {
        let Work { board, rules, metric, .. } = work;
        let of_slices =
            |bytes: &dyn Fn(Slice) -> u64| -> Vec<u64> { unit.slices().map(bytes).collect() };
        let layout =
            |slice: Slice| self.layout(slice, SliceRule::new(board, slice, rules).planes());
        let distances = u64::from(metric == Metric::Dtw);
        let greatest = |bytes: &[u64]| bytes.iter().copied().max().unwrap_or(0);
        // Several processes keep what passes read, too.
        let after = of_slices(&|slice| match self.ranks {
            1 => 0,
            _ => layout(slice).of_after().rank_bytes(),
        });
        let tiles = unit.slices().zip(&after);
        let tiles = tiles.map(|(slice, after)| layout(slice).rank_bytes().saturating_add(*after));
        let tiles: Vec<_> = tiles.collect();
        let in_frames = unit.slices().zip(&tiles);
        let in_frames = sum(in_frames.map(|(slice, tiles)| self.packed(board, slice, *tiles)));
        // Measured on 9x5: some 3 bits per position with distances.
        let log =
            of_slices(&|slice| distances * (self.places(slice) / 2).div_ceil(self.ranks as u64));
        // A stripe, and the wins and losses that it reads. Several processes send and receive
        // those of a part of it, and make a copy of what they send.
        let stripe = of_slices(&|slice| {
            let layout = layout(slice);
            let sent = if self.ranks > 1 { layout.part_bytes() * 3 * 2 } else { 0 };
            layout.stripe_bytes() + layout.of_after().stripe_bytes() + sent
        });
        let rows = of_slices(&|slice| self.rows(slice, &layout(slice), distances));
        let overlaps = of_slices(&|slice| self.overlaps(board, slice, &layout(slice)));
        let always = sum(overlaps.into_iter()) + distances * LOG_AT_LEAST;
        UnitNeeds {
            tiles: sum(tiles.into_iter()),
            after: sum(after.into_iter()),
            in_frames,
            log: sum(log.into_iter()),
            deciding: greatest(&rows) + always,
            // Tables are written row by row, too.
            rounds: greatest(&stripe).max(greatest(&rows)) + always,
            keeping: always,
            ..Default::default()
        }
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
    use crate::builder::schedule::units_to_process;

    fn plan_of(
        units: &[Unit],
        missing: &[Unit],
        metric: Metric,
        available: Option<u64>,
    ) -> RowsMemory {
        let to_process = &units_to_process(units, missing)[..];
        let (board, rules) = (Board::tsivy(), &RuleSet::STANDARD);
        let work = Work { board, rules, metric, units, to_process, missing, ranks: 1 };
        RowsMemory::new(work, &Matrices::new(work), available)
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
