//! The values of the same positions under two rule sets.

use std::sync::atomic::AtomicBool;

use fanorona_core::{Position, Side, Value};
use serde::{Serialize, Serializer};

use crate::error::Result;
use crate::probe::{Listing, Tables};
use crate::selection::Selection;
use crate::slice::Slice;
use crate::value::TableValue;
use crate::watch::{PART, Watch, WorkProgress};

/// How often each pair of values comes up in a slice, under one rule set and under another.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueMatrix {
    /// The slice, without a role.
    pub slice: Slice,
    /// The side to move.
    pub to_move: Side,
    /// By the value under the one and under the other.
    cells: [[MatrixCell; 3]; 3],
}

/// The positions of a slice with one value under one rule set, and one under another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MatrixCell {
    /// Their number, over all placements.
    pub positions: u64,
    /// Their number up to symmetry.
    pub canonical: u64,
    /// One of those that are decided soonest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<MatrixExample>,
}

/// A position with its values under two rule sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct MatrixExample {
    /// The position.
    pub position: Position,
    /// Its values.
    #[serde(rename = "dtw", serialize_with = "distances")]
    pub values: [TableValue; 2],
}

fn distances<S: Serializer>(values: &[TableValue; 2], to: S) -> Result<S::Ok, S::Error> {
    values.map(|value| value.dtw).serialize(to)
}

impl ValueMatrix {
    /// The positions with these values.
    pub fn cell(&self, [one, other]: [Value; 2]) -> &MatrixCell {
        &self.cells[one as usize][other as usize]
    }

    /// The number of all positions.
    pub fn positions(&self) -> u64 {
        self.cells.as_flattened().iter().map(|cell| cell.positions).sum()
    }
}

/// Compares the values of the selected slices in two rule sets of the same board: a matrix for each, the
/// slices with fewer stones first.
///
/// # Errors
/// - [`TableError::OtherBoard`](crate::TableError::OtherBoard) if the boards differ.
/// - [`TableError::Missing`](crate::TableError::Missing) if a table of either rule set is missing;
///   where the selection is all tables, slices are compared that have tables of both.
/// - [`TableError::Stopped`](crate::TableError::Stopped) soon after `stop` is set.
/// - Others if a table is damaged or cannot be read.
pub fn value_matrices(
    one: &Tables,
    other: &Tables,
    selection: &Selection,
    stop: &AtomicBool,
    progress: &WorkProgress,
) -> Result<Vec<ValueMatrix>> {
    if one.board() != other.board() {
        let (expected, found) = (one.board(), other.board());
        return Err(crate::TableError::OtherBoard { expected, found });
    }
    let (pairs, watch) = (pairs(one, other, selection)?, Watch { stop, progress });
    progress.set_total(pairs.iter().map(|[one, _]| one.entries()).fold(0, u64::saturating_add));
    pairs.into_iter().map(|[one, other]| compare(one, other, watch)).collect()
}

/// The listings of the same positions. The positions for Black to move are in tables of their own if
/// they are so in either rule set.
fn pairs<'t>(
    one: &'t Tables,
    other: &'t Tables,
    selection: &Selection,
) -> Result<Vec<[Listing<'t>; 2]>> {
    let mut slices: Vec<Slice> = Vec::new();
    for listing in one.listings(selection)?.iter().chain(&other.listings(selection)?) {
        if !slices.contains(&listing.slice().counts()) {
            slices.push(listing.slice().counts());
        }
    }
    slices.sort_by_key(|slice| slice.stones());
    let mut pairs = Vec::new();
    for slice in slices {
        let sides = one.sides_of(slice).count().max(other.sides_of(slice).count());
        for side in [Side::White, Side::Black].into_iter().take(sides) {
            if let (Some(one), Some(other)) =
                (one.listing(slice, side)?, other.listing(slice, side)?)
            {
                pairs.push([one, other]);
            }
        }
    }
    Ok(pairs)
}

fn compare(one: Listing<'_>, other: Listing<'_>, watch: Watch<'_>) -> Result<ValueMatrix> {
    let mut cells = [[MatrixCell::default(); 3]; 3];
    for first in (0..one.entries()).step_by(PART as usize) {
        watch.done(PART)?;
        // Entries have the same order in all tables of a slice.
        for (one, other) in
            one.positions(first, PART)?.into_iter().zip(other.positions(first, PART)?)
        {
            let values = [one.value, other.value];
            let cell = &mut cells[one.value.value as usize][other.value.value as usize];
            cell.positions += u64::from(one.weight);
            cell.canonical += 1;
            if cell.example.is_none_or(|known| soonest(values) < soonest(known.values)) {
                cell.example = Some(MatrixExample { position: one.position, values });
            }
        }
    }
    Ok(ValueMatrix { slice: one.slice().counts(), to_move: one.to_move(), cells })
}

/// The turns until the game is decided under either rule set, the longer way if it is under both.
fn soonest(values: [TableValue; 2]) -> u16 {
    values.iter().filter_map(|value| value.dtw).max().unwrap_or(u16::MAX)
}
