//! The files of games: read, and written with annotations.

use std::path::Path;

use anyhow::Context;
use fanorona_engine::{Record, Records};

use super::notes::GameReport;
use super::text::comment;
use crate::failure::Failure;
use crate::files::{MAX_GAMES, read_text};

/// The games in a file, at least one.
///
/// # Errors
/// If it cannot be read, has no game, or one that is not right.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<Record>> {
    let (name, text) = (path.display(), read_text(path, MAX_GAMES)?);
    let games = Records::new(&text).collect::<Result<Vec<_>, _>>();
    let games = games.with_context(|| format!("'{name}' is not a game"))?;
    if games.is_empty() {
        return Err(Failure::input(format!("'{name}' has no game")));
    }
    Ok(games)
}

/// A game with a comment behind each turn that was analyzed, and a glyph behind each mistake. What was
/// annotated before stays.
pub(super) fn annotated(record: &Record, report: &GameReport) -> Record {
    let analyzed = report.turns.iter().enumerate().filter(|(_, note)| !note.is_left_out);
    analyzed.fold(record.clone(), |game, (i, note)| {
        let mut annotation = game.annotation(i + 1).cloned().unwrap_or_default();
        if let (Some(glyph), []) = (note.glyph(), annotation.glyphs()) {
            annotation.add_glyph(glyph);
        }
        annotation.add_comment(&comment(note));
        game.with_annotation(i + 1, annotation)
    })
}
