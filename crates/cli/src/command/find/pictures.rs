//! Pictures of positions that were found.

use std::fmt;
use std::fs;
use std::path::Path;

use anyhow::Context;
use fanorona_core::{Board, Position};
use fanorona_tablebase::{Feature, Found};

use super::report::in_words;
use crate::destination::Destination;
use crate::human::name;
use crate::svg::board;

/// Where pictures go.
pub(super) struct Pictures<'a> {
    path: &'a Path,
    /// One picture for all.
    is_sheet: bool,
}

impl<'a> Pictures<'a> {
    /// Checks that they can be written there, as far as that can be known beforehand. Makes a directory.
    ///
    /// # Errors
    /// If they cannot.
    pub(super) fn new(path: &'a Path) -> anyhow::Result<Self> {
        let is_sheet =
            path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"));
        if is_sheet {
            destination(path).check()?;
        } else {
            let made = fs::create_dir_all(path);
            made.with_context(|| format!("cannot make the directory '{}'", path.display()))?;
        }
        Ok(Self { path, is_sheet })
    }

    /// Where they are, for messages.
    pub(super) fn name(&self) -> impl fmt::Display {
        self.path.display()
    }

    pub(super) fn draw(&self, board: Board, found: &[Found]) -> anyhow::Result<()> {
        let shown: Vec<(Position, String)> =
            found.iter().map(|found| (found.listed.position, caption(found))).collect();
        if self.is_sheet {
            let sheet = board::sheet(board, "positions of endgame tables", &shown);
            return destination(self.path).write(sheet.into_string().as_bytes());
        }
        let digits = shown.len().to_string().len();
        for (i, (position, text)) in shown.iter().enumerate() {
            let path = self.path.join(format!("{:0digits$}.svg", i + 1));
            let title = format!("{position}: {text}");
            destination(&path).write(board::board(position, &title).into_string().as_bytes())?;
        }
        Ok(())
    }
}

fn destination(path: &Path) -> Destination<'_> {
    Destination { what: "the picture", option: "--svg", path }
}

/// The value, the side to move, and the only turn if there is one.
fn caption(Found { listed, feature }: &Found) -> String {
    let position = listed.position;
    let text = format!("{} to move: {}", name(position.to_move()), in_words(listed.value));
    match feature {
        Feature::OnlyTurn { turn, .. } => {
            format!("{text}, only by {}", turn.turn.text(position.board()))
        }
        Feature::Zugzwang { other, .. } => {
            format!("{text}; {} to move: {}", name(position.to_move().other()), in_words(*other))
        }
        _ => text,
    }
}
