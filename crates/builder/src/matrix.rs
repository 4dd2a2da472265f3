//! Matrices of bits or grades, in memory or in mapped files.

use std::ops::Range;
use std::path::Path;

use fanorona_storage::{ScratchFile, ScratchMap};
use rayon::prelude::*;
use rayon::slice::ChunksMut;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use fanorona_tablebase::Result;

use crate::bits::has;

/// A member of a matrix: a grade, or a word of bits.
pub(super) trait Item:
    FromBytes + IntoBytes + Immutable + Copy + Default + Send + Sync
{
}

impl<T: FromBytes + IntoBytes + Immutable + Copy + Default + Send + Sync> Item for T {}

pub(super) struct Matrix<T> {
    /// The length of a row.
    width: usize,
    data: Data<T>,
}

enum Data<T> {
    Memory(Vec<T>),
    Mapped(ScratchMap),
}

impl<T: Item> Matrix<T> {
    /// Zeros. Pages that are never written take no memory.
    pub(super) fn new(rows: usize, width: usize) -> Self {
        Self::of(width, vec![T::default(); rows * width])
    }

    /// The matrix with some data, row by row.
    pub(super) fn of(width: usize, data: Vec<T>) -> Self {
        Self { width, data: Data::Memory(data) }
    }

    /// Moves it to a file, if a directory is given.
    pub(super) fn moved_to(self, dir: Option<&Path>) -> Result<Self> {
        let data = match dir {
            Some(dir) if !self.all().is_empty() => {
                let file = ScratchFile::create(dir)?;
                file.write(0, self.all().as_bytes())?;
                Data::Mapped(file.map()?)
            }
            _ => self.data,
        };
        Ok(Self { width: self.width, data })
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// All rows, one after the other.
    #[inline]
    pub(super) fn all(&self) -> &[T] {
        match &self.data {
            Data::Memory(data) => data,
            Data::Mapped(map) => <[T]>::ref_from_bytes(map).expect("whole numbers were written"),
        }
    }

    pub(super) fn all_mut(&mut self) -> &mut [T] {
        match &mut self.data {
            Data::Memory(data) => data,
            Data::Mapped(_) => unreachable!("what is in a file is only read"),
        }
    }

    pub(super) fn into_data(self) -> Vec<T> {
        match self.data {
            Data::Memory(data) => data,
            Data::Mapped(_) => unreachable!("what is in a file is only read"),
        }
    }

    #[inline]
    pub(super) fn row(&self, row: usize) -> &[T] {
        &self.all()[row * self.width..][..self.width]
    }

    pub(super) fn rows_mut(&mut self, rows: Range<usize>) -> &mut [T] {
        let Range { start, end } = rows;
        let width = self.width;
        &mut self.all_mut()[start * width..end * width]
    }

    pub(super) fn par_groups_mut(&mut self, rows: usize) -> ChunksMut<'_, T> {
        let width = self.width;
        self.all_mut().par_chunks_mut(rows * width)
    }

    pub(super) fn is_in_memory(&self) -> bool {
        matches!(self.data, Data::Memory(_))
    }
}

impl Matrix<u64> {
    #[inline]
    pub(super) fn bit(&self, row: usize, column: usize) -> bool {
        has(self.row(row), column)
    }
}
