//! What the tests of several crates share.
//!
//! - [`oracle`] reads the rules a second time, slowly, and shares no idea with the generators.
//! - [`strategies`] draws boards, rule sets and positions of every kind, for property tests.

pub mod oracle;
pub mod strategies;
