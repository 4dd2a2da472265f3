//! Values of positions and results of games.

use std::ops::Neg;

use crate::named;
use crate::point::Side;

/// The value of a position for one side if both play perfectly. A win is the greatest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Value {
    Loss,
    Draw,
    Win,
}

impl Neg for Value {
    type Output = Self;

    /// The value for the other side.
    fn neg(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

named!(Value, "value", Loss "loss", Draw "draw", Win "win");

/// The result of a finished game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// This side has won.
    Won(Side),
    /// A draw: the side to move has no turn, and the rule set makes that a draw.
    Drawn,
}

impl Outcome {
    /// The value for the given side.
    pub fn value_for(self, side: Side) -> Value {
        match self {
            Self::Won(winner) if winner == side => Value::Win,
            Self::Won(_) => Value::Loss,
            Self::Drawn => Value::Draw,
        }
    }
}
