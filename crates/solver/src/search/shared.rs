//! State that the threads of a search share.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};

use fanorona_tablebase::TableError;
use web_time::Instant;

use crate::game::Game;
use crate::node::Key;
use crate::transposition::TableView;

pub(crate) struct Shared<'a> {
    pub game: &'a Game<'a>,
    pub table: TableView<'a>,
    /// For virtual loss: how many threads search below a node, by a hash of the node. Empty if there
    /// is only one thread.
    pub threads_below: Box<[AtomicU8]>,
    pub counters: Counters,
    /// How many positions were searched below each successor of the root, in their order.
    pub nodes_below_root: &'a [AtomicU64],
    /// Stop after this many positions.
    pub max_nodes: u64,
    pub deadline: Option<Instant>,
    pub stop: &'a AtomicBool,
    /// Set when a thread has finished.
    pub done: AtomicBool,
}

impl Shared<'_> {
    /// The counter of threads below a node, if there are several threads.
    #[inline]
    pub(super) fn threads_below(&self, key: Key) -> Option<&AtomicU8> {
        self.threads_below.get((key.bucket >> 48) as usize)
    }

    pub(super) fn has_other_threads(&self) -> bool {
        !self.threads_below.is_empty()
    }
}

#[cfg(test)]
impl<'a> Shared<'a> {
    /// For one thread without limits.
    pub(crate) fn new(game: &'a Game<'a>, table: TableView<'a>, stop: &'a AtomicBool) -> Self {
        Self {
            game,
            table,
            threads_below: Box::default(),
            counters: Counters::default(),
            nodes_below_root: &[],
            max_nodes: u64::MAX,
            deadline: None,
            stop,
            done: AtomicBool::new(false),
        }
    }
}

/// The work of all threads.
#[derive(Default)]
pub(crate) struct Counters {
    /// Positions searched.
    pub nodes: AtomicU64,
    /// How many of them a table decided.
    pub table_hits: AtomicU64,
    /// Entries of the transposition table that were unused before.
    pub used: AtomicU64,
}

/// Why a thread leaves a node before it is finished.
#[derive(Debug)]
pub(crate) enum Interrupt {
    /// A limit is reached, or another thread has finished.
    Limit,
    /// Another thread has decided the node at this ply.
    Decided(usize),
    /// A table cannot be read.
    Tables(TableError),
}

impl From<TableError> for Interrupt {
    fn from(error: TableError) -> Self {
        Self::Tables(error)
    }
}
