//! The files of the page in the folder.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use super::index::index;
use super::manifest::{Checksum, Manifest, PreparedAnswer};
use crate::page::{FILES, INDEX, SERVICE_WORKER};

/// Where the text of the service worker has the version of the folder.
const VERSION: &str = "\"VERSION\"";

/// The files of the page by their paths in the folder, without the service worker and without those of
/// the WebAssembly module.
pub fn page_files(answers: &[PreparedAnswer]) -> Vec<(String, Cow<'static, [u8]>)> {
    let file = |(path, bytes): &(&str, &'static [u8])| {
        let bytes = match *path {
            INDEX => Cow::Owned(index(&String::from_utf8_lossy(bytes), answers).into_bytes()),
            _ => Cow::Borrowed(*bytes),
        };
        ((*path).to_owned(), bytes)
    };
    FILES.iter().filter(|(path, _)| *path != SERVICE_WORKER).map(file).collect()
}

/// The service worker, of a version of the folder.
pub fn service_worker(version: Checksum) -> Option<String> {
    let script = worker()?;
    Some(script.replace(VERSION, &format!("\"{version}\"")))
}

fn worker() -> Option<Cow<'static, str>> {
    let (_, bytes) = FILES.iter().find(|(path, _)| *path == SERVICE_WORKER)?;
    Some(String::from_utf8_lossy(bytes))
}

impl Manifest {
    /// Sets the version from everything else, and from the service worker.
    #[must_use]
    pub fn with_version(self) -> Self {
        self.with_version_of(worker().unwrap_or_default().as_bytes())
    }

    /// Sets the version from everything else, and from a file that the manifest does not name.
    #[must_use]
    pub(super) fn with_version_of(mut self, other: &[u8]) -> Self {
        self.version = Checksum(xxh3_64(other));
        self.version = Checksum(xxh3_64(self.text().as_bytes()));
        self
    }
}
