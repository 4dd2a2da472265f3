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

use super::parts::{self, Target};
use super::saved::{Content, Kind, NextPart, SavedParts, Source};
use crate::builder::checkpoint::{CheckpointStore, PartFile, PartWriter, damaged};
use crate::builder::rows::state::{Distances, RowsBuilder, WorkingUnit};
use crate::builder::rows::store::layout::{Layout, MAX_RANKS};
use crate::builder::unit_progress::{SliceSize, UnitProgress};
use crate::error::{Result, TableError};
use crate::slice::{PhaseSlice, Unit};
use crate::stop::check_stop;

#[derive(Serialize, Deserialize)]
struct Header {
    /// Those of the parts.
    contents: Vec<Content>,
    done: UnitProgress,
}

impl WorkingUnit {
    /// The parts of the next checkpoint that a process has.
    fn next_parts(&self, unit: Unit, rank: usize, done: &UnitProgress) -> Vec<NextPart> {
        let mut parts = Vec::new();
        for (slice, rows) in unit.phase_slices().zip(&done.rows) {
            let layout = self.store.layout(slice);
            parts.extend(self.saved.next_matrices(slice, &layout, rank, *rows));
            if let Some(Distances { due, found }) = self.distances.get(&slice) {
                parts.extend(self.saved.next_log(slice, &layout, rank, Kind::Due, due));
                parts.extend(self.saved.next_log(slice, &layout, rank, Kind::Found, found));
            }
        }
        parts
    }

    /// Records that a checkpoint has everything, in these parts.
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
        let Content { slice, panels, kind, .. } = &part.content;
        match kind {
            Kind::Rows(rows) => parts::write_tiles(store, *slice, panels, rows, out),
            Kind::Stripe => parts::write_tiles(store, *slice, panels, &(0..rows), out),
            Kind::Due => parts::write_log(&self.distances[slice].due, all, out),
            Kind::Found => parts::write_log(&self.distances[slice].found, all, out),
        }
    }

    /// Reads what a part has of a process. `rows` are the decided rows of its slice.
    fn read_part(
        &mut self,
        content: &Content,
        rows: usize,
        rank: usize,
        input: &mut dyn Read,
    ) -> io::Result<()> {
        let layout = self.store.layout(content.slice);
        let target = Target { layout, own: &layout.panels_of(rank) };
        let distances = self.distances.get_mut(&content.slice);
        let distances = distances.ok_or_else(|| damaged("it has distances"));
        let (store, ranks) = (&mut *self.store, content.ranks);
        match &content.kind {
            Kind::Rows(rows) => parts::read_tiles(store, &target, content, rows, input),
            Kind::Stripe => parts::read_tiles(store, &target, content, &(0..rows), input),
            Kind::Due => parts::read_log(&mut distances?.due, &target, ranks, input),
            Kind::Found => parts::read_log(&mut distances?.found, &target, ranks, input),
        }
    }
}

impl RowsBuilder<'_> {
    /// Saves a checkpoint if one is due or the build is being stopped. `result` is that of some work
    /// that all processes have done.
    ///
    /// # Errors
    /// If the work failed; [`TableError::Stopped`](crate::TableError::Stopped) if the build is being
    /// stopped.
    pub(crate) fn save_if_due(
        &mut self,
        unit: Unit,
        result: Result<()>,
        done: &UnitProgress,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        let group = self.context.group;
        let is_stopped = check_stop(self.context.stop).is_err();
        let is_due = group.is_first() && checkpoints.is_due();
        let asking = group.sums(result.map(|()| vec![is_stopped.into(), is_due.into()]))?;
        let [is_stopped, is_due] = [0, 1].map(|i| asking[i] > 0);
        if done.has_begun() && (is_due || is_stopped) {
            self.save(unit, done, checkpoints)?;
        }
        if is_stopped { Err(TableError::Stopped) } else { Ok(()) }
    }

    fn save(
        &mut self,
        unit: Unit,
        done: &UnitProgress,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        let working = self.working();
        let parts = working.next_parts(unit, self.context.group.rank(), done);
        let write = |out: &mut PartWriter<'_>| {
            let written = parts.into_iter().map(|part| {
                let file = match part.source {
                    Source::Last(file) => file,
                    Source::New | Source::Whole => {
                        let rows = done.rows_of(unit, part.content.slice);
                        out.write(|out| working.write_part(&part, rows, out))?
                    }
                };
                Ok((part.content, file))
            });
            written.collect()
        };
        let header = |contents| Header { contents, done: done.clone() };
        let saved = checkpoints.save(done.stage(&self.sizes(unit)), write, header)?;
        if let Some(parts) = saved {
            let working = self.working.as_mut().expect("a unit is in work");
            working.set_saved(parts);
        }
        Ok(())
    }

    /// Restores the checkpoint of a unit, if one exists and can be used. Returns the progress.
    pub(crate) fn restore(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<UnitProgress> {
        let group = self.context.group;
        let restored = checkpoints.restore(|header: Header, files, reader| {
            self.check_header(unit, rules, &header, files)?;
            let mut working = self.new_working_unit(unit, rules).map_err(io::Error::other)?;
            let parts: Vec<_> =
                header.contents.iter().cloned().zip(files.iter().copied()).collect();
            let own: Vec<_> = parts
                .into_iter()
                .filter(|(content, _)| {
                    let layout = working.store.layout(content.slice);
                    let target = Target { layout, own: &layout.panels_of(group.rank()) };
                    let from = layout.for_ranks(content.ranks);
                    content.panels.clone().any(|panel| {
                        let (words, rows) = (from.panel(panel), from.rows_of(panel));
                        target.panels_with(&words, &rows).next().is_some()
                    })
                })
                .collect();
            // Stripes replace the columns of rows.
            let (rows, others): (Vec<_>, Vec<_>) =
                own.iter().partition(|(content, _)| matches!(content.kind, Kind::Rows(_)));
            for (content, file) in rows.into_iter().chain(others) {
                let rows = header.done.rows_of(unit, content.slice);
                reader.read(file, |input| working.read_part(content, rows, group.rank(), input))?;
            }
            // Parts of another number of processes are written again.
            let is_own = |content: &Content| {
                let layout = working.store.layout(content.slice);
                match content.kind {
                    _ if content.ranks != layout.ranks() => false,
                    Kind::Stripe => {
                        let stripe = layout.stripe_of(content.panels.start);
                        layout.stripe(stripe) == content.panels
                    }
                    _ => layout.panels_of(group.rank()) == content.panels,
                }
            };
            if own.iter().all(|(content, _)| is_own(content)) {
                working.set_saved(own);
            }
            let longest = working.distances.values().map(|found| found.found.longest()).max();
            let rounds = match longest {
                Some(longest) => longest.unwrap_or(0).into(),
                None => header.done.rounds,
            };
            let sizes = self.sizes(unit);
            let done = header.done.with_rounds(rounds, &sizes)?;
            let stage = done.stage(&sizes);
            Ok(((done, working), stage))
        })?;
        let Some((mut done, working)) = restored else {
            self.working = Some(group.all(self.new_working_unit(unit, rules))?);
            return Ok(UnitProgress::new(unit));
        };
        // The longest distance can be in the panels of another process.
        done.rounds = group.max(done.rounds.into())? as u32;
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
        let slices: Vec<_> = unit.phase_slices().collect();
        if contents.len() != files.len() {
            return Err(damaged("it has another number of parts than it lists"));
        }
        for content in contents {
            if !slices.contains(&content.slice) {
                return Err(damaged("it has a part of another unit"));
            }
            let Content { ranks, ref panels, .. } = *content;
            let layout = self.new_layout(content.slice, rules);
            let is_there = (1..=MAX_RANKS).contains(&ranks)
                && panels.start < panels.end
                && panels.end <= layout.for_ranks(ranks).num_panels();
            if !is_there {
                return Err(damaged(format!("slice {} has no such panels", content.slice)));
            }
        }
        for ((slice, rows), size) in slices.into_iter().zip(&done.rows).zip(&sizes) {
            let layout = self.new_layout(slice, rules);
            check_parts(slice, *rows, *rows == size.rows, &layout, contents)?;
        }
        Ok(())
    }

    /// The sizes of a unit's slices.
    fn sizes(&self, unit: Unit) -> Vec<SliceSize> {
        let size = |slice: PhaseSlice| {
            let rows = self.context.orbits(slice.own()).count();
            SliceSize { rows, entries: self.context.index(slice.slice).len() }
        };
        unit.phase_slices().map(size).collect()
    }
}

/// Checks that the parts of a slice have its decided rows, in all panels.
fn check_parts(
    slice: PhaseSlice,
    rows: usize,
    is_decided: bool,
    layout: &Layout,
    contents: &[Content],
) -> io::Result<()> {
    let mut contents = contents.iter().filter(|content| content.slice == slice).peekable();
    let Some(from) = contents.peek().map(|content| layout.for_ranks(content.ranks)) else {
        return match rows {
            0 => Ok(()),
            _ => Err(damaged(format!("slice {slice} is missing"))),
        };
    };
    // For each panel, the end of the rows that are there, and whether a stripe replaces them.
    let mut panels = vec![(0, false); from.num_panels()];
    for content in contents {
        if content.ranks != from.ranks() {
            return Err(damaged(format!(
                "slice {slice} is cut for different numbers of processes"
            )));
        }
        for (end, is_whole) in &mut panels[content.panels.clone()] {
            match &content.kind {
                Kind::Rows(some) => {
                    if some.start != *end || some.end <= *end || some.end > rows {
                        return Err(damaged(format!("its rows of slice {slice} do not fit")));
                    }
                    *end = some.end;
                }
                Kind::Stripe if is_decided => *is_whole = true,
                Kind::Stripe => {
                    return Err(damaged(format!("slice {slice} has no such stripe")));
                }
                Kind::Due | Kind::Found => {}
            }
        }
    }
    if panels.iter().any(|(end, is_whole)| *end < rows && !is_whole) {
        return Err(damaged(format!("rows of slice {slice} are missing")));
    }
    Ok(())
}
