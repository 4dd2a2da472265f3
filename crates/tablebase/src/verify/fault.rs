//! Faults of tables.

use std::fmt;
use std::path::PathBuf;

use fanorona_core::{Position, Value};
use thiserror::Error;

use crate::error::TableError;
use crate::value::TableValue;
use crate::zugzwang::Zugzwang;

/// A fault of a table.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Fault {
    /// It cannot be read or is damaged.
    #[error(transparent)]
    Unreadable(#[from] TableError),
    /// A position has a wrong value.
    #[error("{position} is {}, {source_of_value} {}", InWords(*.found), InWords(*.expected))]
    Value {
        /// The position, with White to move.
        position: Box<Position>,
        /// The table's value.
        found: TableValue,
        /// The right value.
        expected: TableValue,
        /// Where the right value is from.
        source_of_value: ValueSource,
    },
    /// The header is wrong.
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
pub enum HeaderFault {
    /// Its counts are inconsistent, or do not add up to the number of positions of the slice.
    #[error("its counts contradict each other")]
    Contradiction,
    /// Its counts of wins, draws and losses are wrong.
    #[error("its counts of wins, draws and losses are not those {0}")]
    Values(CountSource),
    /// Its counts by distance are wrong.
    #[error("its counts by distance are not those {0}")]
    Distances(CountSource),
    /// Its position with the longest win or loss has another value, or is missing.
    #[error("its position of the longest {0} is not one")]
    Longest(Value),
    /// Its count of a kind of zugzwang is wrong.
    #[error("it counts {counted} zugzwangs ({}), but there are {found} {source_of_count}", .kind.name())]
    Zugzwangs {
        /// The kind.
        kind: Zugzwang,
        /// The header's count.
        counted: u64,
        /// The right count.
        found: u64,
        /// Where the right count is from.
        source_of_count: CountSource,
    },
    /// Its example of a kind of zugzwang is not one, or is missing.
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
