//! Alpha-beta search on one thread.
//!
//! Principal variation search with a transposition table, late turns reduced or left out, extension of
//! forced turns, histories of turns and of errors of the estimate, and a quiescence search of captures.
//! [`Worker`]s of the same search share the table and nothing else (lazy SMP).

mod correction;
mod history;
mod leaf;
mod learnt;
mod order;
mod prune;
mod quiescence;
mod shared;
mod tree;
mod window;
mod worker;

pub(crate) use shared::{MAX_PLY, Region, RootTurn, Shared};
pub(crate) use worker::Worker;
