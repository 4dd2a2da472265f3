//! Writes the page as the program has it: its modules and style sheets joined, and a list of all files.
//!
//! The list has them by their paths in a folder of static files. The server has those of `assets` and
//! the index under the same addresses.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

mod bundle;

/// The directory of what only a folder of static files has: at its top, except scripts.
const STATIC: &str = "static/";

/// The service worker is at the top too, because it serves what is below.
const SERVICE_WORKER: &str = "static/sw.js";

fn main() -> io::Result<()> {
    let variable = |name| env::var(name).map_err(io::Error::other);
    let web = Path::new(&variable("CARGO_MANIFEST_DIR")?).join("web");
    let out = PathBuf::from(variable("OUT_DIR")?);
    println!("cargo::rerun-if-changed={}", web.display());
    println!("cargo::rerun-if-changed=build");
    let mut files = BTreeMap::new();
    find(&web, "", &mut files)?;
    let mut texts = BTreeMap::new();
    let is_text = |path: &str| [".js", ".css", ".html"].iter().any(|end| path.ends_with(end));
    for (path, file) in files.iter().filter(|(path, _)| is_text(path)) {
        texts.insert(path.clone(), fs::read_to_string(file)?);
    }
    // Others are on the list as they are.
    files.retain(|path, _| !is_text(path));
    let mut list = String::from("&[\n");
    let mut add = |place: &str, file: &Path| {
        list += &format!("({place:?}, include_bytes!({file:?})),\n");
    };
    for (path, file) in &files {
        add(&place(path), file);
    }
    for (place, text) in
        joined(&texts).ok_or_else(|| io::Error::other("the page cannot be joined"))?
    {
        let file = out.join(place.replace('/', "_"));
        fs::write(&file, text)?;
        add(&place, &file);
    }
    fs::write(out.join("page.rs"), list + "]\n")
}

/// The files of the page. Type declarations and configuration are for development.
fn find(dir: &Path, prefix: &str, found: &mut BTreeMap<String, PathBuf>) -> io::Result<()> {
    for file in fs::read_dir(dir)? {
        let file = file?;
        let name = format!("{prefix}{}", file.file_name().to_string_lossy());
        if file.file_type()?.is_dir() {
            find(&file.path(), &format!("{name}/"), found)?;
        } else if !name.ends_with(".d.ts") && !name.ends_with(".md") && name != "tsconfig.json" {
            found.insert(name, file.path());
        }
    }
    Ok(())
}

/// The place of a file in a folder of static files.
fn place(path: &str) -> String {
    match path.strip_prefix(STATIC) {
        Some(name) if !name.ends_with(".js") || path == SERVICE_WORKER => name.to_owned(),
        Some(name) => format!("assets/{name}"),
        None => format!("assets/{path}"),
    }
}

/// The page in few files, by their places: the index, its script and style sheet, and the scripts beside
/// it that no other one imports.
fn joined(texts: &BTreeMap<String, String>) -> Option<Vec<(String, String)>> {
    let source = |path: &str| texts.get(path).map(String::as_str);
    let index = source("index.html")?;
    let mut joined = vec![
        ("index.html".to_owned(), bundle::index(index)),
        (place(bundle::SCRIPT), bundle::script(&source, bundle::ENTRY)?),
        (place(bundle::STYLE), bundle::style(index, &source)?),
    ];
    let mut used = bundle::imports(&source, bundle::ENTRY)?;
    let beside: Vec<_> = texts.keys().filter(|path| path.starts_with(STATIC)).collect();
    for path in &beside {
        used.extend(bundle::imports(&source, path)?);
    }
    for path in beside.into_iter().filter(|path| !used.contains(path)) {
        joined.push((place(path), bundle::script(&source, path)?));
    }
    let is_lost =
        |path: &String| path.starts_with("js/") && path != bundle::ENTRY && !used.contains(path);
    if let Some(path) = texts.keys().find(|path| is_lost(path)) {
        println!("cargo::error=no module imports {path}");
    }
    Some(joined)
}
