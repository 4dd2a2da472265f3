//! The plain backend: evaluates positions by their turns, in rounds, until nothing changes.
//!
//! It uses only the rules and the definition of a value, and is the reference for faster ones.

mod plan;
mod solver;

pub(super) use self::plan::Plain;
