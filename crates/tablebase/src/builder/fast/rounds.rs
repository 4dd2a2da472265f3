//! Paikas, whole rows at a time, until nothing changes.
//!
//! A paika changes the mover's set and leaves the opponent's: it leads from a row to another, at
//! the same column, wherever the point of arrival is free. So a row's new wins are an OR over the
//! rows that its paikas lead to, and its new losses an AND. Only rows that paikas lead to and that
//! have changed since can make a difference.

use fanorona_core::{Board, Direction, Paikas, Point, PointSet, points};
use rayon::prelude::*;

use super::Space;
use super::columns::Columns;
use super::matrix::{BitMatrix, rows_per_word};
use crate::builder::check_stop;
use crate::error::Result;
use crate::value::Code;

/// Words of a row that are worked on together, so that they stay in the nearest cache.
const SEGMENT: usize = 1024;

/// The native matrices of a slice: rows by the mover's sets.
pub(super) struct Native {
    pub win: BitMatrix,
    pub loss: BitMatrix,
    pub open: BitMatrix,
    pub held: BitMatrix,
}

/// A paika of a row: where it leads, and where it is not possible.
struct Paika {
    row: usize,
    symmetry: usize,
    /// The arrival point.
    to: Point,
    /// Where capturing is optional, the points where a stone would make the step a capture.
    captures: [Option<Point>; 2],
}

/// Finds new wins or new losses of all rows, given the other slice's positions by the mover's
/// sets, and which of those rows have changed. Returns which groups of rows changed here.
pub(super) fn update(
    space: &Space<'_, '_>,
    native: &mut Native,
    found: Code,
    after: &BitMatrix,
    changed: &[bool],
) -> Result<Vec<bool>> {
    let group_rows = rows_per_word(space.sets.group());
    let rows = space.own.count();
    let Native { win, loss, open, held } = native;
    let (target, known) = if found == Code::WIN { (win, &*loss) } else { (loss, &*win) };
    let words = target.words();
    let columns = space.columns(space.slice.opponent);
    let update_row = |row: usize, target: &mut [u64], buffer: &mut Vec<u64>| {
        let (open, known, held) = (open.row(row), known.row(row), held.row(row));
        let left = |i: usize, target: u64| {
            let left = open[i] & !target & !known[i];
            if found == Code::WIN { left } else { left & !held[i] }
        };
        if target.iter().enumerate().all(|(i, bits)| left(i, *bits) == 0) {
            return false;
        }
        let paikas: Vec<Paika> = paikas(space, space.own.representative(row)).collect();
        if !paikas.is_empty() && !paikas.iter().any(|paika| changed[paika.row]) {
            return false;
        }
        let mut dirty = false;
        let mut bits = [0u64; SEGMENT];
        for begin in (0..words).step_by(SEGMENT) {
            let segment = begin..words.min(begin + SEGMENT);
            let bits = &mut bits[..segment.len()];
            bits.fill(if found == Code::WIN { 0 } else { u64::MAX });
            for paika in &paikas {
                if found == Code::WIN && !changed[paika.row] {
                    continue;
                }
                let row = &after.row(paika.row)[segment.clone()];
                let row = space.cells.see_through(paika.symmetry, row, buffer);
                combine(columns, paika, begin, row, bits, found);
            }
            for (i, bits) in segment.zip(bits) {
                let new = *bits & left(i, target[i]);
                target[i] |= new;
                dirty |= new != 0;
            }
        }
        dirty
    };
    target
        .par_groups_mut(group_rows)
        .enumerate()
        .map(|(group, target)| {
            check_stop(space.stop)?;
            let mut buffer = Vec::new();
            let mut dirty = false;
            for (row, target) in (group * group_rows..rows).zip(target.chunks_mut(words)) {
                dirty |= update_row(row, target, &mut buffer);
            }
            Ok(dirty)
        })
        .collect()
}

/// Takes a paika into account: where it is possible, `bits` gains the columns where it leads to a
/// loss of the opponent's, or keeps only those where it leads to a win.
fn combine(
    columns: &Columns<'_>,
    paika: &Paika,
    begin: usize,
    row: &[u64],
    bits: &mut [u64],
    found: Code,
) {
    let containing = |point: Point| &columns.containing(point)[begin..begin + row.len()];
    let mut union = [0u64; SEGMENT];
    let mut forbidden = containing(paika.to);
    if paika.captures != [None; 2] {
        let union = &mut union[..row.len()];
        union.copy_from_slice(forbidden);
        for captures in paika.captures.into_iter().flatten().map(containing) {
            for (union, captures) in union.iter_mut().zip(captures) {
                *union |= captures;
            }
        }
        forbidden = union;
    }
    let rows = row.iter().zip(forbidden);
    if found == Code::WIN {
        bits.iter_mut().zip(rows).for_each(|(bits, (row, forbidden))| *bits |= row & !forbidden);
    } else {
        bits.iter_mut().zip(rows).for_each(|(bits, (row, forbidden))| *bits &= row | forbidden);
    }
}

/// The steps of a row's stones to points without an own stone.
fn paikas<'a>(space: &'a Space<'_, '_>, own: PointSet) -> impl Iterator<Item = Paika> + 'a {
    let optional = space.rule.paikas == Paikas::NonCapturingStep;
    let board: Board = space.board;
    let order = space.sets.group().order();
    points(own).flat_map(move |from| {
        Direction::ALL.into_iter().filter_map(move |direction| {
            let to = points(board.shift(from.set(), direction) & !own).next()?;
            let code = space.own.code(own & !from.set() | to.set()) as usize;
            let point = |set: PointSet| points(set & !own).next().filter(|_| optional);
            let beyond = point(board.shift(to.set(), direction));
            let behind = point(board.shift(from.set(), direction.opposite()));
            Some(Paika {
                row: code / order,
                symmetry: code % order,
                to,
                captures: [beyond, behind],
            })
        })
    })
}
