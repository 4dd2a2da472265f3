//! The progress of builders that solve a unit in two steps: captures row by row, then rounds of
//! paikas.

use std::io;

use fanorona_tablebase::{Result, TableError, Unit};
use serde::{Deserialize, Serialize};

use super::extents::damaged;
use crate::progress::{Activity, Stage};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SliceSize {
    pub rows: usize,
    /// The number of entries of the index.
    pub entries: u64,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct UnitProgress {
    /// Those of the unit's slices.
    #[serde(skip)]
    sizes: Vec<SliceSize>,
    /// For each slice of the unit, the number of rows that captures have decided.
    pub rows: Vec<usize>,
    /// The number of complete rounds. They begin when all rows are decided. In a checkpoint without
    /// distances it is only used in messages.
    pub rounds: u32,
}

impl UnitProgress {
    /// No progress.
    pub(crate) fn new(sizes: Vec<SliceSize>) -> Self {
        Self { rows: vec![0; sizes.len()], sizes, rounds: 0 }
    }

    /// Whether a row is decided.
    pub(crate) fn has_begun(&self) -> bool {
        self.rows.iter().any(|rows| *rows > 0)
    }

    /// The progress that a checkpoint has of a unit with slices of the same sizes as those of `new`.
    pub(crate) fn restored(self, Self { sizes, .. }: &Self) -> io::Result<Self> {
        if self.rows.len() != sizes.len() {
            return Err(damaged("it has another number of slices than the unit"));
        }
        if self.rows.iter().zip(sizes).any(|(rows, size)| *rows > size.rows) {
            return Err(damaged("it has more rows than a slice"));
        }
        // Every round except the last decides a position.
        if u64::from(self.rounds) > sizes.iter().map(|size| size.entries).sum() {
            return Err(damaged("it has more rounds than the unit has positions"));
        }
        Ok(Self { sizes: sizes.clone(), ..self })
    }

    /// The progress with another number of rounds: the one that restored values show.
    pub(crate) fn with_rounds(self, rounds: u32) -> io::Result<Self> {
        let is_decided = self.sizes.iter().map(|size| size.rows).eq(self.rows.iter().copied());
        if rounds > 0 && !is_decided {
            return Err(damaged("it has rounds before captures are decided"));
        }
        Ok(Self { rounds, ..self })
    }

    /// The distance of the next round, if rounds are by distance.
    pub(crate) fn next_distance(&self, unit: Unit, limit: u16) -> Result<u16> {
        let distance = u16::try_from(self.rounds).ok().filter(|distance| *distance <= limit);
        distance.ok_or(TableError::TooFar { slice: unit.stronger(), limit })
    }

    /// The progress in terms of activities.
    pub(crate) fn stage(&self) -> Stage {
        if self.rounds > 0 {
            return Stage { activity: Activity::Round(self.rounds), share: 1.0 };
        }
        let share = |(rows, size): (&usize, &SliceSize)| {
            size.entries as f64 * *rows as f64 / size.rows as f64
        };
        let done: f64 = self.rows.iter().zip(&self.sizes).map(share).sum();
        let all: f64 = self.sizes.iter().map(|size| size.entries as f64).sum();
        Stage { activity: Activity::Captures, share: done / all }
    }
}

/// The rounds of a unit with distances: a round finds the positions with one distance.
pub(crate) struct DistanceRounds {
    /// The longest distance of a capture.
    latest_capture: u16,
    /// The number of rounds, up to the last one, that have found nothing.
    quiet: u32,
}

impl DistanceRounds {
    pub(crate) fn new(latest_capture: u16) -> Self {
        Self { latest_capture, quiet: 0 }
    }

    /// Whether the round of a distance was the last one. `any` says whether it has found something.
    pub(crate) fn is_last(&mut self, distance: u16, any: bool) -> bool {
        self.quiet = if any { 0 } else { self.quiet + 1 };
        // A round can only find positions because of the round before it, or because of captures
        // with its distance.
        self.quiet >= 2 && distance >= self.latest_capture
    }
}
