//! The answers as JSON objects. Each field says whose value it is.

mod board;
mod drill;
mod game;
mod notes;
mod opponent;
mod position;
mod search;
mod statistics;
mod turn;

pub use crate::build::Build;
pub use board::BoardAnswer;
pub use drill::{DrillAnswer, DrillOrder, MAX_SEED};
pub use game::{
    Draws, End, EndReason, GameAnswer, GamePosition, GameTurn, MAX_GAME, Mistake, end_of,
    read_record, replay,
};
pub use notes::{GameNotes, TurnRemarks};
pub(crate) use opponent::engine_turn;
pub use opponent::{Opponent, OpponentAnswer, PlayedStep, missing_for_unbeatable};
pub use position::{Detail, Missing, PositionAnswer, Stones, TurnEntry};
pub use search::{
    CertificateAnswer, SearchEnd, SearchEvent, SearchOrder, SearchProgress, SearchQuestion,
    SearchTurn,
};
pub use statistics::{MissingSlice, TablesAnswer};
pub use turn::TurnAnswer;
