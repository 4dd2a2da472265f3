//! The progress of the work on a unit, and how a checkpoint saves it: as the matrices whose rows
//! are own sets, and the log of rounds.
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
use crate::builder::progress::{Phase, Stage};
use crate::error::Result;
use crate::slice::{Slice, Unit};
use crate::stop::check_stop;

/// The progress of the work on a unit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct UnitProgress {
    /// For each slice of the unit, the number of rows that captures have decided.
    pub rows: Vec<usize>,
    /// The number of complete rounds. They begin when all rows are decided.
    pub rounds: u32,
}

impl UnitProgress {
    /// No progress.
    pub(super) fn new(unit: Unit) -> Self {
        Self { rows: vec![0; unit.slices().count()], rounds: 0 }
    }
}

/// The header of a checkpoint.
#[derive(Serialize, Deserialize)]
struct Header {
    /// What the parts have.
    contents: Vec<Content>,
    /// For each slice of the unit, the number of saved rows.
    rows: Vec<usize>,
    /// The number of complete rounds without distances. Only used in messages.
    rounds: u32,
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
        let rows = unit.slices().zip(&self.rows).find(|(other, _)| *other == slice);
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
        let has_begun = done.rows.iter().any(|rows| *rows > 0);
        if has_begun && (checkpoints.is_due() || stopped.is_err()) {
            self.save(unit, done, checkpoints);
        }
        stopped
    }

    fn save(&mut self, unit: Unit, done: &UnitProgress, checkpoints: &mut CheckpointStore<'_>) {
        let working = self.working();
        let parts = working.next_parts(unit, done);
        let contents: Vec<_> = parts.iter().map(|part| part.content.clone()).collect();
        let header =
            Header { contents: contents.clone(), rows: done.rows.clone(), rounds: done.rounds };
        let saved = checkpoints.save(self.stage(unit, done), |out| {
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
            let done = self.progress_of(unit, header, &working)?;
            let stage = self.stage(unit, &done);
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
        let Header { contents, rows, rounds } = header;
        let slices: Vec<_> = unit.slices().collect();
        if rows.len() != slices.len() {
            return Err(damaged("it has another number of slices than the unit"));
        }
        if contents.len() != files.len() {
            return Err(damaged("it has another number of parts than it lists"));
        }
        if contents.iter().any(|content| !slices.contains(&content.slice())) {
            return Err(damaged("it has a part of another unit"));
        }
        for (slice, rows) in slices.into_iter().zip(rows) {
            let all = self.context.orbits(slice.own).count();
            if *rows > all {
                return Err(damaged(format!("it has more rows than slice {slice}")));
            }
            let stripes = self.new_layout(slice, rules).num_stripes();
            check_parts(slice, *rows, *rows == all, stripes, contents)?;
        }
        // Every round except the last decides a position.
        if u64::from(*rounds) > self.context.entries(unit) {
            return Err(damaged("it has more rounds than the unit has positions"));
        }
        Ok(())
    }

    /// The progress that the restored values show.
    fn progress_of(
        &self,
        unit: Unit,
        header: Header,
        working: &WorkingUnit,
    ) -> io::Result<UnitProgress> {
        let Header { rows, rounds, .. } = header;
        let all = unit.slices().map(|slice| self.context.orbits(slice.own).count());
        let captures_are_done = all.eq(rows.iter().copied());
        let longest = working.distances.values().map(|distances| distances.found.longest()).max();
        let rounds = match longest {
            Some(longest) => longest.unwrap_or(0).into(),
            None => rounds,
        };
        if rounds > 0 && !captures_are_done {
            return Err(damaged("it has rounds before captures are decided"));
        }
        Ok(UnitProgress { rows, rounds })
    }

    /// The progress in terms of phases.
    fn stage(&self, unit: Unit, done: &UnitProgress) -> Stage {
        if done.rounds > 0 {
            return Stage { phase: Phase::Round(done.rounds), share: 1.0 };
        }
        let entries = unit.slices().zip(&done.rows);
        let entries: u64 =
            entries.map(|(slice, rows)| *rows as u64 * self.context.index(slice).columns()).sum();
        let share = entries as f64 / self.context.entries(unit) as f64;
        Stage { phase: Phase::Captures, share }
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
