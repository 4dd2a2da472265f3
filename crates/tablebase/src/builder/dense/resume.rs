//! How a checkpoint saves the progress of a unit: as the rows of orbits.
//!
//! Everything else follows from them.
//! - The rows of the images are copied again.
//! - All rows are checked again. This finds no more than what follows from what is known.
//! - With distances, the next round is the one after the longest distance of a decided position.
//!   Checkpoints are saved between rounds, so that one is complete.

use std::io;
use std::ops::Range;
use std::slice::Iter;
use std::sync::atomic::Ordering::Relaxed;

use fanorona_core::{RuleSet, Value};
use fanorona_storage::FileError;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::bits::{for_each_bit, reverse};
use super::images::{ImageBuffers, add_to_images};
use super::parts::OwnRows;
use super::state::{DenseSolver, SliceContext, WorkingSlice};
use super::unit::WorkingUnit;
use crate::builder::checkpoint::{
    CheckpointStore, Extent, ExtentFile, Numbers, damaged, read_items, write_items,
};
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
    pub(super) fn save_if_due(&mut self, checkpoints: &mut CheckpointStore<'_>) -> Result<()> {
        let Self { unit, ref slices, ref done, .. } = *self;
        let stopped = check_stop(self.solver.context.stop);
        if done.has_begun() && (checkpoints.is_due() || stopped.is_err()) {
            let is_wide =
                |slice: &WorkingSlice| slice.own.grades.as_ref().is_some_and(GradeRows::are_wide);
            let header = Header { wide: slices.iter().map(is_wide).collect(), done: done.clone() };
            let (mut new, mut is_written) = (Vec::new(), false);
            let write = |file: &ExtentFile| {
                let written = unit.slices().zip(&done.rows).zip(slices).try_for_each(
                    |((slice, rows), working)| {
                        working.write(&self.slice_context(slice), *rows, file, &mut new)
                    },
                );
                is_written = written.is_ok();
                let unused = if is_written { &self.saved } else { &new };
                unused.iter().for_each(|frame| file.free(*frame));
                let mut index = vec![new.len() as u64];
                new.iter().for_each(|frame| frame.add_to(&mut index));
                Ok(written.map(|()| index)?)
            };
            checkpoints.save(done.stage(&self.solver.sizes(unit)), write, header)?;
            if is_written {
                self.saved = new;
            }
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
        let restored = checkpoints.restore(|header: Header, saved| {
            self.check_header(unit, &header)?;
            let mut found = None;
            saved.read_each(|_, (file, index)| {
                let mut index = Numbers::new(index);
                let frames = index.list(Extent::read_from)?;
                index.end()?;
                found = Some((self.read_slices(unit, rules, &header, file, &frames)?, frames));
                Ok(())
            })?;
            let (slices, frames) = found.ok_or_else(|| damaged("it has no file"))?;
            let done = self.progress_of(unit, rules, header, &slices)?;
            let stage = done.stage(&self.sizes(unit));
            // Frames of several processes would be in other files.
            let saved = if saved.count() == 1 { frames } else { Vec::new() };
            Ok(((slices, done, saved), stage))
        })?;
        let (slices, done, saved) = match restored {
            Some(restored) => restored,
            None => (self.new_slices(unit, rules)?, UnitProgress::new(unit), Vec::new()),
        };
        let (rules, zugzwangs) = (*rules, Vec::new());
        Ok(WorkingUnit { solver: self, unit, rules, slices, done, saved, zugzwangs })
    }

    /// Reads the slices of a unit from a checkpoint.
    fn read_slices(
        &self,
        unit: Unit,
        rules: &RuleSet,
        header: &Header,
        file: &ExtentFile,
        frames: &[Extent],
    ) -> io::Result<Vec<WorkingSlice>> {
        let mut slices = self.new_slices(unit, rules).map_err(io::Error::other)?;
        let mut frames = frames.iter();
        let Header { wide, done } = header;
        for (((slice, rows), wide), working) in
            unit.slices().zip(&done.rows).zip(wide).zip(&mut slices)
        {
            if *rows > 0 {
                let context = self.slice_context(slice, rules);
                working.read(&context, *rows, *wide, file, &mut frames)?;
            }
        }
        match frames.len() {
            0 => Ok(slices),
            _ => Err(damaged("it has more than its rows")),
        }
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
    /// Writes the first rows to the file of a checkpoint, and adds the frames.
    fn write(
        &self,
        context: &SliceContext<'_, '_>,
        rows: usize,
        file: &ExtentFile,
        frames: &mut Vec<Extent>,
    ) -> std::result::Result<(), FileError> {
        let (words, count) = (context.columns.words(), context.columns.count());
        for part in parts(rows, count) {
            for plane in [&self.win, &self.loss] {
                let row = |orbit| plane.row(context.row_of(context.rows.representative(orbit)));
                let bits = part.clone().flat_map(row).map(|word| word.load(Relaxed));
                frames.extend(write_items(file, &bits.collect::<Vec<_>>())?);
            }
            let in_words = part.start * words..part.end * words;
            let OwnRows { undecided, safe, grades } = &self.own;
            frames.extend(write_items(file, &undecided[in_words.clone()])?);
            if !safe.is_empty() {
                frames.extend(write_items(file, &safe[in_words])?);
            }
            if let Some(grades) = grades {
                let places = part.start * count..part.end * count;
                let grades =
                    with_grades!(grades, grades => write_items(file, &grades.all()[places])?);
                frames.extend(grades);
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
        file: &ExtentFile,
        frames: &mut Iter<'_, Extent>,
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
            read_items(file, frames, &mut win)?;
            read_items(file, frames, &mut loss)?;
            let OwnRows { undecided, safe, grades } = &mut self.own;
            read_items(file, frames, &mut undecided[in_words.clone()])?;
            if !safe.is_empty() {
                read_items(file, frames, &mut safe[in_words])?;
            }
            if let Some(grades) = grades {
                with_grades!(grades, grades => read_items(file, frames, grades.rows_mut(part.clone()))?);
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
