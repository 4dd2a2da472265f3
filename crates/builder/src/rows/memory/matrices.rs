//! The sizes of matrices, and what units need for them.

use fanorona_core::Board;
use fanorona_tablebase::orbits::placements_up_to_symmetry;
use fanorona_tablebase::{Metric, Slice, Unit};

use super::needs::{CopyBytes, SolvedBytes, UnitNeeds};
use crate::memory::{MEMORY_AT_LEAST, sets, sum};
use crate::rows::store::{MIN_PACKED_WORDS, Tiling};
use crate::sizes::Sizes;
use crate::work::{SliceRule, Step, Work};

pub(super) fn most_of_side(unit: Unit) -> u8 {
    unit.stronger().own.max(unit.stronger().opponent)
}

/// The most threads for each of which a segment is put into the form of solved slices.
const MAX_TOGETHER: usize = 8;

/// The number of segments of a slice with some layout, and that of its swapped slice, that are put into
/// the form of solved slices together.
pub(crate) fn kept_together(layout: &Tiling, swapped: &Tiling) -> usize {
    let threads = rayon::current_num_threads().min(MAX_TOGETHER);
    let fits = layout.sizes.kept / bytes_of_kept_segment(layout, swapped);
    threads.max(fits as usize)
}

/// The bytes of the wins and losses of a segment.
fn bytes_of_kept_segment(layout: &Tiling, swapped: &Tiling) -> u64 {
    (MATRICES_SOLVED as usize * 8 * layout.swapped_rows(0).len() * swapped.words) as u64
}

/// The matrices of a solved slice without distances.
const MATRICES_SOLVED: u64 = 2;

/// The sizes of matrices. Their columns are all sets of the opponent, including those that overlap
/// the row's set.
pub(crate) struct Matrices {
    pub sizes: &'static Sizes,
    order: u64,
    /// The number of processes. Each has a part of the unit in work.
    processes: usize,
    /// The number of orbits for each number of stones.
    orbits: Vec<u64>,
}

impl Matrices {
    pub(crate) fn new(work: Work<'_>) -> Self {
        let Work { board, units, processes, sizes, .. } = work;
        let most = units.iter().map(|unit| most_of_side(*unit)).max().unwrap_or(0);
        let orbits = |stones: u8| {
            u64::try_from(placements_up_to_symmetry(board, stones.into(), 0))
                .expect("each side of a slice with an index has at most 2^34 sets")
        };
        let orbits = (0..=most).map(orbits).collect();
        Self { sizes, order: board.symmetries().len() as u64, processes, orbits }
    }

    /// The number of rows for an own set of some stones.
    pub(crate) fn orbits(&self, stones: u8) -> u64 {
        self.orbits[usize::from(stones)]
    }

    fn layout(&self, slice: Slice, planes: usize) -> Tiling {
        let orbits = [slice.own, slice.opponent].map(|stones| self.orbits(stones));
        Tiling::new(self.sizes, orbits, self.order as usize, planes, self.processes)
    }

    /// The bytes of some matrices of a slice with one bit per position.
    pub(crate) fn bits(&self, slice: Slice, matrices: u64) -> u64 {
        self.layout(slice, 1).bytes().saturating_mul(matrices)
    }

    /// The number of places in a matrix of a slice.
    pub(crate) fn places(&self, slice: Slice) -> u64 {
        self.orbits(slice.own)
            .saturating_mul(self.orbits(slice.opponent))
            .saturating_mul(self.order)
    }

    fn solved(&self, board: Board, slice: Slice, metric: Metric) -> SolvedBytes {
        if metric.has_distances() {
            // A byte for each grade.
            let bytes = self.places(slice);
            return SolvedBytes { memory: bytes, files: bytes, index: 0 };
        }
        let bytes = self.bits(slice, MATRICES_SOLVED);
        let (layout, kept) = (self.layout(slice, 1), self.layout(slice.swapped(), 1));
        if kept.words < MIN_PACKED_WORDS {
            return SolvedBytes { memory: bytes, files: 0, index: bytes };
        }
        // For each row where it begins and its form, and the overlaps.
        let rows = (layout.words * layout.cells) as u64;
        let index = rows * (MATRICES_SOLVED * 16 + 8);
        let overlaps = 8 * u64::from(board.num_points()) * kept.words as u64;
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
    pub(super) fn base(&self, board: Board, side: u8) -> u64 {
        let numbers = sets(board, side.into()).saturating_add(self.columns(board, side));
        MEMORY_AT_LEAST.saturating_add(numbers)
    }

    /// The bytes of a step.
    pub(super) fn needs(&self, work: Work<'_>, step: &Step) -> UnitNeeds {
        let Work { board, metric, .. } = work;
        let Step { unit, is_solved, ref before, ref slices, .. } = *step;
        let solved = |slice: &Slice| self.solved(board, *slice, metric);
        let kept: Vec<_> = slices.iter().copied().filter(|slice| step.is_kept(*slice)).collect();
        let keeping = kept.iter().map(|slice| self.keeping(work, *slice)).max().unwrap_or(0);
        let copy_of = |slice: &Slice| {
            let SolvedBytes { files: bytes, .. } = solved(slice);
            let is_removed = is_solved && !step.is_kept(*slice);
            // What has no file is in memory already.
            let has_copy = !metric.has_distances() && bytes > 0;
            has_copy.then_some(CopyBytes { bytes, is_removed })
        };
        let read = before.iter().filter(|slice| unit.captures_into(**slice));
        let mut copies: Vec<_> = read.filter_map(copy_of).collect();
        copies.sort_by_key(|copy| copy.bytes);
        let of_slices = match is_solved {
            true => self.needs_to_solve(work, unit),
            // One after the other.
            false => {
                let slices = slices.iter().map(|slice| self.needs_to_load(work, *slice));
                slices.reduce(UnitNeeds::max).expect("a unit has slices")
            }
        };
        UnitNeeds {
            solved: SolvedBytes::sum(before.iter().map(solved)),
            later: SolvedBytes::sum(
                before.iter().filter(|slice| step.is_kept(**slice)).map(solved),
            ),
            copies,
            kept: SolvedBytes::sum(kept.iter().map(solved)),
            keeping: keeping.saturating_add(of_slices.keeping),
            ..of_slices
        }
    }

    /// The memory for what is put into the form of solved slices together, before it is in a file, and
    /// a copy of what is packed.
    fn keeping(&self, Work { board, metric, .. }: Work<'_>, slice: Slice) -> u64 {
        match metric.has_distances() {
            false => {
                let (layout, swapped) = (self.layout(slice, 1), self.layout(slice.swapped(), 1));
                let segments = layout.num_segments().min(kept_together(&layout, &swapped));
                // One of the matrices is packed, and collected to be written.
                2 * segments as u64 * bytes_of_kept_segment(&layout, &swapped)
            }
            true => self.solved(board, slice, metric).memory,
        }
    }

    /// The bytes for loading a slice.
    fn needs_to_load(&self, work: Work<'_>, slice: Slice) -> UnitNeeds {
        let Work { board, metric, .. } = work;
        let layout = self.layout(slice, MATRICES_SOLVED as usize);
        if metric.has_distances() {
            let (log, rounds) = (self.log(slice), self.sizes.log_at_least);
            let deciding = self.rows(slice, &layout, 1) + rounds;
            return UnitNeeds { log, deciding, rounds, keeping: rounds, ..Default::default() };
        }
        let tiles = layout.process_bytes();
        let in_frames = self.packed(board, slice, tiles);
        let overlaps =
            self.overlaps(board, slice, &layout) + self.overlaps(board, slice.swapped(), &layout);
        let deciding = self.rows(slice, &layout, 0).saturating_add(overlaps);
        UnitNeeds { tiles, in_frames, deciding, keeping: overlaps, ..Default::default() }
    }

    /// The log of a slice with distances. Measured on 9x5: some 3 bits per position.
    fn log(&self, slice: Slice) -> u64 {
        (self.places(slice) / 2).div_ceil(self.processes as u64)
    }

    /// Rows that captures decide, in about as many matrices and buffers, or that are read.
    fn rows(&self, slice: Slice, layout: &Tiling, distances: u64) -> u64 {
        let words = layout.words as u64;
        let threads = rayon::current_num_threads() as u64;
        let rows = (layout.rows_together() as u64).max(threads);
        // With distances, rows are read up to the end of a band.
        let read = rows + layout.band_rows as u64;
        // If stripes are in a file, rows are collected until frames are whole. When they are
        // read one after the other, as much is kept.
        let frame_rows = self.layout(slice.swapped(), 1).swapped_rows(0).len();
        let frames = layout.bytes() / layout.rows as u64 * frame_rows.min(layout.rows) as u64;
        let decided = 8 * words * (rows * 8 + threads * 8);
        decided + frames + distances * 64 * words * read * 2
    }

    /// The sets of rows and columns, which frames are packed with, and where the frames are.
    fn overlaps(&self, board: Board, slice: Slice, layout: &Tiling) -> u64 {
        let points = u64::from(board.num_points());
        let sets = 8 * (self.orbits(slice.own) + points * layout.words as u64);
        let rows = self.layout(slice.swapped(), 1).swapped_frame_rows();
        let frame = (8 * layout.width * rows) as u64;
        let frames = layout.process_bytes() / frame * self.sizes.frame_in_memory;
        if self.processes > 1 { 2 * (sets + frames) } else { sets + frames }
    }

    /// The bytes of the slices of a unit in work.
    fn needs_to_solve(&self, work: Work<'_>, unit: Unit) -> UnitNeeds {
        let Work { board, rules, metric, .. } = work;
        let of_slices =
            |bytes: &dyn Fn(Slice) -> u64| -> Vec<u64> { unit.slices().map(bytes).collect() };
        let layout =
            |slice: Slice| self.layout(slice, SliceRule::new(board, slice, rules).planes());
        let distances = u64::from(metric.has_distances());
        let greatest = |bytes: &[u64]| bytes.iter().copied().max().unwrap_or(0);
        // Several processes keep what passes read, too.
        let after = of_slices(&|slice| match self.processes {
            1 => 0,
            _ => layout(slice).of_after().process_bytes(),
        });
        let tiles = unit.slices().zip(&after);
        let tiles =
            tiles.map(|(slice, after)| layout(slice).process_bytes().saturating_add(*after));
        let tiles: Vec<_> = tiles.collect();
        let in_frames = unit.slices().zip(&tiles);
        let in_frames = sum(in_frames.map(|(slice, tiles)| self.packed(board, slice, *tiles)));
        let log = of_slices(&|slice| distances * self.log(slice));
        // A stripe, and the wins and losses that it reads. Several processes send and receive these,
        // and make a copy of what they send.
        let stripe = of_slices(&|slice| {
            let (layout, copies) = (layout(slice), if self.processes > 1 { 4 } else { 1 });
            layout.stripe_bytes() + copies * layout.of_after().stripe_bytes()
        });
        let rows = of_slices(&|slice| self.rows(slice, &layout(slice), distances));
        let overlaps = of_slices(&|slice| self.overlaps(board, slice, &layout(slice)));
        let always = sum(overlaps.into_iter()) + distances * self.sizes.log_at_least;
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
            let ranks = if n < most || columns <= self.sizes.ranked { 4 } else { 0 };
            columns.saturating_mul(points / 8 + 1 + ranks)
        }))
    }
}
