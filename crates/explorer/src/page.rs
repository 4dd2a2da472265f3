//! The files of the page, which are part of the program.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};

/// The file that is the page itself.
pub(crate) const INDEX: &str = "index.html";

#[derive(Clone, Debug)]
pub(crate) struct PageFile {
    pub media_type: &'static str,
    pub bytes: Cow<'static, [u8]>,
}

/// Its files, as `build/main.rs` lists them: by their paths in a folder of static files.
pub(crate) static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The part of a folder of static files that has the page's. The server has them under the same
/// addresses.
pub const ASSETS: &str = "assets";

/// The content security policy of a folder of static files, for an element of its page, where
/// `frame-ancestors` has no effect.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; \
    manifest-src 'self'; base-uri 'none'; form-action 'none'";

/// The service worker of a folder of static files.
pub const SERVICE_WORKER: &str = "sw.js";

/// Where the files of the page come from.
#[derive(Clone, Debug)]
pub(crate) enum Page {
    Embedded,
    /// A directory, read at each request.
    Directory(PathBuf),
}

impl Page {
    /// The index, or the file at a path below `assets`: in a directory, below `web`.
    pub(crate) fn file(&self, path: &str) -> Option<PageFile> {
        let media_type = media_type(path)?;
        let bytes = match self {
            Self::Embedded => {
                let is_it = |place: &str| match place.strip_prefix(ASSETS) {
                    Some(name) => name.strip_prefix('/') == Some(path),
                    None => place == INDEX && path == INDEX,
                };
                Cow::Borrowed(FILES.iter().find(|(place, _)| is_it(place))?.1)
            }
            Self::Directory(dir) => {
                let relative = Path::new(path);
                let is_below =
                    relative.components().all(|part| matches!(part, Component::Normal(_)));
                Cow::Owned(std::fs::read(dir.join(relative)).ok().filter(|_| is_below)?)
            }
        };
        Some(PageFile { media_type, bytes })
    }
}

/// The media type of a file, by its name.
pub(crate) fn media_type(path: &str) -> Option<&'static str> {
    let (_, extension) = path.rsplit_once('.')?;
    Some(match extension {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "packed" => "application/octet-stream",
        "txt" => "text/plain; charset=utf-8",
        "woff2" => "font/woff2",
        "webmanifest" => "application/manifest+json",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_joined() {
        let text =
            |path| String::from_utf8(Page::Embedded.file(path).unwrap().bytes.into()).unwrap();
        let index = text(INDEX);
        assert!(!index.contains("assets/js/") && index.contains("assets/page.js"), "{index}");
        assert!(text("page.js").contains("const m_main = "));
        assert!(text("style/page.css").contains("@media print"));
        assert!(Page::Embedded.file("js/main.js").is_none());
    }

    #[test]
    fn a_folder_of_static_files_has_all() {
        let mut places: Vec<_> = FILES.iter().map(|(place, _)| *place).collect();
        places.sort_unstable();
        let count = places.len();
        places.dedup();
        assert_eq!(places.len(), count, "{places:?}");
        for expected in [
            INDEX,
            SERVICE_WORKER,
            "app.webmanifest",
            "assets/client.js",
            "assets/data/puzzles.json",
            "assets/lang/mg.json",
            "assets/style/page.css",
            "assets/style/young-serif-licence.txt",
            "assets/style/young-serif.woff2",
            "assets/page.js",
            "assets/worker.js",
            "icons/192.png",
        ] {
            assert!(places.contains(&expected), "{expected} is not in {places:?}");
        }
        for place in places {
            assert!(media_type(place).is_some(), "{place} has no media type");
        }
    }

    #[test]
    fn a_directory_is_not_left() {
        let page = Page::Directory(Path::new(env!("CARGO_MANIFEST_DIR")).join("web"));
        assert!(page.file(INDEX).is_some());
        for path in ["../web/index.html", "/etc/hosts.txt", "./../web/index.html", "none.html"] {
            assert!(page.file(path).is_none(), "{path}");
        }
    }
}
