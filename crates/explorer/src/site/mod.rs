//! The explorer as a folder of static files: what is in it besides tables and certificates.

mod manifest;

#[cfg(not(target_family = "wasm"))]
mod answers;
#[cfg(not(target_family = "wasm"))]
mod files;
#[cfg(not(target_family = "wasm"))]
mod index;

#[cfg(not(target_family = "wasm"))]
pub use answers::{address, answer, prepared_requests};
#[cfg(not(target_family = "wasm"))]
pub use files::{page_files, service_worker};
pub use manifest::{Asset, Checksum, Manifest, PreparedAnswer, SHARDS, ShardedFile, Table};

#[cfg(not(target_family = "wasm"))]
pub use crate::page::{ASSETS, SERVICE_WORKER};
