//! Matrices of grades.

use std::ops::Range;
use std::path::Path;

use fanorona_core::SymmetryGroup;
use rayon::prelude::*;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::builder::grades::Grade;
use crate::builder::rows::store::Cells;
use crate::builder::solved::SolvedRows;
use crate::error::Result;

/// A matrix of grades, with the rows and columns of a [`BitMatrix`](crate::builder::rows::store).
#[derive(Debug)]
pub(crate) struct Grades<G> {
    columns: usize,
    data: Vec<G>,
}

impl<G: Grade> Grades<G> {
    pub(crate) fn new(rows: usize, columns: usize) -> Self {
        Self { columns, data: vec![G::NONE; rows * columns] }
    }

    pub(crate) fn num_rows(&self) -> usize {
        self.data.len() / self.columns
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn row(&self, row: usize) -> &[G] {
        &self.data[row * self.columns..][..self.columns]
    }

    /// All grades, row by row.
    pub(crate) fn all(&self) -> &[G] {
        &self.data
    }

    pub(crate) fn all_mut(&mut self) -> &mut [G] {
        &mut self.data
    }

    /// The rows of a solved slice. If `scratch_dir` is a directory, they go to a file there.
    pub(crate) fn into_solved(self, scratch_dir: Option<&Path>) -> Result<SolvedRows<G>>
    where
        G: FromBytes + IntoBytes + Immutable,
    {
        SolvedRows::new(self.columns, self.data, scratch_dir)
    }

    /// Some rows, contiguous.
    pub(crate) fn rows_mut(&mut self, rows: Range<usize>) -> &mut [G] {
        &mut self.data[rows.start * self.columns..rows.end * self.columns]
    }

    /// Groups of `rows` rows, in parallel.
    pub(crate) fn par_groups_mut(&mut self, rows: usize) -> rayon::slice::ChunksMut<'_, G> {
        self.data.par_chunks_mut(rows * self.columns)
    }

    /// Writes the transposed matrix of some rows into the columns of `to` from `first` on: cell `j`
    /// of row `i` becomes cell `i` of row `j`.
    pub(crate) fn transpose(
        &self,
        group: &SymmetryGroup,
        cells: &Cells,
        to: &mut Self,
        first: usize,
    ) {
        let (rows, order) = (self.num_rows(), group.order());
        // The rows of the new matrix that share a cache line of the old one.
        const BAND: usize = 16;
        let columns = to.columns;
        to.par_groups_mut(BAND).enumerate().for_each(|(band, target)| {
            for i in 0..rows {
                let from = self.row(i);
                for (j, row) in target.chunks_mut(columns).enumerate() {
                    let cell = &from[(band * BAND + j) * order..][..order];
                    for (k, grade) in cell.iter().enumerate() {
                        row[first + i * order + cells.inverse(k)] = *grade;
                    }
                }
            }
        });
    }
}
