//! Slices in memory. The rows of a slice in work are own sets. Solved slices are transposed: their
//! rows are the opponent's sets.

use std::io::{self, Read, Write};

use fanorona_core::SymmetryGroup;
use rayon::prelude::*;

use super::grades::{Grade, GradeFilter, Grades, longest};
use super::matrix::{BitMatrix, Cells};
use crate::builder::checkpoint::{damaged, read_items, write_items};
use crate::value::Code;

/// A slice in work. A row of its matrices is an orbit of own sets, a column a set of the opponent.
pub(super) struct WorkingSlice {
    /// Positions that are won.
    pub win: BitMatrix,
    /// Positions that are lost.
    pub loss: BitMatrix,
    /// Positions that paikas can decide.
    pub open: BitMatrix,
    /// Positions that paikas cannot lose, because some capture is not known to lose, or because the
    /// side to move has no turn and that is a draw.
    /// `None` if the rules make no open position safe.
    pub safe: Option<BitMatrix>,
    /// Distances, if the build has them.
    pub distances: Option<Distances>,
}

/// The distances of a slice in work.
pub(super) enum Distances {
    /// One byte per position.
    Narrow(DistanceRows<u8>),
    /// Two bytes per position.
    Wide(DistanceRows<u16>),
}

/// The distances of a slice in work, in one width.
pub(super) struct DistanceRows<G> {
    /// The grade of a decided position, or of the best capture of an undecided one.
    pub grades: Grades<G>,
    /// The filter of each row's grades. Empty until captures have decided all rows.
    pub filters: Vec<GradeFilter>,
}

/// The width of grades.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Width {
    Narrow,
    Wide,
}

impl Width {
    /// The width for the turns before positions with distances up to `longest`.
    pub(super) fn for_distance(longest: u16) -> Self {
        if longest <= <u8 as Grade>::MAX_DISTANCE { Self::Narrow } else { Self::Wide }
    }

    /// The bytes of a grade.
    pub(super) fn bytes(self) -> u64 {
        match self {
            Self::Narrow => 1,
            Self::Wide => 2,
        }
    }
}

impl WorkingSlice {
    /// A slice without any decided position. Without a width it has no distances.
    pub(super) fn new(
        rows: usize,
        columns: usize,
        group: &SymmetryGroup,
        has_safe: bool,
        width: Option<Width>,
    ) -> Self {
        let matrix = || BitMatrix::new(rows, columns, group);
        let distances = width.map(|width| match width {
            Width::Narrow => Distances::Narrow(DistanceRows::new(rows, columns)),
            Width::Wide => Distances::Wide(DistanceRows::new(rows, columns)),
        });
        let safe = has_safe.then(matrix);
        Self { win: matrix(), loss: matrix(), open: matrix(), safe, distances }
    }

    /// The value of a position of a solved slice.
    #[inline]
    pub(super) fn code(&self, row: usize, column: usize) -> Code {
        match &self.distances {
            Some(Distances::Narrow(rows)) => rows.grades.row(row)[column].to_code(),
            Some(Distances::Wide(rows)) => rows.grades.row(row)[column].to_code(),
            None => {
                let (win, loss) = (self.win.bit(row, column), self.loss.bit(row, column));
                Code(u16::from(loss) | u16::from(win) << 1)
            }
        }
    }

    /// The bytes that its distances take beyond those of narrow ones.
    pub(super) fn extra_bytes(&self) -> u64 {
        match &self.distances {
            Some(Distances::Wide(rows)) => rows.grades.len(),
            _ => 0,
        }
    }

    /// Writes the first rows to a checkpoint.
    pub(super) fn write(&self, rows: usize, out: &mut dyn Write) -> io::Result<()> {
        for matrix in [&self.win, &self.loss, &self.open].into_iter().chain(&self.safe) {
            write_items(out, matrix.rows(rows))?;
        }
        match &self.distances {
            None => Ok(()),
            Some(Distances::Narrow(distances)) => write_items(out, distances.grades.rows(rows)),
            Some(Distances::Wide(distances)) => write_items(out, distances.grades.rows(rows)),
        }
    }

    /// Reads the first rows from a checkpoint, and checks that they are consistent.
    pub(super) fn read(&mut self, rows: usize, input: &mut dyn Read) -> io::Result<()> {
        let matrices = [&mut self.win, &mut self.loss, &mut self.open];
        for matrix in matrices.into_iter().chain(&mut self.safe) {
            read_items(input, matrix.rows_mut(0..rows))?;
        }
        match &mut self.distances {
            None => {}
            Some(Distances::Narrow(found)) => read_items(input, found.grades.rows_mut(0..rows))?,
            Some(Distances::Wide(found)) => read_items(input, found.grades.rows_mut(0..rows))?,
        }
        let is_consistent = match &self.distances {
            None => self.is_consistent(rows),
            Some(Distances::Narrow(found)) => self.is_consistent_with(&found.grades, rows),
            Some(Distances::Wide(found)) => self.is_consistent_with(&found.grades, rows),
        };
        if is_consistent { Ok(()) } else { Err(damaged("its values contradict each other")) }
    }

    /// Whether no position is both won and lost.
    fn is_consistent(&self, rows: usize) -> bool {
        let both = self.win.rows(rows).par_iter().zip(self.loss.rows(rows));
        both.all(|(win, loss)| win & loss == 0)
    }

    /// Whether also each decided position has a grade that agrees, and all grades are valid.
    fn is_consistent_with<G: Grade>(&self, grades: &Grades<G>, rows: usize) -> bool {
        self.is_consistent(rows)
            && (0..rows).into_par_iter().all(|row| {
                let (win, loss) = (self.win.row(row), self.loss.row(row));
                let words = win.iter().zip(loss).zip(grades.row(row).chunks(64));
                words.into_iter().all(|((win, loss), grades)| {
                    (0..).zip(grades).all(|(i, grade)| {
                        let (is_win, is_loss) = (win >> i & 1 != 0, loss >> i & 1 != 0);
                        *grade <= G::WIN_IN_1
                            && (!is_win || *grade > G::DRAW)
                            && (!is_loss || (G::NONE < *grade && *grade < G::DRAW))
                    })
                })
            })
    }

    /// The longest distance of the positions that are decided so far; `None` if none is.
    pub(super) fn longest_decided(&self) -> Option<u16> {
        match self.distances.as_ref()? {
            Distances::Narrow(found) => self.longest_decided_in(&found.grades),
            Distances::Wide(found) => self.longest_decided_in(&found.grades),
        }
    }

    fn longest_decided_in<G: Grade>(&self, grades: &Grades<G>) -> Option<u16> {
        let in_row = |row: usize| {
            let (win, loss) = (self.win.row(row), self.loss.row(row));
            let is_decided =
                |column: usize| (win[column / 64] | loss[column / 64]) >> (column % 64) & 1 != 0;
            let row = grades.row(row).iter().enumerate();
            let mut decided = row.filter(|(column, _)| is_decided(*column)).peekable();
            decided.peek()?;
            Some(longest(decided.map(|(_, grade)| *grade)))
        };
        (0..grades.num_rows()).into_par_iter().filter_map(in_row).max()
    }

    /// Makes all positions draws that are neither won nor lost.
    pub(super) fn draw_the_rest(&mut self) {
        let Self { win, loss, distances, .. } = self;
        match distances {
            None => {}
            Some(Distances::Narrow(found)) => draw_the_rest(win, loss, &mut found.grades),
            Some(Distances::Wide(found)) => draw_the_rest(win, loss, &mut found.grades),
        }
    }
}

fn draw_the_rest<G: Grade>(win: &BitMatrix, loss: &BitMatrix, grades: &mut Grades<G>) {
    grades.par_groups_mut(1).enumerate().for_each(|(row, grades)| {
        let decided = win.row(row).iter().zip(loss.row(row)).map(|(win, loss)| win | loss);
        for (grades, decided) in grades.chunks_mut(64).zip(decided) {
            for (i, grade) in grades.iter_mut().enumerate() {
                if decided >> i & 1 == 0 {
                    *grade = G::DRAW;
                }
            }
        }
    });
}

impl<G: Grade> DistanceRows<G> {
    fn new(rows: usize, columns: usize) -> Self {
        Self { grades: Grades::new(rows, columns), filters: Vec::new() }
    }

    /// Computes the filters, after captures have decided all rows. Returns the longest distance.
    fn find_filters(&mut self) -> u16 {
        let scan = |row| {
            let row = self.grades.row(row);
            (GradeFilter::of(row), longest(row.iter().copied()))
        };
        let found: Vec<_> = (0..self.grades.num_rows()).into_par_iter().map(scan).collect();
        self.filters = found.iter().map(|(filter, _)| *filter).collect();
        found.iter().map(|(_, longest)| *longest).max().unwrap_or(0)
    }

    /// Converts the grades, and computes the filters again. These then include decided positions.
    fn converted<T: Grade>(&self, convert: impl Fn(G) -> T + Sync) -> DistanceRows<T> {
        let mut rows = DistanceRows { grades: self.grades.converted(convert), filters: Vec::new() };
        rows.find_filters();
        rows
    }
}

impl Distances {
    /// The width of the grades.
    pub(super) fn width(&self) -> Width {
        match self {
            Self::Narrow(_) => Width::Narrow,
            Self::Wide(_) => Width::Wide,
        }
    }

    /// The number of grades.
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Narrow(rows) => rows.grades.len(),
            Self::Wide(rows) => rows.grades.len(),
        }
    }

    /// Computes the filters. Returns the longest distance.
    pub(super) fn find_filters(&mut self) -> u16 {
        match self {
            Self::Narrow(rows) => rows.find_filters(),
            Self::Wide(rows) => rows.find_filters(),
        }
    }

    /// Whether a value has a grade of this width.
    pub(super) fn has_grade(&self, code: Code) -> bool {
        match self {
            Self::Narrow(_) => u8::of_code(code).is_some(),
            Self::Wide(_) => u16::of_code(code).is_some(),
        }
    }

    /// Converts the distances to another width, which must be wide enough.
    pub(super) fn with_width(self, width: Width) -> Self {
        match (self, width) {
            (Self::Narrow(rows), Width::Wide) => Self::Wide(rows.converted(u16::of_narrow)),
            (Self::Wide(rows), Width::Narrow) => Self::Narrow(rows.converted(u8::of_wide)),
            (same, _) => same,
        }
    }

    /// The transposed grades.
    pub(super) fn transposed(&self, group: &SymmetryGroup, cells: &Cells) -> SolvedGrades {
        match self {
            Self::Narrow(rows) => SolvedGrades::Narrow(rows.grades.transposed(group, cells)),
            Self::Wide(rows) => SolvedGrades::Wide(rows.grades.transposed(group, cells)),
        }
    }
}

/// A solved slice. A row of its matrices is an orbit of the opponent's sets, a column an own set.
pub(super) struct SolvedSlice {
    /// Positions that are won.
    pub win: BitMatrix,
    /// Positions that are lost.
    pub loss: BitMatrix,
    /// Distances, if the build has them. A solved slice then keeps nothing else.
    pub distances: Option<SolvedDistances>,
}

/// The distances of a solved slice.
pub(super) struct SolvedDistances {
    pub grades: SolvedGrades,
    /// The longest distance.
    pub longest: u16,
}

/// The grades of a solved slice.
pub(super) enum SolvedGrades {
    Narrow(Grades<u8>),
    Wide(Grades<u16>),
}

impl SolvedSlice {
    /// A solved slice with distances only.
    pub(super) fn of_distances(distances: SolvedDistances) -> Self {
        let (win, loss) = Default::default();
        Self { win, loss, distances: Some(distances) }
    }

    /// The bytes that its distances take beyond those of narrow ones.
    pub(super) fn extra_bytes(&self) -> u64 {
        match &self.distances {
            Some(SolvedDistances { grades: SolvedGrades::Wide(grades), .. }) => grades.len(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use fanorona_core::Board;

    use super::*;

    const ROWS: usize = 20;
    const COLUMNS: usize = 80;

    fn empty(width: Option<Width>) -> WorkingSlice {
        WorkingSlice::new(ROWS, COLUMNS, &SymmetryGroup::new(Board::tsivy()), true, width)
    }

    fn set(matrix: &mut BitMatrix, row: usize, column: usize) {
        matrix.rows_mut(row..row + 1)[column / 64] |= 1 << (column % 64);
    }

    fn set_grade(slice: &mut WorkingSlice, row: usize, column: usize, code: Code) {
        match slice.distances.as_mut().unwrap() {
            Distances::Narrow(found) => {
                found.grades.rows_mut(row..row + 1)[column] = u8::of_code(code).unwrap();
            }
            Distances::Wide(found) => {
                found.grades.rows_mut(row..row + 1)[column] = u16::of_code(code).unwrap();
            }
        }
    }

    fn restored(slice: &WorkingSlice, width: Option<Width>) -> io::Result<WorkingSlice> {
        let mut bytes = Vec::new();
        slice.write(ROWS, &mut bytes).unwrap();
        let mut restored = empty(width);
        restored.read(ROWS, &mut &bytes[..])?;
        Ok(restored)
    }

    #[test]
    fn saved_slices_are_restored() {
        for width in [None, Some(Width::Narrow), Some(Width::Wide)] {
            let mut slice = empty(width);
            set(&mut slice.win, 3, 70);
            set(&mut slice.loss, 19, 0);
            if width.is_some() {
                set_grade(&mut slice, 3, 70, Code(8));
                set_grade(&mut slice, 19, 0, Code(31));
                set_grade(&mut slice, 5, 5, Code(100));
            }
            let found = restored(&slice, width).unwrap();
            assert_eq!(found.win.rows(ROWS), slice.win.rows(ROWS));
            assert_eq!(found.loss.rows(ROWS), slice.loss.rows(ROWS));
            let codes =
                |slice: &WorkingSlice| [(3, 70), (19, 0), (5, 5)].map(|(r, c)| slice.code(r, c));
            assert_eq!(codes(&found), codes(&slice));
            // Captures that wait for their round are not decided.
            assert_eq!(found.longest_decided(), width.map(|_| 30));
            assert_eq!(empty(width).longest_decided(), None);
        }
    }

    #[test]
    fn inconsistent_values_are_refused() {
        type Edit = fn(&mut WorkingSlice);
        let both: Edit = |slice| {
            set(&mut slice.win, 4, 65);
            set(&mut slice.loss, 4, 65);
        };
        let edits: [Edit; 5] = [
            |slice| set(&mut slice.win, 4, 65),
            |slice| set(&mut slice.loss, 4, 65),
            |slice| {
                set(&mut slice.win, 4, 65);
                set_grade(slice, 4, 65, Code(3));
            },
            |slice| {
                set(&mut slice.loss, 4, 65);
                set_grade(slice, 4, 65, Code(4));
            },
            |slice| {
                set(&mut slice.loss, 4, 65);
                set_grade(slice, 4, 65, Code::DRAW);
            },
        ];
        for width in [None, Some(Width::Narrow), Some(Width::Wide)] {
            for edit in edits.iter().filter(|_| width.is_some()).chain([&both]) {
                let mut slice = empty(width);
                edit(&mut slice);
                let error = restored(&slice, width).err().expect("it is refused");
                assert!(error.to_string().contains("contradict"), "{error}");
            }
        }
    }
}
