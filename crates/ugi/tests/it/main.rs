//! The integration tests of the crate, in one binary to save link time.

mod dialogue;
mod games;
mod hostile;
mod page;
mod session;
mod tables;
