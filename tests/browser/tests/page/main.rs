//! The explorer's page, used as a person would use it.
//!
//! Every test has a server and a browser of its own.

mod common;
mod edit;
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
