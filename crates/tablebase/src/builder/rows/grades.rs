//! Distances, a byte a position.
//!
//! A *grade* is a value with its distance, ordered by preference, so that the best of several turns
//! is the largest of their grades.

use std::ops::Range;

use fanorona_core::SymmetryGroup;
use rayon::prelude::*;

use super::matrix::Cells;
use crate::value::Code;

/// A value with its distance: 0 is none, then losses from the soonest to the latest, the draw, and
/// wins from the latest to the soonest.
pub(super) type Grade = u8;

/// No value yet; for what captures are worth, no capture.
pub(super) const NONE: Grade = 0;

/// A draw.
pub(super) const DRAW: Grade = 126;

/// The longest distance that has a grade, for a position one turn before it to have one too.
pub(in crate::builder) const LONGEST: u16 = 247;

/// A win by the next turn.
pub(super) const WIN_IN_1: Grade = 254;

/// The grade of a value; the distance is at most one more than [`LONGEST`].
pub(super) fn of_code(code: Code) -> Grade {
    match code.0 {
        0 => DRAW,
        odd if odd % 2 == 1 => (odd / 2 + 1) as Grade,
        even => (255 - even / 2) as Grade,
    }
}

/// The value of a grade.
pub(super) fn to_code(grade: Grade) -> Code {
    let grade_ = u16::from(grade);
    match grade {
        NONE => Code::NONE,
        DRAW => Code::DRAW,
        1..DRAW => Code(2 * grade_ - 1),
        _ => Code(2 * (255 - grade_)),
    }
}

/// The grade of a turn to its mover, from the grade of the position that it leads to.
#[inline]
pub(super) fn before_turn(grade: Grade) -> Grade {
    match grade {
        DRAW => DRAW,
        ..DRAW => 255 - grade,
        _ => (256 - u16::from(grade)) as Grade,
    }
}

/// A matrix of grades, with rows and columns as a [`BitMatrix`](super::matrix::BitMatrix) has them.
#[derive(Debug)]
pub(super) struct Grades {
    columns: usize,
    data: Vec<Grade>,
}

impl Grades {
    pub(super) fn new(rows: usize, columns: usize) -> Self {
        Self { columns, data: vec![NONE; rows * columns] }
    }

    pub(super) fn num_rows(&self) -> usize {
        self.data.len() / self.columns
    }

    pub(super) fn row(&self, row: usize) -> &[Grade] {
        &self.data[row * self.columns..][..self.columns]
    }

    /// The first so many rows, one behind the other.
    pub(super) fn rows(&self, rows: usize) -> &[Grade] {
        &self.data[..rows * self.columns]
    }

    /// Some rows, one behind the other.
    pub(super) fn rows_mut(&mut self, rows: Range<usize>) -> &mut [Grade] {
        &mut self.data[rows.start * self.columns..rows.end * self.columns]
    }

    /// Groups of so many rows, one after the other.
    pub(super) fn par_groups_mut(&mut self, rows: usize) -> rayon::slice::ChunksMut<'_, Grade> {
        self.data.par_chunks_mut(rows * self.columns)
    }

    /// The same, where every other thread works on a group of another matrix.
    pub(super) fn groups_mut(&mut self, rows: usize) -> impl Iterator<Item = &mut [Grade]> {
        self.data.chunks_mut(rows * self.columns)
    }

    /// The matrix by the other side's sets: cell `j` of row `i` becomes cell `i` of row `j`.
    pub(super) fn transposed(&self, rows: usize, group: &SymmetryGroup, cells: &Cells) -> Self {
        let order = group.order();
        let mut to = Self::new(self.columns / order, rows * order);
        // Rows of the new matrix that share a cache line of the old one.
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
}

/// Which grades a row has, so that a round need not look for those that it has not.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Seen([u64; 4]);

impl Seen {
    pub(super) fn of(row: &[Grade]) -> Self {
        let mut seen = [0u64; 4];
        for grade in row {
            seen[usize::from(*grade >> 6)] |= 1 << (grade & 63);
        }
        Self(seen)
    }

    pub(super) fn has(&self, grade: Grade) -> bool {
        self.0[usize::from(grade >> 6)] >> (grade & 63) & 1 != 0
    }
}
