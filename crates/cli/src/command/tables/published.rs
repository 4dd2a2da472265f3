//! Tables for others to fetch: a manifest, a card for people, and a torrent, beside the tables.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use fanorona_storage::{ListedFile, Manifest, Sha256, Sha256Hasher, open_regular};
use fanorona_tablebase::Tables;

use super::card::card;
use super::data_set::{AboutTable, DataSet};
use super::torrent::Torrent;
use crate::command::slice_report::SliceReport;
use crate::destination::Destination;
use crate::failure::Failure;
use crate::interrupt;
use crate::progress::measured;

/// The bytes that are read at once.
const CHUNK: usize = 1 << 20;

/// Writes the manifest, the card and the torrent of the tables of a directory into it. Returns the
/// names of these files.
///
/// # Errors
/// If a table cannot be read or a file not be written, or after Ctrl-C.
pub(super) fn publish(
    tables: &Tables,
    slices: &[SliceReport],
    web_seed: Option<&str>,
) -> anyhow::Result<Vec<String>> {
    let [dir] = tables.dirs() else {
        return Err(Failure::input("--manifest is about one directory: name it with --tables"));
    };
    interrupt::install()?;
    let (board, rules) = (tables.board(), tables.rules());
    let set = DataSet { name: format!("{board}_{rules}"), board, rules, web_seed };
    let total = slices.iter().map(|slice| slice.statistics.bytes).sum();
    let mut torrent = Torrent::new(&set.name, total);
    let done = Arc::new(AtomicU64::new(0));
    let count = done.clone();
    let fraction = move || count.load(Ordering::Relaxed) as f64 / total as f64;
    let line = measured("reading tables".to_owned(), fraction);
    let mut listed = Vec::new();
    for (table, slice) in tables.all()?.into_iter().zip(slices) {
        let sha256 = read(table.path(), &mut torrent, &done)?;
        let name = table.metadata().key().file_name();
        torrent.end_file(&name);
        let metadata = table.metadata();
        let command = set.command(metadata.slice.stones(), metadata.metric);
        let about = AboutTable { version: table.version(), command, slice };
        listed.push(ListedFile { name, bytes: table.bytes(), sha256, about });
    }
    line.finish_and_clear();
    let manifest = Manifest::new(concat!("fanorona ", env!("CARGO_PKG_VERSION")), listed);
    let text = serde_json::to_string_pretty(&manifest)? + "\n";
    let files = [
        ("json", "the manifest", text.into_bytes()),
        ("md", "the card", card(&set, &manifest).into_bytes()),
    ];
    let mut names = Vec::new();
    let mut write = |end: &str, what: &'static str, bytes: &[u8]| {
        let name = format!("{}.{end}", set.name);
        Destination { what, option: "--manifest", path: &dir.join(&name) }.write(bytes)?;
        names.push(name.clone());
        anyhow::Ok(name)
    };
    for (end, what, bytes) in files {
        torrent.add(&bytes);
        torrent.end_file(&write(end, what, &bytes)?);
    }
    write("torrent", "the torrent", &torrent.finish(web_seed))?;
    Ok(names)
}

/// Reads a file into a torrent, and returns its hash.
fn read(path: &Path, torrent: &mut Torrent, done: &AtomicU64) -> anyhow::Result<Sha256> {
    let unreadable = || format!("cannot read '{}'", path.display());
    let mut file = open_regular(path).with_context(unreadable)?;
    let (mut sha256, mut bytes) = (Sha256Hasher::default(), vec![0; CHUNK]);
    loop {
        if interrupt::requested() {
            return Err(Failure::Interrupted("nothing was written".to_owned()).into());
        }
        match file.read(&mut bytes).with_context(unreadable)? {
            0 => return Ok(sha256.finish()),
            count => {
                sha256.write_all(&bytes[..count])?;
                torrent.add(&bytes[..count]);
                done.fetch_add(count as u64, Ordering::Relaxed);
            }
        }
    }
}
