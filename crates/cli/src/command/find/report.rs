//! Positions that were found, as text and as JSON.

use comfy_table::Row;
use fanorona_core::{Board, RuleSet};
use fanorona_knowledge::{Assessment, Source};
use fanorona_tablebase::{Feature, Found, Slice, TableValue};
use serde::Serialize;

use crate::output::{AsText, table};

#[derive(Serialize)]
pub(super) struct Report {
    pub board: Board,
    pub rules: RuleSet,
    pub positions: Vec<Found>,
    /// Slices that were not searched, because their tables have no distances.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<AsText<Slice>>,
}

/// A value in words, as in `win in 5 turns`.
pub(super) fn in_words(value: TableValue) -> String {
    Assessment::exact(value, Source::Table).to_string()
}

/// A line for each position.
pub(super) fn text(found: &[Found]) -> String {
    let Some(first) = found.first() else { return "none found".to_owned() };
    let extra: &[&str] = match first.feature {
        Feature::Zugzwang { .. } => &["the other side"],
        Feature::OnlyTurn { .. } => &["only turn", "other turns", "streak"],
        _ => &[],
    };
    let header = [&["", "value"], extra, &["position"]].concat();
    let left: Vec<usize> = (1..header.len()).filter(|i| header[*i] != "streak").collect();
    let mut rows = table(&header, &left);
    for (i, Found { listed, feature }) in found.iter().enumerate() {
        let mut row = vec![(i + 1).to_string(), in_words(listed.value)];
        match feature {
            Feature::Zugzwang { other, .. } => row.push(in_words(*other)),
            Feature::OnlyTurn { turn, next, streak, .. } => row.extend([
                turn.turn.text(listed.position.board()).to_string(),
                in_words(*next),
                streak_in_words(*streak, listed.value),
            ]),
            _ => {}
        }
        row.push(listed.position.to_string());
        rows.add_row(Row::from(row));
    }
    rows.trim_fmt()
}

/// As in `3 of 12`: of the winner's turns. Without distances their number is not known.
fn streak_in_words(streak: u32, value: TableValue) -> String {
    match value.dtw {
        Some(turns) => format!("{streak} of {}", turns.div_ceil(2)),
        None => "-".to_owned(),
    }
}
