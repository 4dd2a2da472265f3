//! What can be wrong with the text of a game.

use fanorona_core::{
    Board, BoardError, ParsePositionError, ParseRuleSetError, ParseTurnError, RuleError,
};
use thiserror::Error;

use super::result::{GameResult, MAX_NAME};
use crate::draw_rules::DrawRulesError;

/// Why a text is not the record of a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}: {problem}")]
pub struct RecordError {
    /// The number of the line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: RecordProblem,
}

/// What is wrong with a line of a record, or with a part of one.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum RecordProblem {
    /// The text is longer than is read.
    #[error("the text has {found} bytes; a game has {most} at most")]
    Bytes { found: usize, most: usize },
    /// There are more turns than are read.
    #[error("a game has {most} turns at most")]
    Turns { most: usize },
    /// The text is not UTF-8.
    #[error("the text is not UTF-8")]
    NotUtf8,
    /// A line that begins with `[` is not a tag.
    #[error("a tag has the form [Name \"value\"]")]
    Tag,
    /// The value of a tag is longer than is read.
    #[error("the value of a tag has {most} characters at most")]
    Value { most: usize },
    /// A tag comes after a turn.
    #[error("tags come before the turns; write one game per text")]
    LateTag,
    /// A tag is there twice.
    #[error("the tag {0} is there twice")]
    Twice(&'static str),
    /// Neither the board nor the start position is given.
    #[error("the header does not name the board; write [Board \"9x5\"], for example")]
    NoBoard,
    /// There is no rule set.
    #[error("the header does not name the rule set; write [Rules \"standard\"], for example")]
    NoRules,
    /// The board is not one.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// The rule set is not one.
    #[error(transparent)]
    Rules(#[from] ParseRuleSetError),
    /// The rule set cannot be used on the board.
    #[error(transparent)]
    RulesOnBoard(#[from] RuleError),
    /// The start position is not one.
    #[error(transparent)]
    Start(#[from] ParsePositionError),
    /// The start position is on another board.
    #[error("the start position is on a board of {found}, but the tag Board says {expected}")]
    OtherBoard { expected: Board, found: Board },
    /// The draw rules cannot be read.
    #[error(transparent)]
    Draws(#[from] DrawRulesError),
    /// A player's name is too long or has control characters.
    #[error("a player's name has {MAX_NAME} characters at most, and no control characters")]
    Name,
    /// The date is not one.
    #[error("'{0}' is not a date; write it as in 2026-11-22, or ? if it is unknown")]
    Date(String),
    /// The result is not one.
    #[error("'{0}' is not a result; write 1-0, 0-1, 1/2-1/2, or * for a game that goes on")]
    Result(String),
    /// The result contradicts the position at the end.
    #[error("the result is {found}, but by the rules the game has ended {expected}")]
    OtherResult { expected: GameResult, found: GameResult },
    /// The result after the turns is not that of the header.
    #[error("the result is {found}, but the tag Result says {expected}")]
    TwoResults { expected: GameResult, found: GameResult },
    /// A turn has the wrong number.
    #[error("the number of this turn is {found}, but must be {expected}")]
    Number { expected: usize, found: String },
    /// A turn cannot be read, or is not legal.
    #[error("turn {number}: {reason}")]
    Turn { number: usize, reason: ParseTurnError },
    /// A word is longer than any turn.
    #[error("a word has {found} bytes, more than any turn")]
    Word { found: usize },
    /// There is a turn after the end of the game.
    #[error("'{0}' follows the end of the game")]
    AfterEnd(String),
    /// A comment that begins in this line does not end.
    #[error("the comment that begins here has no closing brace")]
    OpenComment,
}
