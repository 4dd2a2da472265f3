//! Probing: looking up the value of a position.

mod batch;
mod listing;
mod lookup;
mod search;
mod tables;

pub use listing::{Listed, Listing};
pub use lookup::RankedTurn;
pub use tables::{Tables, TablesOptions, open_table};
