//! Another program that plays: it is started, and asked for turns by UGI or UCI.
//!
//! The program may do anything: end, hang, flood, or answer nonsense. Each of these is a
//! [`ClientError`], and none of them takes more memory or time than is allowed.

mod command;
mod error;
mod process;
mod program;

pub use command::{ProgramCommand, ProgramCommandError};
pub use error::ClientError;
pub use program::{Direction, Found, Program, ProgramSettings, Trace};
