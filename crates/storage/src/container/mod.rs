//! Containers: files with a prelude, a body, an index of the body, and metadata, all with
//! checksums.

mod prelude;
mod reader;
mod writer;

pub use prelude::{FileKind, PRELUDE};
pub use reader::Container;
pub use writer::ContainerWriter;
