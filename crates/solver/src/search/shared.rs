//! State that the threads of a search share.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64};

use fanorona_tablebase::TableError;
use web_time::Instant;

use crate::game::Game;
use crate::node::Node;
use crate::transposition::TableView;

/// The most positions that a thread reserves at a time.
const MOST_RESERVED: u64 = 1 << 12;

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
    pub(super) fn threads_below(&self, node: Node) -> Option<&AtomicU8> {
        self.threads_below.get(usize::from(node.short_hash()))
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
    /// Positions searched, and those that a [`Meter`] has reserved.
    pub nodes: AtomicU64,
    /// How many of them a table decided.
    pub table_hits: AtomicU64,
    /// Entries of the transposition table that were unused before.
    pub used: AtomicU64,
}

/// Counts the positions of a thread. It reserves some at a time, so that all threads together search no
/// more than the limit.
pub(crate) struct Meter {
    pub nodes: u64,
    /// The number of positions that the thread may come to.
    reserved: u64,
}

impl Meter {
    pub(super) fn new() -> Self {
        Self { nodes: 0, reserved: 0 }
    }

    /// Counts a position that is to be searched.
    ///
    /// # Errors
    /// [`Interrupt::Limit`] if it is one too many.
    #[inline]
    pub(super) fn count(&mut self, shared: &Shared<'_>) -> Result<(), Interrupt> {
        if self.nodes == self.reserved {
            self.reserve(shared)?;
        }
        self.nodes += 1;
        Ok(())
    }

    /// Reserves fewer as the limit comes near, so that the threads reach it together.
    #[cold]
    fn reserve(&mut self, shared: &Shared<'_>) -> Result<(), Interrupt> {
        let more = |counted: u64| (shared.max_nodes - counted).div_ceil(16).min(MOST_RESERVED);
        let reserve = |counted| (counted < shared.max_nodes).then(|| counted + more(counted));
        let counted = shared.counters.nodes.fetch_update(Relaxed, Relaxed, reserve);
        self.reserved += more(counted.map_err(|_| Interrupt::Limit)?);
        Ok(())
    }

    /// Gives back what is left, at the end.
    pub(super) fn finish(&mut self, shared: &Shared<'_>) {
        let left = std::mem::replace(&mut self.reserved, self.nodes) - self.nodes;
        shared.counters.nodes.fetch_sub(left, Relaxed);
    }
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
