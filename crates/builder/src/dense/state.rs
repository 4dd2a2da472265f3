//! The state of the dense builder.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicU8;

use fanorona_core::{Board, Direction, PointSet, RuleSet, Stones, Symmetry, SymmetryGroup};
use fanorona_tablebase::index::SliceIndex;
use fanorona_tablebase::orbits::{Member, Orbits};
use fanorona_tablebase::{Resource, Result, Slice, check_room};
use rayon::prelude::*;

use super::columns::{AllColumns, DenseColumns, SetRanks};
use super::plane::Plane;
use super::select::{renumber, restore};
use crate::context::BuildContext;
use crate::directions::DirectionsLeft;
use crate::grade_rows::{GradeRows, optional_rows};
use crate::grades::{Grade, Width};
use crate::instructions::Instructions;
use crate::matrix::Matrix;
use crate::solved::{SolvedSlice, SolvedSlices, width_after};
use crate::work::SliceRule;

pub(super) struct DenseSolver<'a> {
    pub(super) context: BuildContext<'a>,
    /// The bytes of memory that were planned.
    planned: u64,
    /// The directory for solved slices. `None` if they stay in memory.
    pub(super) scratch_of_solved: Option<&'a Path>,
    pub(super) tools: Tools<'a>,
    /// A row is an orbit of occupied points. Without distances, a column is a set of the opponent,
    /// otherwise one of the side to move.
    pub(super) solved: SolvedSlices,
}

/// Tables that all slices of a build share.
pub(super) struct Tools<'a> {
    pub board: Board,
    pub group: &'a SymmetryGroup,
    /// For each symmetry, the image of each point. [`image_of_set`](Self::image_of_set) takes longer.
    pub images: Vec<[PointSet; 64]>,
    /// For each symmetry, the images of the sets of some adjacent points.
    set_images: Vec<Vec<[u64; 1 << IMAGE_POINTS]>>,
    pub words: Instructions,
    pub columns: AllColumns,
    pub ranks: SetRanks,
}

/// The number of adjacent points whose sets have their images in one table.
const IMAGE_POINTS: u32 = 9;

impl Tools<'_> {
    #[inline(always)]
    pub(super) fn image_of_set(&self, symmetry: Symmetry, set: PointSet) -> PointSet {
        let (mut set, mut image) = (set.bits(), 0);
        for images in &self.set_images[symmetry as usize] {
            image |= images[set as usize % (1 << IMAGE_POINTS)];
            set >>= IMAGE_POINTS;
        }
        PointSet::from_bits(image)
    }

    /// The orbit of a set of occupied points, among some orbits.
    #[inline(always)]
    pub(super) fn member_of(&self, orbits: &Orbits, occupied: PointSet) -> Member {
        let number = orbits.number_of_rank(self.ranks.rank(occupied.bits()) as u64);
        orbits.member_with_number(number as usize)
    }
}

impl<'a> DenseSolver<'a> {
    pub(super) fn new(
        context: BuildContext<'a>,
        planned: u64,
        scratch_of_solved: Option<&'a Path>,
    ) -> Self {
        let board = context.sets.board();
        let group = context.sets.group();
        let parts = (0..board.num_points()).step_by(IMAGE_POINTS as usize);
        let set_images = |g: &Symmetry| {
            let image = |set: u64| group.apply(*g, PointSet::from_bits(set)).bits();
            let part = |first| std::array::from_fn(|bits| image((bits as u64) << first));
            parts.clone().map(part).collect()
        };
        let point_images = |g: &Symmetry| {
            std::array::from_fn(|point| group.apply(*g, PointSet::from_bits(1 << point)))
        };
        let tools = Tools {
            board,
            images: group.symmetries().iter().map(point_images).collect(),
            set_images: group.symmetries().iter().map(set_images).collect(),
            group,
            words: Instructions::detect(),
            columns: AllColumns::default(),
            ranks: SetRanks::new(board.num_points()),
        };
        Self { context, planned, scratch_of_solved, tools, solved: SolvedSlices::new() }
    }

    /// The width of the grades of a slice: that for the values after its captures, and for distances
    /// up to `known`. Checks the memory for wide grades, beside slices in work.
    pub(super) fn width_of(
        &self,
        slice: Slice,
        known: u16,
        working: &[WorkingSlice],
    ) -> Result<Width> {
        let width = width_after(&self.solved, slice.after_captures(), known);
        if width == Width::Wide {
            let rows = self.context.orbits(slice.stones() as u8).count();
            let columns = self.tools.columns.of(slice.stones(), slice.own.into()).count();
            self.check_more(working, (rows * columns) as u64)?;
        }
        Ok(width)
    }

    /// Checks the memory for more bytes than planned, besides all grades of two bytes. The
    /// plan has one byte for each grade, because longer play is rare.
    pub(super) fn check_more(&self, working: &[WorkingSlice], bytes: u64) -> Result<()> {
        let solved = self.solved.values().map(SolvedSlice::more_than_planned);
        let working = working.iter().map(|slice| match &slice.own.grades {
            Some(GradeRows::Wide(grades)) => grades.all().len() as u64,
            _ => 0,
        });
        let more: u64 = solved.chain(working).sum();
        let BuildContext { task, memory, .. } = self.context;
        check_room(task, Resource::Memory, self.planned.saturating_add(more + bytes), memory)
    }

    pub(super) fn slice_context(&self, slice: Slice, rules: &RuleSet) -> DenseContext<'_, 'a> {
        DenseContext {
            build: self.context,
            tools: &self.tools,
            slice,
            rule: SliceRule::new(self.tools.board, slice, rules),
            rows: self.context.orbits(slice.stones() as u8),
            columns: self.tools.columns.of(slice.stones(), slice.own.into()),
            solved: &self.solved,
        }
    }
}

/// A slice in work.
///
/// A row is a set of occupied points. `win` and `loss` have a row for each of them, by rank. Their
/// columns are the opponent's sets, because a paika of the opponent leads to the same column of a row
/// there: see [`rounds`](super::rounds). The other members have a row for each orbit only.
pub(super) struct WorkingSlice {
    pub win: Plane,
    pub loss: Plane,
    pub own: OwnRows,
    /// With distances, for each orbit the filter of the grades of its captures. Empty until captures
    /// have decided all rows.
    pub filters: Vec<GradeFilter>,
    /// For each orbit, what has to be checked.
    pub checks: Vec<AtomicU8>,
}

/// The parts of a slice in work that have a row for each orbit. A thread may write to those of its
/// row. The columns are own sets.
#[derive(Default)]
pub(super) struct OwnRows {
    /// Positions that are not decided yet, and that paikas can decide.
    pub undecided: Vec<u64>,
    /// Undecided positions that paikas cannot lose, because some capture does not lose. Empty if
    /// the rules make no undecided position safe. Empty with distances, too: grades show which
    /// positions are safe.
    pub safe: Vec<u64>,
    /// The grade of a decided position, or of the best capture of an undecided one, if the build has
    /// distances.
    pub grades: Option<GradeRows>,
}

pub(super) struct OwnRow<'r, G> {
    pub undecided: &'r mut [u64],
    /// Empty if there is none.
    pub safe: &'r mut [u64],
    pub grades: Option<&'r mut [G]>,
}

/// Evaluates an expression with some rows of an [`OwnRows`], as a parallel iterator over orbits and
/// their [`OwnRow`], with grades of either width or none. A row has a number of words.
macro_rules! with_rows {
    ($own:expr, $rows:expr, $words:expr, $found:ident => $value:expr) => {{
        let $crate::dense::state::OwnRows { undecided, safe, grades } = $own;
        let own = (&mut undecided[..], &mut safe[..]);
        $crate::grade_rows::with_grades!(optional grades, grades => {
            let $found = $crate::dense::state::par_rows(own, grades, $rows, $words);
            $value
        })
    }};
}
pub(super) use with_rows;

pub(super) fn par_rows<'r, G: Grade>(
    (undecided, safe): (&'r mut [u64], &'r mut [u64]),
    grades: Option<&'r mut Matrix<G>>,
    rows: Range<usize>,
    words: usize,
) -> impl IndexedParallelIterator<Item = (usize, OwnRow<'r, G>)> {
    let in_words = rows.start * words..rows.end * words;
    let safe = (!safe.is_empty()).then(|| &mut safe[in_words.clone()]);
    let safe = optional_rows(safe, words, rows.len());
    let columns = grades.as_ref().map_or(0, |grades| grades.width());
    let grades = grades.map(|grades| grades.rows_mut(rows.clone()));
    let grades = optional_rows(grades, columns, rows.len());
    let undecided = undecided[in_words].par_chunks_mut(words);
    undecided.zip(safe).zip(grades).enumerate().map(move |(i, ((undecided, safe), grades))| {
        let safe = safe.unwrap_or_default();
        (rows.start + i, OwnRow { undecided, safe, grades })
    })
}

/// The set of grades in a row, as a Bloom filter with one hash. Rounds skip rows that do not have
/// their grade. There are false positives, but no false negatives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GradeFilter([u64; 4]);

impl GradeFilter {
    pub(super) fn of<G: Grade>(row: &[G]) -> Self {
        let mut found = Self::default();
        for grade in row {
            let (word, bit) = Self::bit_of(*grade);
            found.0[word] |= bit;
        }
        found
    }

    pub(super) fn may_have<G: Grade>(&self, grade: G) -> bool {
        let (word, bit) = Self::bit_of(grade);
        self.0[word] & bit != 0
    }

    fn bit_of<G: Grade>(grade: G) -> (usize, u64) {
        let hash = grade.to_code().0 % 256;
        (usize::from(hash / 64), 1 << (hash % 64))
    }
}

/// The input for work on one slice.
pub(super) struct DenseContext<'s, 'a> {
    pub build: BuildContext<'a>,
    pub tools: &'s Tools<'a>,
    pub slice: Slice,
    pub rule: SliceRule,
    /// The orbits of occupied points.
    pub rows: &'a Orbits,
    pub columns: &'s DenseColumns,
    pub solved: &'s SolvedSlices,
}

impl DenseContext<'_, '_> {
    #[inline]
    pub(super) fn row_of(&self, occupied: PointSet) -> usize {
        self.tools.ranks.rank(occupied.bits())
    }

    /// The points whose stones steps in some directions, to points that are not blocked, would
    /// capture first.
    #[inline(always)]
    pub(super) fn targets(
        &self,
        at: PointSet,
        blocked: PointSet,
        directions: DirectionsLeft,
    ) -> PointSet {
        let (board, mut targets) = (self.tools.board, PointSet::EMPTY);
        for direction in Direction::ALL.into_iter().filter(|next| directions.has(*next)) {
            let to = board.shift(at, direction) - blocked;
            if !to.is_empty() {
                targets |= board.shift(to, direction) | board.shift(at, direction.opposite());
            }
        }
        targets
    }

    /// Parts of the rows, from the first one on. Between parts, work can be stopped and a checkpoint
    /// can be saved.
    pub(super) fn parts(&self, first: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        // At least some rows per thread.
        let together = self.rows_together().max(8 * rayon::current_num_threads());
        let all = self.rows.count();
        (first..all).step_by(together).map(move |first| first..all.min(first + together))
    }

    /// Reports that work on some rows is done.
    pub(super) fn advance(&self, rows: &Range<usize>) {
        let (entries, all) = (self.index().len(), self.rows.count());
        let until = |row: usize| (u128::from(entries) * row as u128 / all as u128) as u64;
        self.build.progress.advance(until(rows.end) - until(rows.start));
    }

    pub(super) fn rows_together(&self) -> usize {
        self.build.sizes.dense_part / self.columns.count()
    }

    pub(super) fn index(&self) -> SliceIndex<'_> {
        self.build.index(self.slice)
    }

    #[inline]
    pub(super) fn opponents_column(&self, occupied: PointSet, opponent: PointSet) -> usize {
        let set = renumber(self.tools.words, opponent.bits(), occupied.bits());
        self.tools.ranks.rank(set)
    }

    /// The stones of a position, given the column of the own set in the row of an orbit.
    #[inline]
    pub(super) fn stones(&self, orbit: usize, column: usize) -> Stones {
        let (occupied, set) = (self.rows.representative(orbit), self.columns.set(column).into());
        let own = PointSet::from_bits(restore(self.tools.words, set, occupied.bits()));
        Stones { own, opponent: occupied - own }
    }
}

/// The number of a point among the occupied ones.
#[inline]
pub(super) fn number_in(occupied: PointSet, point: PointSet) -> usize {
    (occupied.bits() & (point.bits().wrapping_sub(1))).count_ones() as usize
}
