//! The start of the game.

use crate::board::Board;
use crate::point::Side;
use crate::point_set::PointSet;
use crate::position::{Position, Setup};

impl Board {
    /// The start of the game: White below the middle rank and to move, Black above it; on the
    /// middle rank colours alternate from Black on file a to the empty centre, and the right half
    /// is the left half turned by 180° with colours swapped.
    pub fn start(self) -> Position {
        let (width, middle) = (u32::from(self.width()), u32::from(self.height() / 2));
        let below = (1 << (width * middle)) - 1;
        let mut white: u64 = below;
        for file in 0..width {
            let left = file < width / 2;
            let centre = file == width / 2;
            // Counted from its own edge, each half begins with one colour and alternates.
            let from_edge = if left { file } else { width - 1 - file };
            let begins = from_edge % 2 == 0;
            if !centre && begins != left {
                white |= 1 << (width * middle + file);
            }
        }
        let white = PointSet::from_bits(white);
        let centre = PointSet::from_bits(1 << (self.num_points() / 2));
        let black = self.all_points() - white - centre;
        Setup { board: self, white, black, to_move: Side::White }
            .try_into()
            .expect("each side has half of the points but one")
    }
}
