//! Compares the rules with a slow generator, and checks properties.

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
