//! The files of the page, which are part of the program.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use crate::bundle;

/// The file that is the page itself.
pub(crate) const INDEX: &str = "index.html";

#[derive(Clone, Debug)]
pub(crate) struct PageFile {
    pub media_type: &'static str,
    pub bytes: Cow<'static, [u8]>,
}

/// The files, by their paths below `web`.
macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_bytes!(concat!("../web/", $path)))),*]
    };
}

/// Every file of the page.
static FILES: &[(&str, &[u8])] = files![
    "data/puzzles.json",
    "index.html",
    "js/address.js",
    "js/analysis.js",
    "js/announce.js",
    "js/api.js",
    "js/app.js",
    "js/arrows.js",
    "js/backend.js",
    "js/board.js",
    "js/branch.js",
    "js/card.js",
    "js/chart.js",
    "js/check.js",
    "js/clock.js",
    "js/dom.js",
    "js/drill.js",
    "js/editor.js",
    "js/effects.js",
    "js/explore.js",
    "js/games.js",
    "js/graph.js",
    "js/ground.js",
    "js/hint.js",
    "js/history.js",
    "js/i18n.js",
    "js/icons.js",
    "js/kept.js",
    "js/keys.js",
    "js/lesson.js",
    "js/load.js",
    "js/local.js",
    "js/main.js",
    "js/marking.js",
    "js/motion.js",
    "js/moving.js",
    "js/newgame.js",
    "js/notation.js",
    "js/notes.js",
    "js/opponent.js",
    "js/over.js",
    "js/parts.js",
    "js/play.js",
    "js/pointer.js",
    "js/proof.js",
    "js/puzzles.js",
    "js/puzzlescore.js",
    "js/reducer.js",
    "js/retry.js",
    "js/review.js",
    "js/routes.js",
    "js/rules.js",
    "js/running.js",
    "js/scene.js",
    "js/settings.js",
    "js/share.js",
    "js/sound.js",
    "js/state.js",
    "js/tables.js",
    "js/tabletop.js",
    "js/texts.js",
    "js/tree.js",
    "js/value.js",
    "lang/en.json",
    "lang/fr.json",
    "lang/mg.json",
    "lang/nl.json",
    "static/app.webmanifest",
    "static/client.js",
    "static/icons/192.png",
    "static/icons/512.png",
    "static/icons/maskable.png",
    "static/lanes.js",
    "static/loop.js",
    "static/module.js",
    "static/shards.js",
    "static/store.js",
    "static/sw.js",
    "static/versions.js",
    "static/worker.js",
    "style/board.css",
    "style/icon.svg",
    "style/layout.css",
    "style/panel.css",
    "style/print.css",
    "style/tokens.css",
];

/// The file of the program at a path.
fn embedded(path: &str) -> Option<&'static [u8]> {
    FILES.iter().find(|(name, _)| *name == path).map(|(_, bytes)| *bytes)
}

/// The page in few files, by their paths. Empty if its files cannot be joined: then they are sent as
/// they are.
static JOINED: LazyLock<Vec<(&str, String)>> = LazyLock::new(|| {
    let source = |path: &str| std::str::from_utf8(embedded(path)?).ok();
    let joined = || {
        let index = source(INDEX)?;
        Some(vec![
            (INDEX, bundle::index(index)),
            (bundle::SCRIPT, bundle::script(&source, bundle::ENTRY)?),
            (bundle::STYLE, bundle::style(index, &source)?),
        ])
    };
    joined().unwrap_or_default()
});

/// The part of a folder of static files that has the page's. The server has them under the same
/// addresses.
pub const ASSETS: &str = "assets";

/// The content security policy of a folder of static files, for an element of its page, where
/// `frame-ancestors` has no effect.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; \
    manifest-src 'self'; base-uri 'none'; form-action 'none'";

/// The service worker of a folder of static files.
pub const SERVICE_WORKER: &str = "sw.js";

/// The directory of the files that only a folder of static files has.
const STATIC: &str = "static/";

/// The files of the page, by their paths in a folder of static files. Those in `static` are at its top,
/// except the scripts that run beside the page. The service worker is at the top too, because it serves
/// what is below.
pub(crate) fn static_files() -> Vec<(String, Cow<'static, [u8]>)> {
    let asset = |path: &str| format!("{}/{path}", ASSETS);
    let mut files: Vec<(String, Cow<'static, [u8]>)> = Vec::new();
    for (path, text) in JOINED.iter() {
        let place = if *path == INDEX { INDEX.to_owned() } else { asset(path) };
        files.push((place, text.as_bytes().into()));
    }
    for (path, script) in SCRIPTS.iter() {
        let place = if *path == SERVICE_WORKER { (*path).to_owned() } else { asset(path) };
        files.push((place, script.as_bytes().into()));
    }
    for (path, bytes) in FILES {
        let is_joined = *path == INDEX || path.ends_with(".js") || path.ends_with(".css");
        match path.strip_prefix(STATIC) {
            Some(path) if !is_joined => files.push((path.to_owned(), (*bytes).into())),
            None if !is_joined => files.push((asset(path), (*bytes).into())),
            _ => {}
        }
    }
    files
}

/// The scripts of a folder of static files that run beside the page, each joined with the modules that
/// it imports, by their names.
static SCRIPTS: LazyLock<Vec<(&str, String)>> = LazyLock::new(|| {
    let source = |path: &str| std::str::from_utf8(embedded(path)?).ok();
    let is_script = |path: &str| path.starts_with(STATIC) && path.ends_with(".js");
    let modules = FILES.iter().map(|(path, _)| *path).filter(|path| is_script(path));
    let imported: Vec<_> =
        modules.clone().filter_map(|path| bundle::imports(&source, path)).flatten().collect();
    modules
        .filter(|path| !imported.iter().any(|found| found == path))
        .filter_map(|path| Some((&path[STATIC.len()..], bundle::script(&source, path)?)))
        .collect()
});

/// Where the files of the page come from.
#[derive(Clone, Debug)]
pub(crate) enum Page {
    Embedded,
    /// A directory, read at each request.
    Directory(PathBuf),
}

impl Page {
    /// The file at a path below `web`.
    pub(crate) fn file(&self, path: &str) -> Option<PageFile> {
        let media_type = media_type(path)?;
        let bytes = match self {
            Self::Embedded => {
                let joined = JOINED.iter().find(|(name, _)| *name == path);
                let joined = joined.map(|(_, text)| text.as_bytes());
                Cow::Borrowed(joined.or_else(|| embedded(path))?)
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
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        "wav" => "audio/wav",
        "ogg" => "audio/ogg",
        "mp3" => "audio/mpeg",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn list(dir: &Path, prefix: &str, found: &mut Vec<String>) {
        for file in fs::read_dir(dir).expect("the directory of the page").map(Result::unwrap) {
            let name = format!("{prefix}{}", file.file_name().to_string_lossy());
            match file.file_type().unwrap().is_dir() {
                true => list(&file.path(), &format!("{name}/"), found),
                false => found.push(name),
            }
        }
    }

    /// Type declarations and configuration are for development; they are not part of the page.
    #[test]
    fn every_file_of_the_page_is_embedded() {
        let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
        let mut there = Vec::new();
        list(&web, "", &mut there);
        there.retain(|name| {
            !name.ends_with(".d.ts") && !name.ends_with(".md") && name != "tsconfig.json"
        });
        there.sort_unstable();
        let mut embedded: Vec<_> = FILES.iter().map(|(name, _)| *name).collect();
        embedded.sort_unstable();
        assert_eq!(embedded, there, "the list in page.rs and the directory web differ");
        for name in embedded {
            assert!(Page::Embedded.file(name).is_some(), "{name} has no media type");
        }
    }

    #[test]
    fn the_page_is_joined() {
        let text =
            |path| String::from_utf8(Page::Embedded.file(path).unwrap().bytes.into()).unwrap();
        let (index, script) = (text(INDEX), text(bundle::SCRIPT));
        assert!(!index.contains("assets/js/") && index.contains(bundle::SCRIPT), "{index}");
        let is_module = |name: &str| name.starts_with("js/") && name.ends_with(".js");
        let modules = FILES.iter().filter(|(name, _)| is_module(name)).count();
        assert_eq!(script.matches("\nreturn { ").count(), modules, "a module is not imported");
        assert!(text(bundle::STYLE).contains("@media print"));
    }

    /// Every file has a place in a folder of static files, alone or joined with others.
    #[test]
    fn a_folder_of_static_files_has_all() {
        let files = static_files();
        let mut paths: Vec<_> = files.iter().map(|(path, _)| path.as_str()).collect();
        paths.sort_unstable();
        let count = paths.len();
        paths.dedup();
        assert_eq!(paths.len(), count, "{paths:?}");
        for expected in [INDEX, "assets/page.js", "assets/page.css", "assets/lang/mg.json"] {
            assert!(paths.contains(&expected), "{expected} is not in {paths:?}");
        }
        let source = |path: &str| std::str::from_utf8(embedded(path)?).ok();
        let joined: Vec<String> = SCRIPTS
            .iter()
            .map(|(name, _)| format!("{STATIC}{name}"))
            .flat_map(|entry| {
                let imports = bundle::imports(&source, &entry).expect("it was joined");
                imports.into_iter().chain([entry])
            })
            .collect();
        for (path, _) in FILES {
            let is_there = match path.strip_prefix(STATIC) {
                Some(name) if !name.ends_with(".js") => paths.contains(&name),
                Some(_) => joined.iter().any(|known| known == path),
                None if path.ends_with(".js") || path.ends_with(".css") => true,
                None => *path == INDEX || paths.contains(&&*format!("assets/{path}")),
            };
            assert!(is_there, "{path} is not in the folder");
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
