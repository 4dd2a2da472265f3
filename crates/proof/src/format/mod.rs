//! The file format of certificates, versions 1 and 2. `docs/CERTIFICATE.md` specifies every byte;
//! that page and this module change together.

mod block;
mod header;
mod index;
mod kind;
mod number;
mod reader;
mod turn_block;
mod writer;

pub(crate) use block::Entry;
pub(crate) use header::Header;
pub use header::{NamedTable, ProofSummary};
pub use kind::{Form, VERSION};
pub(crate) use reader::Reader;
pub(crate) use writer::{write_entries, write_turns};
