//! Faults of tables.

use std::fmt;
use std::path::PathBuf;

use fanorona_core::{Position, Value};
use thiserror::Error;

use crate::error::TableError;
use crate::value::TableValue;
use crate::zugzwang::Zugzwang;

/// A fault of a table, or the reason that it cannot be checked.
#[derive(Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum Fault {
    #[error(transparent)]
    Unreadable(#[from] TableError),
    /// Nothing wrong was found, but another table that its values rest on is missing or unusable.
    #[error("cannot be checked: {0}")]
    Unchecked(#[source] TableError),
    #[error("{position} is {}, {source_of_value} {}", InWords(*.found), InWords(*.expected))]
    Value {
        /// With White to move.
        position: Box<Position>,
        found: TableValue,
        expected: TableValue,
        source_of_value: ValueSource,
    },
    #[error("the header is wrong: {0}")]
    Header(#[from] HeaderFault),
}

/// Where the right value of a position is from.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ValueSource {
    /// From an independent computation.
    Solution,
    /// From the values of its successors.
    Successors,
    /// From another table.
    Table(PathBuf),
}

impl fmt::Display for ValueSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Solution => f.write_str("and should be"),
            Self::Successors => f.write_str("and by its successors should be"),
            Self::Table(path) => write!(f, "and in {} it is", path.display()),
        }
    }
}

/// A fault of a table's header.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum HeaderFault {
    #[error("its counts contradict each other")]
    Contradiction,
    #[error("its counts of wins, draws and losses are not those {0}")]
    Values(CountSource),
    #[error("its counts by distance are not those {0}")]
    Distances(CountSource),
    #[error("its position of the longest {0} is not one")]
    Longest(Value),
    #[error("it counts {counted} zugzwangs ({}), but there are {found} {source_of_count}", .kind.name())]
    Zugzwangs { kind: Zugzwang, counted: u64, found: u64, source_of_count: CountSource },
    #[error("its example of a zugzwang ({}) is not one", .0.name())]
    ZugzwangExample(Zugzwang),
}

/// Where the right counts are from.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CountSource {
    /// From an independent computation.
    Solution,
    /// From another table.
    Table(PathBuf),
}

impl fmt::Display for CountSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Solution => f.write_str("of its positions"),
            Self::Table(path) => write!(f, "in {}", path.display()),
        }
    }
}

/// Displays a value as in `win in 5` or `draw`.
struct InWords(TableValue);

impl fmt::Display for InWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.dtw {
            Some(distance) => write!(f, "{} in {distance}", self.0.value),
            None => write!(f, "{}", self.0.value),
        }
    }
}
