//! With the feature `wasm`, makes the WebAssembly module in the directory that the environment variable
//! `FANORONA_WASM` names a part of the program. Without the variable it has none.

use std::path::Path;
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=FANORONA_WASM");
    let is_wanted = env::var_os("CARGO_FEATURE_WASM").is_some();
    let list = match env::var_os("FANORONA_WASM").filter(|_| is_wanted) {
        Some(dir) => {
            let include = |name| {
                let path = Path::new(&dir).join(name);
                let found = path.canonicalize();
                let path = found.map_err(|error| {
                    io::Error::other(format!("FANORONA_WASM: {}: {error}", path.display()))
                })?;
                println!("cargo::rerun-if-changed={}", path.display());
                Ok(format!("include_bytes!({path:?})"))
            };
            let files = ["fanorona.js", "fanorona_bg.packed"].map(include);
            let files: Vec<String> = files.into_iter().collect::<io::Result<_>>()?;
            format!("Some([{}])\n", files.join(", "))
        }
        None => "None\n".to_owned(),
    };
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    fs::write(Path::new(&out).join("module.rs"), list)
}
