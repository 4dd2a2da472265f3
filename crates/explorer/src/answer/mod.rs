//! The answers as JSON objects. Each field says whose value it is.

mod analysis;
mod board;
mod check;
mod drill;
mod game;
mod notes;
mod opponent;
mod position;
mod review;
mod search;
mod statistics;
mod turn;

pub use crate::build::Build;
pub use analysis::{AnalysisAnswer, AnalysisOrder, MAX_LINES};
pub use board::BoardAnswer;
pub use check::CheckAnswer;
pub use drill::{DrillAnswer, DrillOrder, MAX_SEED};
pub use game::{
    End, EndReason, GameAnswer, GamePart, GamePosition, GameTurn, MAX_GAME, end_of, read_draws,
    read_record, replay,
};
pub use notes::{GameNotes, TurnRemarks};
pub use opponent::{LevelNeeds, Note, Opponent, OpponentAnswer, PlayedStep};
pub use position::{Detail, Missing, PositionAnswer, Stones, TurnEntry};
pub use review::{ReviewDone, ReviewOrder, ReviewPosition, ReviewTurn};
pub use search::{
    CertificateAnswer, SearchEnd, SearchEvent, SearchOrder, SearchProgress, SearchQuestion,
    SearchTurn,
};
pub use statistics::{MissingSlice, TablesAnswer};
pub use turn::{ChosenTurn, TurnAnswer};
