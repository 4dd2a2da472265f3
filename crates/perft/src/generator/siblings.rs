//! Arranges the successors of a position for a search.

#![allow(unsafe_code)]

use std::sync::OnceLock;

use fanorona_core::{Board, FirstStepCounts, FirstSteps, Modern, Stones, SymmetryGroup};

use super::version::{Newer, Version as _};
#[cfg(target_arch = "x86_64")]
use super::wide::{MOST, Wide};

/// Arranges the successors of a position and counts their first steps, with the instructions that this
/// processor has.
///
/// ```
/// use fanorona_core::{Board, FirstSteps, RuleSet};
/// use fanorona_perft::{Siblings, Successors};
/// let start = Board::tsivy().start();
/// let mut found = Vec::new();
/// Successors::new(&RuleSet::STANDARD, start.board()).find(&start, &mut found);
/// let siblings = Siblings::of(start.board());
/// siblings.arrange(&mut found);
/// assert!(found.is_sorted_by_key(|after| (after.own.len(), *after)));
/// assert_eq!(siblings.first_steps(found[0]), FirstSteps::count(start.board(), found[0]));
/// ```
#[derive(Debug)]
pub struct Siblings {
    board: Board,
    symmetries: SymmetryGroup,
    modern: Option<Modern>,
    #[cfg(target_arch = "x86_64")]
    wide: Option<Wide>,
}

impl Siblings {
    /// Those of this board. They are made at first use, and kept.
    pub fn of(board: Board) -> &'static Self {
        static ALL: [OnceLock<Siblings>; Board::COUNT] = [const { OnceLock::new() }; Board::COUNT];
        ALL[board.index()].get_or_init(|| Self::new(board))
    }

    fn new(board: Board) -> Self {
        Self {
            board,
            symmetries: SymmetryGroup::new(board),
            modern: Modern::detect(),
            #[cfg(target_arch = "x86_64")]
            wide: Wide::new(board),
        }
    }

    /// The symmetries of the board.
    pub fn symmetries(&self) -> &SymmetryGroup {
        &self.symmetries
    }

    /// Replaces the stones after turns, as the side that made it sees them, by their
    /// [canonical forms](SymmetryGroup::canonical) as the other side sees them: each once, and in the order
    /// of the number of its stones, then of [`Stones`].
    pub fn arrange(&self, stones: &mut Vec<Stones>) {
        #[cfg(target_arch = "x86_64")]
        if let Some(wide) = &self.wide
            && stones.len() <= MOST
        {
            // SAFETY: there is a `Wide` only where the processor has its instructions.
            return unsafe { wide.arrange(stones) };
        }
        self.arrange_one_by_one(stones);
    }

    fn arrange_one_by_one(&self, stones: &mut Vec<Stones>) {
        for stones in stones.iter_mut() {
            *stones = self.symmetries.canonical(stones.swapped()).stones;
        }
        // Long captures, which come first in the order, are found last.
        stones.reverse();
        stones.sort_unstable_by_key(|stones| (stones.own.len(), *stones));
        stones.dedup();
    }

    /// The number of first steps, independent of the rule set: as [`FirstSteps::count`], but faster.
    #[inline]
    pub fn first_steps(&self, stones: Stones) -> FirstStepCounts {
        #[cfg(target_arch = "x86_64")]
        if let Some(wide) = &self.wide {
            // SAFETY: there is a `Wide` only where the processor has its instructions.
            return unsafe { wide.first_steps(stones) };
        }
        let count = || FirstSteps::count(self.board, stones);
        match self.modern {
            Some(modern) => Newer::<false>(modern).run(count),
            None => count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fanorona_core::SplitMix64;

    /// Random stones of every board, some twice and some symmetric to others, more than are arranged
    /// together too.
    #[test]
    fn all_at_once_is_as_one_by_one() {
        let mut random = SplitMix64::new(1);
        for board in Board::all() {
            let siblings = Siblings::of(board);
            let all = board.all_points().bits();
            for length in 0..80 {
                let (sparse, mut found) = (random.next_u64() & random.next_u64(), Vec::new());
                for i in 0..length {
                    let [own, opponent] = [(); 2].map(|()| random.next_u64() & sparse & all);
                    let one = Stones::from_bits(own, opponent & !own);
                    let steps = siblings.first_steps(one);
                    assert_eq!(steps, FirstSteps::count(board, one), "{board}: {one:?}");
                    let symmetries = siblings.symmetries.symmetries();
                    let by = symmetries[i % symmetries.len()];
                    let image = |one: Stones| one.map(|set| siblings.symmetries.apply(by, set));
                    let again = *found.get(i / 2).unwrap_or(&one);
                    found.push(if i % 3 == 0 { image(again) } else { one });
                }
                let mut expected = found.clone();
                siblings.arrange_one_by_one(&mut expected);
                siblings.arrange(&mut found);
                assert_eq!(found, expected, "{board}");
            }
        }
    }
}
