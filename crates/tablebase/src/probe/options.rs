//! Options for opening tables.

use std::num::NonZeroUsize;

use fanorona_storage::Access;

/// Options for opening tables. The default reads files instead of mapping them, uses unpacked
/// tables where they exist, and caches up to 64 MiB of blocks.
///
/// ```
/// use fanorona_tablebase::{TablesOptions, UnpackedTables};
/// let options = TablesOptions::default().with_unpacked(UnpackedTables::Ignore).with_cache_bytes(1 << 20);
/// assert_eq!(options.cache_bytes, 1 << 20);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct TablesOptions {
    /// Whether files are read or mapped.
    pub access: Access,
    /// Whether unpacked tables are used.
    pub unpacked: UnpackedTables,
    /// The approximate size in bytes of the cache of blocks, which all threads share. See
    /// [`BlockCache::new`](fanorona_storage::BlockCache::new).
    pub cache_bytes: usize,
    /// The number of threads that compute the orbits by which tables are indexed, and end with that.
    /// With `None`, the default, as many as the current rayon pool has, which is started if there is
    /// none.
    pub threads: Option<NonZeroUsize>,
}

/// Whether probing uses unpacked tables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum UnpackedTables {
    /// Use them where they exist. If they are mapped, only
    /// [`TableFile::check`](crate::TableFile::check) notices values that were changed in the file.
    #[default]
    Use,
    /// Use packed tables only.
    Ignore,
}

impl TablesOptions {
    /// Sets whether files are read or mapped.
    #[must_use]
    pub fn with_access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// Sets whether unpacked tables are used.
    #[must_use]
    pub fn with_unpacked(self, unpacked: UnpackedTables) -> Self {
        Self { unpacked, ..self }
    }

    /// Sets the approximate size of the cache of blocks in bytes.
    #[must_use]
    pub fn with_cache_bytes(self, cache_bytes: usize) -> Self {
        Self { cache_bytes, ..self }
    }

    /// Sets the number of threads that compute orbits.
    #[must_use]
    pub fn with_threads(self, threads: NonZeroUsize) -> Self {
        Self { threads: Some(threads), ..self }
    }
}

impl Default for TablesOptions {
    fn default() -> Self {
        let (access, unpacked) = (Access::default(), UnpackedTables::default());
        Self { access, unpacked, cache_bytes: 64 << 20, threads: None }
    }
}
