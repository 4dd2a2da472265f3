//! The words of UGI and UCI, for both sides: what a controller sends ([`Command`]) and what an
//! engine answers ([`Message`]). Each is read and printed here and nowhere else.
//!
//! UGI is described in `ugi.md` of `kz04px/cutegames`; UCI in the text by S. Meyer-Kahlen (2004).
//! The two differ in few words: see [`Dialect`].

mod command;
mod command_reader;
mod declaration;
mod info;
mod message;
mod score;
mod text;

pub use command::{Clock, Command, Dialect, Go, Query, SideClock, Start};
pub use command_reader::CommandProblem;
pub use declaration::{DeclarationError, OptionDeclaration, OptionKind, OptionValueError};
pub use info::Info;
pub use message::Message;
pub use score::{Basis, InfoScore, WIN_WITHOUT_DISTANCE};
pub use text::NO_TURN;
pub(crate) use text::shown;
