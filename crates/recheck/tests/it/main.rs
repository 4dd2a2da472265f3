//! The tests of the crate, in one binary to save link time.

mod altered;
mod damaged;
mod file;
mod kept;
mod large;
mod perft;
mod program;
mod tables;
