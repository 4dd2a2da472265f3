//! How tables are opened.

use fanorona_storage::Access;

/// How tables are opened. The default reads files piece by piece, uses unpacked tables where they
/// are there, and keeps up to 64 MiB of blocks.
///
/// ```
/// use fanorona_tablebase::{TablesOptions, UnpackedTables};
/// let options = TablesOptions::default().unpacked(UnpackedTables::Ignore).cache_bytes(1 << 20);
/// assert_eq!(options.cache_bytes, 1 << 20);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TablesOptions {
    /// Whether files are read or mapped.
    pub access: Access,
    /// Whether values are taken from unpacked tables.
    pub unpacked: UnpackedTables,
    /// About how many bytes of blocks are kept in memory for all threads together.
    pub cache_bytes: usize,
}

/// Whether probing takes values from unpacked tables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum UnpackedTables {
    /// Where they are there. A value that was altered in the file is noticed only by
    /// [`UnpackedFile::check`](crate::UnpackedFile::check).
    #[default]
    Use,
    /// Never. Every value is then from a block whose checksum is compared when it is read.
    Ignore,
}

impl TablesOptions {
    /// Sets whether files are read or mapped.
    #[must_use]
    pub fn access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// Sets whether values are taken from unpacked tables.
    #[must_use]
    pub fn unpacked(self, unpacked: UnpackedTables) -> Self {
        Self { unpacked, ..self }
    }

    /// Sets about how many bytes of blocks are kept in memory.
    #[must_use]
    pub fn cache_bytes(self, cache_bytes: usize) -> Self {
        Self { cache_bytes, ..self }
    }
}

impl Default for TablesOptions {
    fn default() -> Self {
        let (access, unpacked) = (Access::default(), UnpackedTables::default());
        Self { access, unpacked, cache_bytes: 64 << 20 }
    }
}
