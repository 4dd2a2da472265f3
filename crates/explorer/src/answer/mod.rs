//! The answers as JSON objects. Each field says whose value it is.

mod board;
mod build;
mod drill;
mod game;
mod line;
mod opponent;
mod position;
mod search;
mod statistics;
mod steps;
mod turn;

pub use board::BoardAnswer;
pub use build::Build;
pub use drill::{DrillAnswer, DrillOrder, MAX_SEED};
pub use game::{
    Draws, End, EndReason, GameAnswer, GamePosition, GameTurn, MAX_GAME, Mistake, end_of,
    read_record, replay,
};
pub use line::{LineAnswer, LineEnd, LineStep};
pub(crate) use opponent::engine_turn;
pub use opponent::{Opponent, OpponentAnswer, PlayedStep, ScoreBasis, missing_for_unbeatable};
pub use position::{Detail, Missing, OutcomeName, PositionAnswer, SideName, Stones, TurnEntry};
pub use search::{
    CertificateAnswer, SearchEnd, SearchEvent, SearchOrder, SearchProgress, SearchQuestion,
    SearchTurn,
};
pub use statistics::{
    Extreme, MetricName, MissingSlice, TableEntry, TablesAnswer, ZugzwangEntry, ZugzwangName,
};
pub use steps::{KindName, Step};
pub use turn::TurnAnswer;
