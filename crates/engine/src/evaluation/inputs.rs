//! The inputs of the network.

use fanorona_core::{Board, Direction, FirstSteps, PointSet, Position, Stones};

/// The sets of points that the network sees.
pub(super) const SETS: usize = 6;

/// The inputs of the evaluation's network, from the view of the side to move: its stones, the
/// opponent's, its stones that can capture, the opponent's that could if it were to move, its stones
/// that a first step of the opponent can take, and the opponent's that a first step can take. Of a
/// line of stones that a step takes, only the first counts.
pub fn inputs(position: &Position) -> [PointSet; SETS] {
    of_stones(position.board(), Stones::of(position))
}

#[inline(always)]
pub(super) fn of_stones(board: Board, stones: Stones) -> [PointSet; SETS] {
    let (mine, taken) = threats(board, stones);
    let (theirs, lost) = threats(board, stones.swapped());
    [stones.own, stones.opponent, mine, theirs, lost, taken]
}

/// The stones that can capture, and those that they capture first.
#[inline(always)]
fn threats(board: Board, stones: Stones) -> (PointSet, PointSet) {
    let (mut capturing, mut taken) = (PointSet::EMPTY, PointSet::EMPTY);
    for direction in Direction::ALL {
        let steps = FirstSteps::in_direction(board, stones, direction);
        capturing |= steps.capturing();
        let reached = board.shift(steps.approach, direction);
        taken |=
            board.shift(reached, direction) | board.shift(steps.withdrawal, direction.opposite());
    }
    (capturing, taken)
}
