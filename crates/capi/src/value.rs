//! Values as C has them.

use fanorona_core::Value;
use fanorona_knowledge::{Assessment, Source};

/// A value with its distance: `fanorona_table_value`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct TableValue {
    /// −1 loss, 0 draw, 1 win; −128 of a position that could not be probed.
    pub value: i32,
    /// The distance to win in turns of both sides; −1 if it is not known, and for draws.
    pub dtw: i32,
}

impl From<fanorona_tablebase::TableValue> for TableValue {
    fn from(found: fanorona_tablebase::TableValue) -> Self {
        Self { value: number(found.value), dtw: distance(found.dtw) }
    }
}

/// A value as far as it is known: `fanorona_assessment`. Other structs embed it, so it keeps its
/// size, and a new field takes the place of a reserved one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct CAssessment {
    /// −1 loss, 0 draw, 1 win; −128 if it is not known.
    pub value: i32,
    /// The value is this or better.
    pub at_least: i32,
    /// The value is this or worse.
    pub at_most: i32,
    /// The distance to win in turns of both sides; −1 if it is not known, and for draws.
    pub dtw: i32,
    /// Where the bounds come from; −1 if nothing is known.
    pub source: i32,
    /// Always 0.
    pub reserved: [i32; 3],
}

impl From<Assessment> for CAssessment {
    fn from(known: Assessment) -> Self {
        Self {
            value: known.value().map_or(UNKNOWN, number),
            at_least: number(known.bounds.at_least),
            at_most: number(known.bounds.at_most),
            dtw: distance(known.dtw),
            source: source(known.source),
            reserved: [0; 3],
        }
    }
}

/// A value that is not known: `FANORONA_UNKNOWN`. The arrays of Python have the same number.
pub(crate) const UNKNOWN: i32 = i8::MIN as i32;

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
fn source(found: Option<Source>) -> i32 {
    match found {
        None => -1,
        Some(Source::Rules) => 0,
        Some(Source::Table) => 1,
        Some(Source::Proof) => 2,
        Some(Source::Search) => 3,
        Some(Source::Estimate) => 4,
    }
}
