//! Comparing with another program: does it find the same turns, and if not, where and why?
//!
//! [`Comparison::run`] asks another program ([`OtherProgram`]) for the counts below each turn of many
//! positions, finds the smallest position where its turns are not the legal turns, and the faults
//! that explain its wrong answers ([`Fault`](crate::slow::Fault)).
//!
//! A fault is found by making it: a slow generator that makes one fault, or two, must give the
//! other program's answers, the wrong ones and the right ones. What is left is put to the test at new
//! positions where it must show.

mod difference;
mod explain;
mod matching;
mod reply;
mod run;
#[cfg(test)]
mod tests;
mod written;

pub use difference::{CompareError, Difference, DifferenceKind, ExtraTurn, OtherProgram};
pub use explain::Cause;
pub use reply::LineKind;
pub use run::{Compare, Comparison, Stage, Theme};
