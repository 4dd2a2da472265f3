//! Positions to ask about that are in no suite.

use fanorona_core::{Point, Position, Setup, Side, SplitMix64};

/// The most points of a position that are changed.
const MOST_CHANGES: u64 = 4;

/// Positions like those that are known, seen in a mirror and with some points changed, without end. The
/// first known ones come most often.
pub(super) struct Questions {
    random: SplitMix64,
    known: Vec<Position>,
}

impl Questions {
    pub(super) fn new(known: Vec<Position>) -> Self {
        Self { random: SplitMix64::new(56), known }
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.below(n as u64) as usize
    }

    /// A known position with changes, if that is a position.
    fn changed(&mut self) -> Option<Position> {
        let most = self.known.len();
        let some = 1 + self.below(most);
        let like = self.below(some);
        let position = self.known[like];
        let symmetries = position.board().symmetries();
        let image = position.transformed(symmetries[self.below(symmetries.len())])?;
        let Setup { board, mut white, mut black, mut to_move } = Setup::from(image);
        if self.below(4) == 0 {
            to_move = to_move.other();
        }
        let points: Vec<Point> = board.all_points().iter().collect();
        for _ in 0..self.random.below(MOST_CHANGES + 1) {
            let point = points[self.below(points.len())];
            (white, black) = (white - point, black - point);
            match self.below(3) {
                0 => white |= point,
                1 => black |= point,
                _ => {}
            }
        }
        let position = Position::try_from(Setup { board, white, black, to_move }).ok()?;
        let has = |side| !position.stones(side).is_empty();
        (has(Side::White) && has(Side::Black)).then_some(position)
    }
}

impl Iterator for Questions {
    type Item = Position;

    fn next(&mut self) -> Option<Position> {
        // Most changes make a position; a board that is full at first may need several.
        (0..100).find_map(|_| self.changed())
    }
}
