//! Listing the positions after turns, with either generator, and counting the last plies.

use std::fmt;

use fanorona_core::{Board, Position, RuleSet, Stones};

use super::kernel::{Generate, OnWay, generator};
use super::last::LastPly;

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
    pub(crate) generator: Box<dyn Generate>,
    /// A buffer.
    on_way: Vec<OnWay>,
    last: Option<LastPly>,
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
        let generator = generator(rules, board);
        Self { rules: *rules, board, generator, on_way: Vec::new(), last: None }
    }

    /// Takes the generator for a board, if it has another one.
    pub(crate) fn turn_to(&mut self, board: Board) {
        if board != self.board {
            *self = Self::new(&self.rules, board);
        }
    }

    /// Adds the stones after each turn to `found`, as the side that makes it sees them, in no
    /// particular order. They come as often as there are turns to them.
    ///
    /// A position of another board than the last one costs a new generator, some microseconds.
    pub fn find(&mut self, position: &Position, found: &mut Vec<Stones>) {
        self.turn_to(position.board());
        let unsettled = Some(position).filter(|position| !self.rules.is_settled(position));
        self.list(Stones::of(position), unsettled, found);
    }

    /// As [`find`](Self::find) for stones on the generator's board, with their position if the rule
    /// has not settled there.
    pub(crate) fn list(
        &mut self,
        stones: Stones,
        unsettled: Option<&Position>,
        found: &mut Vec<Stones>,
    ) {
        match unsettled {
            None => self.generator.successors(stones, &mut self.on_way, found),
            Some(position) => self.rules.for_each_turn(position, |turn| {
                found.push(Stones::of(&position.play_unchecked(turn)).swapped());
            }),
        }
    }

    /// Counts turns one or two plies below stones where the rule has settled. Some of the last ply
    /// may be left.
    pub(crate) fn last_plies(&mut self, stones: Stones, depth: u8) -> u64 {
        let ply = self.last.get_or_insert_with(LastPly::new);
        match depth {
            1 => ply.positions.push(stones.swapped()),
            _ => self.generator.successors(stones, &mut self.on_way, &mut ply.positions),
        }
        self.generator.last(ply, false)
    }

    /// Counts the turns of the last ply that are left.
    pub(crate) fn left(&mut self) -> u64 {
        self.last.as_mut().map_or(0, |ply| self.generator.last(ply, true))
    }
}
