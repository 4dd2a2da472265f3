//! State that all threads of a search share.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64};

use fanorona_core::{Board, RuleSet, Side, Value};
use fanorona_tablebase::{TableError, Tables};
use web_time::Instant;

use crate::draw_rules::DrawRules;
use crate::memory::Memory;
use crate::node::Successor;

/// No line is longer than this.
pub(crate) const MAX_PLY: usize = 120;

/// The positions whose value is the same as that of the root, with as many stones: what a search
/// explores whose root is in a table without a distance to follow.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region {
    pub stones: u32,
    /// The value for White.
    pub white: Value,
}

impl Region {
    pub(super) fn value_for(self, side: Side) -> Value {
        match side {
            Side::White => self.white,
            Side::Black => -self.white,
        }
    }
}

pub(crate) struct Shared<'a> {
    pub rules: RuleSet,
    pub board: Board,
    pub tables: Option<&'a Tables>,
    /// The most stones of a table.
    pub table_stones: u32,
    pub region: Option<Region>,
    pub memory: &'a Memory,
    /// For repetition, positions of the game before the root count too.
    pub draw_rules: DrawRules,
    /// Every turn is searched to the same depth, without reductions and other selection.
    pub full_width: bool,
    /// Captures are searched beyond the depth.
    pub captures: bool,
    /// The number that each stone adds to an estimate, for the side to move at the root.
    pub contempt: u32,
    /// The most that is added to or taken from an estimate at random.
    pub noise: u32,
    /// The seed of the noise, and with contempt of the choice between turns with nearly the same score.
    pub seed: u64,
    /// The caller wants the search to end.
    pub stop: &'a AtomicBool,
    /// The search has ended, so helpers end too.
    pub done: AtomicBool,
    pub deadline: Option<Instant>,
    /// The nodes that each worker may search.
    pub worker_nodes: Option<u64>,
    pub nodes: AtomicU64,
    pub table_hits: AtomicU64,
    /// The first table that could not be read.
    pub error: Mutex<Option<TableError>>,
}

/// A turn at the root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RootTurn {
    pub successor: Successor,
    /// The index of the turn in the caller's list.
    pub index: usize,
}
