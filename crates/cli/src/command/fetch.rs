//! `fetch`: downloads the tables of a manifest.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use clap::Args;
use fanorona_fetch::{Client, FetchError, beside};
use fanorona_storage::{ListedFile, Manifest, Sha256};
use fanorona_tablebase::{Layout, Metric, TableFile, TableKey};
use serde::Serialize;

use super::slice_report::SliceReport;
use crate::failure::Failure;
use crate::human::{counted, grouped, size};
use crate::interrupt;
use crate::options::{MetricOption, OutputOptions, SelectionOptions, TableOptions};
use crate::progress::measured;

/// The longest manifest that is read, in bytes.
const MAX_MANIFEST: usize = 64 << 20;

/// Download the tables of a manifest, and verify them
#[derive(Debug, Args)]
#[command(after_help = "\
The manifest is a file of 'fanorona tables --manifest', and the tables are beside it. A table gets its \
name when its SHA-256 is that of the manifest. After an interruption the same command goes on from what \
has arrived. A server that sends to another address is not followed: the message names that address.

Example:
  fanorona fetch https://example.org/9x5_standard/9x5_standard.json --stones 6")]
pub(crate) struct Fetch {
    /// Address of the manifest, by HTTP or HTTPS
    #[arg(value_name = "URL")]
    address: String,

    /// The SHA-256 of the manifest, if you have it from somebody you trust: nothing is fetched if it
    /// differs
    #[arg(long, value_name = "HEX")]
    sha256: Option<Sha256>,

    #[command(flatten)]
    selection: SelectionOptions,

    /// Only tables of this metric [default: both]
    #[arg(long, value_name = "METRIC")]
    metric: Option<MetricOption>,

    /// Only list what would be downloaded
    #[arg(long)]
    estimate: bool,

    #[command(flatten)]
    tables: TableOptions,

    #[command(flatten)]
    form: OutputOptions,
}

#[derive(Serialize)]
struct Report {
    slices: Vec<SliceReport>,
}

#[derive(Serialize)]
struct EstimateReport<'a> {
    bytes: u64,
    files: Vec<&'a str>,
}

impl Fetch {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.form.output();
        let dir = self.tables.one_dir()?;
        interrupt::install()?;
        let client = Client::default();
        // Before anything is asked for.
        beside(&self.address, "")?;
        let manifest = self.manifest(&client)?;
        let chosen = self.chosen(&manifest)?;
        let bytes = chosen.iter().map(|file| file.bytes).sum();
        if self.estimate {
            let files: Vec<_> = chosen.iter().map(|file| &*file.name).collect();
            let tables = counted(files.len(), "table");
            output.text(format_args!("{}\n{tables}, {}", files.join("\n"), size(bytes)));
            output.json(&EstimateReport { bytes, files });
            return Ok(());
        }
        fs::create_dir_all(dir)
            .with_context(|| format!("cannot create the directory '{}'", dir.display()))?;
        let slices = self.fetch(&client, &chosen, dir, bytes)?;
        let new = slices.iter().filter(|slice| slice.written == Some(true)).count();
        let tables = counted(slices.len(), "table");
        output.text(format_args!("{tables} in {}, {} of them new", dir.display(), grouped(new)));
        output.json(&Report { slices });
        Ok(())
    }

    /// The list of files.
    fn manifest(&self, client: &Client) -> anyhow::Result<Manifest> {
        let address = &self.address;
        let bytes = client.bytes(address, MAX_MANIFEST, interrupt::flag())?;
        let found = Sha256::of(&bytes);
        if let Some(expected) = self.sha256.filter(|expected| *expected != found) {
            return Err(Failure::Check(format!(
                "the SHA-256 of {address} is {found}, and should be {expected}"
            ))
            .into());
        }
        let not_one = |why: &dyn std::fmt::Display| {
            Failure::input(format!("{address} is not a manifest of tables: {why}"))
        };
        let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|error| not_one(&error))?;
        match manifest.is_supported() {
            true => Ok(manifest),
            false => Err(not_one(&format_args!("its format {} is not known", manifest.format))),
        }
    }

    /// The files that were asked for. A manifest that names other files than tables is refused.
    fn chosen<'m>(&self, manifest: &'m Manifest) -> anyhow::Result<Vec<&'m ListedFile>> {
        let metric = self.metric.map(Metric::from);
        let mut chosen = Vec::new();
        for file in &manifest.files {
            let Ok((key, Layout::Packed)) = TableKey::of_file_name(&file.name) else {
                let name = &file.name;
                return Err(Failure::input(format!(
                    "the manifest lists '{name}', which is no table"
                )));
            };
            let selection = self.selection.resolve(key.board)?;
            if selection.contains(key.slice) && metric.is_none_or(|metric| metric == key.metric) {
                chosen.push(file);
            }
        }
        match chosen.is_empty() {
            true => Err(Failure::input("the manifest lists no such tables")),
            false => Ok(chosen),
        }
    }

    fn fetch(
        &self,
        client: &Client,
        files: &[&ListedFile],
        dir: &Path,
        bytes: u64,
    ) -> anyhow::Result<Vec<SliceReport>> {
        let done = Arc::new(AtomicU64::new(0));
        let count = done.clone();
        let fraction = move || count.load(Ordering::Relaxed) as f64 / bytes.max(1) as f64;
        let line = measured(format!("fetching {}", size(bytes)), fraction);
        let (mut slices, mut before) = (Vec::new(), 0);
        for file in files {
            let to = dir.join(&file.name);
            let address = beside(&self.address, &file.name)?;
            let arrived = |bytes| done.store(before + bytes, Ordering::Relaxed);
            let known = (file.bytes, file.sha256);
            let is_new = match client.file(&address, &to, known, interrupt::flag(), arrived) {
                Err(FetchError::Stopped) => {
                    let tables = counted(slices.len(), "table");
                    let dir = dir.display();
                    return Err(Failure::Interrupted(format!(
                        "{tables} in {dir} finished; the same command goes on from there"
                    ))
                    .into());
                }
                result => result?,
            };
            before += file.bytes;
            done.store(before, Ordering::Relaxed);
            let table = TableFile::open(&to)?;
            let report = SliceReport::new(&table, &table.metadata().rules);
            slices.push(SliceReport { written: Some(is_new), ..report });
        }
        line.finish_and_clear();
        Ok(slices)
    }
}
