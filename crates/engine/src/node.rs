//! Positions as the search keeps them.

use fanorona_core::{PointSet, Position, Side, Stones};

/// A position of the board that is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub stones: Stones,
    /// The side to move.
    pub side: Side,
}

impl Node {
    pub(crate) fn of(position: &Position) -> Self {
        Self { stones: Stones::of(position), side: position.to_move() }
    }

    /// The hash of the position; `salt` separates searches that score it differently.
    pub(crate) fn key(self, salt: u64) -> u64 {
        let side = match self.side {
            Side::White => 0x51ed_270b_6a0f_3c19,
            Side::Black => 0xc2b2_ae3d_27d4_eb4f,
        };
        mix(mix(mix(self.stones.own.bits() ^ salt) ^ self.stones.opponent.bits()) ^ side)
    }
}

/// A position after a turn, with the number it is ordered by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Successor {
    /// The stones as the side that moved sees them.
    pub stones: Stones,
    pub order: i32,
    /// The estimate for the opponent, without noise, if it is known already.
    pub estimate: Option<i16>,
}

impl Successor {
    pub(crate) fn new(stones: Stones) -> Self {
        Self { stones, order: 0, estimate: None }
    }

    /// The position after the turn, from the one before it.
    pub(crate) fn node(&self, before: Node) -> Node {
        Node { stones: self.stones.swapped(), side: before.side.other() }
    }

    /// 16 bits that distinguish this successor from the others of its position, nearly always.
    pub(crate) fn hash(&self) -> u16 {
        let Stones { own, opponent } = self.stones;
        (mix(own.bits() ^ opponent.bits().rotate_left(29)) >> 48) as u16
    }

    /// The stones taken.
    pub(crate) fn captured(&self, before: Node) -> u32 {
        (before.stones.opponent - self.stones.opponent).len()
    }

    /// The indices of the points that the stone left and reached. They are the same for a stone
    /// that came back to its origin, which no rule set allows.
    pub(crate) fn way(&self, before: Node) -> (usize, usize) {
        let index = |set: PointSet| set.first().map_or(0, |point| point.index());
        let (before, after) = (before.stones.own, self.stones.own);
        (index(before - after), index(after - before))
    }
}

/// The finalizer of SplitMix64.
pub(crate) fn mix(z: u64) -> u64 {
    let z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
