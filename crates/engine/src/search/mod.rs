//! Alpha-beta search on one thread.
//!
//! Histories keep which turns were good, and the errors of the estimate. The crate's documentation
//! says what else the search does. [`Worker`]s of the same search share the table and nothing else.

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
