//! Tests of the server without a socket, and through one.

mod bad_input;
mod common;
mod engine;
mod fetched;
mod library;
mod limits;
mod mistakes;
mod page;
mod partial;
mod play;
mod puzzles;
mod questions;
mod review;
mod routes;
mod site;
mod sockets;
mod values;

/// The engine of the tests is this program, started again.
#[test]
fn scripted_engine() {
    fanorona_tests::scripted::run_if_asked();
}
