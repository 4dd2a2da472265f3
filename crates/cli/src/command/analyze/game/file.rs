//! The files of games: read, and written with annotations.

use std::path::Path;

use anyhow::Context;
use fanorona_engine::{MAX_RECORD_BYTES, Record};

use super::super::line::numbered;
use super::notes::GameReport;
use super::text::comment;
use crate::files::read_at_most;
use crate::human::joined;

/// The games in a file.
///
/// # Errors
/// If it cannot be read, or is not a game.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<Record>> {
    let name = path.display();
    let bytes = read_at_most(path, MAX_RECORD_BYTES as u64);
    let bytes = bytes.with_context(|| format!("cannot read '{name}'"))?;
    let record = Record::read(&bytes).with_context(|| format!("'{name}' is not a game"))?;
    Ok(vec![record])
}

/// The text of a game with a comment behind each turn that was analyzed.
pub(super) fn annotated(record: &Record, report: &GameReport) -> String {
    let text = record.to_string();
    let header = text.split_once("\n\n").map_or("", |(header, _)| header);
    let turns = report.turns.iter().map(|turn| turn.turn.clone());
    let turns = numbered(report.start.to_move(), turns);
    let mut words = Vec::new();
    for (turn, note) in turns.into_iter().zip(&report.turns) {
        words.push(turn);
        if !note.is_left_out {
            words.extend(format!("{{{}}}", comment(note)).split(' ').map(str::to_owned));
        }
    }
    words.push(record.result().to_string());
    format!("{header}\n\n{}\n", joined(words, 0))
}
