//! Listing, making and playing turns.

use std::ffi::c_char;

use crate::boundary::exports;
use crate::game::GameHandle;
use crate::pointers::{Output, OutputArray, copy};
use crate::position::CPosition;
use crate::text::{self, TextBuffer};
use crate::turn::{CStep, CTurn};

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
        array.check(listed)
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
        array.check(steps.len())
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
        Ok(())
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
        Ok(())
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
        Ok(())
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
        out.write(&turn.text(game.board).to_string())
    }
}
