//! The text of games. The format is described in `docs/GAMES.md` of the crate.

mod abstract_play;
mod annotation;
mod boardspace;
mod error;
mod game_record;
mod header;
mod lexer;
mod reader;
mod records;
mod result;

pub use annotation::{Annotation, Remark};
pub use error::{RecordError, RecordProblem};
pub use game_record::Record;
pub use records::Records;
pub use result::{GameResult, MAX_NAME, MAX_RECORD_BYTES, MAX_RECORD_TURNS};
