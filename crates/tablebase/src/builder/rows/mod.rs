//! The builder by rows: solves whole rows of positions at a time, with one bit per position.
//!
//! It is based on three ideas.
//! - A paika does not change the opponent's stones, so it acts on whole *rows* of positions, 64 or
//!   more per instruction ([`pass`](kernel)).
//! - So does a capture, between rows of different slices ([`captures`](kernel)).
//! - Only one row of each orbit is kept. The columns of an orbit are adjacent in one *cell*. The
//!   row of any other set is a kept row with the bits of each cell permuted. To convert the rows of
//!   one side to the rows of the other, transpose a matrix of cells ([`matrix`](store)).
//!
//! The matrices of a unit are cut into stripes of columns ([`layout`](store)). A round works on one
//! stripe after the other. What does not fit in memory is in a file ([`tiles`](store)), and several
//! processes have some of the stripes each. A [`Store`](store::Store) hides where they are.
//!
//! Distances take the same passes in the order of distance, and a log of what each round decides
//! ([`log`](store)).
//!
//! The files are the same as those of the plain builder, byte for byte. `docs/BUILDING.md`
//! describes the algorithm step by step.
//!
//! `crates/cli/docs/ADDING.md` lists the places that follow a rule option.

mod checkpoint;
mod kernel;
mod memory;
mod plan;
mod solve;
mod solver;
mod store;
mod table;

pub(super) use self::plan::Rows;
