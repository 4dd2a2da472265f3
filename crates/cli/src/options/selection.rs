//! The slices that a command reads.

use clap::Args;
use fanorona_core::Board;
use fanorona_tablebase::{Selection, Slice};

use super::tables::check_size;
use super::values::{at_least, part};

/// The slices whose tables are read; all if none are named.
#[derive(Debug, Args)]
pub(crate) struct SelectionOptions {
    /// Slices with up to N stones, both sides together
    #[arg(long, value_name = "N", value_parser = at_least(2u32))]
    stones: Option<u32>,

    /// Slice, as in 3v2: three stones for the side to move, two for the other
    #[arg(
        long, value_name = "SLICE", value_delimiter = ',', value_parser = part::<Slice>,
        conflicts_with = "stones"
    )]
    slice: Vec<Slice>,
}

impl SelectionOptions {
    /// The slices on a board.
    pub(crate) fn resolve(&self, board: Board) -> anyhow::Result<Selection> {
        check_size(self.stones, &self.slice, board)?;
        Ok(Selection { stones: self.stones, slices: self.slice.clone() })
    }
}
