//! A turn made step by step, as a player or an interactive front end makes it.

use arrayvec::ArrayVec;
use thiserror::Error;

use crate::generate::{FirstSteps, MovingStone};
use crate::point::{Coordinates, Point};
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
    pub fn board(&self) -> crate::Board {
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
