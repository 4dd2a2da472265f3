//! Errors in the text of a game.

use fanorona_core::{
    Board, BoardError, ParsePositionError, ParseRuleSetError, ParseTurnError, RuleError,
};
use thiserror::Error;

use super::result::{GameResult, MAX_NAME};
use crate::draw_rules::DrawRulesError;

/// Why a text is not the record of a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}, column {column}: {problem}")]
#[expect(missing_docs, reason = "the message says it")]
pub struct RecordError {
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of the character in the line, from 1.
    pub column: usize,
    pub problem: RecordProblem,
}

/// A fault in a line of a record, or in a part of one.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum RecordProblem {
    #[error("the text has {found} bytes; a game has {most} at most")]
    Bytes { found: usize, most: usize },
    #[error("a game has {most} turns at most")]
    Turns { most: usize },
    /// A line that begins with `[` is not a tag.
    #[error("a tag has the form [Name \"value\"]")]
    Tag,
    #[error("the value of a tag has {most} characters at most")]
    Value { most: usize },
    #[error("there is no game in the text")]
    None,
    #[error("another game begins here; give one game")]
    Several,
    #[error("the tag {0} is there twice")]
    Twice(&'static str),
    #[error(transparent)]
    Board(#[from] BoardError),
    #[error(transparent)]
    Rules(#[from] ParseRuleSetError),
    /// The rule set cannot be used on the board.
    #[error(transparent)]
    RulesOnBoard(#[from] RuleError),
    #[error(transparent)]
    Start(#[from] ParsePositionError),
    #[error("the start position is on a board of {found}, but the tag Board says {expected}")]
    OtherBoard { expected: Board, found: Board },
    #[error(transparent)]
    Draws(#[from] DrawRulesError),
    #[error("a player's name has {MAX_NAME} characters at most, and no control characters")]
    Name,
    #[error("'{0}' is not a date; write it as in 2026-11-22, or ? if it is unknown")]
    Date(String),
    #[error("'{0}' is not a result; write 1-0, 0-1, 1/2-1/2, or * for a game that goes on")]
    Result(String),
    #[error("the result is {found}, but by the rules the game has ended {expected}")]
    OtherResult { expected: GameResult, found: GameResult },
    #[error("the result is {found}, but the tag Result says {expected}")]
    TwoResults { expected: GameResult, found: GameResult },
    #[error("the number of this turn is {found}, but must be {expected}")]
    Number { expected: usize, found: String },
    #[error("turn {number}: {reason}")]
    Turn { number: usize, reason: ParseTurnError },
    #[error("a word has {found} bytes, more than any turn")]
    Word { found: usize },
    #[error("'{0}' follows the end of the game")]
    AfterEnd(String),
    #[error("the comment that begins here has no closing brace")]
    OpenComment,
    #[error("the variation that begins here has no closing bracket")]
    OpenVariation,
    #[error("a bracket closes no variation")]
    CloseVariation,
    #[error("'{0}' is not a glyph; write !, ?, !!, ??, !?, ?! or $ and a number up to 255")]
    Glyph(String),
    #[error(
        "'{0}' is a game that is not known here; write [Board \"9x5\"] and [Rules \"standard\"], for \
         example"
    )]
    Variant(String),
    #[error("'{0}' is not the challenger of a vela; write Blancs or Noirs, White or Black")]
    Vela(String),
    #[error("the game is '{0}', not Fanorona")]
    OtherGame(String),
    #[error("Fanorona has two players, not {found}")]
    Players { found: usize },
    #[error("'{0}' is not an action of a game of boardspace.net")]
    Action(String),
    #[error("this is no record of Abstract Play: {0}")]
    Json(String),
}
