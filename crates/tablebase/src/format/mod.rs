//! The file format of tables. `docs/FORMAT.md` specifies every byte; that page and this module change
//! together.

mod distributed;
mod kinds;
mod metadata;
mod packing;
mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use distributed::{BlockSize, DistributedWriter, PackedPart};
pub use kinds::PARTIAL;
pub use kinds::{OLDEST_VERSION, VERSION};
pub use metadata::Counter;
pub use metadata::{Metadata, Statistics};
pub use packing::Packing;
pub use reader::TableFile;
pub use writer::{BLOCK_BATCH, TableWriter, WriteTimes, pack_codes, write_table};
