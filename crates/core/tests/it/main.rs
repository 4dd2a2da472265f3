//! The rules against an independent reading of them, and against properties that must hold.

mod board;
mod examples;
mod fuzz;
mod harness;
mod positions;
mod rules;
#[cfg(feature = "serde")]
mod serde;
mod spellings;
mod steps;
mod symmetry;
mod turns;
