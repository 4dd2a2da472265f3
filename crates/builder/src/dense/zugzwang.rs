//! Counting zugzwangs, one row at a time. The candidates, by their values, are an AND of rows.
//!
//! Whenever some side can capture, a stone has an empty neighbour, and the next point beyond that one, or
//! behind the stone, belongs to the other side.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use fanorona_core::PointSet;
use fanorona_tablebase::{
    Result, Slice, TableError, Zugzwang, ZugzwangCounter, Zugzwangs, check_stop,
};
use rayon::prelude::*;

use super::entries::lowest_index;
use super::select::reverse;
use super::state::{DenseContext, number_in};
use super::unit::WorkingUnit;
use crate::bits::for_each_bit;
use crate::directions::DirectionsLeft;

impl WorkingUnit<'_, '_> {
    /// Counts the zugzwangs of the solved unit.
    pub(super) fn count_zugzwangs(&mut self) -> Result<()> {
        let slices = self.unit.slices().enumerate();
        self.zugzwangs =
            slices.map(|(i, slice)| self.zugzwangs_of(i, slice)).collect::<Result<_>>()?;
        Ok(())
    }

    fn zugzwangs_of(&self, i: usize, slice: Slice) -> Result<Zugzwangs> {
        let context = self.slice_context(slice);
        let [moving, other] = self.with_swapped(i);
        let first = [const { AtomicU64::new(u64::MAX) }; 3];
        let orbits = (0..context.rows.count()).into_par_iter();
        let count = |buffers: &mut ZugzwangBuffers, orbit: usize| {
            check_stop(context.build.stop)?;
            let occupied = context.rows.representative(orbit);
            let row = context.row_of(occupied);
            let ZugzwangBuffers { words, win, loss, other_win, other_loss, quiet } = buffers;
            for (plane, to) in [(&moving.win, &mut *win), (&moving.loss, &mut *loss)] {
                plane.copy_row(row, words);
                reverse(words, context.columns.count(), to);
            }
            // The opponent there is the side to move here.
            other.win.copy_row(row, other_win);
            other.loss.copy_row(row, other_loss);
            mark_quiet(&context, occupied, quiet);
            let mut counts = [0; 3];
            for (i, quiet) in quiet.iter().enumerate() {
                let kinds = Zugzwang::in_word([win[i], loss[i]], [other_win[i], other_loss[i]]);
                for ((bits, count), first) in kinds.into_iter().zip(&mut counts).zip(&first) {
                    for_each_bit(&[bits & quiet], |bit| {
                        *count += u64::from(context.rows.size(orbit));
                        let (stones, limit) =
                            (context.stones(orbit, 64 * i + bit), first.load(Relaxed));
                        if let Some(index) = lowest_index(&context, limit, stones) {
                            first.fetch_min(index, Relaxed);
                        }
                    });
                }
            }
            Ok::<_, TableError>(counts)
        };
        let add =
            |counts: [u64; 3], more: [u64; 3]| Ok(std::array::from_fn(|i| counts[i] + more[i]));
        let counts = orbits.map_init(ZugzwangBuffers::default, count).try_reduce(|| [0; 3], add)?;
        let mut counter = ZugzwangCounter::default();
        for (kind, first) in Zugzwang::ALL.into_iter().zip(first) {
            if counts[kind as usize] > 0 {
                counter.add(kind, counts[kind as usize], first.into_inner());
            }
        }
        Ok(counter.finish(&context.index()))
    }
}

/// ZugzwangBuffers that a thread uses for each of its rows. All columns are own sets.
#[derive(Default)]
struct ZugzwangBuffers {
    words: Vec<u64>,
    win: Vec<u64>,
    loss: Vec<u64>,
    other_win: Vec<u64>,
    other_loss: Vec<u64>,
    quiet: Vec<u64>,
}

/// Sets `quiet` to the columns of a row in which neither side can capture.
fn mark_quiet(context: &DenseContext<'_, '_>, occupied: PointSet, quiet: &mut Vec<u64>) {
    let containing = |point| context.columns.containing(number_in(occupied, point));
    quiet.clear();
    quiet.extend(context.columns.all());
    for stone in occupied.iter().map(PointSet::from) {
        let targets = context.targets(stone, occupied, DirectionsLeft::ALL) & occupied;
        for target in targets.iter().map(PointSet::from) {
            let both = containing(stone).iter().zip(containing(target));
            quiet.iter_mut().zip(both).for_each(|(quiet, (own, target))| *quiet &= !(own ^ target));
        }
    }
}
