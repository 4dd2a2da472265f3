//! A weighted sum of features.

use fanorona_core::{Board, Direction, FirstStepCounts, PointSet, Position, Stones};
use fanorona_perft::Siblings;

use super::weights::WEIGHTS;
use crate::score::MAX_ESTIMATE;

/// The names of the [`features`], in their order.
pub const FEATURES: [&str; 9] = [
    "to_move",
    "stones",
    "stones_percent",
    "captures",
    "captures_of_opponent",
    "paikas",
    "strong_points",
    "can_capture",
    "opponent_can_capture",
];

/// First capturing steps count up to this number: with more, a side has enough to choose from.
const MAX_CAPTURES: u32 = 12;

/// The features of a position from the view of the side to move: numbers that say who stands
/// better.
///
/// - `to_move`: 1;
/// - `stones`: its stones minus the opponent's;
/// - `stones_percent`: the same as a percentage of all stones;
/// - `captures`, `captures_of_opponent`: the first capturing steps of each side, up to 12;
/// - `paikas`: its quiet first steps minus the opponent's;
/// - `strong_points`: its stones on strong points minus the opponent's;
/// - `can_capture`, `opponent_can_capture`: 1 if the side has a capturing step.
///
/// Steps are those of the board, whatever the rule set. The opponent's are those that it would have
/// if it were to move now.
pub fn features(position: &Position) -> [i32; FEATURES.len()] {
    Linear::new(position.board()).features(Stones::of(position))
}

/// The phase of the game, from 0 for an empty board to 256 for the start: the share of the stones
/// that still stand. The second weight of a feature is multiplied by it.
pub fn phase(position: &Position) -> i32 {
    Linear::new(position.board()).phase(Stones::of(position))
}

/// Evaluates positions of one board.
#[derive(Clone, Copy)]
pub(super) struct Linear {
    board: Board,
    strong: PointSet,
    siblings: &'static Siblings,
}

impl Linear {
    pub(super) fn new(board: Board) -> Self {
        // Diagonal links join strong points only.
        let diagonals = [
            Direction::NorthEast,
            Direction::NorthWest,
            Direction::SouthEast,
            Direction::SouthWest,
        ];
        let strong = diagonals.into_iter().fold(PointSet::EMPTY, |set, d| set | board.linked(d));
        Self { board, strong, siblings: Siblings::of(board) }
    }

    /// The number of first steps.
    #[inline]
    pub(super) fn first_steps(self, stones: Stones) -> FirstStepCounts {
        self.siblings.first_steps(stones)
    }

    fn phase(self, stones: Stones) -> i32 {
        (stones.count() * 256 / (2 * self.board.max_stones())) as i32
    }

    fn features(self, stones: Stones) -> [i32; FEATURES.len()] {
        let FirstStepCounts { captures, paikas } = self.first_steps(stones);
        let theirs = self.first_steps(stones.swapped());
        let (count, Stones { own, opponent }) = (stones.count(), stones);
        let difference = |mine: u32, theirs: u32| mine as i32 - theirs as i32;
        let stones = difference(own.len(), opponent.len());
        [
            1,
            stones,
            100 * stones / count.max(1) as i32,
            captures.min(MAX_CAPTURES) as i32,
            theirs.captures.min(MAX_CAPTURES) as i32,
            difference(paikas, theirs.paikas),
            difference((own & self.strong).len(), (opponent & self.strong).len()),
            i32::from(captures > 0),
            i32::from(theirs.captures > 0),
        ]
    }

    /// The estimate for the side to move.
    pub(super) fn estimate(self, stones: Stones) -> i32 {
        let phase = self.phase(stones);
        let features = self.features(stones);
        let sum: i32 = features
            .iter()
            .zip(WEIGHTS)
            .map(|(feature, [base, full])| feature * (base + full * phase / 256))
            .sum();
        (sum / 100).clamp(-MAX_ESTIMATE, MAX_ESTIMATE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(text: &str) -> i32 {
        let position: Position = text.parse().expect("a position");
        Linear::new(position.board()).estimate(Stones::of(&position))
    }

    #[test]
    fn features_are_what_they_say() {
        let position = "9/9/2W1B4/9/W8 w".parse().expect("a position");
        let found = features(&position);
        // c3-d3 captures by approach; Black would capture the same way.
        assert_eq!(found[..5], [1, 1, 33, 1, 1]);
        assert_eq!(found[6..], [1, 1, 1]);
        assert_eq!(phase(&position), 3 * 256 / 44);
    }

    #[test]
    fn strong_points_are_those_of_the_rules() {
        for board in Board::all() {
            let strong = Linear::new(board).strong;
            for point in board.all_points() {
                let at = board.coordinates(point);
                assert_eq!(
                    strong.contains(point),
                    (at.file() + at.rank()) % 2 == 0,
                    "{board} {at}"
                );
            }
        }
    }

    #[test]
    fn more_stones_are_better_and_colours_do_not_matter() {
        let more = estimate("W8/2W6/9/7B1/W8 w");
        let fewer = estimate("W8/9/9/7B1/9 w");
        assert!(more > fewer, "{more} {fewer}");
        for text in ["BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w", "W8/2W6/9/7B1/W8 b"] {
            let position: Position = text.parse().expect("a position");
            assert_eq!(estimate(text), estimate(&position.with_colours_swapped().to_string()));
        }
    }
}
