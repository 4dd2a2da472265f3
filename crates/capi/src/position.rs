//! Positions as C has them.

use fanorona_core::{Board, PointSet, Position, Setup, Side};

use crate::failure::Failure;

/// A position: `fanorona_position`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct CPosition {
    /// White's stones: bit `rank × width + file`, counted from 0 at a1.
    pub white: u64,
    /// Black's stones.
    pub black: u64,
    /// `FANORONA_WHITE` (0) or `FANORONA_BLACK` (1).
    pub to_move: i32,
}

impl CPosition {
    /// The position on this board.
    pub(crate) fn on(self, board: Board) -> Result<Position, Failure> {
        let to_move = match self.to_move {
            0 => Side::White,
            1 => Side::Black,
            other => return Err(Failure::Side(other)),
        };
        let [white, black] = [self.white, self.black].map(PointSet::from_bits);
        Ok(Setup { board, white, black, to_move }.try_into()?)
    }
}

impl From<Position> for CPosition {
    fn from(position: Position) -> Self {
        Self {
            white: position.stones(Side::White).bits(),
            black: position.stones(Side::Black).bits(),
            to_move: position.to_move() as i32,
        }
    }
}
