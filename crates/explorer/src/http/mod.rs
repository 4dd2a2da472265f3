//! The answers over HTTP.
//!
//! A page in a browser has the same routes in its own WebAssembly module, without a socket and without
//! threads: there, `inline` stands for `stream`, and nobody is checked.

mod compute;
mod input;
mod permit;
mod reply;
mod routes;
mod state;

#[cfg(target_family = "wasm")]
mod inline;
#[cfg(target_family = "wasm")]
use inline as stream;

#[cfg(not(target_family = "wasm"))]
mod hosts;
#[cfg(not(target_family = "wasm"))]
mod router;
#[cfg(not(target_family = "wasm"))]
mod server;
#[cfg(not(target_family = "wasm"))]
mod stream;

pub use routes::openapi;
#[cfg(not(target_family = "wasm"))]
pub use server::{ServeError, serve};
pub use state::Explorer;
