//! How a checkpoint saves the progress of a unit: as the rows of orbits, in compressed frames. The rows
//! of the images are copied again, and all rows are checked again. With distances, the next round is
//! the one after the longest distance of a decided position: checkpoints are saved between rounds.

use std::io;
use std::ops::Range;
use std::slice::Iter;
use std::sync::atomic::Ordering::Relaxed;

use fanorona_core::RuleSet;
use fanorona_storage::{FileError, compress, decompress};
use fanorona_tablebase::{Result, Unit};
use rayon::prelude::*;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::images::{ImageBuffers, add_to_images};
use super::select::reverse;
use super::state::{DenseContext, DenseSolver, OwnRows, WorkingSlice};
use super::unit::WorkingUnit;
use crate::bits::for_each_bit;
use crate::checkpoint::{
    CheckpointStore, Extent, ExtentFile, SliceSize, UnitProgress, damaged, of_system,
};
use crate::grade_rows::{GradeRows, with_grades};

impl WorkingUnit<'_, '_> {
    /// Saves a checkpoint if one is due. An error if the build is being stopped.
    pub(super) fn save_if_due(&mut self, checkpoints: &mut CheckpointStore<'_>) -> Result<()> {
        let Self { unit, ref slices, ref done, ref mut saved, .. } = *self;
        let contexts = unit.slices().map(|slice| self.solver.slice_context(slice, &self.rules));
        checkpoints.save_if_due(Ok(()), done, |file| {
            let (mut are_wide, mut new) = (Vec::new(), Vec::new());
            let written =
                contexts.zip(&done.rows).zip(slices).try_for_each(|((context, rows), working)| {
                    let is_wide = working.own.grades.as_ref().is_some_and(GradeRows::are_wide);
                    are_wide.push(is_wide);
                    working.write(&context, *rows, file, &mut new)
                });
            if written.is_ok() {
                std::mem::swap(saved, &mut new);
            }
            // The last ones, or those that were written before an error.
            new.into_iter().for_each(|frame| file.free(frame));
            Ok(written.map(|()| (are_wide, saved.clone()))?)
        })
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
        let rows = self.context.orbits(unit.stronger().stones() as u8).count();
        let size = |slice| SliceSize { rows, entries: self.context.index(slice).len() };
        let new = UnitProgress::new(unit.slices().map(size).collect());
        let restored = checkpoints.restore(&new, |done, saved| {
            let mut found = Err(damaged("it has no file"));
            saved.read_each(|_, file, index| {
                found = Ok(self.read_slices(unit, rules, done, file, index)?);
                Ok(())
            })?;
            let (slices, frames) = found?;
            let longest = unit.slices().zip(&slices).filter_map(|(slice, working)| {
                working.longest_decided(&self.slice_context(slice, rules))
            });
            let rounds = match (longest.max(), self.context.metric.has_distances()) {
                (Some(longest), _) => u32::from(longest) + 1,
                (None, true) => 0,
                (None, false) => done.rounds,
            };
            Ok(((slices, frames), rounds))
        })?;
        let ((slices, saved), done) = match restored {
            Some(restored) => restored,
            None => ((self.new_slices(unit, rules)?, Vec::new()), new),
        };
        let (rules, zugzwangs) = (*rules, Vec::new());
        Ok(WorkingUnit { solver: self, unit, rules, slices, done, saved, zugzwangs })
    }

    /// Reads the slices of a unit from a checkpoint. Returns its frames, too.
    fn read_slices(
        &self,
        unit: Unit,
        rules: &RuleSet,
        done: &UnitProgress,
        file: &ExtentFile,
        (are_wide, saved): (Vec<bool>, Vec<Extent>),
    ) -> io::Result<(Vec<WorkingSlice>, Vec<Extent>)> {
        let mut slices = self.new_slices(unit, rules).map_err(io::Error::other)?;
        if are_wide.len() != slices.len() {
            return Err(damaged("its index has other slices"));
        }
        for (working, _) in slices.iter_mut().zip(are_wide).filter(|(_, is_wide)| *is_wide) {
            working.own.grades.iter_mut().for_each(GradeRows::widen);
        }
        let mut frames = saved.iter();
        for ((slice, rows), working) in unit.slices().zip(&done.rows).zip(&mut slices) {
            working.read(&self.slice_context(slice, rules), *rows, file, &mut frames)?;
        }
        match frames.len() {
            0 => Ok((slices, saved)),
            _ => Err(damaged("it has more than its rows")),
        }
    }
}

impl WorkingSlice {
    /// Writes the first rows to the file of a checkpoint, and adds the frames.
    fn write(
        &self,
        context: &DenseContext<'_, '_>,
        rows: usize,
        file: &ExtentFile,
        frames: &mut Vec<Extent>,
    ) -> std::result::Result<(), FileError> {
        let (words, count) = (context.columns.words(), context.columns.count());
        let OwnRows { undecided, safe, grades } = &self.own;
        for part in parts(context, rows) {
            for plane in [&self.win, &self.loss] {
                let row = |orbit| plane.row(context.row_of(context.rows.representative(orbit)));
                let bits = part.clone().flat_map(row).map(|word| word.load(Relaxed));
                write_items(file, &bits.collect::<Vec<_>>(), frames)?;
            }
            let in_words = part.start * words..part.end * words;
            write_items(file, &undecided[in_words.clone()], frames)?;
            if !safe.is_empty() {
                write_items(file, &safe[in_words], frames)?;
            }
            if let Some(grades) = grades {
                let places = part.start * count..part.end * count;
                with_grades!(grades, grades => write_items(file, &grades.all()[places], frames)?);
            }
        }
        Ok(())
    }

    /// Reads the first rows from a checkpoint.
    fn read(
        &mut self,
        context: &DenseContext<'_, '_>,
        rows: usize,
        file: &ExtentFile,
        frames: &mut Iter<'_, Extent>,
    ) -> io::Result<()> {
        let (words, count) = (context.columns.words(), context.columns.count());
        for part in parts(context, rows) {
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
            // The columns are the opponent's sets.
            let rows = part.into_par_iter().zip(win.par_chunks(words).zip(loss.par_chunks(words)));
            rows.for_each_init(
                <([Vec<u64>; 2], ImageBuffers)>::default,
                |([wins, losses], images), (orbit, (win, loss))| {
                    reverse(win, count, wins);
                    reverse(loss, count, losses);
                    let occupied = context.rows.representative(orbit);
                    let new = [(&wins[..], &self.win), (&losses[..], &self.loss)];
                    add_to_images(context.tools.words, context, occupied, &new, images);
                },
            );
        }
        Ok(())
    }

    /// The longest distance of a decided position. `None` if there is none, or without distances.
    fn longest_decided(&self, context: &DenseContext<'_, '_>) -> Option<u16> {
        let grades = self.own.grades.as_ref()?;
        let of_row = |orbit: usize| {
            let row = context.row_of(context.rows.representative(orbit));
            let (mut bits, mut longest) = (Vec::new(), None);
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
fn parts(
    context: &DenseContext<'_, '_>,
    rows: usize,
) -> impl Iterator<Item = Range<usize>> + use<> {
    let together = context.rows_together().max(1);
    (0..rows).step_by(together).map(move |first| first..rows.min(first + together))
}

/// The compression level of zstd. Low, because the build waits for it.
const LEVEL: i32 = 1;

/// Writes items in frames, and adds the frames, even if others cannot be written.
fn write_items<T: IntoBytes + Immutable + Sync>(
    file: &ExtentFile,
    items: &[T],
    frames: &mut Vec<Extent>,
) -> std::result::Result<(), FileError> {
    let write = |items: &[T]| {
        let frame = compress(items.as_bytes(), LEVEL);
        file.write(&frame.expect("compressing into memory does not fail"))
    };
    let per_frame = file.sizes.item_frame / size_of::<T>();
    let written: Vec<_> = items.par_chunks(per_frame).map(write).collect();
    let mut result = Ok(());
    for frame in written {
        match frame {
            Ok(frame) => frames.push(frame),
            Err(error) => result = Err(error),
        }
    }
    result
}

/// Reads items from the next frames until `items` is full. Claims the frames.
fn read_items<T: FromBytes + IntoBytes + Send>(
    file: &ExtentFile,
    frames: &mut Iter<'_, Extent>,
    items: &mut [T],
) -> io::Result<()> {
    let per_frame = file.sizes.item_frame / size_of::<T>();
    let of_frames: Vec<_> = items.chunks_mut(per_frame).zip(frames).collect();
    let found: usize = of_frames.iter().map(|(items, _)| items.len()).sum();
    of_frames.into_par_iter().try_for_each(|(items, frame)| {
        file.claim(*frame)?;
        let mut bytes = vec![0; frame.len()];
        file.read(*frame, &mut bytes).map_err(of_system)?;
        let items = items.as_mut_bytes();
        match decompress(&bytes, items) {
            Ok(length) if length == items.len() => Ok(()),
            Ok(_) => Err(damaged("a frame has another number of items")),
            Err(_) => Err(damaged("a frame does not decompress")),
        }
    })?;
    if found == items.len() { Ok(()) } else { Err(damaged("frames are missing")) }
}
