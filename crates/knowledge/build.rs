//! Lists the certificates of the starts in `data/proofs` and of first turns in its folder `openings`,
//! which the feature `starts` makes a part of the program, and copies the list of turns that were tried. A
//! package has a copy of them, for which there
//! is a link in this directory.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let variable = |name| env::var(name).map_err(io::Error::other);
    let here = variable("CARGO_MANIFEST_DIR")?;
    // Not every system checks out links.
    let dirs = ["../../data/proofs", "proofs"].map(|dir| Path::new(&here).join(dir));
    let mut files = Vec::new();
    let out = variable("OUT_DIR")?;
    let tried = dirs.iter().map(|dir| dir.join("openings/tried.tsv")).find(|file| file.is_file());
    let list = tried.map_or(Ok(String::new()), fs::read_to_string)?;
    fs::write(Path::new(&out).join("tried.tsv"), list)?;
    if let Some(dir) = dirs.iter().find(|dir| dir.is_dir())
        && env::var_os("CARGO_FEATURE_STARTS").is_some()
    {
        for dir in [dir.clone(), dir.join("openings")] {
            println!("cargo::rerun-if-changed={}", dir.display());
            for file in fs::read_dir(dir)? {
                let path = file?.path();
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                // Later positions are not asked for alone.
                if name.ends_with(".proof") && !name.contains("-then-") {
                    files.push(path.canonicalize()?);
                }
            }
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
    files.sort();
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let entries = files
        .iter()
        .filter_map(|path| Some(format!("({:?}, include_bytes!({path:?})),\n", name(path)?)));
    let list = format!("&[\n{}]\n", entries.collect::<String>());
    fs::write(Path::new(&out).join("starts.rs"), list)
}
