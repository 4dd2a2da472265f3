//! What has been found out of positions, in a bounded amount of memory.

use std::mem;

use fanorona_core::{Position, Side, Value};

use crate::Bounds;

/// Facts of one position.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// What is proved, for ever.
    pub bounds: Bounds,
    /// For each question, the depth to which it has been asked in vain.
    pub failed: [u16; Question::NUMBER],
}

impl Facts {
    /// What is known of a position that has not been seen.
    pub const NONE: Self = Self { bounds: Bounds::UNKNOWN, failed: [0; Question::NUMBER] };
}

/// Does the attacker get at least the goal?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Question {
    /// Who attacks.
    pub attacker: Side,
    /// Draw or win.
    pub goal: Value,
}

impl Question {
    /// How many questions there are.
    pub const NUMBER: usize = 4;

    /// A number below [`Question::NUMBER`].
    pub fn index(self) -> usize {
        usize::from(self.attacker == Side::Black) * 2 + usize::from(self.goal == Value::Win)
    }

    /// What bounds of a position say, if they do.
    pub fn answer(self, bounds: Bounds, to_move: Side) -> Option<bool> {
        let (least, most) = if to_move == self.attacker {
            (bounds.at_least, bounds.at_most)
        } else {
            (-bounds.at_most, -bounds.at_least)
        };
        if least >= self.goal {
            Some(true)
        } else if most < self.goal {
            Some(false)
        } else {
            None
        }
    }

    /// The bounds of a position that follow from a yes.
    pub fn raise(self, bounds: &mut Bounds, to_move: Side) {
        if to_move == self.attacker {
            bounds.at_least = bounds.at_least.max(self.goal);
        } else {
            bounds.at_most = bounds.at_most.min(-self.goal);
        }
    }
}

/// A table of facts. Each position has one place, which the position seen last takes.
#[derive(Debug)]
pub struct Memo {
    slots: Vec<Slot>,
    used: usize,
    most: usize,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    own: u64,
    /// 0 in a slot without facts: the game is over then, and needs none.
    opponent: u64,
    facts: Facts,
    to_move: Side,
}

impl Slot {
    const EMPTY: Self = Self { own: 0, opponent: 0, facts: Facts::NONE, to_move: Side::White };

    fn hash(&self) -> u64 {
        let side = u64::from(self.to_move == Side::Black);
        let mixed =
            (self.own ^ self.opponent.rotate_left(32) ^ side).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ (mixed >> 29) ^ self.opponent).wrapping_mul(0xbf58_476d_1ce4_e5b9)
    }
}

impl Memo {
    /// A memo that takes no more than about so many bytes. It begins small.
    pub fn new(bytes: usize) -> Self {
        // While it grows for the last time, half of its places are there twice.
        let most = (bytes / 3 * 2 / mem::size_of::<Slot>()).max(2);
        let most = 1 << most.ilog2();
        Self { slots: vec![Slot::EMPTY; most.min(1 << 12)], used: 0, most }
    }

    /// What is known of a position.
    pub fn get(&self, position: &Position) -> Facts {
        let key = slot(position, Facts::NONE);
        let found = &self.slots[self.place(&key)];
        if is_same(found, &key) { found.facts } else { Facts::NONE }
    }

    /// Keeps what is known of a position, in the place of another one if need be.
    pub fn set(&mut self, position: &Position, facts: Facts) {
        // While the memo may grow, places are rarely fought for.
        if self.used * 2 > self.slots.len() && self.slots.len() < self.most {
            let larger = vec![Slot::EMPTY; self.slots.len() * 2];
            let slots = mem::replace(&mut self.slots, larger);
            self.used = 0;
            slots.into_iter().filter(|slot| slot.opponent != 0).for_each(|slot| self.put(slot));
        }
        self.put(slot(position, facts));
    }

    fn put(&mut self, slot: Slot) {
        let place = self.place(&slot);
        self.used += usize::from(self.slots[place].opponent == 0);
        self.slots[place] = slot;
    }

    fn place(&self, slot: &Slot) -> usize {
        // The length is a power of two.
        (slot.hash() >> 20) as usize & (self.slots.len() - 1)
    }
}

fn slot(position: &Position, facts: Facts) -> Slot {
    let (own, opponent) = (position.own(), position.opponent());
    Slot { own, opponent, facts, to_move: position.to_move() }
}

fn is_same(slot: &Slot, key: &Slot) -> bool {
    (slot.own, slot.opponent, slot.to_move) == (key.own, key.opponent, key.to_move)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fanorona_core::{Board, RuleSet};

    #[test]
    fn a_memo_forgets_but_never_mixes_up() {
        let rules = RuleSet::STANDARD;
        let mut level = vec![Board::dimy().start()];
        for _ in 0..4 {
            level = fanorona_core::next_level(&rules, &level);
        }
        // Facts that tell positions apart, and a memo too small for all.
        let facts = |i: usize| Facts { failed: [i as u16; Question::NUMBER], ..Facts::NONE };
        let mut memo = Memo::new(100 * mem::size_of::<Slot>());
        level.iter().enumerate().for_each(|(i, position)| memo.set(position, facts(i + 1)));
        assert_eq!(memo.slots.len(), 64);
        let known = level.iter().enumerate().filter(|(i, position)| {
            let found = memo.get(position).failed;
            assert!(found == facts(0).failed || found == facts(i + 1).failed);
            found != facts(0).failed
        });
        assert!((1..=64).contains(&known.count()));

        let mut memo = Memo::new(1 << 20);
        level.iter().enumerate().for_each(|(i, position)| memo.set(position, facts(i + 1)));
        assert!(memo.used > level.len() / 2);
        let position = &level[level.len() - 1];
        assert_eq!(memo.get(position).failed, facts(level.len()).failed);
        assert_eq!(memo.get(&position.with_other_to_move()).failed, facts(0).failed);
    }

    #[test]
    fn questions_read_bounds() {
        let question = Question { attacker: Side::Black, goal: Value::Draw };
        let mut bounds = Bounds::UNKNOWN;
        assert_eq!(question.answer(bounds, Side::White), None);
        question.raise(&mut bounds, Side::White);
        assert_eq!(bounds, Bounds { at_least: Value::Loss, at_most: Value::Draw });
        assert_eq!(question.answer(bounds, Side::White), Some(true));
        assert_eq!(question.answer(Bounds::exact(Value::Loss), Side::Black), Some(false));
    }
}
