//! Solved slices, in memory or in mapped files.

use std::path::Path;

use fanorona_storage::{ScratchFile, ScratchMap};
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::error::Result;

/// Rows of a solved slice.
pub(super) struct SolvedRows<T> {
    /// The length of a row.
    row: usize,
    data: Data<T>,
}

enum Data<T> {
    Memory(Vec<T>),
    Mapped(ScratchMap),
}

impl<T: FromBytes + IntoBytes + Immutable> SolvedRows<T> {
    /// Wraps rows of a length. If `work` is a directory, they go to a file there.
    pub(super) fn new(row: usize, data: Vec<T>, work: Option<&Path>) -> Result<Self> {
        let data = match work {
            Some(work) if !data.is_empty() => {
                let file = ScratchFile::create(work)?;
                file.write(0, data.as_bytes())?;
                Data::Mapped(file.map()?)
            }
            _ => Data::Memory(data),
        };
        Ok(Self { row, data })
    }

    /// All rows, one after the other.
    #[inline]
    pub(super) fn all(&self) -> &[T] {
        match &self.data {
            Data::Memory(data) => data,
            Data::Mapped(map) => <[T]>::ref_from_bytes(map).expect("whole numbers were written"),
        }
    }

    #[inline]
    pub(super) fn row(&self, row: usize) -> &[T] {
        &self.all()[row * self.row..][..self.row]
    }

    fn in_memory(&self) -> u64 {
        match &self.data {
            Data::Memory(data) => size_of_val(&data[..]) as u64,
            Data::Mapped(_) => 0,
        }
    }
}

impl SolvedRows<u64> {
    #[inline]
    pub(super) fn bit(&self, row: usize, column: usize) -> bool {
        self.row(row)[column / 64] >> (column % 64) & 1 != 0
    }
}

/// The grades of a solved slice.
pub(super) enum SolvedGrades {
    Narrow(SolvedRows<u8>),
    Wide(SolvedRows<u16>),
}

impl SolvedGrades {
    /// The bytes in memory beyond one per position.
    pub(super) fn more_than_planned(&self) -> u64 {
        match self {
            Self::Narrow(_) => 0,
            Self::Wide(grades) => grades.in_memory() / 2,
        }
    }
}
