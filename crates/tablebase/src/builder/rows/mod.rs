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
//! # A new rule option
//!
//! A rule option has to be added to four generators of turns, which the documentation of
//! `fanorona-core` lists. This and the [dense builder](super::dense) are two of them. Their only
//! inputs from the rules are the [`TurnRule`](fanorona_core::TurnRule) of a slice, whether a side
//! without a turn draws, and which slices captures lead to. So a new option has to be part of these,
//! and has to be followed here in:
//! - `kernel/capture_tree.rs`, if it changes which captures exist, how they continue, or what they
//!   capture: `CaptureWalk::go_on` makes one step, and `DirectionsLeft::after`, which the dense
//!   builder uses too, says which directions may follow. `captures::Input::find_sets_left` says with
//!   which sets of the opponent the turn may end. An option may use the own set and the path
//!   anywhere. Of the opponent's set it may use whether points are occupied, as masks of sets.
//! - `captures::decide`, if it changes which positions are `open`, lost or `safe` after captures;
//! - `work::SliceRule`, if it makes open positions `safe`, or changes the value of a side without a
//!   turn;
//! - `paikas::paikas`, if it changes which paikas exist: `Paika::captures` forbids columns;
//! - `table/zugzwang.rs`, if it changes where a side can capture;
//! - `PhaseSlice::after_captures`, if it changes which slices captures lead to.
//!
//! The two slices of a unit can have different rules, as in the first phase of the vela. So the rule is
//! always that of a slice, not of the unit.
//!
//! Tables cannot support rules that depend on more than the stones and the side to move, such as
//! the history or a count of turns. The test `methods.rs` compares this builder with the plain one,
//! which uses the listing generator. To test a new option, add it to the strategy `options` in
//! `common.rs` beside that test.

mod checkpoint;
mod kernel;
mod memory;
mod plan;
mod solve;
mod solver;
mod store;
mod table;

pub(super) use self::plan::Rows;
