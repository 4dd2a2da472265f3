//! Steps with the points that they join.

use fanorona_core::{Board, Direction, Point, StepKind};
use pyo3::prelude::*;

use crate::args::Number;
use crate::attributes::attributes;
use crate::enums::Named;

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
    pub(crate) fn new(board: Board, origin: Point, step: fanorona_core::Step) -> Self {
        let destination = board.neighbour(origin, step.direction).expect("steps follow links");
        Self { origin: origin.index() as u8, destination: destination.index() as u8, step }
    }

    /// The steps of a turn.
    pub(crate) fn of_turn(board: Board, turn: &fanorona_core::Turn) -> Vec<Self> {
        let mut at = turn.origin();
        let next = |step: &fanorona_core::Step| {
            let made = Self::new(board, at, *step);
            at = board.neighbour(at, step.direction).expect("steps follow links");
            made
        };
        turn.steps().iter().map(next).collect()
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
