//! Steps and complete turns. The text of a turn: the points where the stone goes, and how each step
//! captures.

use std::fmt;
use std::ops::ControlFlow;

use arrayvec::ArrayVec;
use thiserror::Error;

use crate::board::Board;
use crate::named;
use crate::point::{Coordinates, Direction, ParsePointError, Point};
use crate::point_set::PointSet;
use crate::position::{Position, Stones};
use crate::rules::{Captures, RuleSet};
use crate::stepwise::{StepError, TurnInProgress};

/// The most steps of a turn: each captures at least one stone, and a side has at most 31.
pub const MAX_STEPS: usize = 31;

/// The kind of a step.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum StepKind {
    /// A paika: it does not capture.
    Paika,
    /// Approach: it captures the line that begins beyond the point where it ends.
    Approach,
    /// Withdrawal: it captures the line that begins behind the point where it starts.
    Withdrawal,
}

named!(StepKind, "kind of step", Paika "paika", Approach "approach", Withdrawal "withdrawal");

/// One step along a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Step {
    pub direction: Direction,
    pub kind: StepKind,
}

impl Step {
    /// The stones of `opponent` that the step captures when a stone goes from `from` to `to`.
    #[inline]
    pub(crate) fn captured(
        self,
        board: Board,
        from: PointSet,
        to: PointSet,
        opponent: PointSet,
        captures: Captures,
    ) -> PointSet {
        let (start, direction) = match self.kind {
            StepKind::Paika => return PointSet::EMPTY,
            StepKind::Approach => (to, self.direction),
            StepKind::Withdrawal => (from, self.direction.opposite()),
        };
        match captures {
            Captures::Never => PointSet::EMPTY,
            Captures::NearestStone => board.shift(start, direction) & opponent,
            Captures::WholeLine => board.line(start, direction, opponent),
        }
    }
}

/// A complete turn: a paika, or the capturing steps of one stone.
///
/// Turns come from [`RuleSet::turns`], from
/// [`TurnInProgress::finish`], or from a text with
/// [`RuleSet::parse_turn`], and belong to the position that they were
/// made for. Two turns of one position are equal if they have the same steps.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Turn {
    pub(crate) origin: Point,
    pub(crate) destination: Point,
    pub(crate) captured: PointSet,
    pub(crate) steps: ArrayVec<Step, MAX_STEPS>,
}

impl Turn {
    /// The point where the stone starts.
    pub fn origin(&self) -> Point {
        self.origin
    }

    /// The point where the stone ends.
    pub fn destination(&self) -> Point {
        self.destination
    }

    /// The opponent's stones that the turn captures.
    pub fn captured(&self) -> PointSet {
        self.captured
    }

    /// The steps, 1 to [`MAX_STEPS`].
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether the turn is a paika: one step that does not capture.
    pub fn is_paika(&self) -> bool {
        self.captured.is_empty()
    }
}

impl Position {
    /// The position after a turn that a rule set has listed for this position, in a few
    /// nanoseconds.
    ///
    /// The turn is not checked. Any other turn gives a meaningless position; for turns that may be
    /// wrong there is [`RuleSet::play`].
    #[must_use]
    #[inline]
    pub fn play_unchecked(&self, turn: &Turn) -> Self {
        let own = (self.own() - turn.origin) | turn.destination;
        self.passed(Stones { own, opponent: self.opponent() - turn.captured })
    }
}

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
    #[error("in the turn '{text}': no link joins {from} and {to}{}", instead(.legal))]
    NoLink { text: String, from: Coordinates, to: Coordinates, legal: Vec<String> },
    #[error("the turn '{text}' is not legal under {rules}: {reason}{}", instead(.legal))]
    Step { text: String, rules: RuleSet, reason: StepError, legal: Vec<String> },
    #[error(
        "the turn '{text}' may not end there under {rules}: the relay must continue{}",
        instead(.legal)
    )]
    Unfinished { text: String, rules: RuleSet, legal: Vec<String> },
    #[error("the turn '{text}' can be {}: add A for approach or W for withdrawal", .fits.join(" or "))]
    Ambiguous { text: String, fits: Vec<String> },
}

/// The legal turns that an error names, as the end of its message.
fn instead(legal: &[String]) -> String {
    match legal {
        [] => String::new(),
        [one] => format!("; legal is {one}"),
        some => format!("; legal are {}", some.join(", ")),
    }
}

/// The most legal turns that an error names.
const MOST_NAMED: usize = 3;

/// The most turns of a position that are compared with a text that is wrong.
const MOST_COMPARED: usize = 10_000;

/// A step as written: arrival point and letter.
type Written = (Point, Option<StepKind>);

impl RuleSet {
    /// Reads a legal turn of a position.
    ///
    /// The normal form is `d2-e3A-f4W`: the points, and after each step that captures an `A` for
    /// approach or a `W` for withdrawal. Dashes may be missing, small and capital letters are the
    /// same, and letters may be missing where only one legal turn fits. `+` may stand for `A` and `-`
    /// for `W`, with a comma before the next point, as in `d2e3+,f4-`. The number of a turn before it,
    /// as in `1. d2-e3A`, is ignored.
    ///
    /// The time goes with the length of the text, and with the number of legal turns that a text
    /// without letters fits. If the text is wrong, up to 10,000 legal turns are compared with it.
    ///
    /// # Errors
    /// If the text is not a turn, with what is wrong; if the turn is not legal, with the rule that
    /// it breaks and the legal turns that are most like it; if several turns fit, with all of them.
    pub fn parse_turn(&self, position: &Position, text: &str) -> Result<Turn, ParseTurnError> {
        let (origin, written) = read(position, text)?;
        let (mut fits, mut first_error) = (Vec::new(), None);
        let turn = TurnInProgress::new(self, position);
        self.fit(&turn, (origin, &written), &mut fits, &mut first_error, text);
        match (fits.len(), first_error) {
            (1, _) => Ok(fits.remove(0)),
            (0, Some(mut error)) => {
                use ParseTurnError as E;
                if let E::NoLink { legal, .. }
                | E::Step { legal, .. }
                | E::Unfinished { legal, .. } = &mut error
                {
                    let points = written.iter().map(|(point, _)| *point);
                    let points: Vec<_> = std::iter::once(origin).chain(points).collect();
                    *legal = self.turns_like(position, &points);
                }
                Err(error)
            }
            (0, None) => Err(ParseTurnError::Text { text: text.to_owned() }),
            _ => Err(ParseTurnError::Ambiguous {
                text: text.to_owned(),
                fits: fits.iter().map(|turn| turn.text(position.board()).to_string()).collect(),
            }),
        }
    }

    /// The texts of legal turns over the same points with other letters. Without one, those that
    /// continue over the points, then those that stop on the way, then those between the same ends.
    fn turns_like(&self, position: &Position, points: &[Point]) -> Vec<String> {
        let board = position.board();
        let mut like: [Vec<Turn>; 4] = Default::default();
        let mut compared = 0;
        let _: ControlFlow<()> = self.try_for_each_turn(position, |turn| {
            compared += 1;
            let mut path = vec![turn.origin];
            for step in &turn.steps {
                path.extend(board.neighbour(path[path.len() - 1], step.direction));
            }
            let same_ends = path[0] == points[0] && path.last() == points.last();
            let rank = match () {
                () if path == points => 0,
                () if path.starts_with(points) => 1,
                () if points.starts_with(&path) => 2,
                () if same_ends => 3,
                () => 4,
            };
            if let Some(some) = like.get_mut(rank).filter(|some| some.len() < MOST_NAMED) {
                some.push(turn.clone());
            }
            match compared < MOST_COMPARED {
                true => ControlFlow::Continue(()),
                false => ControlFlow::Break(()),
            }
        });
        let likest = like.iter().find(|some| !some.is_empty());
        likest.into_iter().flatten().map(|turn| turn.text(board).to_string()).collect()
    }

    /// Collects the turns that continue `turn` as written, and the first reason why others do not.
    fn fit(
        &self,
        turn: &TurnInProgress,
        (from, rest): (Point, &[Written]),
        fits: &mut Vec<Turn>,
        error: &mut Option<ParseTurnError>,
        text: &str,
    ) {
        let (rules, legal, text_of) = (*self, Vec::new(), || text.to_owned());
        let Some((&(to, kind), rest)) = rest.split_first() else {
            match turn.finish() {
                Some(turn) => fits.push(turn),
                None => {
                    let text = text_of();
                    error.get_or_insert(ParseTurnError::Unfinished { text, rules, legal });
                }
            }
            return;
        };
        let board = turn.board();
        let mut directions = Direction::ALL.into_iter();
        let Some(direction) = directions.find(|d| board.neighbour(from, *d) == Some(to)) else {
            let (from, to) = (board.coordinates(from), board.coordinates(to));
            error.get_or_insert(ParseTurnError::NoLink { text: text_of(), from, to, legal });
            return;
        };
        let kinds: &[StepKind] = match &kind {
            Some(kind) => std::slice::from_ref(kind),
            // Without a letter a paika is the likeliest meaning, so its error comes first.
            None => &StepKind::ALL,
        };
        for &kind in kinds {
            let mut next = turn.clone();
            match next.make(from, Step { direction, kind }) {
                Ok(()) => self.fit(&next, (to, rest), fits, error, text),
                Err(reason) => {
                    let (text, legal) = (text_of(), Vec::new());
                    error.get_or_insert(ParseTurnError::Step { text, rules, reason, legal });
                }
            }
        }
    }
}

/// Splits a text into origin and steps, without checking the rules.
fn read(position: &Position, text: &str) -> Result<(Point, Vec<Written>), ParseTurnError> {
    let no_turn = || ParseTurnError::Text { text: text.to_owned() };
    let board = position.board();
    let mut at: Vec<Written> = Vec::new();
    let mut rest = without_number(text.trim());
    // Behind a dash that joins points, a dash at the end is a point that is missing.
    let mut is_joined = false;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        let end = rest[digits..]
            .find(|c: char| !c.is_ascii_digit())
            .map_or(rest.len(), |length| digits + length);
        let point = rest[..end].to_ascii_lowercase().parse::<Coordinates>().map_err(|_| {
            let reason = ParsePointError { text: rest[..end].to_owned() };
            ParseTurnError::Point { text: text.to_owned(), reason }
        })?;
        let point = board.point(point).ok_or_else(|| ParseTurnError::OffBoard {
            text: text.to_owned(),
            board,
            point,
        })?;
        rest = &rest[end..];
        let kind = kind_at(rest, is_joined);
        rest = &rest[usize::from(kind.is_some())..];
        if kind.is_some() && at.is_empty() {
            return Err(no_turn());
        }
        at.push((point, kind));
        for (mark, joins) in [(',', false), ('-', true)] {
            if let Some(behind) = rest.strip_prefix(mark) {
                rest = behind.trim_start();
                if rest.is_empty() {
                    return Err(no_turn());
                }
                is_joined |= joins;
                break;
            }
        }
    }
    match at.split_first() {
        Some((&(origin, _), steps)) if !steps.is_empty() => Ok((origin, steps.to_vec())),
        _ => Err(no_turn()),
    }
}

/// The way of capturing that a text begins with.
fn kind_at(text: &str, is_joined: bool) -> Option<StepKind> {
    let mut chars = text.chars();
    let first = chars.next()?;
    let next = chars.next();
    match first {
        '+' => Some(StepKind::Approach),
        '-' if !is_joined && matches!(next, None | Some(',')) => Some(StepKind::Withdrawal),
        // Before a digit it is the letter of a point.
        _ if next.is_some_and(|next| next.is_ascii_digit()) => None,
        'A' | 'a' => Some(StepKind::Approach),
        'W' | 'w' => Some(StepKind::Withdrawal),
        _ => None,
    }
}

/// A text without the number of a turn before it, which ends in dots.
fn without_number(text: &str) -> &str {
    let behind = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let turn = behind.trim_start_matches(['.', '…']);
    if behind.len() < text.len() && turn.len() < behind.len() { turn.trim_start() } else { text }
}

/// The texts of turns in a text, between white space and commas, without numbers of moves that stand
/// alone. A comma joins a turn with a single point behind it, as in `d2e3+,f4-`.
///
/// ```
/// use fanorona_core::turn_texts;
/// let found: Vec<_> = turn_texts("1. d3e3+, d4-  d4-d3A,e2-e3A").collect();
/// assert_eq!(found, ["d3e3+, d4-", "d4-d3A", "e2-e3A"]);
/// ```
pub fn turn_texts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    let is_number = |text: &str| {
        let digits = text.trim_end_matches(['.', '…']);
        digits.len() < text.len() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let words = std::iter::from_fn(move || {
        let is_gap = |c: char| c.is_whitespace() || c == ',';
        rest = rest.trim_start_matches(is_gap);
        let mut end = rest.find(is_gap).unwrap_or(rest.len());
        while let Some(behind) = rest[end..].strip_prefix(',') {
            let next = behind.trim_start();
            let next_end = next.find(is_gap).unwrap_or(next.len());
            let is_point = |text: &str| text.parse::<Coordinates>().is_ok();
            let part = next[..next_end].trim_end_matches(['+', '-', 'A', 'W', 'a', 'w']);
            if !is_point(&part.to_ascii_lowercase()) {
                break;
            }
            end = rest.len() - next.len() + next_end;
        }
        let (turn, behind) = rest.split_at(end);
        rest = behind;
        (!turn.is_empty()).then_some(turn)
    });
    words.filter(move |text| !is_number(text))
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
