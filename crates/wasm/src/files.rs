//! The files that a manifest names, to be read when their shards are there.

use std::sync::Arc;

use fanorona_explorer::site::{Manifest, ShardedFile, Table};
use fanorona_storage::{FetchedFile, FetchedFiles, PRELUDE, ShardStore, Shards};

/// The directory of the tables.
pub(crate) const TABLES: &str = "tables";

/// The directory of the certificates: none, so that their paths are their names.
pub(crate) const PROOFS: &str = "";

/// The files of a site.
#[derive(Debug)]
pub(crate) struct Files {
    /// Reading them asks for what is missing.
    pub all: FetchedFiles,
    /// Reading them does with what is there.
    pub as_they_are: FetchedFiles,
}

impl Files {
    /// The files of a manifest, whose shards are in a store.
    ///
    /// # Errors
    /// If a number of the manifest is impossible.
    pub(crate) fn new(manifest: &Manifest, store: &Arc<ShardStore>) -> Result<Self, String> {
        let fetched = |file: &ShardedFile| {
            let shards = Shards::new(file.bytes, manifest.shard);
            let shards = shards.ok_or("the manifest's size of shards is none")?;
            Ok::<_, String>(FetchedFile::new(store.clone(), shards, file.root.0))
        };
        let (mut all, mut as_they_are) = (FetchedFiles::default(), FetchedFiles::default());
        all.add_dir(TABLES);
        as_they_are.add_dir(TABLES);
        let heads = manifest.heads.as_ref().map(fetched).transpose()?.map(Arc::new);
        let mut at = 0;
        for Table { file, metadata, absent } in &manifest.tables {
            let (head, name) = (PRELUDE as u64, &file.name);
            if !(head..=file.bytes).contains(metadata) {
                return Err(format!("the manifest's metadata of {name} are outside the file"));
            }
            let mut table = fetched(file)?;
            if let Some(heads) = &heads {
                table = table.with_copy(0..head, heads.clone(), at);
                table = table.with_copy(*metadata..file.bytes, heads.clone(), at + head);
            }
            at += head + (file.bytes - metadata);
            if !absent {
                all.add(TABLES, name, table.clone());
                as_they_are.add(TABLES, name, table.as_it_is());
            }
        }
        for file in &manifest.proofs {
            all.add(PROOFS, &file.name, fetched(file)?.read_ahead());
        }
        Ok(Self { all, as_they_are })
    }
}
