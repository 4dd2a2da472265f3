//! The book: answers positions from certificates.

mod error;
mod installation;
mod lookup;
mod missing;
mod starts;
mod tried;

pub use error::BookError;
pub use lookup::{Book, BookEntry};
pub use missing::MissingTables;
pub use starts::StartFile;
pub use tried::Tried;
