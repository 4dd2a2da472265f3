//! Grades: value and distance as one number per position.
//!
//! Grades are ordered by preference, so that the best of several turns has the largest grade. 0 is
//! no value. Then follow losses from the soonest to the latest, the draw, and wins from the latest
//! to the soonest.
//!
//! Grades of one byte are enough for most slices. Longer distances need two bytes, which can hold
//! every distance that a table can.

use std::ops::Range;

use fanorona_core::SymmetryGroup;
use rayon::prelude::*;

use super::matrix::Cells;
use crate::builder::checkpoint::Item;
use crate::builder::context;
use crate::value::Code;

/// A value with its distance.
pub(in crate::builder) trait Grade:
    Copy + Ord + Send + Sync + Item + 'static
{
    /// No value yet. For the best capture of a position: no capture.
    const NONE: Self;

    /// A draw.
    const DRAW: Self;

    /// A win in 1 turn.
    const WIN_IN_1: Self;

    /// The longest distance that can be made longer by one turn and still has a grade.
    const MAX_DISTANCE: u16;

    /// The grade of a code; `None` if it does not fit. All distances up to
    /// [`MAX_DISTANCE`](Self::MAX_DISTANCE) fit.
    fn of_code(code: Code) -> Option<Self>;

    /// The code of a grade.
    fn to_code(self) -> Code;

    /// The grade of a turn for the side that makes it, from the grade of the position after it. The
    /// latter must have a distance of at most [`MAX_DISTANCE`](Self::MAX_DISTANCE).
    fn before_turn(self) -> Self;

    /// Converts a grade of one byte.
    fn of_narrow(grade: u8) -> Self;

    /// Converts a grade of two bytes, which must fit.
    fn of_wide(grade: u16) -> Self;

    /// A hash of 8 bits, for [`GradeFilter`].
    fn hash(self) -> u8;
}

impl Grade for u8 {
    const NONE: Self = 0;
    const DRAW: Self = 126;
    const WIN_IN_1: Self = 254;
    const MAX_DISTANCE: u16 = 248;

    #[inline]
    fn of_code(code: Code) -> Option<Self> {
        match code.0 {
            0 => Some(Self::DRAW),
            odd @ ..=249 if odd % 2 == 1 => Some((odd / 2 + 1) as Self),
            even @ ..=256 if even % 2 == 0 => Some((255 - even / 2) as Self),
            _ => None,
        }
    }

    #[inline]
    fn to_code(self) -> Code {
        let grade = u16::from(self);
        match self {
            Self::NONE => Code::NONE,
            Self::DRAW => Code::DRAW,
            1..Self::DRAW => Code(2 * grade - 1),
            _ => Code(2 * (255 - grade)),
        }
    }

    #[inline]
    fn before_turn(self) -> Self {
        match self {
            Self::DRAW => Self::DRAW,
            ..Self::DRAW => 255 - self,
            _ => (256 - u16::from(self)) as Self,
        }
    }

    #[inline]
    fn of_narrow(grade: u8) -> Self {
        grade
    }

    fn of_wide(grade: u16) -> Self {
        match grade {
            <u16 as Grade>::NONE => Self::NONE,
            _ => Self::of_code(grade.to_code()).expect("what is narrowed fits"),
        }
    }

    #[inline]
    fn hash(self) -> u8 {
        self
    }
}

impl Grade for u16 {
    const NONE: Self = 0;
    const DRAW: Self = 1 << 15;
    const WIN_IN_1: Self = u16::MAX;
    const MAX_DISTANCE: u16 = context::MAX_DISTANCE;

    #[inline]
    fn of_code(code: Code) -> Option<Self> {
        match code {
            Code::NONE => None,
            Code::DRAW => Some(Self::DRAW),
            Code(odd) if odd % 2 == 1 => Some(odd / 2 + 1),
            Code(even) => Some((even / 2).wrapping_neg()),
        }
    }

    #[inline]
    fn to_code(self) -> Code {
        match self {
            Self::NONE => Code::NONE,
            Self::DRAW => Code::DRAW,
            1..Self::DRAW => Code(2 * self - 1),
            _ => Code(2 * self.wrapping_neg()),
        }
    }

    #[inline]
    fn before_turn(self) -> Self {
        match self {
            Self::DRAW => Self::DRAW,
            ..Self::DRAW => self.wrapping_neg(),
            _ => self.wrapping_neg() + 1,
        }
    }

    #[inline]
    fn of_narrow(grade: u8) -> Self {
        match grade {
            <u8 as Grade>::NONE => Self::NONE,
            _ => Self::of_code(grade.to_code()).expect("every value has a wide grade"),
        }
    }

    #[inline]
    fn of_wide(grade: u16) -> Self {
        grade
    }

    #[inline]
    fn hash(self) -> u8 {
        self as u8
    }
}

/// A matrix of grades, with the same rows and columns as a [`BitMatrix`](super::matrix::BitMatrix).
#[derive(Debug)]
pub(super) struct Grades<G> {
    columns: usize,
    data: Vec<G>,
}

impl<G: Grade> Grades<G> {
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        Self { columns, data: vec![G::NONE; rows * columns] }
    }

    /// The number of rows.
    pub(super) fn num_rows(&self) -> usize {
        self.data.len() / self.columns
    }

    /// The number of columns.
    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    /// The number of grades.
    pub(super) fn len(&self) -> u64 {
        self.data.len() as u64
    }

    pub(super) fn row(&self, row: usize) -> &[G] {
        &self.data[row * self.columns..][..self.columns]
    }

    /// The first `count` rows, contiguous.
    pub(super) fn rows(&self, count: usize) -> &[G] {
        &self.data[..count * self.columns]
    }

    /// Some rows, contiguous.
    pub(super) fn rows_mut(&mut self, rows: Range<usize>) -> &mut [G] {
        &mut self.data[rows.start * self.columns..rows.end * self.columns]
    }

    /// Groups of `rows` rows, in parallel.
    pub(super) fn par_groups_mut(&mut self, rows: usize) -> rayon::slice::ChunksMut<'_, G> {
        self.data.par_chunks_mut(rows * self.columns)
    }

    /// Groups of `rows` rows, sequentially.
    pub(super) fn groups_mut(&mut self, rows: usize) -> impl Iterator<Item = &mut [G]> {
        self.data.chunks_mut(rows * self.columns)
    }

    /// The transposed matrix: cell `j` of row `i` becomes cell `i` of row `j`.
    pub(super) fn transposed(&self, group: &SymmetryGroup, cells: &Cells) -> Self {
        let (rows, order) = (self.num_rows(), group.order());
        let mut to = Self::new(self.columns / order, rows * order);
        // The rows of the new matrix that share a cache line of the old one.
        const BAND: usize = 16;
        let columns = to.columns;
        to.par_groups_mut(BAND).enumerate().for_each(|(band, target)| {
            for i in 0..rows {
                let from = self.row(i);
                for (j, row) in target.chunks_mut(columns).enumerate() {
                    let cell = &from[(band * BAND + j) * order..][..order];
                    for (k, grade) in cell.iter().enumerate() {
                        row[i * order + cells.inverse(k)] = *grade;
                    }
                }
            }
        });
        to
    }

    /// The same values with grades of another width.
    pub(super) fn converted<T: Grade>(&self, convert: impl Fn(G) -> T + Sync) -> Grades<T> {
        let data = self.data.par_iter().map(|grade| convert(*grade)).collect();
        Grades { columns: self.columns, data }
    }
}

/// The set of grades in a row, as a Bloom filter with one hash. Rounds skip rows that do not have
/// their grade. There are false positives, but no false negatives.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::builder) struct GradeFilter([u64; 4]);

impl GradeFilter {
    pub(in crate::builder) fn of<G: Grade>(row: &[G]) -> Self {
        let mut found = [0u64; 4];
        for hash in row.iter().map(|grade| grade.hash()) {
            found[usize::from(hash >> 6)] |= 1 << (hash & 63);
        }
        Self(found)
    }

    pub(in crate::builder) fn may_have<G: Grade>(&self, grade: G) -> bool {
        let hash = grade.hash();
        self.0[usize::from(hash >> 6)] >> (hash & 63) & 1 != 0
    }
}

/// The longest distance of some grades; 0 if none has a distance.
pub(in crate::builder) fn longest<G: Grade>(grades: impl IntoIterator<Item = G>) -> u16 {
    let (mut latest_loss, mut latest_win) = (None, None);
    for grade in grades {
        if grade < G::DRAW && grade != G::NONE {
            latest_loss = latest_loss.max(Some(grade));
        } else if grade > G::DRAW && latest_win.is_none_or(|win| grade < win) {
            latest_win = Some(grade);
        }
    }
    let distance = |grade: G| grade.to_code().distance().expect("it is decided");
    latest_loss.map_or(0, distance).max(latest_win.map_or(0, distance))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Metric;

    fn assert_consistent<G: Grade + std::fmt::Debug>(codes: u16) {
        let mut known = vec![(G::NONE, Code::NONE)];
        for code in (0..codes).map(Code) {
            let grade = G::of_code(code).expect("it fits");
            assert_eq!(grade.to_code(), code);
            for (other, other_code) in known.iter().skip(1).rev().take(5) {
                let order = code.preference().cmp(&other_code.preference());
                assert_eq!(grade.cmp(other), order, "{code:?} {other_code:?}");
            }
            assert!(grade > G::NONE && (grade <= G::WIN_IN_1));
            known.push((grade, code));
            if code.distance().is_none_or(|distance| distance <= G::MAX_DISTANCE) {
                assert_eq!(grade.before_turn().to_code(), code.before_turn(Metric::Dtw));
            }
        }
        assert_eq!(G::of_code(Code(codes)), None);
        assert_eq!(G::WIN_IN_1.to_code(), Code::WIN);
        assert_eq!(G::DRAW.to_code(), Code::DRAW);
        assert_eq!(G::NONE.to_code(), Code::NONE);
    }

    #[test]
    fn grades_are_ordered_by_preference() {
        assert_consistent::<u8>(251);
        assert_consistent::<u16>(u16::MAX);
        assert_eq!(
            (u16::of_code(Code(65_533)), u16::of_code(Code(65_534))),
            (Some(32_767), Some(32_769))
        );
        assert_eq!(32_767_u16.before_turn(), 32_769);
        // Some longer wins fit in one byte too.
        assert_eq!(u8::of_code(Code(256)).map(u8::to_code), Some(Code(256)));
        assert_eq!(u8::of_code(Code(251)), None);
        assert_eq!(u8::of_code(Code(258)), None);
    }

    #[test]
    fn conversion_keeps_values() {
        for code in (0..251).map(Code).chain([Code::NONE]) {
            let narrow = u8::of_code(code).unwrap_or(<u8 as Grade>::NONE);
            let wide = u16::of_code(code).unwrap_or(<u16 as Grade>::NONE);
            assert_eq!((narrow.to_code(), wide.to_code()), (code, code));
            assert_eq!((u16::of_narrow(narrow), u8::of_wide(wide)), (wide, narrow));
            assert_eq!((u8::of_narrow(narrow), u16::of_wide(wide)), (narrow, wide));
        }
    }

    #[test]
    fn the_longest_distance_is_that_of_the_latest_win_or_loss() {
        let grades = |codes: &[u16]| {
            let grades: Vec<_> =
                codes.iter().map(|code| u8::of_code(Code(*code)).unwrap()).collect();
            longest(grades)
        };
        assert_eq!(longest([<u8 as Grade>::NONE; 2]), 0);
        assert_eq!(grades(&[]), 0);
        assert_eq!(grades(&[0]), 0);
        assert_eq!(grades(&[1]), 0);
        assert_eq!(grades(&[1, 2]), 1);
        assert_eq!(grades(&[0, 7, 1, 5, 2, 6]), 6);
        assert_eq!(grades(&[0, 1, 5, 2, 8, 6]), 7);
    }

    #[test]
    fn filters_have_no_false_negatives() {
        let row = [3_u16, 300, 40_000];
        let filter = GradeFilter::of(&row);
        assert!(row.iter().all(|grade| filter.may_have(*grade)));
        assert!(!filter.may_have(5_u16));
        assert!(!GradeFilter::default().may_have(0_u8));
    }
}
