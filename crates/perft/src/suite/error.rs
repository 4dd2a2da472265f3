//! The errors of suites.

use fanorona_core::{ParsePositionError, ParseRuleSetError, RuleError};
use thiserror::Error;

use crate::counting::ParseCountingError;

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
#[expect(missing_docs, reason = "the messages say it")]
pub enum Problem {
    #[error("the line has more than {max} bytes", max = MAX_LINE)]
    Long,
    #[error(
        "'{0}' is not a key: they are id, rules, count, position, why, themes, source, reference \
         and perft, each followed by a space and a value"
    )]
    Key(String),
    #[error("'{0}' occurs twice in this entry")]
    Twice(String),
    #[error("the entry that begins here has no '{0}'")]
    Missing(&'static str),
    #[error("the id '{id}' is already used by the entry at line {earlier}")]
    Id { id: String, earlier: usize },
    #[error(transparent)]
    Rules(#[from] ParseRuleSetError),
    #[error(transparent)]
    RuleSet(#[from] RuleError),
    #[error(transparent)]
    Counting(#[from] ParseCountingError),
    #[error(transparent)]
    Position(#[from] ParsePositionError),
    #[error("'{0}' is not a depth and its count, as in 'perft 2 39'")]
    Count(String),
    #[error("depth {0} is too great: the greatest is {max}", max = u8::MAX)]
    Depth(u128),
    #[error("this entry has no count at the depth of 'reference {0}'")]
    Reference(String),
}
