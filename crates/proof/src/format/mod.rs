//! The file format of certificates, version 1. `docs/CERTIFICATE.md` specifies every byte; that
//! page and this module change together.

mod block;
mod header;
mod index;
mod kind;
mod reader;
mod writer;

pub(crate) use block::Entry;
pub(crate) use header::Header;
pub use header::{NamedTable, ProofSummary};
pub use kind::VERSION;
pub(crate) use reader::Reader;
pub(crate) use writer::write;
