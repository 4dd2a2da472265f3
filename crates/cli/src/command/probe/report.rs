//! The answer for a position, as JSON and as text.

use comfy_table::Row;
use fanorona_core::{Position, Value};
use fanorona_tablebase::{RankedTurn, TableValue};
use serde::Serialize;

use crate::output::{AsText, table};

/// The answer for one position.
#[derive(Serialize)]
pub(super) struct Report {
    pub position: Position,
    #[serde(flatten)]
    pub value: ValueReport,
    pub turns: Vec<TurnReport>,
}

#[derive(Serialize)]
pub(crate) struct ValueReport {
    value: AsText<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dtw: Option<u16>,
}

/// A turn with its value for the side that makes it.
#[derive(Serialize)]
pub(crate) struct TurnReport {
    turn: String,
    #[serde(flatten)]
    value: ValueReport,
}

impl From<TableValue> for ValueReport {
    fn from(found: TableValue) -> Self {
        Self { value: AsText(found.value), dtw: found.dtw }
    }
}

impl TurnReport {
    pub(crate) fn list(position: &Position, ranking: &[RankedTurn]) -> Vec<Self> {
        let report = |ranked: &RankedTurn| Self {
            turn: ranked.turn.text(position.board()).to_string(),
            value: ranked.value.into(),
        };
        ranking.iter().map(report).collect()
    }

    pub(crate) fn table(turns: &[Self]) -> String {
        let mut rows = table(&["turn", "value", "dtw"], &[0, 1]);
        for TurnReport { turn, value: ValueReport { value, dtw } } in turns {
            let dtw = dtw.map_or("-".to_owned(), |dtw| dtw.to_string());
            rows.add_row(Row::from([turn.clone(), value.0.to_string(), dtw]));
        }
        rows.trim_fmt()
    }
}

/// A value and its distance, as text.
pub(crate) fn in_words(value: Value, dtw: Option<u16>) -> String {
    match dtw {
        None => value.to_string(),
        Some(0) => format!("{value}, the game is over"),
        Some(1) => format!("{value} in 1 turn"),
        Some(dtw) => format!("{value} in {dtw} turns of both sides"),
    }
}
