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

use serde::{Deserialize, Serialize};

use super::parts::{self, Target};
use super::saved::{Content, Kind, NextPart, SavedParts, Source};
use crate::builder::checkpoint::{CheckpointStore, PartFile, PartWriter, damaged};
use crate::builder::rows::kernel::UnitContext;
use crate::builder::rows::store::{Distances, Layout, MAX_RANKS, Store, UnitValues};
use crate::builder::unit_progress::UnitProgress;
use crate::error::{Result, TableError};
use crate::slice::{Slice, Unit};
use crate::stop::check_stop;

#[derive(Serialize, Deserialize)]
struct Header {
    /// Those of the parts.
    contents: Vec<Content>,
    done: UnitProgress,
}

/// The checkpoints of a unit in work.
pub(crate) struct UnitCheckpoints<'c, 'a, 'f> {
    context: &'c UnitContext<'c, 'a>,
    files: &'c mut CheckpointStore<'f>,
    saved: SavedParts,
}

/// A unit in work, as a checkpoint restores it.
pub(crate) struct Restored<'a> {
    pub store: Box<dyn Store + 'a>,
    pub done: UnitProgress,
}

impl<'c, 'a, 'f> UnitCheckpoints<'c, 'a, 'f> {
    /// The checkpoints of a unit, and what the last one restores, if it exists and can be used.
    /// Otherwise the unit has no decided position.
    pub(crate) fn restore(
        context: &'c UnitContext<'c, 'a>,
        files: &'c mut CheckpointStore<'f>,
    ) -> Result<(Self, Restored<'a>)> {
        let (unit, processes) = (context.unit, context.build().processes);
        let rank = processes.rank();
        let restored = files.restore(|header: Header, files, reader| {
            check_header(context, &header, files)?;
            let mut store = context.new_store().map_err(io::Error::other)?;
            let values = store.values_mut();
            let parts = header.contents.iter().cloned().zip(files.iter().copied());
            let own: Vec<_> = parts
                .filter(|(content, _)| {
                    let layout = values.layout(content.slice);
                    let target = Target { layout, own: &layout.panels_of(rank) };
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
                reader.read(file, |input| read_part(values, content, rows, rank, input))?;
            }
            // Parts of another number of processes are written again.
            let is_own = |content: &Content| {
                let layout = values.layout(content.slice);
                match content.kind {
                    _ if content.ranks != layout.ranks() => false,
                    Kind::Stripe => {
                        let stripe = layout.stripe_of(content.panels.start);
                        layout.stripe(stripe) == content.panels
                    }
                    _ => layout.panels_of(rank) == content.panels,
                }
            };
            let mut saved = SavedParts::default();
            if own.iter().all(|(content, _)| is_own(content)) {
                saved.parts = own;
                set_saved(values);
            }
            let longest = values.distances.values().map(|found| found.found.longest()).max();
            let rounds = match longest {
                Some(longest) => longest.unwrap_or(0).into(),
                None => header.done.rounds,
            };
            let sizes = context.sizes();
            let done = header.done.with_rounds(rounds, &sizes)?;
            let stage = done.stage(&sizes);
            Ok(((saved, Restored { store, done }), stage))
        })?;
        let (saved, restored) = match restored {
            Some((saved, mut restored)) => {
                // The longest distance can be in the panels of another process.
                restored.done.rounds = processes.max(restored.done.rounds.into())? as u32;
                (saved, restored)
            }
            None => {
                let store = processes.all(context.new_store())?;
                (SavedParts::default(), Restored { store, done: UnitProgress::new(unit) })
            }
        };
        Ok((Self { context, files, saved }, restored))
    }

    /// Saves a checkpoint if one is due or the build is being stopped. `result` is that of some work
    /// that all processes have done.
    ///
    /// # Errors
    /// If the work failed; [`TableError::Stopped`](crate::TableError::Stopped) if the build is being
    /// stopped.
    pub(crate) fn save_if_due(
        &mut self,
        store: &mut dyn Store,
        result: Result<()>,
        done: &UnitProgress,
    ) -> Result<()> {
        if let Err(error @ TableError::Ranks(_)) = result {
            // The other processes cannot be told.
            return Err(error);
        }
        let build = self.context.build();
        let is_stopped = check_stop(build.stop).is_err();
        let is_due = build.processes.is_first() && self.files.is_due();
        let asking =
            build.processes.sums(result.map(|()| vec![is_stopped.into(), is_due.into()]))?;
        let [is_stopped, is_due] = [0, 1].map(|i| asking[i] > 0);
        if done.has_begun() && (is_due || is_stopped) {
            self.save(store.values_mut(), done)?;
        }
        if is_stopped { Err(TableError::Stopped) } else { Ok(()) }
    }

    fn save(&mut self, values: &mut UnitValues, done: &UnitProgress) -> Result<()> {
        let Self { context, files, saved } = self;
        let rank = context.build().processes.rank();
        let parts = next_parts(values, saved, context.unit, rank, done);
        let write = |out: &mut PartWriter<'_>| {
            let written = parts.into_iter().map(|part| {
                let file = match part.source {
                    Source::Last(file) => file,
                    Source::New | Source::Whole => {
                        let rows = done.rows_of(context.unit, part.content.slice);
                        out.write(|out| write_part(values, &part, rows, out))?
                    }
                };
                Ok((part.content, file))
            });
            written.collect()
        };
        let header = |contents| Header { contents, done: done.clone() };
        if let Some(parts) = files.save(done.stage(&context.sizes()), write, header)? {
            saved.parts = parts;
            set_saved(values);
        }
        Ok(())
    }
}

/// The parts of the next checkpoint that a process has.
fn next_parts(
    values: &UnitValues,
    saved: &SavedParts,
    unit: Unit,
    rank: usize,
    done: &UnitProgress,
) -> Vec<NextPart> {
    let mut parts = Vec::new();
    for (slice, rows) in unit.slices().zip(&done.rows) {
        parts.extend(saved.next_matrices(slice, &values.tiles, rank, *rows));
        if let Some(Distances { due, found }) = values.distances.get(&slice) {
            let layout = values.layout(slice);
            parts.extend(saved.next_log(slice, &layout, rank, Kind::Due, due));
            parts.extend(saved.next_log(slice, &layout, rank, Kind::Found, found));
        }
    }
    parts
}

/// Records that the last checkpoint has everything.
fn set_saved(values: &mut UnitValues) {
    values.tiles.set_saved();
    for Distances { due, found } in values.distances.values_mut() {
        due.set_saved();
        found.set_saved();
    }
}

/// Writes a new part. `rows` are the decided rows of its slice.
fn write_part(
    UnitValues { tiles, distances }: &UnitValues,
    part: &NextPart,
    rows: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let all = part.source == Source::Whole;
    let Content { slice, panels, kind, .. } = &part.content;
    match kind {
        Kind::Rows(rows) => parts::write_tiles(tiles, *slice, panels, rows, out),
        Kind::Stripe => parts::write_tiles(tiles, *slice, panels, &(0..rows), out),
        Kind::Due => parts::write_log(&distances[slice].due, all, out),
        Kind::Found => parts::write_log(&distances[slice].found, all, out),
    }
}

/// Reads what a part has of a process. `rows` are the decided rows of its slice.
fn read_part(
    UnitValues { tiles, distances }: &mut UnitValues,
    content: &Content,
    rows: usize,
    rank: usize,
    input: &mut dyn Read,
) -> io::Result<()> {
    let layout = tiles.layout(content.slice);
    let target = Target { layout, own: &layout.panels_of(rank) };
    let distances = distances.get_mut(&content.slice);
    let distances = distances.ok_or_else(|| damaged("it has distances"));
    let ranks = content.ranks;
    match &content.kind {
        Kind::Rows(rows) => parts::read_tiles(tiles, &target, content, rows, input),
        Kind::Stripe => parts::read_tiles(tiles, &target, content, &(0..rows), input),
        Kind::Due => parts::read_log(&mut distances?.due, &target, ranks, input),
        Kind::Found => parts::read_log(&mut distances?.found, &target, ranks, input),
    }
}

/// Checks a header before anything else is read.
fn check_header(
    context: &UnitContext<'_, '_>,
    Header { contents, done }: &Header,
    files: &[PartFile],
) -> io::Result<()> {
    let sizes = context.sizes();
    done.check(&sizes)?;
    if contents.len() != files.len() {
        return Err(damaged("it has another number of parts than it lists"));
    }
    for content in contents {
        let Some(of_slice) = context.slices.iter().find(|other| other.slice == content.slice)
        else {
            return Err(damaged("it has a part of another unit"));
        };
        let Content { ranks, ref panels, .. } = *content;
        let is_there = (1..=MAX_RANKS).contains(&ranks)
            && panels.start < panels.end
            && panels.end <= of_slice.layout.for_ranks(ranks).num_panels();
        if !is_there {
            return Err(damaged(format!("slice {} has no such panels", content.slice)));
        }
    }
    for ((of_slice, rows), size) in context.slices.iter().zip(&done.rows).zip(&sizes) {
        check_parts(of_slice.slice, *rows, *rows == size.rows, &of_slice.layout, contents)?;
    }
    Ok(())
}

/// Checks that the parts of a slice have its decided rows, in all panels.
fn check_parts(
    slice: Slice,
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
