//! Positions that have no rank yet, with the turns that could give them one.

use std::collections::HashMap;

use crate::maps::{FastHash, map_bytes};

/// Positions of a slice without a rank, by key.
///
/// They are numbered in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct OpenPositions {
    numbers: HashMap<u64, usize, FastHash>,
    positions: Vec<OpenPosition>,
    turns: Vec<OpenTurn>,
    /// The replies to all turns that need a closer look, as keys.
    replies: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct OpenPosition {
    key: u64,
    estimate: Hardness,
    /// Where its turns end.
    turns_end: usize,
}

/// How hard it seems to give a position a rank, and how it seems easiest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Hardness {
    /// How hard it seems to give it a rank.
    pub cost: u32,
    /// The turn for which that seems least hard, by its place among the open turns.
    pub best: u32,
}

impl Hardness {
    /// That of a position none of whose turns can give it a rank.
    pub(super) const NONE: Self = Self { cost: u32::MAX, best: 0 };

    /// Takes a turn into account.
    pub(super) fn improve(&mut self, turn: u32, cost: u32) {
        if cost < self.cost {
            *self = Self { cost, best: turn };
        }
    }
}

/// A turn that would give a position a rank if all replies had one.
#[derive(Clone, Copy, Debug)]
pub(super) struct OpenTurn {
    /// The number of the position after it among those after all turns.
    pub turn: u32,
    /// The position after it, as a number of the slice.
    pub after: u64,
    /// Where its replies end.
    replies_end: usize,
}

impl OpenPositions {
    /// Adds a position that is not there yet, after its turns.
    pub(super) fn push(&mut self, key: u64, estimate: Hardness) {
        self.numbers.insert(key, self.positions.len());
        self.positions.push(OpenPosition { key, estimate, turns_end: self.turns.len() });
    }

    /// Adds a turn of the position that is added next. `replies` are the keys of those that need a
    /// closer look.
    pub(super) fn push_turn(&mut self, turn: u32, after: u64, replies: &[u64]) {
        self.replies.extend_from_slice(replies);
        self.turns.push(OpenTurn { turn, after, replies_end: self.replies.len() });
    }

    /// Moves all positions of another list here. Those that are here already are dropped.
    pub(super) fn append(&mut self, other: &Self) {
        for (number, position) in other.positions.iter().enumerate() {
            if self.numbers.contains_key(&position.key) {
                continue;
            }
            for (turn, replies) in other.turns(number) {
                self.push_turn(turn.turn, turn.after, replies);
            }
            self.push(position.key, position.estimate);
        }
    }

    /// The number of a position; `None` if it is not here.
    pub(super) fn number(&self, key: u64) -> Option<usize> {
        self.numbers.get(&key).copied()
    }

    pub(super) fn key(&self, number: usize) -> u64 {
        self.positions[number].key
    }

    pub(super) fn estimate(&self, number: usize) -> Hardness {
        self.positions[number].estimate
    }

    pub(super) fn set_estimate(&mut self, number: usize, estimate: Hardness) {
        self.positions[number].estimate = estimate;
    }

    /// The turns of a position, each with its replies.
    pub(super) fn turns(&self, number: usize) -> impl Iterator<Item = (OpenTurn, &[u64])> {
        let begin = number.checked_sub(1).map_or(0, |before| self.positions[before].turns_end);
        let first_reply = begin.checked_sub(1).map_or(0, |before| self.turns[before].replies_end);
        let turns = &self.turns[begin..self.positions[number].turns_end];
        turns.iter().scan(first_reply, |begin, turn| {
            let replies = &self.replies[*begin..turn.replies_end];
            *begin = turn.replies_end;
            Some((*turn, replies))
        })
    }

    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn bytes(&self) -> u64 {
        let numbers = map_bytes::<u64, usize>(self.numbers.capacity());
        let positions = size_of::<OpenPosition>() * self.positions.capacity();
        let turns = size_of::<OpenTurn>() * self.turns.capacity();
        numbers + (positions + turns + size_of::<u64>() * self.replies.capacity()) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(open: &OpenPositions, key: u64) -> Vec<(u32, u64, Vec<u64>)> {
        let number = open.number(key).unwrap();
        assert_eq!(open.key(number), key);
        open.turns(number)
            .map(|(turn, replies)| (turn.turn, turn.after, replies.to_vec()))
            .collect()
    }

    #[test]
    fn positions_keep_their_turns_when_lists_are_joined() {
        let estimate = Hardness { cost: 3, best: 1 };
        let mut first = OpenPositions::default();
        first.push_turn(4, 40, &[7, 8]);
        first.push_turn(5, 50, &[9]);
        first.push(1, estimate);
        first.push(2, Hardness::NONE);

        let mut second = OpenPositions::default();
        second.push_turn(0, 10, &[3]);
        second.push(1, Hardness::NONE);
        second.push_turn(6, 60, &[]);
        second.push_turn(7, 70, &[2, 1]);
        second.push(3, estimate);

        first.append(&second);
        assert_eq!(first.len(), 3);
        assert_eq!(turns(&first, 1), [(4, 40, vec![7, 8]), (5, 50, vec![9])]);
        assert_eq!(turns(&first, 2), []);
        assert_eq!(turns(&first, 3), [(6, 60, vec![]), (7, 70, vec![2, 1])]);
        assert_eq!(first.number(4), None);
        assert_eq!(first.estimate(0), estimate);
        assert_eq!(first.estimate(1), Hardness::NONE);
        assert!(first.bytes() >= 8 * 5 + 24 * 4 + 24 * 3);
    }

    #[test]
    fn the_first_of_the_best_turns_counts() {
        let mut estimate = Hardness::NONE;
        for (turn, cost) in [(0, u32::MAX), (1, 5), (2, 4), (3, 4), (4, 6)] {
            estimate.improve(turn, cost);
        }
        assert_eq!(estimate, Hardness { cost: 4, best: 2 });
    }
}
