//! Turns as C has them: listing, making and playing them.

use std::ffi::c_char;

use fanorona_core::{Board, Direction, MAX_STEPS, PlayError, Point, Position, RuleSet, Step};
use fanorona_core::{StepKind, Turn, TurnInProgress};

use crate::boundary::exports;
use crate::failure::Failure;
use crate::game::{CPosition, GameHandle};
use crate::pointers::{Output, OutputArray, copy};
use crate::text::{self, TextBuffer};

/// A step: `fanorona_step`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[repr(C)]
pub struct CStep {
    /// The point where the stone is.
    pub from: u8,
    /// The point where it goes.
    pub to: u8,
    /// `FANORONA_PAIKA` (0), `FANORONA_APPROACH` (1) or `FANORONA_WITHDRAWAL` (2).
    pub kind: u8,
    /// The direction from 0 to 7, counter-clockwise from east. It follows from the points and is
    /// not read.
    pub direction: u8,
}

/// A turn: `fanorona_turn`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct CTurn {
    /// The stones that it captures.
    pub captured: u64,
    /// The point where the stone starts.
    pub origin: u8,
    /// The point where it ends.
    pub destination: u8,
    /// The number of steps.
    pub num_steps: u8,
    /// Always 0.
    pub reserved: u8,
    /// The steps; those from `num_steps` on are 0.
    pub steps: [CStep; MAX_STEPS],
}

impl CTurn {
    /// A turn that has not begun.
    pub(crate) const EMPTY: Self = Self {
        captured: 0,
        origin: 0,
        destination: 0,
        num_steps: 0,
        reserved: 0,
        steps: [CStep { from: 0, to: 0, kind: 0, direction: 0 }; MAX_STEPS],
    };

    /// A turn on its board.
    pub(crate) fn new(board: Board, turn: &Turn) -> Self {
        let mut made = Self {
            captured: turn.captured().bits(),
            origin: turn.origin().index() as u8,
            destination: turn.destination().index() as u8,
            num_steps: turn.steps().len() as u8,
            ..Self::EMPTY
        };
        for ((place, step), at) in made.steps.iter_mut().zip(turn.steps()).zip(turn.path(board)) {
            *place = CStep::new(board, at, *step);
        }
        made
    }

    /// The turn as far as it has been made, by its steps alone.
    pub(crate) fn in_progress(
        &self,
        rules: &RuleSet,
        position: &Position,
    ) -> Result<TurnInProgress, Failure> {
        let steps = self.steps.get(..self.num_steps.into()).ok_or_else(|| {
            Failure::BadTurn(format!(
                "it has {} steps, but {MAX_STEPS} are the most",
                self.num_steps
            ))
        })?;
        let mut made = TurnInProgress::new(rules, position);
        for step in steps {
            let (from, step) = step.on(position.board())?;
            made.make(from, step)?;
        }
        Ok(made)
    }

    /// The turn, if it is legal and may end where it does.
    pub(crate) fn finished(&self, rules: &RuleSet, position: &Position) -> Result<Turn, Failure> {
        if self.num_steps == 0 {
            return Err(Failure::BadTurn("it has no step".to_owned()));
        }
        let made = self.in_progress(rules, position)?;
        Ok(made.finish().ok_or(PlayError::Unfinished(self.num_steps.into()))?)
    }
}

impl CStep {
    /// A step from a point of a board.
    pub(crate) fn new(board: Board, from: Point, step: Step) -> Self {
        let to = board.neighbour(from, step.direction).unwrap_or(from);
        Self {
            from: from.index() as u8,
            to: to.index() as u8,
            kind: step.kind as u8,
            direction: step.direction as u8,
        }
    }

    /// The step with the point where it begins.
    pub(crate) fn on(self, board: Board) -> Result<(Point, Step), Failure> {
        let point = |index: u8| {
            board.point_with_index(index).ok_or_else(|| {
                Failure::BadTurn(format!("the board {board} has no point with the index {index}"))
            })
        };
        let (from, to) = (point(self.from)?, point(self.to)?);
        let kind = StepKind::ALL.into_iter().find(|kind| *kind as u8 == self.kind);
        let kind =
            kind.ok_or_else(|| Failure::BadTurn(format!("{} is not a kind of step", self.kind)))?;
        let joins = |direction: &Direction| board.neighbour(from, *direction) == Some(to);
        let direction = Direction::ALL.into_iter().find(joins).ok_or_else(|| {
            let [from, to] = [from, to].map(|point| board.coordinates(point));
            Failure::NoLink { from, to }
        })?;
        Ok((from, Step { direction, kind }))
    }
}

exports! {
    /// Lists the legal turns.
    fn fanorona_turns(
        game: *const GameHandle,
        position: *const CPosition,
        turns: *mut CTurn,
        capacity: usize,
        count: *mut usize,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (game, position, array, out) = unsafe {
            let (game, position) = GameHandle::at(game, position)?;
            let array = OutputArray::new(turns, capacity, "the array of turns")?;
            (game, position, array, Output::new(count, "count")?)
        };
        let mut listed = 0;
        game.rules.for_each_turn(&position, |turn| {
            if listed < capacity {
                array.write(listed, CTurn::new(game.board, turn));
            }
            listed += 1;
        });
        out.write(listed);
        array.check(listed)?;
    }

    /// Lists the steps with which a turn can go on.
    fn fanorona_next_steps(
        game: *const GameHandle,
        position: *const CPosition,
        turn: *const CTurn,
        steps: *mut CStep,
        capacity: usize,
        count: *mut usize,
        may_stop: *mut i32,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (game, position, turn, array, count, may_stop) = unsafe {
            let (game, position) = GameHandle::at(game, position)?;
            let turn = if turn.is_null() { CTurn::EMPTY } else { copy(turn, "turn")? };
            let array = OutputArray::new(steps, capacity, "the array of steps")?;
            let count = Output::new(count, "count")?;
            (game, position, turn, array, count, Output::new(may_stop, "may_stop")?)
        };
        let made = turn.in_progress(&game.rules, &position)?;
        let steps = made.next_steps();
        for (index, (from, step)) in steps.iter().enumerate() {
            array.write(index, CStep::new(game.board, *from, *step));
        }
        count.write(steps.len());
        may_stop.write(made.may_stop().into());
        array.check(steps.len())?;
    }

    /// Adds a step to a turn.
    fn fanorona_add_step(
        game: *const GameHandle,
        position: *const CPosition,
        turn: *mut CTurn,
        step: *const CStep,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (game, position, turn, step, out) = unsafe {
            let (game, position) = GameHandle::at(game, position)?;
            let before = copy(turn.cast_const(), "turn")?;
            (game, position, before, copy(step, "step")?, Output::new(turn, "turn")?)
        };
        let mut made = turn.in_progress(&game.rules, &position)?;
        let (from, step) = step.on(game.board)?;
        made.make(from, step)?;
        out.write(made.so_far().map_or(CTurn::EMPTY, |turn| CTurn::new(game.board, &turn)));
    }

    /// Plays a turn.
    fn fanorona_play(
        game: *const GameHandle,
        position: *const CPosition,
        turn: *const CTurn,
        after: *mut CPosition,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (game, position, turn, out) = unsafe {
            let (game, position) = GameHandle::at(game, position)?;
            (game, position, copy(turn, "turn")?, Output::new(after, "after")?)
        };
        let turn = turn.finished(&game.rules, &position)?;
        out.write(position.play_unchecked(&turn).into());
    }

    /// Reads a turn from its text.
    fn fanorona_turn_read(
        game: *const GameHandle,
        position: *const CPosition,
        text: *const c_char,
        turn: *mut CTurn,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (game, position, text, out) = unsafe {
            let (game, position) = GameHandle::at(game, position)?;
            (game, position, text::read(text, "text")?, Output::new(turn, "turn")?)
        };
        let turn = game.rules.parse_turn(&position, text)?;
        out.write(CTurn::new(game.board, &turn));
    }

    /// Writes the text of a turn.
    fn fanorona_turn_text(
        game: *const GameHandle,
        position: *const CPosition,
        turn: *const CTurn,
        text: *mut c_char,
        capacity: usize,
        length: *mut usize,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (game, position, turn, out) = unsafe {
            let (game, position) = GameHandle::at(game, position)?;
            (game, position, copy(turn, "turn")?, TextBuffer::new(text, capacity, length)?)
        };
        let turn = turn.finished(&game.rules, &position)?;
        out.write(&turn.text(game.board).to_string())?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_survive_the_way_to_c_and_back() {
        let rules = RuleSet::STANDARD;
        for board in ["3x3", "9x5", "21x3", "3x21"] {
            let board: Board = board.parse().unwrap();
            let mut position = board.start();
            for ply in 0..12 {
                let turns = rules.turns(&position);
                for turn in &turns {
                    let made = CTurn::new(board, turn);
                    assert_eq!(made.finished(&rules, &position).unwrap(), *turn);
                }
                let Some(turn) = turns.get(ply % turns.len().max(1)) else { break };
                position = position.play_unchecked(turn);
            }
        }
    }
}
