//! The integration tests of the crate, in one binary to save link time.

mod lines;
mod minimax;
mod play;
mod records;
mod sacrifices;
mod tables;
mod unbeatable;
