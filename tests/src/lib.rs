//! What the tests of several crates share.
//!
//! - [`oracle`]: a second implementation of the rules, slow and obvious
//! - [`strategies`]: boards, rule sets and positions of every kind, for property tests

pub mod oracle;
pub mod strategies;
