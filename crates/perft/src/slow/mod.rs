//! A slow generator that follows the rules, or a wrong reading of them.
//!
//! It was written from the rules in words, with its own links, lines and relays, as a second witness
//! beside the fast generators. Of `fanorona-core` it uses values alone: sizes of boards, points and
//! their sets, positions, and the fields of a [`RuleSet`].
//!
//! With a [`Fault`] it counts as a wrong program does. So [`compare`](crate::compare) tells what
//! explains the answers of another program, and tests show that the suites notice each fault.
//!
//! ```
//! use fanorona_core::{Board, RuleSet};
//! use fanorona_perft::slow::{Fault, SlowGenerator};
//! let start = Board::tsivy().start();
//! let count = |faults: &[Fault]| {
//!     SlowGenerator::new(&RuleSet::STANDARD, faults).count(&start, 2, &mut 10_000)
//! };
//! assert_eq!(count(&[]), Ok(39));
//! assert_eq!(count(&[Fault::RelayEnds(1)]), Ok(17));
//! ```

/// The number that belongs to a fault of this form, if the generator has one.
macro_rules! number {
    ($slow:expr, $fault:pat => $number:expr) => {
        $slow.faults.iter().find_map(|fault| match fault {
            $fault => Some($number),
            _ => None,
        })
    };
}

mod fault;
mod turns;

use std::collections::HashSet;

use fanorona_core::{Board, Outcome, Point, PointSet, Position, RuleSet, StepKind, Stones};
use thiserror::Error;

pub use fault::Fault;

/// The error of a count that was too much work, or is not certain because of a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
#[error("too much work, or not certain")]
pub struct TooMuch;

/// Lists and counts turns under a rule set, with faults or without.
#[derive(Clone, Copy, Debug)]
pub struct SlowGenerator<'a> {
    rules: RuleSet,
    faults: &'a [Fault],
}

impl<'a> SlowGenerator<'a> {
    /// Follows the rules, but for the faults.
    pub fn new(rules: &RuleSet, faults: &'a [Fault]) -> Self {
        let mut changed = *rules;
        faults.iter().for_each(|fault| fault.change(rules, &mut changed));
        Self { rules: changed, faults }
    }

    #[inline]
    #[expect(clippy::manual_contains, reason = "that one is not inlined, which costs a fifth")]
    fn has(&self, fault: Fault) -> bool {
        self.faults.iter().any(|own| *own == fault)
    }

    /// How the game has ended; `None` if it goes on.
    ///
    /// # Errors
    /// If the turns take more steps than the budget.
    pub fn end(&self, position: &Position, budget: &mut u64) -> Result<Option<Outcome>, TooMuch> {
        let (own, other) = (position.to_move(), position.to_move().other());
        Ok(if position.own().is_empty() {
            Some(Outcome::Won(other))
        } else if position.opponent().is_empty() {
            Some(Outcome::Won(own))
        } else if !self.turns(position, budget)?.is_empty() {
            None
        } else if self.play(position).blocked_draws {
            Some(Outcome::Drawn)
        } else {
            Some(Outcome::Won(other))
        })
    }

    /// Counts the sequences of turns.
    ///
    /// # Errors
    /// If that takes more steps than the budget, or the count depends on which turns a fault leaves
    /// out.
    pub fn count(&self, position: &Position, depth: u8, budget: &mut u64) -> Result<u128, TooMuch> {
        let divided = self.divide(position, depth, budget)?;
        self.sum(&divided, depth).ok_or(TooMuch)
    }

    /// The turns with the count below each. Those that it does not list are among them; see
    /// [`listed`](Self::listed).
    pub(crate) fn divide(
        &self,
        position: &Position,
        depth: u8,
        budget: &mut u64,
    ) -> Result<Vec<(SlowTurn, u128)>, TooMuch> {
        let mut divided = Vec::new();
        for turn in self.turns(position, budget)? {
            let nodes = match turn.position_after(position) {
                _ if depth <= 1 => 1,
                Some(after) => self.count(&after, depth - 1, budget)?,
                // What a program makes of stones that cannot stand like this is not known.
                None => return Err(TooMuch),
            };
            let is_turned = self.has(Fault::UpsideDown);
            divided
                .push((if is_turned { turn.upside_down(position.board()) } else { turn }, nodes));
        }
        Ok(divided)
    }

    /// The sum of the turns that are listed. `None` if it depends on which turns are left out.
    pub(crate) fn sum(&self, divided: &[(SlowTurn, u128)], depth: u8) -> Option<u128> {
        let listed = self.listed(divided);
        let is_known =
            depth <= 1 || listed.len() == divided.len() || self.has(Fault::SameResultOnce);
        is_known.then(|| listed.iter().map(|turn| divided[*turn].1).sum())
    }

    /// The turns that are listed. Where some are left out, others of the same
    /// [`group`](Self::group) can be listed in place of these.
    pub(crate) fn listed(&self, divided: &[(SlowTurn, u128)]) -> Vec<usize> {
        let mut seen = HashSet::new();
        let is_new =
            |turn: &usize| self.group(&divided[*turn].0).is_none_or(|key| seen.insert(key));
        let room = number!(self, Fault::Room(most) => *most);
        (0..divided.len()).filter(is_new).take(room.unwrap_or(usize::MAX)).collect()
    }

    /// The thing that turns have in common of which only one is listed.
    pub(crate) fn group(&self, turn: &SlowTurn) -> Option<(Point, Point, Option<Stones>)> {
        let ends = (turn.origin, turn.destination());
        if self.has(Fault::SameResultOnce) {
            let first = turn.after.own.first().unwrap_or(ends.0);
            return Some((first, first, Some(turn.after)));
        }
        self.has(Fault::SameEndsOnce).then_some((ends.0, ends.1, None))
    }
}

/// How a step captures.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Taking {
    /// In this way, or not at all.
    One(StepKind),
    /// Both lines at once, which no rule set allows.
    Both,
}

impl Taking {
    /// The letters for it in our notation.
    pub(crate) fn letters(self) -> &'static str {
        match self {
            Self::One(StepKind::Paika) => "",
            Self::One(StepKind::Approach) => "A",
            Self::One(StepKind::Withdrawal) => "W",
            Self::Both => "AW",
        }
    }
}

/// A turn, legal or not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlowTurn {
    /// The point where its stone starts.
    pub origin: Point,
    /// Each point that is reached, and how the step to it captures; empty for a pass.
    pub steps: Vec<(Point, Taking)>,
    /// The captured stones.
    pub captured: PointSet,
    /// The stones after it, as its mover sees them.
    pub after: Stones,
}

impl SlowTurn {
    /// The turn as a program writes it that has the ranks in the other order. It would write the
    /// position after it in that order too, so that one stays.
    fn upside_down(mut self, board: Board) -> Self {
        let turned = |point| {
            let at = board.coordinates(point);
            board.point_at(at.file(), board.height() - 1 - at.rank()).expect("of every board")
        };
        self.origin = turned(self.origin);
        self.steps.iter_mut().for_each(|(to, _)| *to = turned(*to));
        self.captured = self.captured.iter().map(turned).collect();
        self
    }

    /// Where the stone ends.
    pub(crate) fn destination(&self) -> Point {
        self.steps.last().map_or(self.origin, |&(to, _)| to)
    }

    /// The position after it; `None` if stones cannot stand like this.
    pub fn position_after(&self, before: &Position) -> Option<Position> {
        let to_move = before.to_move().other();
        Position::from_mover(before.board(), self.after.swapped(), to_move).ok()
    }

    /// The text, in our notation as far as that goes.
    pub fn text(&self, board: Board) -> String {
        if self.steps.is_empty() {
            return "pass".to_owned();
        }
        path_text(board, self.origin, self.steps.iter().map(|(to, taking)| (*to, taking.letters())))
    }
}

/// A path in our notation: each point that is reached, and the letters behind it.
pub(crate) fn path_text<'a>(
    board: Board,
    origin: Point,
    steps: impl Iterator<Item = (Point, &'a str)>,
) -> String {
    let origin = board.coordinates(origin).to_string();
    steps.fold(origin, |text, (to, letters)| format!("{text}-{}{letters}", board.coordinates(to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_the_work() {
        let position = Board::tsivy().start();
        let slow = SlowGenerator::new(&RuleSet::STANDARD, &[]);
        assert_eq!(slow.count(&position, 9, &mut 1000), Err(TooMuch));
        assert_eq!(slow.turns(&position, &mut 1000).map(|turns| turns.len()), Ok(5));
    }
}
