//! Turns with their known values, as text.

use comfy_table::Row;
use fanorona_knowledge::{Assessment, RankedTurn};

use crate::output::table;

/// A table of turns, in the given order.
pub(super) fn turn_table(turns: &[RankedTurn]) -> String {
    let mut rows = table(&["turn", "value", "dtw"], &[0, 1]);
    for RankedTurn { turn, after, assessment } in turns {
        // The distance has a column of its own.
        let value = Assessment { dtw: None, ..*assessment };
        let dtw = assessment.dtw.map_or("-".to_owned(), |dtw| dtw.to_string());
        rows.add_row(Row::from([turn.text(after.board()).to_string(), value.to_string(), dtw]));
    }
    rows.trim_fmt()
}
