//! Another program: it is started, and asked for turns by UGI or UCI; or it runs to its end, and what
//! it prints is read ([`run()`]).
//!
//! The program may do anything: end, hang, flood, or answer nonsense. Each of these is a
//! [`ClientError`], and none of them takes more memory or time than is allowed.

mod command;
mod error;
mod process;
mod program;
mod run;

pub use command::{MeantFile, ProgramCommand, ProgramCommandError};
pub use error::ClientError;
pub use program::{Direction, Found, Program, ProgramSettings, Trace};
pub use run::run;
