//! The counting generator: counts the turns below a position, without listing those of the last
//! ply.
//!
//! It works where the rule has *settled*
//! ([`RuleSet::is_settled`](fanorona_core::RuleSet::is_settled)), so that it is the same for every
//! position below. Before that the listing generator of `fanorona-core` counts.
//!
//! A step is a number, and the tables of `hops` say what it captures and which steps can follow it.
//!
//! Of the last ply only the number of turns is wanted. What can follow a step is known before it is
//! made, so the half of the turns that cannot go on is never made. The positions of the last ply wait
//! until there are enough to be worked on at once, and so do the stones that can go on. So the
//! processor works on several steps at once, without branches to predict.
//!
//! - `version`: sets of instructions; the choice is made at run time
//! - `hops`: making steps, with tables
//! - `last`: counting the last ply
//! - `kernel`: the other loops, and what the rest of the crate calls
//! - `successors`: listing positions, with this generator or the other one
//! - `siblings`: what searches ask about successors; `wide` answers with vectors of AVX-512

mod hops;
mod kernel;
mod last;
mod siblings;
mod successors;
#[cfg(test)]
mod tests;
mod version;
#[cfg(target_arch = "x86_64")]
mod wide;

pub use siblings::Siblings;
pub use successors::Successors;
