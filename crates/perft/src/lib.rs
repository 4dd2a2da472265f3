//! Counting in **Fanorona**: perft, divide, unique positions, suites of counts, and statistics of
//! play.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use fanorona_core::{Board, RuleSet};
//! use fanorona_perft::{Counting, ParallelPerft, perft};
//!
//! // How many ways are there to play three turns?
//! let (rules, start) = (RuleSet::STANDARD, Board::tsivy().start());
//! assert_eq!(perft(&rules, &start, 3, Counting::Turns), 724);
//!
//! // And below each first turn? Compare these lines with another program's to find a difference.
//! let stop = AtomicBool::new(false);
//! let perft = ParallelPerft::new(&rules, Counting::Turns, &stop);
//! let lines = perft.divide(&start, 3).expect("nobody stops it");
//! let turn = lines[0].turn.text(start.board()).to_string();
//! assert_eq!((turn.as_str(), lines[0].nodes), ("d2-e3A", 127));
//! ```
//!
//! **Perft** counts the leaves of the tree of play at a depth. Two programs with the same rules find
//! the same numbers, so a number that differs shows a mistake in one of them. Where play branches at
//! all, 255 plies have more than 2^128 leaves, so a depth is a `u8`.
//!
//! # What to use
//! | to | use |
//! |---|---|
//! | count on one thread | [`perft`] |
//! | count many positions one after another, or until stopped | [`PerftCounter`] |
//! | count or divide on all threads, until stopped | [`ParallelPerft`] |
//! | remember counts | [`PerftTable`], with either of these two |
//! | count unique positions, sorted on disk if memory is too small | [`Levels`] |
//! | check the counts of a suite | [`suite::check`] |
//! | find where another program differs, and why | [`compare`] |
//! | see what a wrong reading of the rules would count | [`slow`] |
//! | list the positions after the turns of very many positions | [`Successors`] |
//! | bring those in order, or count their first steps | [`Siblings`] |
//! | get statistics of turns and of random games | [`stats`] |
//! | compare with published counts, count deeper, or divide by hand | `docs` in the crate's directory |
//!
//! Counts that can be stopped take an `AtomicBool`, which another thread may set. They end within
//! milliseconds.
//!
//! # The counting generator
//! Where the rule has settled ([`RuleSet::is_settled`](fanorona_core::RuleSet::is_settled)), this
//! crate's own generator counts. It reads the steps of a stone from tables. In the last ply, it works
//! on many positions at once. Elsewhere the listing generator of `fanorona-core` counts. The two
//! share only the first steps of a position. Tests compare them with each other, and with a third,
//! slow one ([`slow`]), which shares no code with either.
//!
//! On x86-64 the generator is compiled three times: also for processors with AVX2, BMI1, BMI2, LZCNT
//! and POPCNT, and for those of them that are fast at BMI2's extraction of bits. The choice is made
//! at run time. [`Siblings`] works on eight words at a time where the processor has AVX-512 (F,
//! BW, DQ, VPOPCNTDQ and GFNI). These versions are the only unsafe code of the crate.

#![deny(unsafe_code)]

pub mod compare;
mod counter;
mod counting;
mod generator;
mod levels;
mod node;
mod packed;
mod parallel;
pub mod slow;
pub mod stats;
pub mod suite;
mod table;

pub use counter::{PerftCounter, perft};
pub use counting::{Count, Counting};
pub use generator::{Siblings, Successors};
pub use levels::{Keep, LevelError, LevelOptions, LevelSize, Levels};
pub use node::{PerftNode, branches};
pub use parallel::{DivideLine, ParallelPerft, parallel_perft};
pub use table::{PerftTable, PerftTableError};

/// The greatest depth that can be counted.
pub const MAX_DEPTH: u8 = u8::MAX;
