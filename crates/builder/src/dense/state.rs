//! The state of the dense builder.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::AtomicU8;

use fanorona_core::{Board, Point, PointSet, RuleSet, Symmetry, SymmetryGroup};
use fanorona_tablebase::index::SliceIndex;
use fanorona_tablebase::orbits::{Member, Orbits};
use fanorona_tablebase::{Resource, Result, Slice, check_room};

use super::columns::{AllColumns, DenseColumns, SetRanks};
use super::grades::GradeFilter;
use super::parts::OwnRows;
use super::plane::Plane;
use super::select::{renumber, restore};
use crate::context::BuildContext;
use crate::grade_rows::GradeRows;
use crate::grades::Width;
use crate::instructions::Instructions;
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
    /// For each symmetry, the image of each point.
    images: Vec<[u8; 64]>,
    /// For each symmetry, the images of the sets of some adjacent points.
    set_images: Vec<Vec<[u64; 1 << IMAGE_POINTS]>>,
    pub words: Instructions,
    pub columns: AllColumns,
    pub ranks: SetRanks,
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

    #[inline]
    pub(super) fn image(&self, symmetry: Symmetry, point: Point) -> PointSet {
        PointSet::from_bits(1 << self.images[symmetry as usize][point.index()])
    }
}

impl<'a> DenseSolver<'a> {
    /// A builder without any solved slices.
    pub(super) fn new(
        context: BuildContext<'a>,
        planned: u64,
        scratch_of_solved: Option<&'a Path>,
    ) -> Self {
        let board = context.sets.board();
        let group = context.sets.group();
        let images = group.symmetries().iter().map(|g| {
            std::array::from_fn(|point| match PointSet::from_bits(1 << point) {
                point if point.is_subset(board.all_points()) => {
                    group.apply(*g, point).bits().trailing_zeros() as u8
                }
                _ => 0,
            })
        });
        let parts = (0..board.num_points()).step_by(IMAGE_POINTS as usize);
        let set_images = |g: &Symmetry| {
            let part = |first| {
                let set = |set: usize| PointSet::from_bits((set as u64) << first);
                std::array::from_fn(|bits| group.apply(*g, set(bits)).bits())
            };
            parts.clone().map(part).collect()
        };
        let tools = Tools {
            board,
            set_images: group.symmetries().iter().map(set_images).collect(),
            group,
            images: images.collect(),
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

    /// The input for work on a slice.
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
    /// The number of a set of occupied points among all of the same size.
    #[inline]
    pub(super) fn row_of(&self, occupied: PointSet) -> usize {
        self.tools.ranks.rank(occupied.bits())
    }

    #[inline]
    pub(super) fn member_of(&self, occupied: PointSet) -> Member {
        let number = self.rows.number_of_rank(self.row_of(occupied) as u64);
        self.rows.member_with_number(number as usize)
    }

    /// The next part of the rows, from the first one on. Between parts, work can be stopped and a
    /// checkpoint can be saved.
    pub(super) fn next_part(&self, first: usize) -> Range<usize> {
        // At least some rows per thread.
        let together = self.rows_together().max(8 * rayon::current_num_threads());
        first..self.rows.count().min(first + together)
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

    #[inline]
    pub(super) fn own_set(&self, occupied: PointSet, column: usize) -> PointSet {
        let set = self.columns.set(column).into();
        PointSet::from_bits(restore(self.tools.words, set, occupied.bits()))
    }
}

/// The number of a point among the occupied ones.
#[inline]
pub(super) fn number_in(occupied: PointSet, point: PointSet) -> usize {
    (occupied.bits() & (point.bits().wrapping_sub(1))).count_ones() as usize
}
