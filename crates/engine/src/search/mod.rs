//! Alpha-beta search on one thread.
//!
//! Principal variation search with a transposition table, late move reductions, extension of
//! forced turns, and a quiescence search of captures. [`Worker`]s of the same search share the
//! table and nothing else (lazy SMP).

mod leaf;
mod order;
mod shared;
mod tree;
mod worker;

pub(crate) use shared::{MAX_PLY, Region, RootTurn, Shared};
pub(crate) use worker::Worker;
