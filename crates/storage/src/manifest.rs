//! Lists of files that are published together.

use serde::{Deserialize, Serialize};

use crate::sha256::Sha256;

/// The version of the list.
const FORMAT: u32 = 1;

/// A list of files, by which somebody else can fetch and verify them. `D` is more about a file.
///
/// ```
/// use fanorona_storage::{ListedFile, Manifest, Sha256};
///
/// let file = ListedFile { name: "a.fano".into(), bytes: 3, sha256: Sha256::of(b"abc"), about: "1v1" };
/// let manifest = Manifest::new("fanorona 0.1.0", vec![file]);
/// let text = serde_json::to_string(&manifest)?;
/// // Whoever only fetches the files needs no more.
/// let read: Manifest = serde_json::from_str(&text)?;
/// assert!(read.is_supported());
/// assert_eq!(read.files[0].sha256, Sha256::of(b"abc"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Manifest<D = serde::de::IgnoredAny> {
    /// The version of the list.
    pub format: u32,
    /// The name and the version of the program that wrote it.
    pub program: String,
    /// The files.
    pub files: Vec<ListedFile<D>>,
}

/// A file of a [`Manifest`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ListedFile<D = serde::de::IgnoredAny> {
    /// Its name, without a directory.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// The hash of its bytes.
    pub sha256: Sha256,
    /// More about it.
    pub about: D,
}

impl<D> Manifest<D> {
    /// A list of these files.
    pub fn new(program: impl Into<String>, files: Vec<ListedFile<D>>) -> Self {
        Self { format: FORMAT, program: program.into(), files }
    }

    /// Whether the list is of the version that this crate knows.
    pub fn is_supported(&self) -> bool {
        self.format == FORMAT
    }
}
