//! The explorer as a folder of static files: what is in it besides tables and certificates.

mod answers;
mod index;
mod manifest;

use std::borrow::Cow;

pub use answers::{address, answer, prepared_requests};
pub use manifest::{Asset, Checksum, Manifest, PreparedAnswer, SHARDS, ShardedFile};

pub use crate::page::{ASSETS, SERVICE_WORKER};

use crate::page::{self, INDEX};

/// The manifest of an application that can be installed.
const APPLICATION: &str = "app.webmanifest";

/// The files of the page by their paths in the folder, sorted, without those of the WebAssembly module.
pub fn page_files(answers: &[PreparedAnswer]) -> Vec<(String, Cow<'static, [u8]>)> {
    let mut files = page::static_files();
    let is_application = files.iter().any(|(path, _)| path == APPLICATION);
    for (path, bytes) in &mut files {
        if path == INDEX {
            let text = String::from_utf8_lossy(bytes);
            let text = index::index(&text, answers, is_application.then_some(APPLICATION));
            *bytes = Cow::Owned(text.into_bytes());
        }
    }
    files.sort_unstable_by(|(first, _), (second, _)| first.cmp(second));
    files
}
