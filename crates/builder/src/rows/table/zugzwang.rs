//! Counting zugzwangs, one row at a time. The candidates, by their values, are an AND of rows: see
//! `docs/BUILDING.md`.
//!
//! Let `p` be the neighbour of an own stone in some direction, `q` the next point, and `r` the neighbour
//! in the opposite direction, each without an own stone. Some side can capture if
//! - `q` holds an opponent and `p` does not: the own stone approaches, or the opponent does;
//! - `p` holds an opponent and `q` does not: the opponent withdraws;
//! - `r` holds an opponent and `p` does not: the own stone withdraws.
//!
//! In the first phase of the vela, the cases do not count in which only the other side would capture.

use fanorona_core::{Board, Captures, Direction, Point, PointSet, Stones};
use fanorona_storage::{Spent, Stopwatch};
use fanorona_tablebase::index::SliceIndex;
use fanorona_tablebase::{Result, Zugzwang, ZugzwangCounter, Zugzwangs, check_stop};
use rayon::prelude::*;

use crate::bits::members;
use crate::rows::kernel::{SliceContext, UnitContext};
use crate::rows::store::{AfterPanel, LOSS, Store, WIN};

/// Counts the zugzwangs of the slices of a solved unit, in their order. Adds the time of transposition
/// to `transposing`.
pub(crate) fn count_zugzwangs(
    unit: &UnitContext<'_, '_>,
    store: &mut Store<'_>,
    transposing: &mut Spent,
) -> Result<Vec<Zugzwangs>> {
    let count = |context: &SliceContext<'_, '_>| {
        let captures = |slice| unit.slice(slice).rule.turn.captures != Captures::Never;
        let (own, opponent) = (captures(context.slice), captures(context.slice.swapped()));
        let capturing = Capturing { own, opponent };
        let processes = context.build.processes;
        let mut counter = Ok(ZugzwangCounter::default());
        for stripe in context.layout.stripes_of(processes.index()) {
            counter = counter.and_then(|counter| {
                let found = count_in_stripe(context, store, capturing, stripe, transposing)?;
                Ok(counter.append(found))
            });
        }
        let counters = processes.gather(counter)?.into_iter();
        let counter = counters.reduce(ZugzwangCounter::append).expect("one process or more");
        Ok(counter.finish(&context.index()))
    };
    unit.slices.iter().map(count).collect()
}

fn count_in_stripe(
    context: &SliceContext<'_, '_>,
    store: &mut Store<'_>,
    capturing: Capturing,
    stripe: usize,
    transposing: &mut Spent,
) -> Result<ZugzwangCounter> {
    let (slice, layout) = (context.slice, context.layout);
    let watch = Stopwatch::start();
    let input = store.take_after(slice, stripe)?;
    *transposing += watch.read();
    let data = store.values.tiles.take(slice, stripe, &|_, _| true)?;
    let after = AfterPanel::of_stripe(&layout, stripe, &input.after);
    let found = ZugzwangSearch { context, capturing, stripe, moving: &data, after }.run();
    store.values.tiles.put(slice, stripe, data, None)?;
    store.give_back(slice, input)?;
    found
}

/// A stripe of a slice with the values of its positions for either side to move.
struct ZugzwangSearch<'s, 'a> {
    context: &'s SliceContext<'s, 'a>,
    capturing: Capturing,
    stripe: usize,
    /// The stripe, with the side of the row's own set to move.
    moving: &'s [u64],
    /// The values of its panels with the other side to move.
    after: Vec<AfterPanel<'s>>,
}

impl ZugzwangSearch<'_, '_> {
    /// Counts the zugzwangs of the stripe.
    fn run(&self) -> Result<ZugzwangCounter> {
        let (index, own) = (self.context.index(), self.context.own);
        let counts = (0..own.count())
            .into_par_iter()
            .map(|row| {
                check_stop(self.context.build.stop)?;
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
            let first = self.first_in_row(&index, *row, kind);
            let positions = with.map(|(row, count)| count * u64::from(own.size(row))).sum();
            counter.add(kind, positions, first);
        }
        Ok(counter)
    }

    fn first_in_row(&self, index: &SliceIndex<'_>, row: usize, kind: Zugzwang) -> u64 {
        let own = self.context.own.representative(row);
        let columns = self.context.opponents();
        let mut first = u64::MAX;
        self.for_each_word(row, |word, kinds| {
            for bit in members(kinds[kind as usize]) {
                let stones = Stones { own, opponent: columns.set(64 * word + bit) };
                first = first.min(index.index(stones));
            }
        });
        first
    }

    /// Visits the words of a row that have zugzwangs, with the bits of each kind. Each set of the
    /// opponent has one bit.
    fn for_each_word(&self, row: usize, mut visit: impl FnMut(usize, [u64; 3])) {
        let layout = self.context.layout;
        let panels = layout.stripe(self.stripe).zip(&self.after);
        let panels = panels.filter(|(panel, _)| layout.rows_of(*panel).contains(&row));
        let mut panels = panels.peekable();
        if panels.peek().is_none() {
            return;
        }
        let own = self.context.own.representative(row);
        let captures = captures(self.context.board, own, self.capturing);
        let columns = self.context.opponents();
        for (panel, after) in panels {
            let words = layout.panel(panel);
            let row_of = |plane| {
                let begin = layout.offset(panel, plane, row);
                &self.moving[begin..begin + words.len()]
            };
            let (win, loss) = (row_of(WIN), row_of(LOSS));
            let [other_win, other_loss] =
                [true, false].map(|wins| after.row(wins, row, words.len()));
            for (i, word) in words.enumerate() {
                let (win, loss) = (win[i] & !loss[i], loss[i] & !win[i]);
                let kinds = Zugzwang::in_word([win, loss], [other_win[i], other_loss[i]]);

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
