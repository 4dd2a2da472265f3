//! The engine's side of the protocols: commands in, answers out.
//!
//! ```
//! use std::sync::{Arc, Mutex};
//! use fanorona_ugi::server::{Session, Settings};
//!
//! // What is printed goes to any writer.
//! #[derive(Clone, Default)]
//! struct Printed(Arc<Mutex<Vec<u8>>>);
//! impl std::io::Write for Printed {
//!     fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
//!         self.0.lock().map_or(Ok(0), |mut all| all.write(bytes))
//!     }
//!     fn flush(&mut self) -> std::io::Result<()> {
//!         Ok(())
//!     }
//! }
//!
//! let printed = Printed::default();
//! let mut session = Session::new(Settings::default(), printed.clone());
//! session.run("position startpos moves d3-e3A\nquery p1turn\nquit\n".as_bytes());
//! assert_eq!(*printed.0.lock().unwrap(), b"response false\n");
//! ```

mod control;
mod input;
mod options;
mod output;
mod perft;
mod search;
mod session;
mod settings;
mod time;

pub use input::MAX_LINE_BYTES;
pub use options::SettingError;
pub use session::Session;
pub use settings::Settings;
