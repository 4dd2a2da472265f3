//! The files of games: read, and written with annotations.

use std::path::{Path, PathBuf};

use anyhow::Context;
use fanorona_engine::{Record, Records};

use super::notes::GameReport;
use super::text::comment;
use crate::failure::Failure;
use crate::files::{MAX_GAMES, read_text};

/// A game of a file, or why there is none.
pub(super) struct FileGame<'a> {
    pub file: &'a Path,
    /// Its number in the file, from 1.
    pub number: usize,
    /// Whether it is all that the file has.
    pub is_alone: bool,
    pub record: anyhow::Result<Record>,
}

/// The games in some files, at least one for each file.
pub(super) fn read(files: &[PathBuf]) -> Vec<FileGame<'_>> {
    files.iter().flat_map(|file| read_one(file)).collect()
}

fn read_one(file: &Path) -> Vec<FileGame<'_>> {
    let name = file.display();
    let games = read_text(file, MAX_GAMES).map(|text| Records::new(&text).collect::<Vec<_>>());
    let games = games.and_then(|games| match games.is_empty() {
        true => Err(Failure::input(format!("'{name}' has no game"))),
        false => Ok(games),
    });
    let games = match games {
        Ok(games) => games,
        Err(error) => {
            return vec![FileGame { file, number: 1, is_alone: true, record: Err(error) }];
        }
    };
    let is_alone = games.len() == 1;
    let game = |(number, record): (usize, Result<Record, _>)| {
        let record = record.with_context(|| match is_alone {
            true => format!("'{name}' is not a game"),
            false => format!("game {number} of '{name}' is not right"),
        });
        FileGame { file, number, is_alone, record }
    };
    (1..).zip(games).map(game).collect()
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
