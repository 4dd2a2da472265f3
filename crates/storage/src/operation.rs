//! Operations on files, for error messages.

/// The operation on a file or directory that failed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the words for messages say it")]
pub enum Operation {
    /// Opening a file, resolving its path, or checking that it may be written.
    Open,
    Read,
    Map,
    Create,
    Write,
    Rename,
    Remove,
    /// Syncing a directory after a rename. The new file is in place.
    SyncDirectory,
    CreateDirectory,
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
