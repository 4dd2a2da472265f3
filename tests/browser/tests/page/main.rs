//! The explorer's page, used as a person would use it.
//!
//! Every test has a server and a browser of its own.

mod common;
mod edit;
mod engine;
mod explore;
mod first;
mod folder;
mod game;
mod keep;
mod lesson;
mod modules;
mod puzzles;
mod requests;
mod review;
mod settings;
mod share;
mod source;
mod whole;

/// The engine that `engine.rs` plays against.
#[test]
fn scripted_engine() {
    fanorona_tests::scripted::run_if_asked();
}
