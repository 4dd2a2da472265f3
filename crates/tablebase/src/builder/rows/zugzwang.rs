//! Counting zugzwangs, one row at a time.
//!
//! A slice and the transposed matrices of its swapped slice have the values of the same stones,
//! with either side to move, at the same row and column. So the candidates, by their values, are an
//! AND of rows.
//!
//! Whether some side can capture depends on pairs of points that follow from the own set. Let `p` be the neighbour of an own stone in some direction, `q`
//! the next point, and `r` the neighbour in the opposite direction, each without an own stone. Some
//! side can capture if
//! - `q` holds an opponent and `p` does not: the own stone approaches, or the opponent does;
//! - `p` holds an opponent and `q` does not: the opponent withdraws;
//! - `r` holds an opponent and `p` does not: the own stone withdraws.
//!
//! These are all cases. In the first phase of the vela one side does not capture, and the case does not
//! count in which only that side would.

use std::borrow::Cow;

use fanorona_core::{Board, Captures, Direction, Point, PointSet, RuleSet};
use rayon::prelude::*;

use super::after::{AfterPanel, LOSS, WIN, read_stripe};
use super::columns::Columns;
use super::layout::Layout;
use super::rowset::RowSet;
use super::state::RowsBuilder;
use crate::builder::context::BuildContext;
use crate::clock::Stopwatch;
use crate::error::Result;
use crate::index::SliceIndex;
use crate::slice::{PhaseSlice, Unit};
use crate::stop::check_stop;
use crate::zugzwang::{Zugzwang, ZugzwangCounter};

impl RowsBuilder<'_> {
    /// Counts the zugzwangs of a solved unit.
    pub(super) fn count_zugzwangs(&mut self, unit: Unit, rules: &RuleSet) -> Result<()> {
        self.zugzwangs.clear();
        for slice in unit.phase_slices() {
            let captures = |slice| self.rule_of(slice, rules).turn.captures != Captures::Never;
            let capturing = Capturing { own: captures(slice), opponent: captures(slice.swapped()) };
            let columns = self.find_columns(slice.opponent());
            let layout = self.layout(slice);
            let group = self.context.group;
            let mut counter = Ok(ZugzwangCounter::default());
            for stripe in layout.stripes_of(group.rank()) {
                counter = counter.and_then(|counter| {
                    Ok(counter.append(self.count_in_stripe(slice, columns, capturing, stripe)?))
                });
            }
            let counters = group.gather_numbers(counter.map(|counter| counter.to_numbers()))?;
            let counters = counters.iter().map(|numbers| ZugzwangCounter::of_numbers(numbers));
            let counter = counters.reduce(ZugzwangCounter::append).expect("one rank or more");
            self.zugzwangs.insert(slice, counter.finish(&self.context.index(slice.slice)));
        }
        Ok(())
    }

    fn count_in_stripe(
        &mut self,
        slice: PhaseSlice,
        columns: &Columns<'_>,
        capturing: Capturing,
        stripe: usize,
    ) -> Result<ZugzwangCounter> {
        let layout = self.layout(slice);
        let watch = Stopwatch::start();
        let after = match self.context.group.is_alone() {
            true => {
                let mut after = std::mem::take(&mut self.after);
                let all = |_| [Cow::Owned(RowSet::All), Cow::Owned(RowSet::All)];
                read_stripe(self.store(), &self.cells, (slice, stripe), &mut after, all)?;
                after
            }
            // Passes have brought them up to date.
            false => self.working_mut().after.take(slice, stripe, &|_, _| true)?,
        };
        self.transposing += watch.read();
        let data = self.store_mut().take(slice, stripe, &|_, _| true)?;
        let (context, moving) = (self.context, &data[..]);
        let panels = AfterPanel::of_stripe(&layout, stripe, &after);
        let search = ZugzwangSearch {
            context,
            slice,
            columns,
            capturing,
            layout,
            stripe,
            moving,
            after: panels,
        };
        let found = search.run();
        self.store_mut().put(slice, stripe, data, false)?;
        self.put_after(slice, stripe, after, false)?;
        found
    }
}

/// A stripe of a slice with the values of its positions for either side to move.
struct ZugzwangSearch<'s, 'a> {
    context: BuildContext<'a>,
    slice: PhaseSlice,
    columns: &'s Columns<'a>,
    capturing: Capturing,
    layout: Layout,
    stripe: usize,
    /// The stripe, with the side of the row's own set to move.
    moving: &'s [u64],
    /// The values of its panels with the other side to move.
    after: Vec<AfterPanel<'s>>,
}

impl ZugzwangSearch<'_, '_> {
    /// Counts the zugzwangs of the stripe.
    fn run(&self) -> Result<ZugzwangCounter> {
        let index = self.context.index(self.slice.slice);
        let own = self.context.orbits(self.slice.own());
        let counts = (0..own.count())
            .into_par_iter()
            .map(|row| {
                check_stop(self.context.stop)?;
                let mut counts = [0u64; 3];
                self.for_each_word(row, |_, kinds| {
                    for (count, bits) in counts.iter_mut().zip(kinds) {
                        *count += u64::from(bits.count_ones());
                    }
                });
                Ok(counts)
            })
            .collect::<Result<Vec<_>>>()?;
        let mut counter = ZugzwangCounter::default();
        for kind in Zugzwang::ALL {
            let with = counts.iter().map(|counts| counts[kind as usize]).enumerate();
            let mut with = with.filter(|(_, count)| *count > 0).peekable();
            let Some((row, _)) = with.peek() else { continue };
            let place = self.first_in_row(&index, *row, kind);
            let positions = with.map(|(row, count)| count * u64::from(own.size(row))).sum();
            counter.add(kind, positions, place);
        }
        Ok(counter)
    }

    /// The lowest index of a zugzwang of a kind in a row that has some.
    fn first_in_row(&self, index: &SliceIndex<'_>, row: usize, kind: Zugzwang) -> u64 {
        let own = self.context.orbits(self.slice.own()).representative(row);
        let mut first = u64::MAX;
        self.for_each_word(row, |word, kinds| {
            let mut bits = kinds[kind as usize];
            while bits != 0 {
                let column = 64 * word + bits.trailing_zeros() as usize;
                first = first.min(index.index(own, self.columns.set(column)));
                bits &= bits - 1;
            }
        });
        first
    }

    /// Visits the words of a row that have zugzwangs, with the bits of each kind. Each set of the
    /// opponent has one bit.
    fn for_each_word(&self, row: usize, mut visit: impl FnMut(usize, [u64; 3])) {
        let panels = self.layout.stripe(self.stripe).zip(&self.after);
        let panels = panels.filter(|(panel, _)| self.layout.rows_of(*panel).contains(&row));
        let mut panels = panels.peekable();
        if panels.peek().is_none() {
            return;
        }
        let own = self.context.orbits(self.slice.own()).representative(row);
        let (captures, columns) =
            (captures(self.context.sets.board(), own, self.capturing), self.columns);
        for (panel, after) in panels {
            let words = self.layout.panel(panel);
            let row_of = |plane| {
                let place = self.layout.offset(panel, plane, row);
                &self.moving[place..place + words.len()]
            };
            let (win, loss) = (row_of(WIN), row_of(LOSS));
            let [other_win, other_loss] =
                [true, false].map(|wins| after.row(wins, row, words.len()));
            for (i, word) in words.enumerate() {
                let (win, loss) = (win[i] & !loss[i], loss[i] & !win[i]);
                let drawn = !(win | loss);
                let other_drawn = !(other_win[i] | other_loss[i]);
                let mut kinds = [0; 3];
                kinds[Zugzwang::WinToLoss as usize] = loss & other_loss[i];
                kinds[Zugzwang::DrawToLoss as usize] = loss & other_drawn;
                kinds[Zugzwang::WinToDraw as usize] = drawn & other_loss[i];

                let primary = columns.primary()[word];
                let has = |point: Point| columns.containing(point)[word];
                let mut quiet = kinds.iter().fold(0, |all, bits| all | bits) & primary;
                own.iter().for_each(|point| quiet &= !has(point));
                for &CapturePoints { opponent, none } in &captures {
                    if quiet == 0 {
                        break;
                    }
                    quiet &= !has(opponent) | has(none);
                }
                if quiet != 0 {
                    visit(word, kinds.map(|bits| bits & quiet));
                }
            }
        }
    }
}

/// Two points such that some side can capture if `opponent` holds an opponent and `none` does not.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct CapturePoints {
    opponent: Point,
    none: Point,
}

/// Which sides capture.
#[derive(Clone, Copy)]
struct Capturing {
    own: bool,
    opponent: bool,
}

/// All such pairs for an own set.
fn captures(board: Board, own: PointSet, capturing: Capturing) -> Vec<CapturePoints> {
    let mut pairs = Vec::new();
    for stone in own.iter() {
        for direction in Direction::ALL {
            let free = |point: Option<Point>| point.filter(|point| !own.contains(*point));
            let Some(beside) = free(board.neighbour(stone, direction)) else { continue };
            if let Some(beyond) = free(board.neighbour(beside, direction)) {
                pairs.push(CapturePoints { opponent: beyond, none: beside });
                if capturing.opponent {
                    pairs.push(CapturePoints { opponent: beside, none: beyond });
                }
            }
            if let Some(behind) = free(board.neighbour(stone, direction.opposite()))
                && capturing.own
            {
                pairs.push(CapturePoints { opponent: behind, none: beside });
            }
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}
