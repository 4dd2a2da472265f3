//! The words of UGI and UCI, for both sides: what a controller sends ([`Command`]) and what an
//! engine answers ([`Message`]). Each is read and printed here and nowhere else.
//!
//! UGI is described in `ugi.md` of `kz04px/cutegames`; UCI in the text by S. Meyer-Kahlen (2004).
//! The two differ in few words: see [`Dialect`].

mod basis;
mod command;
mod command_reader;
mod declaration;
mod info;
mod message;
mod score;

pub use basis::{Basis, BasisError};
pub use command::{Clock, Command, Dialect, Go, Query, SideClock, Start};
pub use command_reader::CommandProblem;
pub use declaration::{DeclarationError, OptionDeclaration, OptionKind, OptionValueError};
pub use info::Info;
pub use message::{BestMove, Message};
pub use score::{Bound, Score, ScoreValue, WIN_WITHOUT_DISTANCE};

/// The word for no turn: the game is over.
pub const NO_TURN: &str = "0000";

/// The words of a line.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split_ascii_whitespace()
}

/// The start of a text that came from outside, for messages: at most 100 characters, and nothing
/// that would end a line.
fn shown(text: &str) -> String {
    let visible = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    text.chars().map(visible).take(100).collect()
}
