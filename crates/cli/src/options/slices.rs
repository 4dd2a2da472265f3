//! The slices that a command reads.

use clap::Args;
use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::{Selection, Slice};

use super::common::CommonOptions;
use super::game::GameOptions;
use super::tables::{TableOptions, check_size};
use super::values::{at_least, part};

/// The slices whose tables are read, all if none are named, and the threads for that.
#[derive(Debug, Args)]
pub(crate) struct SlicesOptions {
    /// Slices with up to N stones, both sides together
    #[arg(long, value_name = "N", value_parser = at_least(2u32))]
    stones: Option<u32>,

    /// Slice, as in 3v2: three stones for the side to move, two for the other
    #[arg(
        long, value_name = "SLICE", value_delimiter = ',', value_parser = part::<Slice>,
        conflicts_with = "stones"
    )]
    slice: Vec<Slice>,

    #[command(flatten)]
    pub game: GameOptions,

    #[command(flatten)]
    pub tables: TableOptions,

    #[command(flatten)]
    pub common: CommonOptions,
}

impl SlicesOptions {
    /// The slices on the board.
    pub(crate) fn selection(&self) -> anyhow::Result<Selection> {
        check_size(self.stones, &self.slice, self.game.board())?;
        Ok(Selection { stones: self.stones, slices: self.slice.clone() })
    }

    /// The game with its slices. Starts the threads.
    pub(crate) fn start(&self) -> anyhow::Result<(Board, RuleSet, Selection)> {
        let (rules, selection) = (self.game.rules()?, self.selection()?);
        self.common.start_threads()?;
        Ok((self.game.board(), rules, selection))
    }
}
