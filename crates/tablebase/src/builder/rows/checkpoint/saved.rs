//! The parts of a checkpoint: what they have, and which of them have to be written again.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::builder::checkpoint::PartFile;
use crate::builder::rows::store::{Layout, RoundLog, Tiles};
use crate::slice::Slice;

/// The most parts with rows, or with frames of a log, of all processes together. With more of them,
/// one part of each process replaces all.
const MOST_ADDED: usize = if cfg!(test) { 4 } else { 64 };

/// The most parts with rows, or with frames of a log, of a process.
fn most_added(layout: &Layout) -> usize {
    (MOST_ADDED / layout.ranks()).max(1)
}

/// Names the contents of a part of a checkpoint: something of a slice, in some panels.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Content {
    pub slice: Slice,
    /// The number of processes. It determines what the panels are.
    pub ranks: usize,
    pub panels: Range<usize>,
    pub kind: Kind,
}

/// The share of its panels that a part holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Kind {
    /// Some rows of all matrices, as captures have decided them.
    Rows(Range<usize>),
    /// All rows of all matrices. Replaces what [`Rows`](Self::Rows) has.
    Stripe,
    /// Frames of the log of positions that wait for their round.
    Due,
    /// Frames of the log of positions that rounds have decided.
    Found,
}

/// A part of the next checkpoint.
pub(crate) struct NextPart {
    pub content: Content,
    pub source: Source,
}

/// Where a part of the next checkpoint comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    /// The last checkpoint has it.
    Last(PartFile),
    /// It is written. A log writes the frames that the last checkpoint does not have.
    New,
    /// It is written, and replaces all parts with the same content.
    Whole,
}

/// The parts of the last checkpoint.
#[derive(Default)]
pub(crate) struct SavedParts {
    pub parts: Vec<(Content, PartFile)>,
}

impl SavedParts {
    fn of(&self, slice: Slice) -> impl Iterator<Item = &(Content, PartFile)> {
        self.parts.iter().filter(move |(content, _)| content.slice == slice)
    }

    /// The parts of the next checkpoint with the matrices of a slice, in the panels of a process.
    /// `rows` are decided.
    pub(crate) fn next_matrices(
        &self,
        slice: Slice,
        tiles: &Tiles,
        rank: usize,
        rows: usize,
    ) -> Vec<NextPart> {
        let (layout, changed) = (&tiles.layout(slice), tiles.changed(slice));
        let is_changed = changed.contains(&true);
        let ranks = layout.ranks();
        let new = |panels, kind, source| {
            let content = Content { slice, ranks, panels, kind };
            NextPart { content, source }
        };
        let (own, panels) = (layout.stripes_of(rank), layout.panels_of(rank));
        let mut stripes = vec![None; own.len()];
        let mut added = Vec::new();
        let mut end = 0;
        for (content, file) in self.of(slice) {
            match &content.kind {
                Kind::Stripe => {
                    let stripe = layout.stripe_of(content.panels.start);
                    stripes[stripe - own.start] = Some(Source::Last(*file));
                }
                Kind::Rows(rows) => {
                    end = rows.end;
                    added.push(NextPart { content: content.clone(), source: Source::Last(*file) });
                }
                Kind::Due | Kind::Found => {}
            }
        }
        let all_there = stripes.iter().all(Option::is_some);
        if !is_changed && end < rows && !all_there {
            let mut begin = end;
            if added.len() >= most_added(layout) {
                added.clear();
                begin = 0;
            }
            if !panels.is_empty() {
                added.push(new(panels, Kind::Rows(begin..rows), Source::New));
            }
            return added;
        }
        // Rows that rounds have changed before they were saved are saved as stripes.
        let as_stripes = end < rows && !all_there;
        for (i, stripe) in stripes.iter_mut().enumerate() {
            if as_stripes || changed[own.start + i] {
                *stripe = Some(Source::New);
            }
        }
        if stripes.iter().all(Option::is_some) {
            added.clear();
        }
        let stripes = own
            .zip(stripes)
            .filter_map(|(stripe, source)| Some(new(layout.stripe(stripe), Kind::Stripe, source?)));
        added.extend(stripes);
        added
    }

    /// The parts of the next checkpoint with a log, in the panels of a process.
    pub(crate) fn next_log(
        &self,
        slice: Slice,
        layout: &Layout,
        rank: usize,
        kind: Kind,
        log: &RoundLog,
    ) -> Vec<NextPart> {
        let (ranks, panels) = (layout.ranks(), layout.panels_of(rank));
        let content = Content { slice, ranks, panels, kind };
        let last = self.of(slice).filter(|(other, _)| *other == content);
        let next = |source| NextPart { content: content.clone(), source };
        let mut parts: Vec<_> = last.map(|(_, file)| next(Source::Last(*file))).collect();
        if log.has_unsaved() {
            if parts.len() < most_added(layout) {
                parts.push(next(Source::New));
            } else {
                parts = vec![next(Source::Whole)];
            }
        }
        parts
    }
}
