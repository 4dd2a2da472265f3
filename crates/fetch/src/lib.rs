//! Downloads of files over HTTP that resume and are verified. Knows nothing about the game.
//!
//! A [`Client`] fetches a file of which the length and the SHA-256 are known, for example from a
//! [`Manifest`](fanorona_storage::Manifest). The file gets its name when its bytes are right. What has
//! arrived of an interrupted download stays beside it, and the next one goes on from there.
//!
//! ```no_run
//! use std::path::Path;
//! use std::sync::atomic::AtomicBool;
//! use fanorona_fetch::{Client, beside};
//! use fanorona_storage::Manifest;
//!
//! let address = "https://example.org/tables/9x5_standard.json";
//! let stop = AtomicBool::new(false);
//! let client = Client::default();
//! let manifest: Manifest = serde_json::from_slice(&client.bytes(address, 1 << 20, &stop)?)?;
//! for file in &manifest.files {
//!     let (address, to) = (beside(address, &file.name)?, Path::new("tables").join(&file.name));
//!     client.file(&address, &to, (file.bytes, file.sha256), &stop, |arrived| println!("{arrived}"))?;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A server is not believed: no more bytes are kept than a file has, an answer that sends to another
//! address is an error that names it, and a server that is silent for too long is given up.

#![forbid(unsafe_code)]

mod address;
mod client;
mod error;
mod incoming;
mod partial;

pub use address::beside;
pub use client::Client;
pub use error::FetchError;
