//! Tests of the server without a socket, and through one.

mod bad_input;
mod common;
mod limits;
mod page;
mod play;
mod routes;
mod sockets;
mod values;
