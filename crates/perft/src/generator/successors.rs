//! Listing the positions that turns lead to.

use std::fmt;

use fanorona_core::{Board, Position, RuleSet, Stones};

use super::queue::CaptureQueue;
use super::select::{Generate, generator};
use crate::after::after;
use crate::stop::Stop;

/// Lists the positions that turns lead to, with the generator that perft counts with: for searches
/// that want the successors of very many positions, one after the other.
///
/// It is several times as fast as [`RuleSet::for_each_turn`] where positions have many turns.
///
/// ```
/// use fanorona_core::{Board, RuleSet};
/// use fanorona_perft::Successors;
/// let start = Board::tsivy().start();
/// let mut found = Vec::new();
/// Successors::new(&RuleSet::STANDARD, start.board()).find(&start, &mut found);
/// assert_eq!(found.len(), 5);
/// assert!(found.iter().all(|after| after.own.len() == 22 && after.opponent.len() < 22));
/// ```
pub struct Successors {
    rules: RuleSet,
    board: Board,
    generator: Box<dyn Generate>,
    queue: CaptureQueue,
}

impl fmt::Debug for Successors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Successors")
            .field("rules", &self.rules)
            .field("board", &self.board)
            .finish_non_exhaustive()
    }
}

impl Successors {
    /// A lister for these rules, and for this board first.
    pub fn new(rules: &RuleSet, board: Board) -> Self {
        Self::with_generator(rules, board, generator(rules, board))
    }

    /// A lister that uses a generator for these rules and this board.
    pub(super) fn with_generator(
        rules: &RuleSet,
        board: Board,
        generator: Box<dyn Generate>,
    ) -> Self {
        Self { rules: *rules, board, generator, queue: CaptureQueue::default() }
    }

    /// Adds the stones after each turn to `found`, as the side that makes it sees them, in no
    /// particular order. They come as often as there are turns to them.
    ///
    /// A position of another board than the last one costs a new generator, some microseconds.
    pub fn find(&mut self, position: &Position, found: &mut Vec<Stones>) {
        if position.board() != self.board {
            *self = Self::new(&self.rules, position.board());
        }
        if self.rules.is_settled(position) {
            self.generator.successors(&mut self.queue, Stones::of(position), found);
        } else {
            self.rules.for_each_turn(position, |turn| {
                found.push(Stones::of(&position.play_unchecked(turn)).swapped());
            });
        }
    }

    /// The distinct positions one turn after any of these, which share the side to move; in the
    /// order of the mover's stones, then the opponent's. Ends early if stopped.
    pub(crate) fn next_level(&mut self, level: &[Position], stop: &Stop<'_>) -> Vec<Position> {
        let Some(one) = level.first() else {
            return Vec::new();
        };
        let mut found = Vec::new();
        let mut compact_at = 1 << 20;
        for position in level {
            if stop.check() {
                break;
            }
            self.find(position, &mut found);
            // A level has many duplicates. Dropping them now and then bounds the memory.
            if found.len() >= compact_at {
                found.sort_unstable();
                found.dedup();
                compact_at = compact_at.max(2 * found.len());
            }
        }
        found.sort_unstable_by_key(|after| after.swapped());
        found.dedup();
        found.into_iter().map(|stones| after(one, stones)).collect()
    }

    /// Counts the sequences of turns below a position, one turn for each list, where the turns of
    /// one position that lead to the same one count once. The lists are working memory.
    pub(crate) fn count(
        &mut self,
        position: &Position,
        lists: &mut [Vec<Stones>],
        stop: &Stop<'_>,
    ) -> u128 {
        let Some((list, lists)) = lists.split_last_mut() else {
            return 1;
        };
        if stop.check() {
            return 0;
        }
        list.clear();
        self.find(position, list);
        list.sort_unstable();
        list.dedup();
        if lists.is_empty() {
            return list.len() as u128;
        }
        list.iter().map(|stones| self.count(&after(position, *stones), lists, stop)).sum()
    }
}
