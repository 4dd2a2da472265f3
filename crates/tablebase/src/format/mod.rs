//! The file format of tables. `docs/FORMAT.md` specifies every byte; that page and this module change
//! together.

mod metadata;
mod packing;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use metadata::{Metadata, OLDEST_VERSION, PARTIAL, Statistics, VERSION};
pub use packing::Packing;
pub use reader::TableFile;
pub use writer::{BLOCK_BATCH, BlockPacker, TableWriter, WriteTimes, pack_codes, write_table};
