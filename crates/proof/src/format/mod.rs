//! The file format of certificates. `docs/CERTIFICATE.md` specifies every byte; that page and this
//! module change together.

mod block;
mod header;
mod kind;
mod reader;
mod writer;

pub(crate) use header::Header;
pub use header::{NamedTable, ProofSummary};
pub(crate) use kind::BLOCK_ENTRIES;
pub use kind::VERSION;
pub(crate) use reader::Reader;
pub(crate) use writer::write;
