//! The tables and certificates of the folder, and how they are cut into shards.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use fanorona_builder::BuildOptions;
use fanorona_core::{ErrorKind, RuleSet};
use fanorona_explorer::site::{Checksum, ShardedFile, Table};
use fanorona_explorer::{Library, LibraryOptions, Variant};
use fanorona_knowledge::StartFile;
use fanorona_storage::{PRELUDE, Sha256, cut, open_regular};
use fanorona_tablebase::{Metric, Slice, TableKey, Unit};
use rayon::prelude::*;

use super::folder::Folder;
use crate::advice;
use crate::failure::Failure;
use crate::interrupt;
use crate::options::{TableOptions, VariantsOptions, check_size};
use crate::progress::measured;

/// The contents of the folder besides the page.
pub(super) struct Contents {
    pub variants: Vec<Variant>,
    /// By their names, which differ.
    pub tables: Vec<ToCut>,
    /// The certificates of the starts and of first turns.
    pub proofs: Vec<ToCut>,
}

/// A file that is going to be cut.
pub(super) struct ToCut {
    pub name: String,
    pub bytes: u64,
    pub source: Source,
    /// The offset of the metadata of a table.
    pub metadata: Option<u64>,
}

pub(super) enum Source {
    File(PathBuf),
    Bytes(Cow<'static, [u8]>),
}

impl Contents {
    /// Chooses what is there: the tables with up to `stones` stones, all of which must be, or else all tables.
    pub(super) fn choose(
        asked: &VariantsOptions,
        tables: &TableOptions,
        stones: Option<u32>,
    ) -> anyhow::Result<Self> {
        let variants = variants(asked, tables, stones)?;
        // Smaller boards have all of theirs.
        let largest =
            variants.iter().map(|variant| variant.board).max_by_key(|board| board.max_stones());
        largest.map_or(Ok(()), |board| check_size(stones, &[], board))?;
        let mut contents = Self { variants, tables: Vec::new(), proofs: Vec::new() };
        for variant in contents.variants.clone() {
            if stones != Some(0) {
                contents.add_tables(variant, tables, stones)?;
            }
            contents.add_proofs(variant)?;
        }
        if contents.tables.is_empty() && stones != Some(0) {
            let Variant { board, rules } = contents.variants[0];
            return Err(tables.none_there(board, rules, None));
        }
        Ok(contents)
    }

    fn add_tables(
        &mut self,
        Variant { board, rules }: Variant,
        tables: &TableOptions,
        stones: Option<u32>,
    ) -> anyhow::Result<()> {
        let opened = tables.open(board, rules, stones)?.packed(board, rules)?;
        let is_wanted = |key: &TableKey| stones.is_none_or(|stones| key.slice.stones() <= stones);
        let mut names = BTreeSet::new();
        for table in opened.all()? {
            let key = table.metadata().key();
            if is_wanted(&key) {
                let name = key.file_name();
                names.insert(name.clone());
                // The second phase of the vela is played by other rules, which may be in the list.
                if self.tables.iter().all(|known| known.name != name) {
                    let source = Source::File(table.path().to_owned());
                    let (bytes, metadata) = (table.bytes(), Some(table.metadata_offset()));
                    self.tables.push(ToCut { name, bytes, source, metadata });
                }
            }
        }
        let Some(stones) = stones else { return Ok(()) };
        let is_missing = |slice: &Slice| {
            let mut keys =
                Metric::ALL.into_iter().map(|metric| TableKey::new(board, &rules, *slice, metric));
            keys.all(|key| !names.contains(&key.file_name()))
        };
        let slices = Unit::of_game(board, &rules, stones).flat_map(Unit::slices);
        let missing: Vec<_> = slices.filter(is_missing).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let options = BuildOptions::new(tables.dir_to_build(), board, rules, stones);
        let message = format!(
            "tables of {board} under {rules} are missing: {}; {}",
            listed(&missing),
            advice::to_build(&options)
        );
        Err(Failure::Other(ErrorKind::MissingTable, message).into())
    }

    fn add_proofs(&mut self, Variant { board, rules }: Variant) -> anyhow::Result<()> {
        for file in StartFile::of(board, &rules) {
            let (name, bytes, source) = match file {
                StartFile::Embedded(name, bytes) => {
                    (name.to_owned(), bytes.len() as u64, Source::Bytes(bytes.into()))
                }
                StartFile::Installed(path) => {
                    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                    let found = path.metadata();
                    let found =
                        found.with_context(|| format!("cannot read '{}'", path.display()))?;
                    (name, found.len(), Source::File(path))
                }
            };
            self.proofs.push(ToCut { name, bytes, source, metadata: None });
        }
        Ok(())
    }
}

/// The boards and rule sets that were asked for. Without a board, these are the boards that have tables.
fn variants(
    asked: &VariantsOptions,
    tables: &TableOptions,
    stones: Option<u32>,
) -> anyhow::Result<Vec<Variant>> {
    let with_tables = match stones {
        Some(0) => Vec::new(),
        _ => {
            let dirs = tables.checked_dirs()?.into_iter().map(ToOwned::to_owned);
            Library::new(LibraryOptions::new(dirs), Vec::new()).contents()
        }
    };
    let mut variants = Vec::new();
    for &rules in &asked.rules {
        let mut boards = asked.boards.clone();
        if boards.is_empty() {
            let of_rules = with_tables.iter().filter(|found| found.rules == rules);
            boards.extend(of_rules.map(|found| found.board));
            if boards.is_empty() {
                boards.push(Variant::default().board);
            }
        }
        for board in boards {
            let variant = Variant { board, rules };
            rules.check(board)?;
            if !variants.contains(&variant) {
                variants.push(variant);
            }
        }
    }
    // The page opens with the default one.
    let is_other = |variant: &Variant| {
        (variant.board != Variant::default().board, variant.rules != RuleSet::STANDARD)
    };
    variants.sort_by_key(is_other);
    Ok(variants)
}

/// Slices in words: "2v1, 1v2 and 9 more".
fn listed(slices: &[Slice]) -> String {
    const SHOWN: usize = 6;
    let shown = slices.iter().take(SHOWN).map(ToString::to_string).collect::<Vec<_>>().join(", ");
    match slices.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// A file that was cut.
pub(super) struct Cut {
    pub file: ShardedFile,
    /// The checksums of all its shards.
    pub shards: Vec<Checksum>,
    /// The beginning and the metadata of a table.
    head: Vec<u8>,
    metadata: Option<u64>,
}

impl Cut {
    /// The entry of a table in the manifest.
    pub(super) fn table(&self) -> Option<Table> {
        Some(Table { file: self.file.clone(), metadata: self.metadata?, absent: false })
    }
}

/// The heads of tables, cut as one file. `None` without tables.
pub(super) fn cut_heads(folder: &Folder, tables: &[Cut], size: u32) -> anyhow::Result<Option<Cut>> {
    if tables.is_empty() {
        return Ok(None);
    }
    let bytes: Vec<u8> = tables.iter().flat_map(|table| table.head.iter().copied()).collect();
    let file = ToCut {
        name: "heads".to_owned(),
        bytes: bytes.len() as u64,
        source: Source::Bytes(bytes.into()),
        metadata: None,
    };
    file.cut(folder, size, &AtomicU64::default()).map(Some)
}

/// Cuts files, and writes the shards that are not in the folder yet.
pub(super) fn cut_all(folder: &Folder, files: &[ToCut], size: u32) -> anyhow::Result<Vec<Cut>> {
    let all: u64 = files.iter().map(|file| file.bytes).sum();
    let done = Arc::new(AtomicU64::new(0));
    let count = done.clone();
    let fraction = move || count.load(Ordering::Relaxed) as f64 / all.max(1) as f64;
    let line = measured("writing shards".to_owned(), fraction);
    let cuts = files.par_iter().map(|file| file.cut(folder, size, &done)).collect();
    line.finish_and_clear();
    cuts
}

impl ToCut {
    fn cut(&self, folder: &Folder, size: u32, done: &AtomicU64) -> anyhow::Result<Cut> {
        let unreadable = || format!("cannot read '{}'", self.name);
        match &self.source {
            Source::Bytes(bytes) => self.cut_from(&**bytes, folder, size, done),
            Source::File(path) => {
                let file: File = open_regular(path).with_context(unreadable)?;
                self.cut_from(file, folder, size, done)
            }
        }
    }

    fn cut_from(
        &self,
        read: impl Read,
        folder: &Folder,
        size: u32,
        done: &AtomicU64,
    ) -> anyhow::Result<Cut> {
        let metadata = self.metadata.unwrap_or(u64::MAX);
        let kept = [0..PRELUDE as u64, metadata..u64::MAX];
        let mut hashed =
            Hashed { read, hash: Sha256::default(), kept, head: Vec::new(), at: 0, done };
        let (mut shards, mut failure) = (Vec::new(), None);
        let cut = cut(&mut hashed, size, |checksum, bytes| {
            if interrupt::requested() {
                failure = Some(folder.interrupted());
            } else if let Err(error) = folder.write_shard(Checksum(checksum), bytes) {
                failure = Some(error);
            }
            shards.push(Checksum(checksum));
            match failure {
                Some(_) => Err(io::ErrorKind::Other.into()),
                None => Ok(()),
            }
        });
        if let Some(failure) = failure {
            return Err(failure);
        }
        let (bytes, root) = cut.with_context(|| format!("cannot read '{}'", self.name))?;
        let (name, root) = (self.name.clone(), Checksum(root));
        if bytes != self.bytes {
            return Err(Failure::input(format!("'{name}' has changed while it was read")));
        }
        let Hashed { hash, head, .. } = hashed;
        let file = ShardedFile { name, bytes, root, sha256: hash.finish() };
        Ok(Cut { file, shards, head, metadata: self.metadata })
    }
}

/// Computes the hash of what is read, counts it, and keeps parts of it.
struct Hashed<'a, R> {
    read: R,
    hash: Sha256,
    /// The ranges of the file that are kept, in order.
    kept: [Range<u64>; 2],
    head: Vec<u8>,
    at: u64,
    done: &'a AtomicU64,
}

impl<R: Read> Read for Hashed<'_, R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.read.read(bytes)?;
        self.hash.write_all(&bytes[..count])?;
        let end = self.at + count as u64;
        for range in &self.kept {
            let [from, to] = [range.start, range.end].map(|bound| bound.clamp(self.at, end));
            self.head.extend(&bytes[(from - self.at) as usize..(to - self.at) as usize]);
        }
        self.at = end;
        self.done.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
