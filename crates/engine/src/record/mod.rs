//! The text of a game. The format is described in `docs/GAMES.md` of the crate.

mod error;
mod game_record;
mod reader;
mod result;

pub use error::{RecordError, RecordProblem};
pub use game_record::Record;
pub use reader::{MAX_RECORD_BYTES, MAX_RECORD_TURNS};
pub use result::{GameResult, MAX_NAME};
