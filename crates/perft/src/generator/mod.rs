//! The counting generator: counts the turns below a position, without listing those of the last
//! ply.
//!
//! It works where the rule has *settled*
//! ([`RuleSet::is_settled`](fanorona_core::RuleSet::is_settled)), so that it is the same for every
//! position below. Before that the listing generator of `fanorona-core` counts.
//!
//! Which capturing steps a stone can make is a set of bits, read from `StepTables`, and each step
//! leads to another such set. The stones of many positions wait in `CaptureQueue`s, one for each
//! ply. What comes next in a queue does not depend on what was last, so the processor works on
//! several steps at once, without branches to predict.
//!
//! Of the last ply only the number of turns is wanted. Under the rule of all presets, what can
//! follow a step is known before it is made, so the half of the turns that cannot go on is never
//! made.
//!
//! - `kernel`: the loops, compiled for older and newer processors; the choice is made at run time
//! - `tables`: what they read
//! - `last` and `hops`: the last ply, and its tables
//! - `successors`: what the rest of the crate calls
//! - `siblings`: what searches ask about successors; `wide` answers with vectors of AVX-512

mod hops;
mod kernel;
mod last;
mod siblings;
mod successors;
mod tables;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
mod wide;

pub use kernel::FirstStepCounter;
pub use siblings::Siblings;
pub use successors::Successors;
