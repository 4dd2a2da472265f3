//! The text of a game. The format is described in `docs/GAMES.md` of the crate.

mod error;
mod game_record;
mod reader;

pub use error::{RecordError, RecordProblem};
pub use game_record::{GameResult, MAX_NAME, Record};
pub use reader::{MAX_RECORD_BYTES, MAX_RECORD_TURNS};
