//! Steps with the points that they join, and turns made step by step.

use fanorona_core::{Direction, Point, StepKind};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::args::{ListArg, Number, PositionArg, RulesArg};
use crate::attributes::attributes;
use crate::classes::{Board, Position, RuleSet, Turn};
use crate::enums::Named;
use crate::errors::{Exception, exception};

/// One step of a stone along a link. The points are indices on the board of the turn.
#[pyclass(module = "fanorona", frozen, eq, hash, from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Step {
    pub(crate) origin: u8,
    pub(crate) destination: u8,
    pub(crate) step: fanorona_core::Step,
}

impl Step {
    /// A step from a point of a board. It has to follow a link.
    pub(crate) fn new(
        board: fanorona_core::Board,
        origin: Point,
        step: fanorona_core::Step,
    ) -> Self {
        let destination = board.neighbour(origin, step.direction).expect("steps follow links");
        Self { origin: origin.index() as u8, destination: destination.index() as u8, step }
    }

    /// The steps of a turn.
    pub(crate) fn of_turn(board: fanorona_core::Board, turn: &fanorona_core::Turn) -> Vec<Self> {
        let steps = turn.path(board).zip(turn.steps());
        steps.map(|(origin, step)| Self::new(board, origin, *step)).collect()
    }
}

attributes! {
    of Step, self:
    /// The index of the point where the step begins.
    origin: u8 = self.origin;
    /// The index of the point where the step ends.
    destination: u8 = self.destination;
    /// The direction.
    direction: Named<Direction> = Named(self.step.direction);
    /// Whether and how it captures.
    kind: Named<StepKind> = Named(self.step.kind);

    methods:
    #[new]
    fn py_new(
        origin: Number<u8>,
        destination: Number<u8>,
        direction: Named<Direction>,
        kind: Named<StepKind>,
    ) -> PyResult<Self> {
        let step = fanorona_core::Step { direction: direction.0, kind: kind.0 };
        let origin = origin.within("origin", 0..=u8::MAX)?;
        let destination = destination.within("destination", 0..=u8::MAX)?;
        Ok(Self { origin, destination, step })
    }

    fn __repr__(&self) -> String {
        let Self { origin, destination, step } = self;
        format!("Step({origin}, {destination}, '{}', '{}')", step.direction, step.kind)
    }
}

/// A turn that is made step by step. ``steps`` are steps to make at once, as by make.
///
/// >>> turn = Position().begin()
/// >>> step = turn.next_steps()[0]
/// >>> turn.make(step)
/// >>> turn.may_stop, turn.next_steps()
/// (True, [])
/// >>> turn.finish().text
/// 'd2-e3A'
#[pyclass(module = "fanorona")]
#[derive(Clone, Debug)]
pub(crate) struct TurnInProgress {
    position: fanorona_core::Position,
    rules: fanorona_core::RuleSet,
    made: fanorona_core::TurnInProgress,
}

impl TurnInProgress {
    pub(crate) fn new(position: fanorona_core::Position, rules: fanorona_core::RuleSet) -> Self {
        let made = fanorona_core::TurnInProgress::new(&rules, &position);
        Self { position, rules, made }
    }
}

attributes! {
    of TurnInProgress, self:
    /// The board.
    board: Board = Board(self.position.board());
    /// The position where the turn began.
    position: Position = Position(self.position);
    /// The rule set.
    rules: RuleSet = RuleSet(self.rules);
    /// Whether the turn may end now.
    may_stop: bool = self.made.may_stop();
    /// The index of the point where the moving stone is; None before the first step.
    stone: Option<usize> = self.made.stone().map(fanorona_core::Point::index);
    /// The points where the moving stone has been, as a bitboard. It may not return to them.
    visited: u64 = self.made.visited().bits();
    /// The mover's stones as they stand now, as a bitboard.
    own: u64 = self.made.stones().own.bits();
    /// The opponent's stones that are left, as a bitboard.
    opponent: u64 = self.made.stones().opponent.bits();

    methods:
    #[new]
    #[pyo3(
        signature = (position, rules = RulesArg::STANDARD, steps = ListArg(Vec::new())),
        text_signature = "(position, rules='standard', steps=())"
    )]
    fn py_new(position: PositionArg, rules: RulesArg, steps: ListArg<Step>) -> PyResult<Self> {
        let mut turn = Self::new(position.0, rules.on(position.0.board())?);
        for step in &steps.0 {
            turn.make(step)?;
        }
        Ok(turn)
    }

    /// The steps made so far.
    #[getter]
    fn steps<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let turn = self.made.so_far();
        PyTuple::new(py, turn.map_or(Vec::new(), |turn| Step::of_turn(self.made.board(), &turn)))
    }

    /// The board drawn as text, with the stones as they stand now.
    #[getter]
    fn diagram(&self) -> PyResult<String> {
        let board = self.made.board();
        let stands =
            fanorona_core::Position::from_mover(board, self.made.stones(), self.position.to_move());
        Ok(stands.map_err(exception)?.diagram())
    }

    /// The steps that can be made now. Before the first step those of all stones, later those of
    /// the moving stone.
    fn next_steps(&self) -> Vec<Step> {
        let board = self.made.board();
        let steps = self.made.next_steps().into_iter();
        steps.map(|(origin, step)| Step::new(board, origin, step)).collect()
    }

    /// Makes a step. Raises IllegalTurnError if it is not among the next steps; the turn stays as
    /// it was.
    fn make(&mut self, step: &Step) -> PyResult<()> {
        let board = self.made.board();
        let origin = board.point_with_index(step.origin).ok_or_else(|| {
            let message = format!("the board {board} has no point with the index {}", step.origin);
            Exception::IllegalTurn.because(message)
        })?;
        let destination = board.neighbour(origin, step.step.direction);
        if destination.is_none_or(|point| point.index() != usize::from(step.destination)) {
            return Err(Exception::IllegalTurn.because(format!(
                "no link leads {} from the point {} to the point {} of the board {board}",
                step.step.direction, step.origin, step.destination
            )));
        }
        self.made.make(origin, step.step).map_err(exception)
    }

    /// Ends the turn. Raises IllegalTurnError if it may not stop now.
    fn finish(&self) -> PyResult<Turn> {
        let (position, rules) = (self.position, self.rules);
        match self.made.finish() {
            Some(turn) => Ok(Turn { turn, position, rules }),
            None if self.made.steps().is_empty() => {
                Err(Exception::IllegalTurn.because("the turn has no step yet"))
            }
            None => Err(Exception::IllegalTurn.because("the relay must continue")),
        }
    }

    /// The position after the turn. Raises IllegalTurnError if it may not stop now.
    fn after(&self) -> PyResult<Position> {
        Ok(self.finish()?.position_after())
    }

    /// A copy, which can go on differently.
    fn copy(&self) -> Self {
        self.clone()
    }

    fn __copy__(&self) -> Self {
        self.clone()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.clone()
    }

    fn __repr__(&self) -> String {
        let steps = self.made.so_far().map(|turn| turn.text(self.made.board()).to_string());
        let steps = steps.unwrap_or_else(|| "no step yet".to_owned());
        format!("<TurnInProgress at '{}': {steps}>", self.position)
    }

    /// The turn so far as a picture, for notebooks.
    fn _repr_svg_(slf: &Bound<'_, Self>) -> PyResult<String> {
        crate::svg::draw(slf.py(), "progress_svg", (slf,))
    }
}
