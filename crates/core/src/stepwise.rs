//! A turn made step by step, as a player or an interactive front end makes it; and one read from its
//! text, the points where the stone goes and how each step captures.

use std::fmt;
use std::ops::ControlFlow;

use arrayvec::ArrayVec;
use thiserror::Error;

use crate::board::Board;
use crate::generate::{FirstSteps, MovingStone};
use crate::point::{Coordinates, Direction, ParsePointError, Point};
use crate::point_set::PointSet;
use crate::position::{Position, Stones};
use crate::rules::{Captures, Chain, RuleSet, TurnRule};
use crate::turn::{Step, StepKind, Turn};

/// A turn that is made step by step. Only legal steps can be made, and an illegal one is refused
/// with the reason.
///
/// ```
/// use fanorona_core::{Board, RuleSet, TurnInProgress};
/// let start = Board::tsivy().start();
/// let mut turn = TurnInProgress::new(&RuleSet::STANDARD, &start);
/// let choices = turn.next_steps();
/// assert_eq!(choices.len(), 5);
/// assert!(!turn.may_stop());
/// let (from, step) = choices[0];
/// turn.make(from, step)?;
/// // White's first capture cannot be continued here, so the turn can only end.
/// assert!(turn.may_stop() && turn.next_steps().is_empty());
/// let turn = turn.finish().expect("it may stop");
/// assert_eq!(start.play_unchecked(&turn).to_move(), fanorona_core::Side::Black);
/// # Ok::<(), fanorona_core::StepError>(())
/// ```
#[derive(Clone, Debug)]
pub struct TurnInProgress {
    position: Position,
    rule: TurnRule,
    /// The moving stone and its origin, once it has made a step.
    moving: Option<(Point, MovingStone)>,
    steps: ArrayVec<Step, { crate::turn::MAX_STEPS }>,
}

/// The reason why a step is illegal.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum StepError {
    #[error("the game is over: one side has no stones")]
    GameOver,
    #[error("{0} is not a stone of the side to move")]
    NotOwn(Coordinates),
    #[error("the turn continues with the stone on {moving}, not from {from}")]
    OtherStone { moving: Coordinates, from: Coordinates },
    #[error("the turn is over: this turn has one step only")]
    TurnOver,
    #[error("{0} has no link in that direction")]
    NoLink(Coordinates),
    #[error("{0} is not empty")]
    Occupied(Coordinates),
    #[error("the stone has already been on {0} in this turn")]
    Visited(Coordinates),
    #[error("the step to {0} repeats a direction")]
    Direction(Coordinates),
    #[error("the step to {0} captures nothing that way")]
    CapturesNothing(Coordinates),
    #[error("the step to {0} captures: add A for approach or W for withdrawal")]
    CouldCapture(Coordinates),
    #[error("capturing is mandatory here, and the step to {0} captures nothing")]
    MustCapture(Coordinates),
    #[error("every step of a relay captures, and the step to {0} does not")]
    PaikaInRelay(Coordinates),
    #[error("the victor of the vela may not capture now")]
    MayNotCapture,
}

/// The reason why a turn cannot be played at a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum PlayError {
    #[error("step {number} of the turn is not legal: {reason}")]
    Step {
        /// The number of the step, from 1.
        number: usize,
        reason: StepError,
    },
    #[error("the turn may not end after step {0}: the relay must continue")]
    Unfinished(usize),
}

impl RuleSet {
    /// The position after a turn, which may come from another position or another rule set.
    ///
    /// # Errors
    /// If the turn is not legal at this position.
    pub fn play(&self, position: &Position, turn: &Turn) -> Result<Position, PlayError> {
        let mut made = TurnInProgress::new(self, position);
        for (i, &step) in turn.steps().iter().enumerate() {
            let from = made.stone().unwrap_or(turn.origin());
            made.make(from, step).map_err(|reason| PlayError::Step { number: i + 1, reason })?;
        }
        let made = made.finish().ok_or(PlayError::Unfinished(turn.steps().len()))?;
        Ok(position.play_unchecked(&made))
    }
}

impl TurnInProgress {
    /// A turn at this position, before its first step.
    pub fn new(rules: &RuleSet, position: &Position) -> Self {
        let rule = rules.turn_rule(position);
        Self { position: *position, rule, moving: None, steps: ArrayVec::new() }
    }

    /// The board that is played on.
    pub fn board(&self) -> Board {
        self.position.board()
    }

    /// The steps that can be made now, with the points that they begin at. Before the first step
    /// those of all stones, later those of the moving stone.
    pub fn next_steps(&self) -> Vec<(Point, Step)> {
        let board = self.position.board();
        if let Some((_, stone)) = self.moving {
            if !self.is_relay_open() {
                return Vec::new();
            }
            return stone.next_steps(board).map(|step| (stone.point(), step)).collect();
        }
        self.rule.each_first_step(board, Stones::of(&self.position)).collect()
    }

    /// Whether the turn may end now: it has a step, and is not a relay that must continue.
    pub fn may_stop(&self) -> bool {
        self.moving.is_some_and(|(_, stone)| {
            !self.is_relay_open() || stone.may_stop(self.position.board(), &self.rule)
        })
    }

    /// Where the moving stone is, once the turn has begun.
    pub fn stone(&self) -> Option<Point> {
        self.moving.map(|(_, stone)| stone.point())
    }

    /// The points where the moving stone has been in this turn. It may not return to them.
    pub fn visited(&self) -> PointSet {
        self.moving.map_or(PointSet::EMPTY, |(_, stone)| stone.visited())
    }

    /// The steps made so far.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The stones as they stand now, as the mover sees them.
    pub fn stones(&self) -> Stones {
        self.moving.map_or_else(|| Stones::of(&self.position), |(_, stone)| stone.stones())
    }

    /// Makes one step.
    ///
    /// # Errors
    /// If the step is not among [`next_steps`](Self::next_steps), with the reason. The turn stays
    /// as it was.
    pub fn make(&mut self, from: Point, step: Step) -> Result<(), StepError> {
        if !self.next_steps().contains(&(from, step)) {
            return Err(self.why_not(from, step));
        }
        let (origin, stone) =
            self.moving.unwrap_or_else(|| (from, MovingStone::new(self.stones(), from)));
        let stone = stone.after(self.position.board(), step, &self.rule);
        let stone = stone.expect("the step is legal");
        self.moving = Some((origin, stone));
        self.steps.push(step);
        Ok(())
    }

    /// Ends the turn; `None` if it may not stop now.
    pub fn finish(&self) -> Option<Turn> {
        self.may_stop().then(|| self.so_far())?
    }

    /// The steps made so far as a turn, whether or not the turn may end here; `None` before the
    /// first step.
    pub fn so_far(&self) -> Option<Turn> {
        let (origin, stone) = self.moving?;
        Some(Turn {
            origin,
            destination: stone.point(),
            captured: self.position.opponent() - stone.stones().opponent,
            steps: self.steps.clone(),
        })
    }

    /// Whether the turn captures and its rule lets steps follow.
    fn is_relay_open(&self) -> bool {
        self.rule.chain != Chain::Single
            && self.steps.last().is_some_and(|step| step.kind != StepKind::Paika)
    }

    /// The first reason why a step is illegal.
    fn why_not(&self, from: Point, step: Step) -> StepError {
        let board = self.position.board();
        let name = |point| board.coordinates(point);
        if self.position.own().is_empty() || self.position.opponent().is_empty() {
            return StepError::GameOver;
        }
        if let Some((_, stone)) = self.moving {
            if from != stone.point() {
                return StepError::OtherStone { moving: name(stone.point()), from: name(from) };
            }
            if !self.is_relay_open() {
                return StepError::TurnOver;
            }
        } else if !self.position.own().contains(from) {
            return StepError::NotOwn(name(from));
        }
        let Some(to) = board.neighbour(from, step.direction) else {
            return StepError::NoLink(name(from));
        };
        if self.stones().occupied().contains(to) {
            return StepError::Occupied(name(to));
        }
        if self.visited().contains(to) {
            return StepError::Visited(name(to));
        }
        if self.moving.is_some_and(|(_, stone)| !stone.may_take(step.direction)) {
            return StepError::Direction(name(to));
        }
        if step.kind != StepKind::Paika {
            return match self.rule.captures {
                Captures::Never => StepError::MayNotCapture,
                _ => StepError::CapturesNothing(name(to)),
            };
        }
        if self.moving.is_some() {
            return StepError::PaikaInRelay(name(to));
        }
        let steps = FirstSteps::in_direction(board, self.stones(), step.direction);
        if steps.capturing().contains(from) {
            StepError::CouldCapture(name(to))
        } else {
            StepError::MustCapture(name(to))
        }
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
