//! Paikas, whole rows at a time, until nothing changes.
//!
//! A paika changes the mover's set and leaves the opponent's: it leads from a row to another, at
//! the same column, wherever the point of arrival is free. So a row's new wins are an OR over the
//! rows that its paikas lead to, and its new losses an AND. Only rows that paikas lead to and that
//! have changed since can make a difference.

use fanorona_core::{Board, Direction, Paikas, Point, PointSet};
use rayon::prelude::*;

use super::Space;
use super::columns::Columns;
use super::grades::{Grade, Grades, Seen};
use super::matrix::{BitMatrix, rows_per_word};
use crate::orbits::Member;
use crate::value::Code;

/// Words of a row that are worked on together: few, so that most rounds find nothing to do in most
/// segments, and losses are soon ruled out in the others.
const SEGMENT: usize = 64;

/// The native matrices of a slice: rows by the mover's sets.
pub(super) struct Native {
    pub win: BitMatrix,
    pub loss: BitMatrix,
    pub open: BitMatrix,
    pub held: BitMatrix,
    pub distances: Option<Distances>,
}

/// The distances of a slice.
pub(super) struct Distances {
    /// What captures are worth until a position is decided, then its value.
    pub grades: Grades,
    /// Which capture values a row has.
    pub seen: Vec<Seen>,
}

/// What a pass over the rows looks for.
#[derive(Clone, Copy)]
pub(super) struct Search {
    /// Wins or losses.
    pub found: Code,
    /// The grade of what is found, if distances are wanted.
    pub grade: Option<Grade>,
}

/// A pass over the rows of a slice.
pub(super) struct Pass<'p> {
    pub search: Search,
    /// What paikas lead to: the other slice's losses if wins are looked for, or its wins, by the
    /// mover's sets.
    pub after: &'p BitMatrix,
    /// Which rows of that have changed since the last such pass.
    pub changed: &'p [bool],
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

/// Finds new wins or new losses of all rows. Returns which groups of rows changed.
///
/// A pass is not broken off: what was half done could not be kept.
pub(super) fn update(space: &Space<'_, '_>, native: &mut Native, pass: &Pass<'_>) -> Vec<bool> {
    let group_rows = rows_per_word(space.sets.group());
    let columns = space.columns(space.slice.opponent);
    let Native { win, loss, open, held, distances } = native;
    let won = pass.search.found == Code::WIN;
    let (target, known) = if won { (win, &*loss) } else { (loss, &*win) };
    let words = target.words();
    let entries_in_row = space.index().columns();
    let (open, groups) = (&*open, space.own.count().div_ceil(group_rows));
    let (mut grades, seen): (Vec<_>, &[Seen]) = match distances {
        None => ((0..groups).map(|_| None).collect(), &[]),
        Some(Distances { grades, seen }) => {
            (grades.groups_mut(group_rows).map(Some).collect(), seen)
        }
    };
    target
        .par_groups_mut(group_rows)
        .zip(held.par_groups_mut(group_rows))
        .zip(&mut grades)
        .enumerate()
        .map(|(group, ((target, held), grades))| {
            let mut grades = grades.as_mut().map(|grades| grades.chunks_mut(columns.count()));
            let rows = target.chunks_mut(words).zip(held.chunks_mut(words));
            let mut dirty = false;
            let mut buffers = Buffers::default();
            let first = group * group_rows;
            for (row, (target, held)) in (first..space.own.count()).zip(rows) {
                let grades = grades.as_mut().and_then(Iterator::next);
                let grade = pass.search.grade;
                let due = seen.get(row).zip(grade).is_some_and(|(seen, grade)| seen.has(grade));
                let (open, known) = (open.row(row), known.row(row));
                let row = Row { row, open, known, target, held, grades, due };
                dirty |= row.update(space, pass, &mut buffers);
            }
            let rows = (space.own.count() - first).min(group_rows);
            space.progress.advance(rows as u64 * entries_in_row);
            dirty
        })
        .collect()
}

/// One row of a slice's matrices.
struct Row<'r> {
    row: usize,
    open: &'r [u64],
    known: &'r [u64],
    target: &'r mut [u64],
    held: &'r mut [u64],
    grades: Option<&'r mut [Grade]>,
    /// Whether some capture is worth just what is looked for.
    due: bool,
}

#[derive(Default)]
struct Buffers {
    /// Positions whose captures decide them now.
    due: Vec<u64>,
    /// A row seen through a symmetry.
    seen: Vec<u64>,
}

impl Row<'_> {
    /// Adds what is found to the row; whether that is anything.
    fn update(self, space: &Space<'_, '_>, pass: &Pass<'_>, buffers: &mut Buffers) -> bool {
        let Self { row, open, known, target, held, mut grades, due } = self;
        let &Pass { search, after, changed } = pass;
        let won = search.found == Code::WIN;
        let words = target.len();
        let mut dirty = false;
        // Where captures are mandatory, or win, they decide when their time has come. Where they
        // lose and paikas may be played too, the position is held no longer.
        let mut released = false;
        if let (true, Some(grades), Some(grade)) = (due, &mut grades, search.grade) {
            bits_of(grades, grade, &mut buffers.due);
            for (i, due) in buffers.due.iter().enumerate() {
                let decided = if won { *due } else { due & !open[i] };
                let new = decided & !known[i] & !target[i];
                target[i] |= new;
                dirty |= new != 0;
                let no_longer = due & !decided & held[i];
                held[i] &= !no_longer;
                released |= no_longer != 0;
            }
        }
        let left = |i: usize, target: u64| {
            let left = open[i] & !target & !known[i];
            if won { left } else { left & !held[i] }
        };
        if target.iter().enumerate().all(|(i, bits)| left(i, *bits) == 0) {
            return dirty;
        }
        let paikas: Vec<Paika> = paikas(space, space.own.representative(row)).collect();
        if !released && !paikas.is_empty() && !paikas.iter().any(|paika| changed[paika.row]) {
            return dirty;
        }
        let columns = space.columns(space.slice.opponent);
        let (mut wanted, mut bits) = ([0; SEGMENT], [0; SEGMENT]);
        for begin in (0..words).step_by(SEGMENT) {
            let segment = begin..words.min(begin + SEGMENT);
            let wanted = &mut wanted[..segment.len()];
            let bits = &mut bits[..segment.len()];
            for (i, wanted) in segment.clone().zip(wanted.iter_mut()) {
                *wanted = left(i, target[i]);
            }
            if wanted.iter().all(|wanted| *wanted == 0) {
                continue;
            }
            if won {
                bits.fill(0);
            } else {
                bits.copy_from_slice(wanted);
            }
            for paika in &paikas {
                if won && !changed[paika.row] {
                    continue;
                }
                let row = &after.row(paika.row)[segment.clone()];
                let row = space.cells.see_through(paika.symmetry, row, &mut buffers.seen);
                let any = combine(columns, paika, begin, row, bits, search.found);
                if !won && !any {
                    break;
                }
            }
            for (i, (bits, wanted)) in segment.zip(bits.iter().zip(wanted.iter())) {
                let mut new = bits & wanted;
                target[i] |= new;
                dirty |= new != 0;
                if let (Some(grades), Some(grade)) = (&mut grades, search.grade) {
                    while new != 0 {
                        grades[64 * i + new.trailing_zeros() as usize] = grade;
                        new &= new - 1;
                    }
                }
            }
        }
        dirty
    }
}

/// Which grades of a row are the given one.
fn bits_of(grades: &[Grade], grade: Grade, bits: &mut Vec<u64>) {
    bits.clear();
    bits.extend(grades.chunks(64).map(|word| {
        (0..).zip(word).fold(0, |bits, (i, found)| bits | u64::from(*found == grade) << i)
    }));
}

/// Takes a paika into account: where it is possible, `bits` gains the columns where it leads to a
/// loss of the opponent's, or keeps only those where it leads to a win. Whether it has any.
fn combine(
    columns: &Columns<'_>,
    paika: &Paika,
    begin: usize,
    row: &[u64],
    bits: &mut [u64],
    found: Code,
) -> bool {
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
    bits.iter().fold(0, |any, bits| any | bits) != 0
}

/// The steps of a row's stones to points without an own stone.
fn paikas<'a>(space: &'a Space<'_, '_>, own: PointSet) -> impl Iterator<Item = Paika> + 'a {
    let optional = space.rule.paikas == Paikas::NonCapturingStep;
    let board: Board = space.board;
    own.iter().flat_map(move |from| {
        Direction::ALL.into_iter().filter_map(move |direction| {
            let to = (board.shift(from.into(), direction) - own).iter().next()?;
            let Member { orbit, symmetry } = space.own.member(own - from | to);
            let point = |set: PointSet| (set - own).iter().next().filter(|_| optional);
            let beyond = point(board.shift(to.into(), direction));
            let behind = point(board.shift(from.into(), direction.opposite()));
            Some(Paika { row: orbit, symmetry, to, captures: [beyond, behind] })
        })
    })
}
