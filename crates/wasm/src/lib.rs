//! The explorer as a WebAssembly module for a web worker: its API without a server.
//!
//! The module has the explorer's own routes, so its answers are those of `fanorona serve`, byte for
//! byte. Tables and certificates come in shards, which JavaScript fetches: a request whose shards are
//! not there yet has no answer, and names what it lacks. It is made again when that is there.
//!
//! `tools/wasm` builds it. `crates/explorer/web/static/worker.js` and the npm package use it.

#![cfg(target_family = "wasm")]

mod files;
mod site;

pub use site::{Site, checksum};
