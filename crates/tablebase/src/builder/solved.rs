//! Solved slices, in memory or in mapped files.

use std::collections::HashMap;
use std::path::Path;

use fanorona_storage::{ScratchFile, ScratchMap};
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::grade_rows::{GradeRows, OfWidth, with_grades};
use super::grades::Width;
use crate::error::Result;
use crate::slice::Slice;

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
pub(super) type SolvedGrades = OfWidth<SolvedRows<u8>, SolvedRows<u16>>;

/// A solved slice. Its builder says what a row and a column are, and how rows without distances are
/// kept.
pub(super) enum SolvedSlice<V = SolvedRows<u64>> {
    /// Without distances: won and lost positions.
    Values { win: V, loss: V },
    /// Values with distances, and the longest one.
    Distances { grades: SolvedGrades, longest: u16 },
}

/// The solved slices that a builder keeps.
pub(super) type SolvedSlices<V = SolvedRows<u64>> = HashMap<Slice, SolvedSlice<V>>;

impl<V> SolvedSlice<V> {
    /// Takes over grades with a longest distance. If `work` is a directory, they go to a file there.
    pub(super) fn of_grades(grades: GradeRows, longest: u16, work: Option<&Path>) -> Result<Self> {
        let grades = with_grades!(map grades, grades => {
            let (row, grades) = grades.into_parts();
            SolvedRows::new(row, grades, work)?
        });
        Ok(Self::Distances { grades, longest })
    }

    /// The wins and losses of a slice without distances.
    pub(super) fn values(&self) -> (&V, &V) {
        match self {
            Self::Values { win, loss } => (win, loss),
            Self::Distances { .. } => unreachable!("the build has no distances"),
        }
    }

    /// The grades of a slice with distances.
    pub(super) fn grades(&self) -> &SolvedGrades {
        match self {
            Self::Distances { grades, .. } => grades,
            Self::Values { .. } => unreachable!("the build has distances"),
        }
    }

    /// The longest distance; 0 without distances.
    fn longest(&self) -> u16 {
        match self {
            Self::Values { .. } => 0,
            Self::Distances { longest, .. } => *longest,
        }
    }

    /// The bytes of grades in memory beyond one per position.
    pub(super) fn more_than_planned(&self) -> u64 {
        match self {
            Self::Distances { grades: OfWidth::Wide(grades), .. } => grades.in_memory() / 2,
            _ => 0,
        }
    }
}

/// The width of the grades of a slice: that for the values after its captures, and for distances up
/// to `known`.
pub(super) fn width_after<V>(
    solved: &SolvedSlices<V>,
    after: impl IntoIterator<Item = Slice>,
    known: u16,
) -> Width {
    let after = after.into_iter().filter_map(|after| solved.get(&after));
    Width::for_distance(after.map(SolvedSlice::longest).fold(known, u16::max))
}
