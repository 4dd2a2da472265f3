//! Perft suites: positions with the counts that generators should find.
//!
//! A suite is plain text. Empty lines separate its entries, a line that starts with `#` is a
//! comment, and every other line is a key, a space and a value:
//!
//! ```text
//! # The start of the usual board.
//! id 9x5-standard-start
//! rules standard
//! count turns
//! position BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w
//! why the start position
//! source where the numbers come from
//! perft 1 5
//! perft 2 39
//! ```
//!
//! `perft` gives a depth, 255 at most, and its count; there is one for each depth. The other keys
//! occur once. `why`, `source`, `themes` (words for what its turns show) and `reference` (the
//! deepest depth that a second program has counted) are for readers and optional. Any other key is
//! an error, because a misspelt `perft` would silently drop a check.
//!
//! [`parse`] reads a suite, [`check`] compares its counts with this crate's.
//!
//! ```
//! use fanorona_perft::{perft, suite};
//! let text = "id one\nrules standard\ncount turns\nposition 3/1W1/2B w\nperft 1 1\n";
//! for entry in suite::parse(text)? {
//!     for (depth, nodes) in entry.counts {
//!         assert_eq!(perft(&entry.rules, &entry.position, depth, entry.counting), nodes);
//!     }
//! }
//! # Ok::<(), suite::SuiteError>(())
//! ```

mod check;
mod parse;

use std::collections::BTreeMap;

use fanorona_core::{ParsePositionError, ParseRuleSetError, Position, RuleError, RuleSet};
use thiserror::Error;

use crate::counting::{Counting, ParseCountingError};

pub use check::{CheckOptions, Mismatch, Report, check};
pub use parse::parse;

/// A position of a suite, and what should be counted there.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The name of the entry, unique in its suite.
    pub id: String,
    /// The rule set.
    pub rules: RuleSet,
    /// What is counted.
    pub counting: Counting,
    /// Where it is counted.
    pub position: Position,
    /// The purpose of the position.
    pub why: Option<String>,
    /// Words for what the position's turns show, in the order of the text.
    pub themes: Vec<String>,
    /// Where the counts come from.
    pub source: Option<String>,
    /// The deepest depth that a program which shares nothing with this one has counted too.
    pub reference: Option<u8>,
    /// The counts by depth; at least one.
    pub counts: BTreeMap<u8, u128>,
    /// The line of the text at which the entry begins, from 1.
    pub line: usize,
}

/// The error of a text that is not a suite.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[error("line {line}: {problem}")]
pub struct SuiteError {
    /// The line, from 1; where something is missing, the first line of the entry.
    pub line: usize,
    /// The problem.
    pub problem: Problem,
}

/// A problem of a suite.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The key does not exist, or has no value.
    #[error(
        "'{0}' is not a key: they are id, rules, count, position, why, themes, source, reference \
         and perft, each followed by a space and a value"
    )]
    Key(String),
    /// The key occurs twice in one entry.
    #[error("'{0}' occurs twice in this entry")]
    Twice(String),
    /// The entry does not have this key, which it needs.
    #[error("the entry that begins here has no '{0}'")]
    Missing(&'static str),
    /// An earlier entry has the same name.
    #[error("the id '{id}' is already used by the entry at line {earlier}")]
    Id {
        /// The name.
        id: String,
        /// Where the other entry begins.
        earlier: usize,
    },
    /// The value of `rules` is not a rule set.
    #[error(transparent)]
    Rules(#[from] ParseRuleSetError),
    /// The rule set cannot be used on this board.
    #[error(transparent)]
    RuleSet(#[from] RuleError),
    /// The value of `count` is not a way of counting.
    #[error(transparent)]
    Counting(#[from] ParseCountingError),
    /// The value of `position` is not a position.
    #[error(transparent)]
    Position(#[from] ParsePositionError),
    /// The value of `perft` is not a depth and a count.
    #[error("'{0}' is not a depth and its count, as in 'perft 2 39'")]
    Count(String),
    /// The depth is too great to count.
    #[error("depth {0} is too great: the greatest is {max}", max = u8::MAX)]
    Depth(u128),
    /// The value of `reference` is not a depth of the entry.
    #[error("this entry has no count at the depth of 'reference {0}'")]
    Reference(String),
}
