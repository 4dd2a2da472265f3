//! The documentation: every link leads somewhere, and every command that a page shows prints what
//! the page says.

mod commands;
mod links;

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the tests run in the repository")
}

/// Every Markdown page of the repository.
fn pages() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    collect(&root(), &mut pages);
    pages.sort();
    assert!(pages.len() > 20, "{pages:?}");
    pages
}

fn collect(dir: &Path, pages: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).expect("a directory of the repository") {
        let entry = entry.expect("it can be listed");
        let path = entry.path();
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let file_type = entry.file_type().expect("it has a type");
        if file_type.is_dir() {
            let is_ours = !matches!(&*name, "target" | "node_modules") && is_visible(&name);
            if is_ours {
                collect(&path, pages);
            }
        } else if name.ends_with(".md") {
            pages.push(path);
        }
    }
}

/// Hidden directories belong to tools, except the one for contributors.
fn is_visible(name: &str) -> bool {
    !name.starts_with('.') || name == ".github"
}

/// A page's path from the root of the repository, for messages.
fn name(page: &Path) -> String {
    page.strip_prefix(root()).unwrap_or(page).display().to_string()
}
