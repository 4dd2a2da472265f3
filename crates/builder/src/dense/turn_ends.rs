//! Captures that many columns of a row have in common.
//!
//! A captured line takes the same points from all of these columns, so the sets of the other stones
//! keep their order: the values after the turn are compressed from one row and expanded into the
//! other, a word at a time, if the row after the turn is stored as it is. Only one row of each orbit
//! is. So the row before the turn is moved to the image in which it leads there, and all captures
//! that need this image are done together.

use fanorona_core::{PointSet, Symmetry};
use fanorona_tablebase::Slice;

use super::images::{ORDER, RowMover};
use super::select::{Combine, compress, expand};
use super::state::{DenseContext, number_in};

/// The end of a turn, whoever owns the stones.
#[derive(Clone, Copy)]
pub(super) struct TurnEnd {
    /// Where the stone comes from.
    pub from: PointSet,
    pub at: PointSet,
    /// The points that must have the opponent's stones, which are captured.
    pub captured: PointSet,
    /// The points that must have own stones.
    pub own: PointSet,
}

impl TurnEnd {
    /// The slice and the occupied points after the turn.
    #[inline(always)]
    pub(super) fn after(&self, slice: Slice, occupied: PointSet) -> (Slice, PointSet) {
        let left = slice.opponent - self.captured.len() as u8;
        (Slice::new(left, slice.own), (occupied - (self.from | self.captured)) | self.at)
    }
}

/// Ends of turns of a row without distances, to be taken over together.
#[derive(Default)]
pub(super) struct TurnEnds {
    /// By the symmetry that leads to a stored row: that row, and the ends.
    by_symmetry: [Vec<(usize, TurnEnd)>; 8],
    mover: RowMover,
    /// The columns whose sets have the moving stone and no captured one.
    places: Vec<u64>,
    /// Those of them in which the turn is not possible, or not needed.
    except: Vec<u64>,
    lost: Vec<u64>,
    neither: Vec<u64>,
}

impl TurnEnds {
    /// Whether a turn that ends in `uses` columns of a row is taken over faster with the whole row. A few
    /// are not.
    pub(super) fn is_faster(uses: usize, words: usize, few: usize) -> bool {
        uses > few + words / 2
    }

    /// Adds the end of a turn, with the symmetry that leads to the stored row of an orbit.
    pub(super) fn add(&mut self, symmetry: Symmetry, orbit: usize, end: TurnEnd) {
        self.by_symmetry[symmetry as usize].push((orbit, end));
    }

    /// Takes over the values after all of them, and forgets them: adds the columns with a capture
    /// that wins to `win`, and those with one that draws to `drawn`.
    pub(super) fn take_over(
        &mut self,
        context: &DenseContext<'_, '_>,
        occupied: PointSet,
        [win, drawn]: [&mut Vec<u64>; 2],
    ) {
        let (tools, mut current) = (context.tools, Symmetry::Identity);
        // At the end, the rows are moved back.
        for symmetry in ORDER.into_iter().chain([Symmetry::Identity]) {
            let mut ends = std::mem::take(&mut self.by_symmetry[symmetry as usize]);
            let is_last = symmetry == Symmetry::Identity && current != symmetry;
            if ends.is_empty() && !is_last {
                continue;
            }
            self.mover.plan(tools, occupied, current, symmetry);
            [&mut *win, &mut *drawn].into_iter().for_each(|row| self.mover.apply(context, row));
            current = symmetry;
            let image = |set| tools.image_of_set(symmetry, set);
            for (orbit, TurnEnd { from, at, captured, own }) in ends.drain(..) {
                let [from, at, captured, own] = [from, at, captured, own].map(image);
                let end = TurnEnd { from, at, captured, own };
                self.take_over_one(context, image(occupied), orbit, &end, [win, drawn]);
            }
            self.by_symmetry[symmetry as usize] = ends;
        }
    }

    /// Takes over the values after a turn that leads to the stored row of an orbit.
    fn take_over_one(
        &mut self,
        context: &DenseContext<'_, '_>,
        occupied: PointSet,
        orbit: usize,
        end: &TurnEnd,
        [win, drawn]: [&mut [u64]; 2],
    ) {
        let Self { places, except, lost, neither, .. } = self;
        let containing = |point| context.columns.containing(number_in(occupied, point));
        places.clear();
        places.extend_from_slice(containing(end.from));
        for point in end.captured.iter() {
            places.iter_mut().zip(containing(point.into())).for_each(|(bits, own)| *bits &= !own);
        }
        except.clear();
        // Won positions need no other capture.
        except.extend_from_slice(win);
        for point in end.own.iter() {
            except.iter_mut().zip(containing(point.into())).for_each(|(bits, own)| *bits |= !own);
        }
        if places.iter().zip(&*except).all(|(places, except)| places & !except == 0) {
            return;
        }
        let (after, occupied_after) = end.after(context.slice, occupied);
        let (won, loss) = context.solved[&after].values();
        let columns_after = context.tools.columns.of(after.stones(), after.opponent.into());
        let mask = columns_after.containing(number_in(occupied_after, end.at));
        for list in [&mut *lost, &mut *neither] {
            list.resize(columns_after.words() + 2, 0);
        }
        let words = context.tools.words;
        compress(words, loss.row(orbit).iter().copied(), mask, lost);
        compress(words, won.row(orbit).iter().copied(), mask, neither);
        neither.iter_mut().zip(&*lost).for_each(|(bits, lost)| *bits = !(*bits | lost));
        expand(words, lost, places, Some(except), Combine::Or, win);
        expand(words, neither, places, Some(except), Combine::Or, drawn);
    }
}
