//! A pass over the rows of a slice: finds the values that follow from paikas.
//!
//! A paika changes the own set and keeps the opponent's set. It leads from one row to another, at
//! the same column, wherever the arrival point is free. So a row's new wins are an OR over the rows
//! that its paikas lead to, and its new losses an AND. Rows whose paikas lead only to unchanged
//! rows are skipped.
//!
//! A pass runs for one stripe of columns after the other (see [`after`](super::after)).

use std::ops::Range;

use fanorona_core::{Direction, Paikas, Point, PointSet};
use rayon::prelude::*;

use super::changes::{Changes, GroupChanges, StripeChanges};
use super::columns::Columns;
use super::grades::{Grade, GradeFilter};
use super::matrix::{BitMatrix, rows_per_word};
use super::slices::{DistanceRows, Distances, WorkingSlice};
use super::state::SliceContext;
use crate::orbits::Member;
use crate::value::Code;

/// The number of words of a row that are processed together. Small, so that in most rounds most
/// segments have nothing left to decide, and in the others the first paikas rule out all losses.
const SEGMENT: usize = 64;

/// What a pass looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sought {
    /// Wins at any distance.
    Wins,
    /// Losses at any distance.
    Losses,
    /// Positions decided in this number of turns: losses if it is even, wins if it is odd.
    Distance(u16),
}

impl Sought {
    /// Whether wins are sought.
    pub(super) fn wins(self) -> bool {
        match self {
            Self::Wins => true,
            Self::Losses => false,
            Self::Distance(distance) => distance % 2 == 1,
        }
    }

    /// The code of the positions that are found, if the build has distances.
    fn code(self) -> Option<Code> {
        match self {
            Self::Wins | Self::Losses => None,
            Self::Distance(distance) => Some(Code(distance + 1)),
        }
    }
}

/// A pass over a stripe of a slice.
pub(super) struct Pass<'p> {
    pub sought: Sought,
    /// The words of each row that the pass is about.
    pub stripe: Range<usize>,
    /// The transposed losses of the swapped slice if wins are sought, or its wins. Paikas lead
    /// there. It has the words of the stripe only.
    pub after: &'p BitMatrix,
    /// The rows of `after` that have changed since the last pass for the same value.
    pub changed: StripeChanges<'p>,
    /// Records what the pass finds.
    pub found: &'p Changes,
}

/// Whether a pass over a slice can find a position that its captures decide.
pub(super) fn may_be_due(slice: &WorkingSlice, sought: Sought) -> bool {
    fn any<G: Grade>(filters: &[GradeFilter], grade: Option<G>) -> bool {
        grade.is_some_and(|grade| filters.iter().any(|filter| filter.may_have(grade)))
    }
    let Some(code) = sought.code() else { return false };
    match &slice.distances {
        None => false,
        Some(Distances::Narrow(rows)) => any(&rows.filters, u8::of_code(code)),
        Some(Distances::Wide(rows)) => any(&rows.filters, u16::of_code(code)),
    }
}

/// Finds new wins or new losses of all rows in a stripe.
///
/// A pass cannot be interrupted, because half a pass could not be saved.
pub(super) fn run(context: &SliceContext<'_, '_>, slice: &mut WorkingSlice, pass: &Pass<'_>) {
    let WorkingSlice { win, loss, open, safe, distances } = slice;
    let (target, known) = if pass.sought.wins() { (win, &*loss) } else { (loss, &*win) };
    let matrices = Matrices { target, known, open, safe: safe.as_mut() };
    match distances {
        None => run_with::<u8>(context, matrices, None, pass),
        Some(Distances::Narrow(rows)) => run_with(context, matrices, Some(rows), pass),
        Some(Distances::Wide(rows)) => run_with(context, matrices, Some(rows), pass),
    }
}

/// The matrices of a slice in a pass.
struct Matrices<'m> {
    /// The wins if wins are sought, or the losses.
    target: &'m mut BitMatrix,
    /// The other one.
    known: &'m BitMatrix,
    open: &'m BitMatrix,
    safe: Option<&'m mut BitMatrix>,
}

fn run_with<G: Grade>(
    context: &SliceContext<'_, '_>,
    Matrices { target, known, open, safe }: Matrices<'_>,
    distances: Option<&mut DistanceRows<G>>,
    pass: &Pass<'_>,
) {
    let group_rows = rows_per_word(context.build.sets.group());
    let columns = context.opponents().count();
    let words = target.words();
    let groups = context.own.count().div_ceil(group_rows);
    let stripe = &pass.stripe;
    let stripe_columns = 64 * stripe.start..columns.min(64 * stripe.end);
    let grade = pass.sought.code().map(|code| G::of_code(code).expect("grades are wide enough"));
    let mut safe: Vec<&mut [u64]> = match safe {
        None => (0..groups).map(|_| Default::default()).collect(),
        Some(safe) => safe.groups_mut(group_rows).collect(),
    };
    let (mut grades, filters): (Vec<_>, &[GradeFilter]) = match distances {
        None => ((0..groups).map(|_| None).collect(), &[]),
        Some(DistanceRows { grades, filters }) => {
            (grades.groups_mut(group_rows).map(Some).collect(), filters)
        }
    };
    target.par_groups_mut(group_rows).zip(&mut safe).zip(&mut grades).enumerate().for_each(
        |(group, ((target, safe), grades))| {
            let mut grades = grades.as_mut().map(|grades| grades.chunks_mut(columns));
            let mut safe = safe.chunks_mut(words);
            let changes = pass.found.of_group(group, stripe.clone());
            let mut changed = false;
            let mut buffers = Buffers::default();
            let first = group * group_rows;
            for (row, target) in (first..context.own.count()).zip(target.chunks_mut(words)) {
                let grades = grades.as_mut().and_then(Iterator::next);
                let may_be_due = |filter: &GradeFilter| grade.is_some_and(|g| filter.may_have(g));
                let row = Row {
                    own: context.own.representative(row),
                    open: &open.row(row)[stripe.clone()],
                    known: &known.row(row)[stripe.clone()],
                    target: &mut target[stripe.clone()],
                    safe: safe.next().map_or(&mut [], |safe| &mut safe[stripe.clone()]),
                    grades: grades.map(|grades| &mut grades[stripe_columns.clone()]),
                    grade,
                    may_be_due: filters.get(row).is_some_and(may_be_due),
                    changes,
                };
                changed |= row.update(context, pass, &mut buffers);
            }
            if changed {
                changes.mark_group();
            }
            let rows = (context.own.count() - first).min(group_rows);
            context.build.progress.advance(entries(context, rows, words, stripe));
        },
    );
}

/// The share of a stripe in the entries of some rows.
pub(super) fn entries(
    context: &SliceContext<'_, '_>,
    rows: usize,
    words: usize,
    stripe: &Range<usize>,
) -> u64 {
    let all = rows as u128 * u128::from(context.index().columns());
    let until = |word: usize| (all * word as u128 / words as u128) as u64;
    until(stripe.end) - until(stripe.start)
}

/// One row of a slice's matrices, in one stripe.
struct Row<'r, G> {
    own: PointSet,
    open: &'r [u64],
    known: &'r [u64],
    target: &'r mut [u64],
    /// Empty if the rules make no open position safe.
    safe: &'r mut [u64],
    grades: Option<&'r mut [G]>,
    /// The grade that is sought, if the build has distances.
    grade: Option<G>,
    /// Whether the best capture of some position may have this grade.
    may_be_due: bool,
    changes: GroupChanges<'r>,
}

/// Buffers that a thread uses for each of its rows.
#[derive(Default)]
struct Buffers {
    /// Positions whose best capture has the grade that is sought.
    due: Vec<u64>,
    /// A row with its cells permuted by a symmetry.
    seen: Vec<u64>,
}

impl<G: Grade> Row<'_, G> {
    /// Adds new positions to the row. Returns whether there are any.
    fn update(
        self,
        context: &SliceContext<'_, '_>,
        pass: &Pass<'_>,
        buffers: &mut Buffers,
    ) -> bool {
        let Self { own, open, known, target, safe, mut grades, grade, may_be_due, changes } = self;
        let &Pass { sought, after, changed, .. } = pass;
        let wins = sought.wins();
        let words = target.len();
        let mut found = false;
        // Mandatory captures, and captures that win, decide in the round of their distance. If the
        // best capture loses and paikas are possible too, the position is no longer safe from then
        // on.
        let mut released = false;
        if let (true, Some(grades), Some(grade)) = (may_be_due, &mut grades, grade) {
            bits_of(grades, grade, &mut buffers.due);
            for (i, due) in buffers.due.iter().enumerate() {
                let decided = if wins { *due } else { due & !open[i] };
                let new = decided & !known[i] & !target[i];
                if new != 0 {
                    target[i] |= new;
                    changes.add(i, new);
                    found = true;
                }
                if let Some(safe) = safe.get_mut(i) {
                    let no_longer_safe = due & !decided & *safe;
                    *safe &= !no_longer_safe;
                    released |= no_longer_safe != 0;
                }
            }
        }
        let undecided = |i: usize, target: u64| {
            let undecided = open[i] & !target & !known[i];
            if wins || safe.is_empty() { undecided } else { undecided & !safe[i] }
        };
        if target.iter().enumerate().all(|(i, bits)| undecided(i, *bits) == 0) {
            return found;
        }
        let paikas: Vec<Paika> = paikas(context, own).collect();
        if !released && !paikas.is_empty() && !paikas.iter().any(|paika| changed.has_row(paika.row))
        {
            return found;
        }
        let columns = context.opponents();
        let (mut wanted, mut bits) = ([0; SEGMENT], [0; SEGMENT]);
        for begin in (0..words).step_by(SEGMENT) {
            let segment = begin..words.min(begin + SEGMENT);
            let wanted = &mut wanted[..segment.len()];
            let bits = &mut bits[..segment.len()];
            for (i, wanted) in segment.clone().zip(wanted.iter_mut()) {
                *wanted = undecided(i, target[i]);
            }
            if wanted.iter().all(|wanted| *wanted == 0) {
                continue;
            }
            if wins {
                bits.fill(0);
            } else {
                bits.copy_from_slice(wanted);
            }
            for paika in &paikas {
                if wins && !changed.has_row(paika.row) {
                    continue;
                }
                let row = &after.row(paika.row)[segment.clone()];
                let row = context.cells.see_through(paika.symmetry, row, &mut buffers.seen);
                let any = combine(columns, paika, pass.stripe.start + begin, row, bits, wins);
                if !wins && !any {
                    break;
                }
            }
            for (i, (bits, wanted)) in segment.zip(bits.iter().zip(wanted.iter())) {
                let mut new = bits & wanted;
                if new == 0 {
                    continue;
                }
                target[i] |= new;
                changes.add(i, new);
                found = true;
                if let (Some(grades), Some(grade)) = (&mut grades, grade) {
                    while new != 0 {
                        grades[64 * i + new.trailing_zeros() as usize] = grade;
                        new &= new - 1;
                    }
                }
            }
        }
        found
    }
}

/// Sets `bits` to the positions of a row with the given grade.
fn bits_of<G: Grade>(grades: &[G], grade: G, bits: &mut Vec<u64>) {
    bits.clear();
    bits.extend(grades.chunks(64).map(|word| {
        (0..).zip(word).fold(0, |bits, (i, found)| bits | u64::from(*found == grade) << i)
    }));
}

/// A paika of a row: the row that it leads to, and the points that forbid it.
struct Paika {
    row: usize,
    symmetry: usize,
    /// The arrival point.
    to: Point,
    /// If capturing is optional: the points where an opponent would make the step a capture.
    captures: [Option<Point>; 2],
}

/// Combines `bits` with the row that a paika leads to, in the columns where the paika is possible:
/// OR with the opponent's losses if wins are sought, otherwise AND with the opponent's wins.
/// Returns whether any bit is set.
fn combine(
    columns: &Columns<'_>,
    paika: &Paika,
    begin: usize,
    row: &[u64],
    bits: &mut [u64],
    wins: bool,
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
    if wins {
        bits.iter_mut().zip(rows).for_each(|(bits, (row, forbidden))| *bits |= row & !forbidden);
    } else {
        bits.iter_mut().zip(rows).for_each(|(bits, (row, forbidden))| *bits &= row | forbidden);
    }
    bits.iter().fold(0, |any, bits| any | bits) != 0
}

/// The steps of an own set's stones to points without an own stone.
fn paikas<'a>(
    context: &'a SliceContext<'_, '_>,
    own: PointSet,
) -> impl Iterator<Item = Paika> + 'a {
    let optional = context.rule.paikas == Paikas::NonCapturingStep;
    let board = context.board;
    own.iter().flat_map(move |from| {
        Direction::ALL.into_iter().filter_map(move |direction| {
            let to = (board.shift(from.into(), direction) - own).first()?;
            let Member { orbit: row, symmetry } = context.own.member((own - from) | to);
            let point = |set: PointSet| (set - own).first().filter(|_| optional);
            let beyond = point(board.shift(to.into(), direction));
            let behind = point(board.shift(from.into(), direction.opposite()));
            Some(Paika { row, symmetry, to, captures: [beyond, behind] })
        })
    })
}
