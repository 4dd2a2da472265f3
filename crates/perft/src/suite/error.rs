//! The errors of suites.

use fanorona_core::{
    ParseNameError, ParsePositionError, ParseRuleSetError, RuleError, error_kinds,
};
use thiserror::Error;

/// The most bytes of a line.
pub(super) const MAX_LINE: usize = 10_000;

/// The error of a text that is not a suite.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[error("line {line}: {problem}")]
#[expect(missing_docs, reason = "the messages say it")]
pub struct SuiteError {
    /// The line, from 1; where something is missing, the first line of the entry.
    pub line: usize,
    pub problem: Problem,
}

/// A problem of a suite.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The line is too long.
    #[error("the line has more than {max} bytes", max = MAX_LINE)]
    Long,
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
    Counting(#[from] ParseNameError),
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

error_kinds! { BadRecord: SuiteError, Problem; }
