//! The builder by rows: solves whole rows of positions at a time, with one bit per position.
//!
//! A paika does not change the opponent's stones, so it acts on whole *rows* of positions, 64 or more per
//! instruction ([`pass`](kernel)). So does a capture, between rows of different slices
//! ([`captures`](kernel)). The matrices of a unit are cut into stripes of columns ([`layout`](store)). A
//! round works on one after the other. A [`Store`](store::Store) hides where they are: in memory, in a
//! file ([`tiles`](store)), or in other processes.
//!
//! `docs/BUILDING.md` describes the algorithm step by step. `crates/cli/docs/ADDING.md` lists the places
//! that follow a rule option.

mod checkpoint;
mod kernel;
mod memory;
mod plan;
mod solve;
mod solver;
mod store;
mod table;

pub(super) use self::plan::Rows;
