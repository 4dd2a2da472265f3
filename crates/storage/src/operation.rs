//! Operations on files, for error messages.

/// The operation on a file or directory that failed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Operation {
    /// Opening a file, resolving its path, or checking that it may be written.
    Open,
    /// Reading a file.
    Read,
    /// Mapping a file into memory.
    Map,
    /// Creating a file in a directory.
    Create,
    /// Writing or syncing a file.
    Write,
    /// Renaming a temporary file to its final name.
    Rename,
    /// Removing a file.
    Remove,
    /// Syncing a directory after a rename. The new file is in place.
    SyncDirectory,
    /// Creating a directory.
    CreateDirectory,
    /// Listing a directory.
    ListDirectory,
}

impl Operation {
    /// The beginning of an error message, before the path: `cannot write`, for example.
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
