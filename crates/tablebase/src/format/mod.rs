//! The file formats of tables, packed and unpacked. `docs/FORMAT.md` specifies every byte; that
//! page and this module change together.

mod kinds;
mod metadata;
mod packing;
mod reader;
#[cfg(test)]
mod tests;
mod together;
mod unpacked;
mod writer;

pub(crate) use kinds::PARTIAL;
pub use kinds::{OLDEST_VERSION, UNPACKED_VERSION, VERSION};
pub(crate) use metadata::Counter;
pub use metadata::{Metadata, Statistics};
pub(crate) use packing::Packing;
pub use reader::TableFile;
pub(crate) use together::{BlockSize, PACKED_TOGETHER, PackedPart, TogetherWriter, batch};
pub use unpacked::{UnpackedFile, UnpackedMetadata};
pub(crate) use unpacked::{unpacked_bytes, write_unpacked};
pub(crate) use writer::{WriteTimes, pack_codes, write_packed, write_table};
