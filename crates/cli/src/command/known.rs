//! Turns with their known values, as text.

use comfy_table::Row;
use fanorona_knowledge::{Assessment, RankedTurn};

use crate::output::table;

/// A table of turns, in the given order, with a mark beside the trickiest.
pub(super) fn turn_table(turns: &[RankedTurn], trickiest: Option<&str>) -> String {
    let mut rows = table(&["turn", "value", "dtw", ""], &[0, 1, 3]);
    for RankedTurn { turn, after, assessment } in turns {
        // The distance has a column of its own.
        let value = Assessment { dtw: None, ..*assessment };
        let dtw = assessment.dtw.map_or("-".to_owned(), |dtw| dtw.to_string());
        let turn = turn.text(after.board()).to_string();
        let mark = if trickiest == Some(&*turn) { "trickiest" } else { "" };
        rows.add_row(Row::from([turn, value.to_string(), dtw, mark.to_owned()]));
    }
    rows.trim_fmt()
}
