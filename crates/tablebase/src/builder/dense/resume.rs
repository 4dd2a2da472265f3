//! How a checkpoint saves the progress of a unit: as the rows of orbits.
//!
//! Everything else follows from them.
//! - The rows of the images are copied again.
//! - All rows are checked again. This finds no more than what follows from what is known.
//! - With distances, the next round is the one after the longest distance of a decided position.
//!   Checkpoints are saved between rounds, so that one is complete.

use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use fanorona_core::{RuleSet, Value};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bits::{for_each_bit, reverse};
use super::images::{ImageBuffers, add_to_images};
use super::parts::OwnRows;
use super::state::{DenseSolver, SliceContext, WorkingSlice};
use super::unit::WorkingUnit;
use crate::builder::checkpoint::{CheckpointStore, PartWriter, damaged, read_items, write_items};
use crate::builder::grade_rows::{GradeRows, with_grades};
use crate::builder::unit_progress::{SliceSize, UnitProgress};
use crate::error::Result;
use crate::slice::Unit;
use crate::stop::check_stop;
use crate::value::Code;

/// The number of positions that are saved together. Small in this crate's tests, so that small
/// slices are saved in parts.
const SAVED_TOGETHER: usize = if cfg!(test) { 1 << 8 } else { 1 << 23 };

#[derive(Serialize, Deserialize)]
struct Header {
    /// For each slice of the unit, whether its grades have two bytes.
    wide: Vec<bool>,
    done: UnitProgress,
}

impl WorkingUnit<'_, '_> {
    /// Saves a checkpoint if one is due or the build is being stopped.
    ///
    /// # Errors
    /// [`TableError::Stopped`](crate::TableError::Stopped) if it is being stopped.
    pub(super) fn save_if_due(&self, checkpoints: &mut CheckpointStore<'_>) -> Result<()> {
        let Self { unit, ref slices, ref done, .. } = *self;
        let stopped = check_stop(self.solver.context.stop);
        if done.has_begun() && (checkpoints.is_due() || stopped.is_err()) {
            let is_wide =
                |slice: &WorkingSlice| slice.own.grades.as_ref().is_some_and(GradeRows::are_wide);
            let header = Header { wide: slices.iter().map(is_wide).collect(), done: done.clone() };
            let write = |out: &mut PartWriter<'_>| {
                let part = out.write(|out| {
                    for ((slice, rows), working) in unit.slices().zip(&done.rows).zip(slices) {
                        working.write(&self.slice_context(slice), *rows, out)?;
                    }
                    Ok(())
                })?;
                Ok(vec![((), part)])
            };
            checkpoints.save(done.stage(&self.solver.sizes(unit)), write, |_| header)?;
        }
        stopped
    }
}

impl<'a> DenseSolver<'a> {
    /// A unit in work: as its checkpoint has it, if one exists and can be used.
    pub(super) fn begin(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<WorkingUnit<'_, 'a>> {
        let restored = checkpoints.restore(|header: Header, parts, reader| {
            self.check_header(unit, &header)?;
            let [part] = parts else { return Err(damaged("it has another number of parts")) };
            let slices =
                reader.read(part, |input| self.read_slices(unit, rules, &header, input))?;
            let done = self.progress_of(unit, rules, header, &slices)?;
            let stage = done.stage(&self.sizes(unit));
            Ok(((slices, done), stage))
        })?;
        let (slices, done) = match restored {
            Some(restored) => restored,
            None => (self.new_slices(unit, rules)?, UnitProgress::new(unit)),
        };
        let (rules, zugzwangs) = (*rules, Vec::new());
        Ok(WorkingUnit { solver: self, unit, rules, slices, done, zugzwangs })
    }

    /// Reads the slices of a unit from a checkpoint.
    fn read_slices(
        &self,
        unit: Unit,
        rules: &RuleSet,
        header: &Header,
        input: &mut dyn Read,
    ) -> io::Result<Vec<WorkingSlice>> {
        let mut slices = self.new_slices(unit, rules).map_err(io::Error::other)?;
        let Header { wide, done } = header;
        for (((slice, rows), wide), working) in
            unit.slices().zip(&done.rows).zip(wide).zip(&mut slices)
        {
            if *rows > 0 {
                working.read(&self.slice_context(slice, rules), *rows, *wide, input)?;
            }
        }
        Ok(slices)
    }

    /// The sizes of a unit's slices.
    fn sizes(&self, unit: Unit) -> Vec<SliceSize> {
        let rows = self.context.orbits(unit.stronger().stones() as u8).count();
        let size = |slice| SliceSize { rows, entries: self.context.index(slice).len() };
        unit.slices().map(size).collect()
    }

    /// Checks a header before anything else is read.
    fn check_header(&self, unit: Unit, header: &Header) -> io::Result<()> {
        header.done.check(&self.sizes(unit))?;
        if header.wide.len() != header.done.rows.len() {
            return Err(damaged("it has another number of widths than slices"));
        }
        Ok(())
    }

    /// The progress that the restored values show.
    fn progress_of(
        &self,
        unit: Unit,
        rules: &RuleSet,
        header: Header,
        slices: &[WorkingSlice],
    ) -> io::Result<UnitProgress> {
        let has_distances = slices.iter().any(|working| working.own.grades.is_some());
        let longest = unit.slices().zip(slices).filter_map(|(slice, working)| {
            working.longest_decided(&self.slice_context(slice, rules))
        });
        let rounds = match longest.max() {
            Some(longest) => u32::from(longest) + 1,
            None if has_distances => 0,
            None => header.done.rounds,
        };
        header.done.with_rounds(rounds, &self.sizes(unit))
    }
}

impl WorkingSlice {
    /// Writes the first rows to a checkpoint.
    fn write(
        &self,
        context: &SliceContext<'_, '_>,
        rows: usize,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (words, count) = (context.columns.words(), context.columns.count());
        for part in parts(rows, count) {
            for plane in [&self.win, &self.loss] {
                let row = |orbit| plane.row(context.row_of(context.rows.representative(orbit)));
                let bits = part.clone().flat_map(row).map(|word| word.load(Relaxed));
                write_items(out, &bits.collect::<Vec<_>>())?;
            }
            let in_words = part.start * words..part.end * words;
            let OwnRows { undecided, safe, grades } = &self.own;
            write_items(out, &undecided[in_words.clone()])?;
            if !safe.is_empty() {
                write_items(out, &safe[in_words])?;
            }
            if let Some(grades) = grades {
                let places = part.start * count..part.end * count;
                with_grades!(grades, grades => write_items(out, &grades.all()[places])?);
            }
        }
        Ok(())
    }

    /// Reads the first rows from a checkpoint, and checks that they are consistent.
    fn read(
        &mut self,
        context: &SliceContext<'_, '_>,
        rows: usize,
        wide: bool,
        input: &mut dyn Read,
    ) -> io::Result<()> {
        let (words, count) = (context.columns.words(), context.columns.count());
        match &mut self.own.grades {
            None if wide => return Err(damaged("a slice has no grades")),
            Some(grades) if wide => grades.widen(),
            Some(GradeRows::Wide(_)) => {
                return Err(damaged("a slice needs grades of another width"));
            }
            _ => {}
        }
        for part in parts(rows, count) {
            let in_words = part.start * words..part.end * words;
            let [mut win, mut loss] = [(); 2].map(|()| vec![0; in_words.len()]);
            read_items(input, &mut win)?;
            read_items(input, &mut loss)?;
            let OwnRows { undecided, safe, grades } = &mut self.own;
            read_items(input, &mut undecided[in_words.clone()])?;
            if !safe.is_empty() {
                read_items(input, &mut safe[in_words])?;
            }
            if let Some(grades) = grades {
                with_grades!(grades, grades => read_items(input, grades.rows_mut(part.clone()))?);
            }
            self.add_decided(context, part, &win, &loss)?;
        }
        Ok(())
    }

    /// Adds the decided positions of some rows to all images, and checks that they fit to the rest
    /// of the rows. Their columns are the opponent's sets.
    fn add_decided(
        &self,
        context: &SliceContext<'_, '_>,
        part: Range<usize>,
        win: &[u64],
        loss: &[u64],
    ) -> io::Result<()> {
        let (words, count) = (context.columns.words(), context.columns.count());
        let all: Vec<u64> = context.columns.all().collect();
        part.clone().into_par_iter().try_for_each_init(
            <([Vec<u64>; 2], ImageBuffers)>::default,
            |([wins, losses], images), orbit| {
                let row = (orbit - part.start) * words..(orbit - part.start + 1) * words;
                let (win, loss) = (&win[row.clone()], &loss[row]);
                // Bits past the last column would disappear when a row is reversed.
                let is_past =
                    |bits: &[u64]| bits.iter().zip(&all).any(|(bits, all)| bits & !all != 0);
                let mut differs = is_past(win) || is_past(loss);
                reverse(win, count, wins);
                reverse(loss, count, losses);
                for (i, undecided) in
                    self.own.undecided[orbit * words..][..words].iter().enumerate()
                {
                    let (win, loss) = (wins[i], losses[i]);
                    differs |= win & loss != 0 || (win | loss) & undecided != 0;
                    differs |= undecided & !all[i] != 0;
                }
                if let Some(grades) = &self.own.grades {
                    let code = |column| grades.code(orbit, column);
                    for (bits, value) in [(&*wins, Value::Win), (&*losses, Value::Loss)] {
                        for_each_bit(bits, |column| {
                            let code = code(column);
                            differs |= code == Code::NONE || code.value() != value;
                        });
                    }
                }
                if differs {
                    return Err(damaged("its values contradict each other"));
                }
                let occupied = context.rows.representative(orbit);
                let new = [(&wins[..], &self.win), (&losses[..], &self.loss)];
                add_to_images(context.tools.words, context, occupied, &new, images);
                Ok(())
            },
        )
    }

    /// The longest distance of a decided position. `None` if there is none, or without distances.
    fn longest_decided(&self, context: &SliceContext<'_, '_>) -> Option<u16> {
        let grades = self.own.grades.as_ref()?;
        let words = context.columns.words();
        let of_row = |orbit: usize| {
            let row = context.row_of(context.rows.representative(orbit));
            let (mut bits, mut longest) = (Vec::with_capacity(words), None);
            for plane in [&self.win, &self.loss] {
                plane.copy_row(row, &mut bits);
                for_each_bit(&bits, |column| {
                    let column = context.columns.of_other_side(column);
                    longest = longest.max(grades.code(orbit, column).distance());
                });
            }
            longest
        };
        (0..context.rows.count()).into_par_iter().filter_map(of_row).max()
    }
}

/// The rows that are saved together, so that a checkpoint takes little memory.
fn parts(rows: usize, columns: usize) -> impl Iterator<Item = Range<usize>> {
    let together = (SAVED_TOGETHER / columns).max(1);
    (0..rows).step_by(together).map(move |first| first..rows.min(first + together))
}
