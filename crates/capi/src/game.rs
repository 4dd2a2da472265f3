//! Games: a board and a rule set. Positions, as C has them and as texts.

use std::ffi::c_char;

use fanorona_core::{Board, Outcome, PointSet, Position, RuleSet, Setup, Side};

use crate::boundary::exports;
use crate::failure::Failure;
use crate::pointers::{Output, copy, frees, give, handle};
use crate::text::{self, TextBuffer};

/// A position: `fanorona_position`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct CPosition {
    /// White's stones: bit `rank × width + file`, counted from 0 at a1.
    pub white: u64,
    /// Black's stones.
    pub black: u64,
    /// `FANORONA_WHITE` (0) or `FANORONA_BLACK` (1).
    pub to_move: i32,
}

impl CPosition {
    /// The position on this board.
    pub(crate) fn on(self, board: Board) -> Result<Position, Failure> {
        let to_move = match self.to_move {
            0 => Side::White,
            1 => Side::Black,
            other => return Err(Failure::Side(other)),
        };
        let [white, black] = [self.white, self.black].map(PointSet::from_bits);
        Ok(Setup { board, white, black, to_move }.try_into()?)
    }
}

impl From<Position> for CPosition {
    fn from(position: Position) -> Self {
        Self {
            white: position.stones(Side::White).bits(),
            black: position.stones(Side::Black).bits(),
            to_move: position.to_move() as i32,
        }
    }
}

/// A board and a rule set: `fanorona_game`.
#[derive(Debug)]
pub struct GameHandle {
    pub(crate) board: Board,
    pub(crate) rules: RuleSet,
}

impl GameHandle {
    /// A game, and a copy of a position of it.
    ///
    /// # Safety
    /// The pointers are NULL, or a game that is not freed during `'a` and a position.
    pub(crate) unsafe fn at<'a>(
        game: *const Self,
        position: *const CPosition,
    ) -> Result<(&'a Self, Position), Failure> {
        // SAFETY: the caller promises it.
        let (game, position) = unsafe { (handle(game, "game")?, copy(position, "position")?) };
        Ok((game, position.on(game.board)?))
    }

    /// Checks that something else is of this game.
    pub(crate) fn check(
        &self,
        what: &'static str,
        found_board: Board,
        found_rules: RuleSet,
    ) -> Result<(), Failure> {
        let Self { board, rules } = *self;
        if (found_board, found_rules) == (board, rules) {
            return Ok(());
        }
        Err(Failure::OtherGame { what, found_board, found_rules, board, rules })
    }
}

exports! {
    /// Makes a game.
    fn fanorona_game_new(board: *const c_char, rules: *const c_char, game: *mut *mut GameHandle) {
        // SAFETY: all pointers are NULL or as the header says.
        let (out, board, rules) = unsafe {
            let out = Output::new(game, "game")?;
            out.write(std::ptr::null_mut());
            (out, text::read(board, "board")?, text::read(rules, "rules")?)
        };
        let (board, rules): (Board, RuleSet) = (board.parse()?, rules.parse()?);
        rules.check(board)?;
        out.write(give(GameHandle { board, rules }));
    }
}

frees!(fanorona_game_free, GameHandle);

exports! {
    /// Writes width and height of the board.
    fn fanorona_game_board(game: *const GameHandle, width: *mut i32, height: *mut i32) {
        // SAFETY: all pointers are NULL or as the header says.
        let (game, width, height) = unsafe {
            (handle(game, "game")?, Output::new(width, "width")?, Output::new(height, "height")?)
        };
        width.write(game.board.width().into());
        height.write(game.board.height().into());
    }

    /// Writes the name of the rule set.
    fn fanorona_game_rules(
        game: *const GameHandle,
        text: *mut c_char,
        capacity: usize,
        length: *mut usize,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (game, out) =
            unsafe { (handle(game, "game")?, TextBuffer::new(text, capacity, length)?) };
        out.write(&game.rules.to_string())?;
    }

    /// Writes the start of the game.
    fn fanorona_start(game: *const GameHandle, position: *mut CPosition) {
        // SAFETY: all pointers are NULL or as the header says.
        let (game, out) = unsafe { (handle(game, "game")?, Output::new(position, "position")?) };
        out.write(game.board.start().into());
    }

    /// Checks a position.
    fn fanorona_position_check(game: *const GameHandle, position: *const CPosition) {
        // SAFETY: all pointers are NULL or as the header says.
        unsafe { GameHandle::at(game, position).map(drop) }?;
    }

    /// Reads a position from its text.
    fn fanorona_position_read(
        game: *const GameHandle,
        text: *const c_char,
        position: *mut CPosition,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (game, text, out) = unsafe {
            let game = handle(game, "game")?;
            (game, text::read(text, "text")?, Output::new(position, "position")?)
        };
        let position: Position = text.parse()?;
        let (expected, found) = (game.board, position.board());
        if expected != found {
            return Err(Failure::OtherBoard { expected, found });
        }
        out.write(position.into());
    }

    /// Writes the text of a position.
    fn fanorona_position_text(
        game: *const GameHandle,
        position: *const CPosition,
        text: *mut c_char,
        capacity: usize,
        length: *mut usize,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (position, out) = unsafe {
            let (_, position) = GameHandle::at(game, position)?;
            (position, TextBuffer::new(text, capacity, length)?)
        };
        out.write(&position.to_string())?;
    }

    /// Writes the name of a point.
    fn fanorona_point_text(
        game: *const GameHandle,
        point: i32,
        text: *mut c_char,
        capacity: usize,
        length: *mut usize,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (board, out) =
            unsafe { (handle(game, "game")?.board, TextBuffer::new(text, capacity, length)?) };
        let found = u8::try_from(point).ok().and_then(|index| board.point_with_index(index));
        let found = found.ok_or_else(|| Failure::Argument {
            name: "point",
            why: format!(
                "is {point}, but the board {board} has the points 0 to {}",
                board.num_points() - 1
            ),
        })?;
        out.write(&board.coordinates(found).to_string())?;
    }

    /// Whether the game is over, and how.
    fn fanorona_outcome(game: *const GameHandle, position: *const CPosition, outcome: *mut i32) {
        // SAFETY: all pointers are NULL or as the header says.
        let ((game, position), out) =
            unsafe { (GameHandle::at(game, position)?, Output::new(outcome, "outcome")?) };
        out.write(match game.rules.outcome(&position) {
            None => 0,
            Some(Outcome::Won(Side::White)) => 1,
            Some(Outcome::Won(Side::Black)) => 2,
            Some(Outcome::Drawn) => 3,
        });
    }
}
