//! What can be wrong with a table.

use std::fmt;
use std::path::PathBuf;

use fanorona_core::{Position, Value};
use thiserror::Error;

use crate::error::TableError;
use crate::value::TableValue;
use crate::zugzwang::Zugzwang;

/// What is wrong with a table.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Fault {
    /// It cannot be read, or is not what was written.
    #[error(transparent)]
    Unreadable(#[from] TableError),
    /// A position has another value.
    #[error("{position} is {}, {source_of_value} {}", InWords(*.found), InWords(*.expected))]
    Value {
        /// The position, White to move.
        position: Box<Position>,
        /// The table's value.
        found: TableValue,
        /// The right one.
        expected: TableValue,
        /// How that is known.
        source_of_value: ValueSource,
    },
    /// The header is not right.
    #[error("the header is wrong: {0}")]
    Header(#[from] HeaderFault),
}

/// How the right value of a position is known.
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

/// What is wrong with the header of a table.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum HeaderFault {
    /// Its counts contradict each other, or the number of positions of the slice.
    #[error("its counts contradict each other")]
    Contradiction,
    /// Its counts of wins, draws and losses are not those of an independent computation or of
    /// another table.
    #[error("its counts of wins, draws and losses are not those {0}")]
    Values(CountSource),
    /// Its counts by distance are not.
    #[error("its counts by distance are not those {0}")]
    Distances(CountSource),
    /// The position that it gives for the longest win or loss has another value.
    #[error("its position of the longest {0} is not one")]
    Longest(Value),
    /// Its count of zugzwangs of a kind is another.
    #[error("it counts {counted} zugzwangs ({}), and there are {found} {source_of_count}", .kind.name())]
    Zugzwangs {
        /// The kind.
        kind: Zugzwang,
        /// Its count.
        counted: u64,
        /// The right one.
        found: u64,
        /// How that is known.
        source_of_count: CountSource,
    },
    /// Its example of a zugzwang is none, or it has none where there is one.
    #[error("its example of a zugzwang ({}) is not one", .0.name())]
    ZugzwangExample(Zugzwang),
}

/// How the right counts are known.
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

/// A value as `win in 5` or `draw`.
struct InWords(TableValue);

impl fmt::Display for InWords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.dtw {
            Some(distance) => write!(f, "{} in {distance}", self.0.value),
            None => write!(f, "{}", self.0.value),
        }
    }
}
