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
//! - `kernel`: the loops, compiled for older and newer processors; the choice is made at run time
//! - `tables`: what the loops read
//! - `successors`: what the rest of the crate calls
//! - `siblings`: what searches ask about successors; `wide` answers with vectors of AVX-512

mod kernel;
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
