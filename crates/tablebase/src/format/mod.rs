//! The file formats of tables, packed and unpacked. `docs/FORMAT.md` specifies every byte; that
//! page and this module change together.

mod distributed;
mod kinds;
mod metadata;
mod packing;
mod reader;
#[cfg(test)]
mod tests;
mod unpacked;
mod writer;

pub use distributed::{BlockSize, DistributedWriter, PackedPart};
pub use kinds::PARTIAL;
pub use kinds::{OLDEST_VERSION, UNPACKED_VERSION, VERSION};
pub use metadata::Counter;
pub use metadata::{Metadata, Statistics};
pub use packing::Packing;
pub use reader::TableFile;
pub use unpacked::{UnpackedFile, UnpackedMetadata};
pub use unpacked::{unpacked_bytes, write_unpacked};
pub use writer::{BLOCK_BATCH, TableWriter, WriteTimes, pack_codes, write_table};
