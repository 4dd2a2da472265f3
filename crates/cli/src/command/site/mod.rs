//! `site`: writes the explorer as a folder of static files.

mod contents;
mod folder;
mod library;
mod module;

use std::borrow::Cow;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use fanorona_explorer::site::{
    Asset, Manifest, PreparedAnswer, SERVICE_WORKER, page_files, service_worker,
};
use fanorona_explorer::{Explorer, Settings, site};
use fanorona_storage::Sha256;
use serde::Serialize;

use self::contents::{Contents, Cut, cut_all, cut_heads};
use self::folder::{ANSWERS, Folder};
use self::library::library;
use self::module::Module;
use crate::human::{counted, grouped, size};
use crate::interrupt;
use crate::options::{OutputOptions, TableOptions, VariantsOptions, at_least};

/// The bytes of a shard. A probe of a table reads about two of them, and a host sends one at once.
const SHARD: u32 = 32 << 10;

/// Write the explorer as a folder of static files, which any web host can serve
#[derive(Debug, Args)]
#[command(after_help = "\
The page then runs in the browser alone, as the one of 'fanorona serve' does: rules, tables, proofs and \
the opponent. With --stones 0, it has no tables. Tables are cut into shards, of which a browser loads \
those that it needs. The folder also works below the top of a host, and offline after the first visit.

A folder that this command wrote before is brought up to date: files that have not changed stay, and \
its own files that are no longer needed are removed. 'python3 -m http.server -d site' shows it on this \
machine.

Example:
  fanorona site site --tables tables --stones 3 --module target/wasm")]
pub(crate) struct Site {
    /// Directory to write: a new or an empty one, or one that this command wrote before
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    output: PathBuf,

    #[command(flatten)]
    variants: VariantsOptions,

    /// Slices with up to N stones, both sides together [default: all that have tables]
    #[arg(long, value_name = "N", value_parser = at_least(0u32))]
    stones: Option<u32>,

    #[command(flatten)]
    tables: TableOptions,

    /// Directory of the WebAssembly module, which tools/wasm builds [default: a part of this program]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    module: Option<PathBuf>,

    #[command(flatten)]
    form: OutputOptions,
}

#[derive(Serialize)]
struct Report<'a> {
    /// The directory; what is not UTF-8 in its name is replaced.
    output: String,
    version: String,
    bytes: u64,
    /// Files that were written, and those that were there already.
    written: u64,
    unchanged: u64,
    /// Files of an earlier version that were removed.
    removed: u64,
    /// Everything but shards, the manifest and the service worker.
    files: &'a [Asset],
    tables: Vec<ShardedReport<'a>>,
    proofs: Vec<ShardedReport<'a>>,
}

#[derive(Serialize)]
struct ShardedReport<'a> {
    name: &'a str,
    bytes: u64,
    /// With those that have checksums of others.
    shards: usize,
}

impl<'a> ShardedReport<'a> {
    fn new(cut: &'a Cut) -> Self {
        Self { name: &cut.file.name, bytes: cut.file.bytes, shards: cut.shards.len() }
    }
}

impl Site {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.form.output();
        let folder = Folder::open(&self.output)?;
        let module = Module::of(self.module.as_deref())?;
        let contents = Contents::choose(&self.variants, &self.tables, self.stones)?;
        interrupt::install()?;

        folder.begin()?;
        let tables = cut_all(&folder, &contents.tables, SHARD)?;
        let heads = cut_heads(&folder, &tables, SHARD)?;
        let proofs = cut_all(&folder, &contents.proofs, SHARD)?;
        let mut manifest = Manifest::new(SHARD);
        manifest.heads = heads.as_ref().map(|cut| cut.file.clone());
        manifest.tables = tables.iter().filter_map(Cut::table).collect();
        manifest.proofs = proofs.iter().map(|cut| cut.file.clone()).collect();

        for (path, bytes) in assets(&folder, &contents, module, &mut manifest)? {
            if interrupt::requested() {
                return Err(folder.interrupted());
            }
            folder.write(&path, &bytes)?;
            manifest.assets.push(asset(path, &bytes));
        }
        let manifest = manifest.with_version();
        if let Some(script) = service_worker(manifest.version) {
            folder.write(SERVICE_WORKER, script.as_bytes())?;
        }
        let cuts = || tables.iter().chain(&heads).chain(&proofs);
        let shards = cuts().flat_map(|cut| cut.shards.iter().copied()).collect();
        let removed = folder.finish(&manifest, &shards)?;

        let (written, unchanged, bytes) = folder.totals();
        let dir = self.output.display();
        output.text(format_args!(
            "{} in {dir}, {}: {} new, {} removed",
            counted(written + unchanged, "file"),
            size(bytes),
            grouped(written),
            grouped(removed),
        ));
        output.json(&Report {
            output: dir.to_string(),
            version: manifest.version.to_string(),
            bytes,
            written,
            unchanged,
            removed,
            files: &manifest.assets,
            tables: tables.iter().map(ShardedReport::new).collect(),
            proofs: proofs.iter().map(ShardedReport::new).collect(),
        });
        Ok(())
    }
}

fn asset(path: String, bytes: &[u8]) -> Asset {
    Asset { path, bytes: bytes.len() as u64, sha256: Sha256::of(bytes) }
}

/// The files of a folder without tables; none if this program has no module.
pub(crate) fn without_tables() -> Vec<(String, Cow<'static, [u8]>)> {
    Module::embedded().map(around).unwrap_or_default()
}

/// The files of a folder without tables, with a module.
fn around(module: Module) -> Vec<(String, Cow<'static, [u8]>)> {
    let mut files = page_files(&[]);
    files.extend(module.files());
    let mut manifest = Manifest::new(SHARD);
    manifest.assets = files.iter().map(|(path, bytes)| asset(path.clone(), bytes)).collect();
    let manifest = manifest.with_version();
    let worker = service_worker(manifest.version).map(|text| (SERVICE_WORKER, text));
    let texts = worker.into_iter().chain([(Manifest::FILE, manifest.text())]);
    files.extend(texts.map(|(path, text)| (path.to_owned(), Cow::Owned(text.into_bytes()))));
    files
}

/// The files of the page and of the module, and the first answers, which the manifest names too.
fn assets(
    folder: &Folder,
    contents: &Contents,
    module: Module,
    manifest: &mut Manifest,
) -> anyhow::Result<Vec<(String, Cow<'static, [u8]>)>> {
    let mut files = Vec::new();
    let (_links, library) = library(contents)?;
    let explorer = Explorer::new(library, Settings::in_browser());
    for (i, request) in site::prepared_requests(&contents.variants).into_iter().enumerate() {
        let path = format!("{ANSWERS}/{i}.json");
        files.push((path.clone(), site::answer(&explorer, &request)?.into()));
        manifest.answers.push(PreparedAnswer { request, path });
        if interrupt::requested() {
            return Err(folder.interrupted());
        }
    }
    files.extend(page_files(&manifest.answers));
    files.extend(module.files());
    files.sort_unstable_by(|(first, _), (second, _)| first.cmp(second));
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use super::*;

    #[test]
    fn a_folder_without_tables_has_what_its_manifest_says() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("fanorona.js"), "export {};").unwrap();
        fs::write(dir.path().join("fanorona_bg.packed"), b"\x1f\x8b").unwrap();
        let found = around(Module::of(Some(dir.path())).unwrap());
        let count = found.len();
        let mut files: BTreeMap<_, _> = found.into_iter().collect();
        assert_eq!(files.len(), count, "no path comes twice");

        let text = |bytes: Cow<'_, [u8]>| String::from_utf8(bytes.into_owned()).unwrap();
        let manifest = Manifest::parse(&text(files.remove(Manifest::FILE).unwrap())).unwrap();
        let worker = text(files.remove(SERVICE_WORKER).unwrap());
        assert!(worker.contains(&format!("\"{}\"", manifest.version)));
        assert_eq!(*files["assets/fanorona_bg.packed"], *b"\x1f\x8b");
        let mut listed = manifest.assets;
        listed.sort_unstable_by(|first, second| first.path.cmp(&second.path));
        let there: Vec<_> = files.into_iter().map(|(path, bytes)| asset(path, &bytes)).collect();
        assert_eq!(listed, there);
    }
}
