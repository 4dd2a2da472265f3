//! Tests of the server without a socket, and through one.

mod bad_input;
mod common;
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
