//! Slices in memory: the one at work, by the mover's sets, and those that are solved, by the
//! opponent's.

use std::io::{self, Read, Write};

use fanorona_core::SymmetryGroup;
use rayon::prelude::*;

use super::grades::{Grade, GradeFilter, Grades, longest};
use super::matrix::{BitMatrix, Cells};
use crate::builder::checkpoint::{damaged, read_items, write_items};
use crate::value::Code;

/// A slice at work. A row of its matrices is an orbit of the mover's sets, a column a set of the
/// opponent's.
pub(super) struct WorkingSlice {
    /// What is won.
    pub win: BitMatrix,
    /// What is lost.
    pub loss: BitMatrix,
    /// Positions that paikas can decide.
    pub open: BitMatrix,
    /// Positions that paikas cannot lose: with a capture that is not known to lose, or with no turn
    /// where that is a draw.
    pub safe: BitMatrix,
    /// If distances are wanted.
    pub distances: Option<Distances>,
}

/// The distances of a slice at work, as narrow as they are known to fit.
pub(super) enum Distances {
    /// One byte for each position.
    Narrow(DistanceRows<u8>),
    /// Two bytes.
    Wide(DistanceRows<u16>),
}

/// The distances of a slice at work.
pub(super) struct DistanceRows<G> {
    /// What captures are worth until a position is decided, and then its value.
    pub grades: Grades<G>,
    /// Which capture values each row has. Empty until captures have decided all rows.
    pub filters: Vec<GradeFilter>,
}

/// The width of grades.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Width {
    Narrow,
    Wide,
}

impl Width {
    /// The width for values up to a distance that captures can lead to.
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
    /// Nothing is decided. Without a width there are no distances.
    pub(super) fn new(
        rows: usize,
        columns: usize,
        group: &SymmetryGroup,
        width: Option<Width>,
    ) -> Self {
        let matrix = || BitMatrix::new(rows, columns, group);
        let distances = width.map(|width| match width {
            Width::Narrow => Distances::Narrow(DistanceRows::new(rows, columns)),
            Width::Wide => Distances::Wide(DistanceRows::new(rows, columns)),
        });
        Self { win: matrix(), loss: matrix(), open: matrix(), safe: matrix(), distances }
    }

    /// The value of a position of a slice that is solved.
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

    /// The bytes that its distances take more than narrow ones would.
    pub(super) fn extra_bytes(&self) -> u64 {
        match &self.distances {
            Some(Distances::Wide(rows)) => rows.grades.len(),
            _ => 0,
        }
    }

    /// Writes the first rows for a checkpoint.
    pub(super) fn write(&self, rows: usize, out: &mut dyn Write) -> io::Result<()> {
        for matrix in [&self.win, &self.loss, &self.open, &self.safe] {
            write_items(out, matrix.rows(rows))?;
        }
        match &self.distances {
            None => Ok(()),
            Some(Distances::Narrow(distances)) => write_items(out, distances.grades.rows(rows)),
            Some(Distances::Wide(distances)) => write_items(out, distances.grades.rows(rows)),
        }
    }

    /// Reads the first rows of a checkpoint, and checks that they do not contradict themselves.
    pub(super) fn read(&mut self, rows: usize, input: &mut dyn Read) -> io::Result<()> {
        for matrix in [&mut self.win, &mut self.loss, &mut self.open, &mut self.safe] {
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

    /// Whether nothing is both won and lost.
    fn is_consistent(&self, rows: usize) -> bool {
        let both = self.win.rows(rows).par_iter().zip(self.loss.rows(rows));
        both.all(|(win, loss)| win & loss == 0)
    }

    /// Whether what is won or lost has a grade that says so too, and all grades are values.
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

    /// The longest distance of the positions that are won or lost so far; `None` if none is.
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

    /// Gives what is neither won nor lost the value of a draw.
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

    /// Finds the filters when captures have decided all rows. Returns the longest distance of a
    /// capture.
    fn find_filters(&mut self) -> u16 {
        let scan = |row| {
            let row = self.grades.row(row);
            (GradeFilter::of(row), longest(row.iter().copied()))
        };
        let found: Vec<_> = (0..self.grades.num_rows()).into_par_iter().map(scan).collect();
        self.filters = found.iter().map(|(filter, _)| *filter).collect();
        found.iter().map(|(_, longest)| *longest).max().unwrap_or(0)
    }

    /// The same distances as other grades. What is decided has its grade in the filters then, too.
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

    /// Finds which grades each row has. Returns the longest distance of any.
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

    /// The same distances with another width, which has to be wide enough.
    pub(super) fn with_width(self, width: Width) -> Self {
        match (self, width) {
            (Self::Narrow(rows), Width::Wide) => Self::Wide(rows.converted(u16::of_narrow)),
            (Self::Wide(rows), Width::Narrow) => Self::Narrow(rows.converted(u8::of_wide)),
            (same, _) => same,
        }
    }

    /// The grades by the opponent's sets.
    pub(super) fn transposed(&self, group: &SymmetryGroup, cells: &Cells) -> SolvedGrades {
        match self {
            Self::Narrow(rows) => SolvedGrades::Narrow(rows.grades.transposed(group, cells)),
            Self::Wide(rows) => SolvedGrades::Wide(rows.grades.transposed(group, cells)),
        }
    }
}

/// A slice that is solved, or the part of one at work that is transposed. A row of its matrices is
/// an orbit of the opponent's sets, a column a set of the mover's.
pub(super) struct SolvedSlice {
    /// What is won.
    pub win: BitMatrix,
    /// What is lost.
    pub loss: BitMatrix,
    /// If distances are wanted, all that is kept when the slice is solved.
    pub distances: Option<SolvedDistances>,
}

/// The distances of a slice that is solved.
pub(super) struct SolvedDistances {
    pub grades: SolvedGrades,
    /// The longest.
    pub longest: u16,
}

/// The grades of a slice that is solved.
pub(super) enum SolvedGrades {
    Narrow(Grades<u8>),
    Wide(Grades<u16>),
}

impl SolvedSlice {
    /// A slice at work of which nothing is transposed yet.
    pub(super) fn new(rows: usize, columns: usize, group: &SymmetryGroup) -> Self {
        let matrix = || BitMatrix::new(rows, columns, group);
        Self { win: matrix(), loss: matrix(), distances: None }
    }

    /// A solved slice with its distances alone.
    pub(super) fn of_distances(distances: SolvedDistances, group: &SymmetryGroup) -> Self {
        Self { distances: Some(distances), ..Self::new(0, 0, group) }
    }

    /// The bytes that its distances take more than narrow ones would.
    pub(super) fn extra_bytes(&self) -> u64 {
        match &self.distances {
            Some(SolvedDistances { grades: SolvedGrades::Wide(grades), .. }) => grades.len(),
            _ => 0,
        }
    }
}
