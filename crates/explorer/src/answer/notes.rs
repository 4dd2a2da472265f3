//! The parts of a game's text besides its turns.

use fanorona_core::Side;
use fanorona_engine::{Annotation, Record, RecordProblem};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::problem::{Problem, ProblemKind};

/// The parts of a game's text besides its turns.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GameNotes {
    /// The name of White, empty if it is unknown.
    pub white: String,
    /// The name of Black, empty if it is unknown.
    pub black: String,
    /// The day, as in `2026-11-22`, empty if it is unknown.
    pub date: String,
    /// `1-0`, `0-1`, `1/2-1/2` or `*`; what follows from the turns if it is empty.
    pub result: String,
    /// Glyphs, comments and variations.
    pub remarks: Vec<TurnRemarks>,
}

/// The remarks behind a turn.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TurnRemarks {
    /// The number of turns before them: 0 is before the first turn.
    pub turns: usize,
    /// Glyphs by their numbers in PGN: 1 is `!`, 2 is `?`.
    pub glyphs: Vec<u8>,
    /// Comments.
    pub comments: Vec<String>,
    /// Turns in the place of the last one, as in the text of a game. They are not checked.
    pub variations: Vec<String>,
}

impl GameNotes {
    /// Those of a record.
    pub fn of(record: &Record) -> Self {
        let name = |side| record.player(side).unwrap_or_default().to_owned();
        let remarks = (0..=record.game().turns().len()).filter_map(|turns| {
            let note = record.annotation(turns)?;
            Some(TurnRemarks {
                turns,
                glyphs: note.glyphs().to_vec(),
                comments: note.comments().map(str::to_owned).collect(),
                variations: note.variations().map(str::to_owned).collect(),
            })
        });
        Self {
            white: name(Side::White),
            black: name(Side::Black),
            date: record.date().unwrap_or_default(),
            result: record.result().to_string(),
            remarks: remarks.collect(),
        }
    }

    /// The record with these notes.
    ///
    /// # Errors
    /// If a name, the date, the result or a variation cannot be in the text of a game.
    pub fn add_to(&self, record: Record) -> Result<Record, Problem> {
        let problem = |error: RecordProblem| {
            let expected = "notes as the answer to the text of a game has them";
            Problem::new(ProblemKind::BadRecord, error, expected).in_field("notes")
        };
        let mut record = record.with_players(&self.white, &self.black).map_err(problem)?;
        if !self.date.is_empty() {
            record = record.with_date_text(&self.date).map_err(problem)?;
        }
        if !self.result.is_empty() {
            record = record.with_result(self.result.parse().map_err(problem)?).map_err(problem)?;
        }
        for remarks in &self.remarks {
            let mut note = Annotation::default();
            for glyph in &remarks.glyphs {
                note.add_glyph(*glyph);
            }
            for comment in &remarks.comments {
                note.add_comment(comment);
            }
            for variation in &remarks.variations {
                note.add_variation(variation).map_err(problem)?;
            }
            record = record.with_annotation(remarks.turns, note);
        }
        Ok(record)
    }
}
