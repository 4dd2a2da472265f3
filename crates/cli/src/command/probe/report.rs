//! The answer for a position.

use std::path::PathBuf;

use comfy_table::Row;
use fanorona_core::{Outcome, Position};
use fanorona_knowledge::{Assessment, Knowledge, KnowledgeError, Look, MissingTable, RankedTurn};
use fanorona_tablebase::TableError;
use serde::Serialize;

use crate::failure::Failure;
use crate::options::Root;
use crate::output::table;

/// The answer for one position.
#[derive(Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    root: Root,
    /// If the game is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    #[serde(flatten)]
    pub assessment: Assessment,
    /// For the table alone: a batch does not look for it, and its answers are the same.
    #[serde(skip)]
    pub trickiest: Option<String>,
    pub turns: Vec<RankedTurn>,
}

impl Report {
    /// The answer for a position, with the trickiest turn.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub(super) fn with_replies(knowledge: &Knowledge, position: &Position) -> anyhow::Result<Self> {
        let look = knowledge.look(position)?;
        let trickiest = look.trickiest(&knowledge.replies(&look)?);
        let report = Self::new(knowledge, position, Ok(look))?;
        let turn = trickiest.map(|i| report.turns[i].turn.text(knowledge.board()).to_string());
        Ok(Self { trickiest: turn, ..report })
    }

    /// The answer for a position that was looked at.
    pub(super) fn new(
        knowledge: &Knowledge,
        position: &Position,
        look: Result<Look, KnowledgeError>,
    ) -> anyhow::Result<Self> {
        let Look { assessment, turns, .. } = look?;
        if assessment.value().is_none() {
            return Err(missing(knowledge, position));
        }
        let root = Root { board: knowledge.board(), rules: knowledge.rules(), position: *position };
        let outcome = root.rules.outcome(position);
        let turns = turns.unwrap_or_default();
        Ok(Self { root, outcome, assessment, trickiest: None, turns })
    }
}

/// The error of a position whose table is missing.
fn missing(knowledge: &Knowledge, position: &Position) -> anyhow::Error {
    let dir = knowledge.tables().map_or_else(PathBuf::new, |tables| tables.dir().to_owned());
    match knowledge.missing(position) {
        Ok(Some(MissingTable { slice, board, rules })) => {
            TableError::Missing { slice, board, rules, metric: None, dir }.into()
        }
        Ok(None) => Failure::input(format_args!("nothing is known about {position}")),
        Err(error) => error.into(),
    }
}

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
