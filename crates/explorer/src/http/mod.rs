//! The answers over HTTP.
//!
//! A page in a browser has the same routes in its own WebAssembly module, without a socket and without
//! threads: there, `inline` stands for `threads`, and who asks needs no check.

mod input;
#[cfg_attr(target_family = "wasm", expect(dead_code, reason = "nobody reads the counts of a page"))]
mod metrics;
mod reply;
mod routes;
mod state;
mod stream;

#[cfg(target_family = "wasm")]
mod inline;
#[cfg(target_family = "wasm")]
use inline as work;

#[cfg(not(target_family = "wasm"))]
mod hosts;
#[cfg(not(target_family = "wasm"))]
mod log;
#[cfg(not(target_family = "wasm"))]
mod rate;
#[cfg(not(target_family = "wasm"))]
mod router;
#[cfg(not(target_family = "wasm"))]
mod server;
#[cfg(not(target_family = "wasm"))]
mod threads;
#[cfg(not(target_family = "wasm"))]
use threads as work;

#[cfg(target_family = "wasm")]
pub use inline::EventSink;
pub use routes::openapi;
#[cfg(not(target_family = "wasm"))]
pub use server::{ServeError, serve};
pub use state::Explorer;
