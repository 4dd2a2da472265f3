//! The files of the page in the folder.

use std::borrow::Cow;

use xxhash_rust::xxh3::xxh3_64;

use super::index::index;
use super::manifest::{Checksum, Manifest, PreparedAnswer};
use crate::page::{self, INDEX, SERVICE_WORKER};

/// Where the text of the service worker has the version of the folder.
const VERSION: &str = "\"VERSION\"";

/// The files of the page by their paths in the folder, without the service worker and without those of
/// the WebAssembly module.
pub fn page_files(answers: &[PreparedAnswer]) -> Vec<(String, Cow<'static, [u8]>)> {
    let mut files = page::static_files();
    files.retain(|(path, _)| path != SERVICE_WORKER);
    let paths: Vec<_> = files.iter().map(|(path, _)| path.clone()).collect();
    for (path, bytes) in &mut files {
        if path == INDEX {
            let text = String::from_utf8_lossy(bytes);
            *bytes = Cow::Owned(index(&text, answers, &paths).into_bytes());
        }
    }
    files
}

/// The service worker, of a version of the folder.
pub fn service_worker(version: Checksum) -> Option<String> {
    let script = worker()?;
    Some(script.replace(VERSION, &format!("\"{version}\"")))
}

fn worker() -> Option<String> {
    let files = page::static_files();
    let (_, bytes) = files.into_iter().find(|(path, _)| path == SERVICE_WORKER)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
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
