//! The book: answers positions from certificates.

mod answer;
mod error;
mod installation;
mod lookup;
mod missing;
mod starts;
mod tried;

pub use answer::{BookAnswer, BookEntry};
pub use error::BookError;
pub use lookup::Book;
pub use missing::MissingTables;
pub use starts::StartFile;
pub use tried::Tried;
