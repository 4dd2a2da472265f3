//! The parts of a checkpoint: what they have, and which of them have to be written again.

use std::collections::HashMap;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::layout::Layout;
use super::log::RoundLog;
use crate::builder::checkpoint::PartFile;
use crate::slice::Slice;

/// The most parts with rows, or with frames of a log. With more of them, one part replaces all.
const MOST_ADDED: usize = if cfg!(test) { 4 } else { 64 };

/// What a part of a checkpoint has.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Content {
    /// Some rows of all matrices of a slice, as captures have decided them.
    Rows { slice: Slice, rows: Range<usize> },
    /// A stripe of all matrices of a slice. Replaces these columns of the rows.
    Stripe { slice: Slice, stripe: usize },
    /// Frames of the log of positions that wait for their round.
    Due { slice: Slice },
    /// Frames of the log of positions that rounds have decided.
    Found { slice: Slice },
}

impl Content {
    pub(super) fn slice(&self) -> Slice {
        match self {
            Self::Rows { slice, .. } | Self::Stripe { slice, .. } => *slice,
            Self::Due { slice } | Self::Found { slice } => *slice,
        }
    }
}

/// A part of the next checkpoint.
pub(super) struct NextPart {
    pub content: Content,
    pub source: Source,
}

/// Where a part of the next checkpoint comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// The last checkpoint has it.
    Last(PartFile),
    /// It is written. A log writes the frames that the last checkpoint does not have.
    New,
    /// It is written, and replaces all parts with the same content.
    Whole,
}

/// The parts of the last checkpoint, and what has changed since.
#[derive(Default)]
pub(super) struct SavedParts {
    pub parts: Vec<(Content, PartFile)>,
    /// For each slice, the stripes that rounds have changed.
    changed: HashMap<Slice, Vec<bool>>,
}

impl SavedParts {
    pub(super) fn new(parts: Vec<(Content, PartFile)>) -> Self {
        Self { parts, changed: HashMap::new() }
    }

    /// Records that a round has changed a stripe.
    pub(super) fn stripe_changed(&mut self, slice: Slice, layout: &Layout, stripe: usize) {
        let stripes = self.changed.entry(slice).or_default();
        stripes.resize(layout.num_stripes(), false);
        stripes[stripe] = true;
    }

    fn of(&self, slice: Slice) -> impl Iterator<Item = &(Content, PartFile)> {
        self.parts.iter().filter(move |(content, _)| content.slice() == slice)
    }

    /// The parts of the next checkpoint with the matrices of a slice. `rows` are decided.
    pub(super) fn next_matrices(
        &self,
        slice: Slice,
        layout: &Layout,
        rows: usize,
    ) -> Vec<NextPart> {
        let new = |content, source| NextPart { content, source };
        let changed = self.changed.get(&slice);
        let mut stripes = vec![None; layout.num_stripes()];
        let mut added = Vec::new();
        let mut end = 0;
        for (content, file) in self.of(slice) {
            match content {
                Content::Stripe { stripe, .. } => stripes[*stripe] = Some(Source::Last(*file)),
                Content::Rows { rows, .. } => {
                    end = rows.end;
                    added.push(new(content.clone(), Source::Last(*file)));
                }
                Content::Due { .. } | Content::Found { .. } => {}
            }
        }
        let all_there = stripes.iter().all(Option::is_some);
        if changed.is_none() && end < rows && !all_there {
            let mut begin = end;
            if added.len() >= MOST_ADDED {
                added.clear();
                begin = 0;
            }
            added.push(new(Content::Rows { slice, rows: begin..rows }, Source::New));
            return added;
        }
        // Rows that rounds have changed before they were saved are saved as stripes.
        let as_stripes = end < rows && !all_there;
        for (i, stripe) in stripes.iter_mut().enumerate() {
            if as_stripes || changed.is_some_and(|changed| changed[i]) {
                *stripe = Some(Source::New);
            }
        }
        if stripes.iter().all(Option::is_some) {
            added.clear();
        }
        let stripes = stripes.into_iter().enumerate();
        added.extend(
            stripes.filter_map(|(stripe, source)| {
                Some(new(Content::Stripe { slice, stripe }, source?))
            }),
        );
        added
    }

    /// The parts of the next checkpoint with a log.
    pub(super) fn next_log(&self, content: &Content, log: &RoundLog) -> Vec<NextPart> {
        let last = self.of(content.slice()).filter(|(other, _)| other == content);
        let next = |source| NextPart { content: content.clone(), source };
        let mut parts: Vec<_> = last.map(|(_, file)| next(Source::Last(*file))).collect();
        if log.has_unsaved() {
            if parts.len() < MOST_ADDED {
                parts.push(next(Source::New));
            } else {
                parts = vec![next(Source::Whole)];
            }
        }
        parts
    }
}
