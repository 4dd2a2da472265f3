//! The memory of turns that were good.

use super::learnt::Learnt;
use crate::node::{Node, Successor};

/// The bound of the numbers of a history.
pub(super) const BOUND: i32 = 8_192;

/// How useful turns were, by what distinguishes them.
type History = Learnt<BOUND>;

/// A turn as the histories know it: whether it captures, its origin and its destination, 13 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Kind(u16);

impl Kind {
    /// The number of kinds.
    const COUNT: usize = 1 << 13;

    pub(super) fn of(node: Node, turn: Successor) -> Self {
        let (origin, destination) = turn.way(node);
        let captures = usize::from(turn.stones.opponent != node.stones.opponent);
        Self((captures << 12 | origin << 6 | destination) as u16)
    }

    pub(super) fn is_capture(self) -> bool {
        self.index() >> 12 != 0
    }

    fn index(self) -> usize {
        usize::from(self.0)
    }

    /// Where the stone stands now, and whether it captured: 7 bits.
    fn reached(self) -> usize {
        self.index() >> 12 << 6 | self.index() & 63
    }
}

/// The histories of one thread.
pub(super) struct Histories {
    /// By side.
    turns: [History; 2],
    /// By the opponent's turn before.
    replies: History,
}

impl Histories {
    pub(super) fn new() -> Self {
        Self {
            turns: std::array::from_fn(|_| History::new(Kind::COUNT)),
            replies: History::new(Kind::COUNT << 7),
        }
    }

    fn reply(before: Kind, kind: Kind) -> usize {
        before.reached() << 13 | kind.index()
    }

    pub(super) fn get(&self, side: usize, before: Option<Kind>, kind: Kind) -> i32 {
        let replies = before.map_or(0, |before| self.replies.get(Self::reply(before, kind)));
        self.turns[side].get(kind.index()) + replies
    }

    pub(super) fn add(&mut self, side: usize, before: Option<Kind>, kind: Kind, bonus: i32) {
        self.turns[side].add(kind.index(), bonus);
        if let Some(before) = before {
            self.replies.add(Self::reply(before, kind), bonus);
        }
    }
}
