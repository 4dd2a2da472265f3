//! The answers as JSON objects. Each field says whose value it is.

mod board;
mod line;
mod position;
mod steps;
mod turn;

pub use board::BoardAnswer;
pub use line::{LineAnswer, LineEnd, LineStep};
pub use position::{
    Detail, Missing, OutcomeName, PositionAnswer, SideName, Stones, TurnEntry, missing_of,
};
pub use steps::{KindName, Step};
pub use turn::TurnAnswer;
