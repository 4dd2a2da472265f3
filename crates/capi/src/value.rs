//! Values as C has them.

use fanorona_core::Value;

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
