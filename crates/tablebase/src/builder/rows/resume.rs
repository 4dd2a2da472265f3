//! How a checkpoint saves the progress of a unit: as the matrices whose rows are own sets, and the
//! log of rounds.
//!
//! Everything else follows from them.
//! - Everything counts as changed. The next rounds then process more rows and find no more.
//! - Without distances, any state is a good one between two rounds: a value that is set is correct,
//!   and rounds find the others.
//! - With distances, the round with the longest distance of a decided position is repeated. It may
//!   have been interrupted. Rounds before it are complete. Later rounds may have run without
//!   finding anything, and find nothing again. So no number in the file determines the next round,
//!   and none can be wrong.

use std::io::{self, Read, Write};

use fanorona_core::RuleSet;
use serde::{Deserialize, Serialize};

use super::parts;
use super::saved::{Content, NextPart, SavedParts, Source};
use super::state::{RowsBuilder, WorkingUnit};
use crate::builder::checkpoint::{CheckpointStore, PartFile, damaged};
use crate::builder::unit_progress::{SliceSize, UnitProgress};
use crate::error::Result;
use crate::slice::{Slice, Unit};
use crate::stop::check_stop;

/// The header of a checkpoint.
#[derive(Serialize, Deserialize)]
struct Header {
    /// What the parts have.
    contents: Vec<Content>,
    done: UnitProgress,
}

impl WorkingUnit {
    /// The parts of the next checkpoint.
    fn next_parts(&self, unit: Unit, done: &UnitProgress) -> Vec<NextPart> {
        let mut parts = Vec::new();
        for (slice, rows) in unit.slices().zip(&done.rows) {
            parts.extend(self.saved.next_matrices(slice, &self.store.layout(slice), *rows));
            if let Some(distances) = self.distances.get(&slice) {
                parts.extend(self.saved.next_log(&Content::Due { slice }, &distances.due));
                parts.extend(self.saved.next_log(&Content::Found { slice }, &distances.found));
            }
        }
        parts
    }

    /// Records that a checkpoint has everything.
    fn set_saved(&mut self, parts: Vec<(Content, PartFile)>) {
        self.saved = SavedParts::new(parts);
        for distances in self.distances.values_mut() {
            distances.due.set_saved();
            distances.found.set_saved();
        }
    }

    /// Writes a new part. `rows` are the decided rows of its slice.
    fn write_part(&self, part: &NextPart, rows: usize, out: &mut dyn Write) -> io::Result<()> {
        let (store, all) = (&*self.store, part.source == Source::Whole);
        match &part.content {
            Content::Rows { slice, rows } => parts::write_rows(store, *slice, rows, out),
            Content::Stripe { slice, stripe } => {
                parts::write_stripe(store, *slice, *stripe, rows, out)
            }
            Content::Due { slice } => parts::write_log(&self.distances[slice].due, all, out),
            Content::Found { slice } => parts::write_log(&self.distances[slice].found, all, out),
        }
    }

    /// Reads a part. `rows` are the decided rows of its slice.
    fn read_part(
        &mut self,
        content: &Content,
        rows: usize,
        input: &mut dyn Read,
    ) -> io::Result<()> {
        let slice = content.slice();
        let layout = self.store.layout(slice);
        let distances = self.distances.get_mut(&slice);
        let distances = distances.ok_or_else(|| damaged("it has distances"));
        let store = &mut *self.store;
        match content {
            Content::Rows { rows, .. } => parts::read_rows(store, slice, rows, input),
            Content::Stripe { stripe, .. } => {
                parts::read_stripe(store, slice, *stripe, rows, input)
            }
            Content::Due { .. } => parts::read_log(&mut distances?.due, layout, input),
            Content::Found { .. } => parts::read_log(&mut distances?.found, layout, input),
        }
    }
}

impl Header {
    /// The number of saved rows of a slice of the unit.
    fn rows_of(&self, unit: Unit, slice: Slice) -> usize {
        let rows = unit.slices().zip(&self.done.rows).find(|(other, _)| *other == slice);
        *rows.expect("a slice of the unit").1
    }
}

impl RowsBuilder<'_> {
    /// Saves a checkpoint if one is due or the build is being stopped.
    ///
    /// # Errors
    /// [`TableError::Stopped`](crate::TableError::Stopped) if it is being stopped.
    pub(super) fn save_if_due(
        &mut self,
        unit: Unit,
        done: &UnitProgress,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        let stopped = check_stop(self.context.stop);
        if done.has_begun() && (checkpoints.is_due() || stopped.is_err()) {
            self.save(unit, done, checkpoints);
        }
        stopped
    }

    fn save(&mut self, unit: Unit, done: &UnitProgress, checkpoints: &mut CheckpointStore<'_>) {
        let working = self.working();
        let parts = working.next_parts(unit, done);
        let contents: Vec<_> = parts.iter().map(|part| part.content.clone()).collect();
        let header = Header { contents: contents.clone(), done: done.clone() };
        let saved = checkpoints.save(done.stage(&self.sizes(unit)), |out| {
            let files = parts.iter().map(|part| match part.source {
                Source::Last(file) => Ok(file),
                Source::New | Source::Whole => {
                    let rows = header.rows_of(unit, part.content.slice());
                    out.write(|out| working.write_part(part, rows, out))
                }
            });
            let files = files.collect::<std::result::Result<_, _>>()?;
            Ok((header, files))
        });
        if let Some(files) = saved {
            let working = self.working.as_mut().expect("a unit is in work");
            working.set_saved(contents.into_iter().zip(files).collect());
        }
    }

    /// Restores the checkpoint of a unit, if one exists and can be used. Returns the progress.
    pub(super) fn restore(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<UnitProgress> {
        let restored = checkpoints.restore(|header: Header, files, reader| {
            self.check_header(unit, rules, &header, files)?;
            let mut working = self.new_working_unit(unit, rules).map_err(io::Error::other)?;
            let parts: Vec<_> =
                header.contents.iter().cloned().zip(files.iter().copied()).collect();
            // Stripes replace the columns of rows.
            let (rows, others): (Vec<_>, Vec<_>) =
                parts.iter().partition(|(content, _)| matches!(content, Content::Rows { .. }));
            for (content, file) in rows.into_iter().chain(others) {
                let rows = header.rows_of(unit, content.slice());
                reader.read(file, |input| working.read_part(content, rows, input))?;
            }
            working.set_saved(parts);
            let longest = working.distances.values().map(|found| found.found.longest()).max();
            let rounds = match longest {
                Some(longest) => longest.unwrap_or(0).into(),
                None => header.done.rounds,
            };
            let sizes = self.sizes(unit);
            let done = header.done.with_rounds(rounds, &sizes)?;
            let stage = done.stage(&sizes);
            Ok(((done, working), stage))
        });
        let (done, working) = match restored {
            Some(restored) => restored,
            None => (UnitProgress::new(unit), self.new_working_unit(unit, rules)?),
        };
        self.working = Some(working);
        Ok(done)
    }

    /// Checks a header before anything else is read.
    fn check_header(
        &self,
        unit: Unit,
        rules: &RuleSet,
        header: &Header,
        files: &[PartFile],
    ) -> io::Result<()> {
        let Header { contents, done } = header;
        let sizes = self.sizes(unit);
        done.check(&sizes)?;
        let slices: Vec<_> = unit.slices().collect();
        if contents.len() != files.len() {
            return Err(damaged("it has another number of parts than it lists"));
        }
        if contents.iter().any(|content| !slices.contains(&content.slice())) {
            return Err(damaged("it has a part of another unit"));
        }
        for ((slice, rows), size) in slices.into_iter().zip(&done.rows).zip(&sizes) {
            let stripes = self.new_layout(slice, rules).num_stripes();
            check_parts(slice, *rows, *rows == size.rows, stripes, contents)?;
        }
        Ok(())
    }

    /// The sizes of a unit's slices.
    fn sizes(&self, unit: Unit) -> Vec<SliceSize> {
        let size = |slice: Slice| {
            let rows = self.context.orbits(slice.own).count();
            SliceSize { rows, entries: self.context.index(slice).len() }
        };
        unit.slices().map(size).collect()
    }
}

/// Checks that the parts of a slice have its decided rows.
fn check_parts(
    slice: Slice,
    rows: usize,
    is_decided: bool,
    stripes: usize,
    contents: &[Content],
) -> io::Result<()> {
    let mut stripes = vec![false; stripes];
    let mut end = 0;
    for content in contents.iter().filter(|content| content.slice() == slice) {
        match content {
            Content::Rows { rows: some, .. } => {
                if some.start != end || some.end <= end || some.end > rows {
                    return Err(damaged(format!("its rows of slice {slice} do not fit")));
                }
                end = some.end;
            }
            Content::Stripe { stripe, .. } => match stripes.get_mut(*stripe) {
                Some(there) if is_decided => *there = true,
                _ => return Err(damaged(format!("slice {slice} has no such stripe"))),
            },
            Content::Due { .. } | Content::Found { .. } => {}
        }
    }
    if end < rows && !stripes.into_iter().all(|there| there) {
        return Err(damaged(format!("rows of slice {slice} are missing")));
    }
    Ok(())
}
