//! What can fail with a file.

/// What was done to a file or a directory when it failed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Operation {
    /// Opening a file, finding out where it is, and whether it may be written.
    Open,
    /// Reading a file.
    Read,
    /// Mapping a file into memory.
    Map,
    /// Creating a file in a directory.
    Create,
    /// Writing, including waiting for the disk.
    Write,
    /// Renaming the whole partial file.
    Rename,
    /// Removing a file.
    Remove,
    /// Making the rename durable. The new file is in its place.
    SyncDirectory,
    /// Creating a directory.
    CreateDirectory,
    /// Listing a directory.
    ListDirectory,
}

impl Operation {
    /// What failed in words, to go before the path: `cannot write`, for example.
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Open => "cannot open",
            Self::Read => "cannot read",
            Self::Map => "cannot map",
            Self::Create => "cannot create a file in",
            Self::Write => "cannot write",
            Self::Rename => "cannot replace",
            Self::Remove => "cannot remove",
            Self::SyncDirectory => "cannot sync",
            Self::CreateDirectory => "cannot create the directory",
            Self::ListDirectory => "cannot list",
        }
    }
}
