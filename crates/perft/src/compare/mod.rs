//! Comparing with another program: does it find the same turns, and if not, where and why?
//!
//! [`Comparison::run`] asks another program ([`OtherProgram`]) for the counts below each turn of many
//! positions, finds the smallest position where its turns are not the legal turns, and the mistakes
//! that explain its wrong answers ([`Mistake`]).
//!
//! A mistake is found by making it: a slow generator that makes one mistake, or two, must give the
//! other program's answers, the wrong ones and the right ones. What is left is put to the test at new
//! positions where it must show.

mod candidate;
mod difference;
mod explain;
mod matching;
mod mistake;
mod questions;
mod reply;
mod run;
#[cfg(test)]
mod tests;
mod variant;
mod written;

pub use difference::{CompareError, Difference, DifferenceKind, ExtraTurn, OtherProgram};
pub use explain::Cause;
pub use mistake::Mistake;
pub use reply::{LineKind, ReplyError};
pub use run::{Compare, Comparison, Stage, Theme};
pub use written::WrittenTurnError;
