//! The text of a turn: the points where the stone goes, and how each step captures.

use std::fmt;

use thiserror::Error;

use crate::board::Board;
use crate::point::{Coordinates, Direction, ParsePointError, Point};
use crate::position::Position;
use crate::rules::RuleSet;
use crate::stepwise::{StepError, TurnInProgress};
use crate::turn::{Step, StepKind, Turn};

/// The error of a text that is not a legal turn of a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum ParseTurnError {
    #[error(
        "'{text}' is not a turn: write its points, and A or W behind each that captures, as in d2-e3A-f4W"
    )]
    Text { text: String },
    #[error("in the turn '{text}': {reason}")]
    Point { text: String, reason: ParsePointError },
    #[error("in the turn '{text}': the board {board} has no point {point}")]
    OffBoard { text: String, board: Board, point: Coordinates },
    #[error("in the turn '{text}': no link joins {from} and {to}")]
    NoLink { text: String, from: Coordinates, to: Coordinates },
    #[error("the turn '{text}' is not legal under {rules}: {reason}")]
    Step { text: String, rules: RuleSet, reason: StepError },
    #[error("the turn '{text}' may not end there under {rules}: the relay must continue")]
    Unfinished { text: String, rules: RuleSet },
    #[error("the turn '{text}' can be {}: add A for approach or W for withdrawal", .fits.join(" or "))]
    Ambiguous { text: String, fits: Vec<String> },
}

/// A step as written: arrival point and letter.
type Written = (Point, Option<StepKind>);

impl RuleSet {
    /// Reads a legal turn of a position.
    ///
    /// The normal form is `d2-e3A-f4W`: the points, and after each step that captures an `A` for
    /// approach or a `W` for withdrawal. Dashes may be missing. Letters may be missing where only
    /// one legal turn fits.
    ///
    /// The time goes with the length of the text, and with the number of legal turns that a text
    /// without letters fits.
    ///
    /// # Errors
    /// If the text is not a turn, with what is wrong; if the turn is not legal, with the rule that
    /// it breaks; if several turns fit, with all of them.
    pub fn parse_turn(&self, position: &Position, text: &str) -> Result<Turn, ParseTurnError> {
        let (origin, written) = read(position, text)?;
        let mut fits = Vec::new();
        let mut first_error = None;
        self.fit(
            &TurnInProgress::new(self, position),
            (origin, &written),
            &mut fits,
            &mut |error| {
                first_error.get_or_insert(error);
            },
            text,
        );
        match (fits.len(), first_error) {
            (1, _) => Ok(fits.remove(0)),
            (0, Some(error)) => Err(error),
            (0, None) => Err(ParseTurnError::Text { text: text.to_owned() }),
            _ => Err(ParseTurnError::Ambiguous {
                text: text.to_owned(),
                fits: fits.iter().map(|turn| turn.text(position.board()).to_string()).collect(),
            }),
        }
    }

    /// Collects the turns that continue `turn` as written, and reports to `fail` why the others
    /// fail.
    fn fit(
        &self,
        turn: &TurnInProgress,
        (from, rest): (Point, &[Written]),
        fits: &mut Vec<Turn>,
        fail: &mut impl FnMut(ParseTurnError),
        text: &str,
    ) {
        let text_of = || text.to_owned();
        let Some((&(to, kind), rest)) = rest.split_first() else {
            match turn.finish() {
                Some(turn) => fits.push(turn),
                None => fail(ParseTurnError::Unfinished { text: text_of(), rules: *self }),
            }
            return;
        };
        let board = turn.board();
        let Some(direction) =
            Direction::ALL.into_iter().find(|d| board.neighbour(from, *d) == Some(to))
        else {
            let (from, to) = (board.coordinates(from), board.coordinates(to));
            return fail(ParseTurnError::NoLink { text: text_of(), from, to });
        };
        let kinds: &[StepKind] = match &kind {
            Some(kind) => std::slice::from_ref(kind),
            // Without a letter a paika is the likeliest meaning, so its error comes first.
            None => &[StepKind::Paika, StepKind::Approach, StepKind::Withdrawal],
        };
        for &kind in kinds {
            let mut next = turn.clone();
            match next.make(from, Step { direction, kind }) {
                Ok(()) => self.fit(&next, (to, rest), fits, fail, text),
                Err(reason) => {
                    fail(ParseTurnError::Step { text: text_of(), rules: *self, reason });
                }
            }
        }
    }
}

/// Splits a text into origin and steps, without checking the rules.
fn read(position: &Position, text: &str) -> Result<(Point, Vec<Written>), ParseTurnError> {
    let owned = || text.to_owned();
    let board = position.board();
    let mut at: Vec<Written> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let end = rest[digits..]
            .find(|c: char| !c.is_ascii_digit())
            .map_or(rest.len(), |length| digits + length);
        let point = rest[..end]
            .parse::<Coordinates>()
            .map_err(|reason| ParseTurnError::Point { text: owned(), reason })?;
        let point = board.point(point).ok_or_else(|| ParseTurnError::OffBoard {
            text: owned(),
            board,
            point,
        })?;
        rest = &rest[end..];
        let kind = match rest.as_bytes().first() {
            Some(b'A') => Some(StepKind::Approach),
            Some(b'W') => Some(StepKind::Withdrawal),
            _ => None,
        };
        rest = &rest[usize::from(kind.is_some())..];
        if kind.is_some() && at.is_empty() {
            return Err(ParseTurnError::Text { text: owned() });
        }
        at.push((point, kind));
        if let Some(behind) = rest.strip_prefix('-') {
            if behind.is_empty() {
                return Err(ParseTurnError::Text { text: owned() });
            }
            rest = behind;
        }
    }
    match at.split_first() {
        Some((&(origin, _), steps)) if !steps.is_empty() => Ok((origin, steps.to_vec())),
        _ => Err(ParseTurnError::Text { text: owned() }),
    }
}

impl Turn {
    /// The turn's text, as in `d2-e3A-f4W`, or `d2-d3` for a paika. The board has to be the one
    /// that the turn was made on; for another the text has no meaning.
    pub fn text(&self, board: Board) -> impl fmt::Display + use<> {
        let mut text = board.coordinates(self.origin).to_string();
        let mut at = self.origin;
        for step in &self.steps {
            // A turn of another board may leave this one. Then its text ends there.
            let Some(to) = board.neighbour(at, step.direction) else { break };
            text += "-";
            text += &board.coordinates(to).to_string();
            text += match step.kind {
                StepKind::Paika => "",
                StepKind::Approach => "A",
                StepKind::Withdrawal => "W",
            };
            at = to;
        }
        text
    }
}
