//! Values as C has them.

use fanorona_core::Value;
use fanorona_knowledge::{Assessment, Source};

/// A value with its distance: `fanorona_table_value`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct TableValue {
    /// −1 loss, 0 draw, 1 win.
    pub value: i32,
    /// The distance to win in turns of both sides; −1 if it is not known, and for draws.
    pub dtw: i32,
}

impl From<fanorona_tablebase::TableValue> for TableValue {
    fn from(found: fanorona_tablebase::TableValue) -> Self {
        Self { value: number(found.value), dtw: distance(found.dtw) }
    }
}

/// The least value, which is the value if it is known.
impl From<Assessment> for TableValue {
    fn from(found: Assessment) -> Self {
        Self { value: number(found.bounds.at_least), dtw: distance(found.dtw) }
    }
}

/// A value as a number.
#[inline]
pub(crate) fn number(value: Value) -> i32 {
    match value {
        Value::Loss => -1,
        Value::Draw => 0,
        Value::Win => 1,
    }
}

/// A number of turns that may be unknown.
pub(crate) fn distance(turns: Option<u16>) -> i32 {
    turns.map_or(-1, i32::from)
}

/// Where a value or a bound comes from; −1 if nothing is known.
pub(crate) fn source(found: Option<Source>) -> i32 {
    match found {
        None => -1,
        Some(Source::Rules) => 0,
        Some(Source::Table) => 1,
        Some(Source::Proof) => 2,
        Some(Source::Search) => 3,
        Some(Source::Estimate) => 4,
    }
}
