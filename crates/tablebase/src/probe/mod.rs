//! Probing: looking up the value of a position.

mod batch;
mod entries;
mod listing;
mod lookup;
mod open;
mod options;
mod rank;
mod search;
mod tables;

pub use listing::{Listed, Listing};
pub use open::open_table;
pub use options::{TablesOptions, UnpackedTables};
pub use rank::RankedTurn;
pub use tables::Tables;
