//! Saving and restoring checkpoints.

use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fanorona_core::{Board, RuleSet};
use fanorona_storage::{
    METADATA_LIMIT, PartialKind, ReplaceError, decode_metadata, encode_metadata, open_regular,
    write_atomically,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::stream::{Hashing, damaged, read_array};
use crate::builder::progress::{CheckpointEvent, Progress, Stage, UnsavedCheckpoint};
use crate::format::TableFile;
use crate::key::TableKey;
use crate::slice::{Slice, Unit};
use crate::value::Metric;

/// The version of the file form. It must change whenever the bytes of a checkpoint or their meaning
/// change.
const VERSION: u32 = 5;

const MAGIC: [u8; 8] = *b"FanoChck";

/// The temporary files of checkpoints.
pub(in crate::builder) const CHECKPOINT_FILE: PartialKind = PartialKind::new("checkpoint");

/// The identity of a checkpoint: what it is for, and the tables that it depends on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Identity {
    board: Board,
    rules: RuleSet,
    metric: Metric,
    /// The name of the method.
    method: String,
    unit: Slice,
    /// A checksum of the tables that the unit depends on.
    tables: u64,
}

/// Saves and restores the checkpoint of a unit.
pub(in crate::builder) struct CheckpointStore<'a> {
    path: PathBuf,
    identity: Identity,
    unit: Unit,
    interval: Option<Duration>,
    /// The time of the last checkpoint, or of the start.
    since: Instant,
    /// The last checkpoint, if it could not be saved.
    unsaved: Option<UnsavedCheckpoint>,
    progress: &'a dyn Progress,
}

impl<'a> CheckpointStore<'a> {
    /// The checkpoints of the unit of a slice, which a method solves and which depends on `tables`.
    /// `interval` is the time between checkpoints; with `None`, none are written.
    pub(in crate::builder) fn new(
        dir: &Path,
        key: TableKey,
        method: &str,
        tables: &[TableFile],
        interval: Option<Duration>,
        progress: &'a dyn Progress,
    ) -> Self {
        let unit = Unit::of(key.slice);
        let key = TableKey { slice: unit.stronger(), ..key };
        let sums: Vec<u8> =
            tables.iter().flat_map(|table| table.fingerprint().to_le_bytes()).collect();
        let identity = Identity {
            board: key.board,
            rules: key.rules,
            metric: key.metric,
            method: method.to_owned(),
            unit: key.slice,
            tables: xxh3_64(&sums),
        };
        Self {
            path: dir.join(format!("{key}.checkpoint")),
            identity,
            unit,
            interval,
            since: Instant::now(),
            unsaved: None,
            progress,
        }
    }

    /// Whether it is time for a checkpoint.
    pub(in crate::builder) fn is_due(&self) -> bool {
        self.interval.is_some_and(|interval| self.since.elapsed() >= interval)
    }

    /// Writes a checkpoint: a header, and what `write` writes. Reports an error and continues if
    /// that fails.
    pub(in crate::builder) fn save<H: Serialize>(
        &mut self,
        stage: Stage,
        header: &H,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) {
        if self.interval.is_none() {
            return;
        }
        let event = match self.try_save(header, write) {
            Ok(bytes) => {
                self.unsaved = None;
                CheckpointEvent::Saved { stage, bytes }
            }
            Err(error) => {
                let ReplaceError { operation, source, .. } = error;
                let unsaved = UnsavedCheckpoint {
                    unit: self.unit,
                    path: self.path.clone(),
                    kind: source.kind(),
                    why: format!("{}: {source}", operation.in_words()),
                };
                self.unsaved = Some(unsaved.clone());
                CheckpointEvent::NotSaved(unsaved)
            }
        };
        self.progress.checkpoint(self.unit, &event);
        self.since = Instant::now();
    }

    fn try_save<H: Serialize>(
        &self,
        header: &H,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<u64, ReplaceError> {
        write_atomically(&self.path, CHECKPOINT_FILE, |out| {
            // The header has a form of its own for each method.
            let header = encode_metadata(header).map_err(io::Error::other)?;
            let header = encode_metadata(&(&self.identity, header)).map_err(io::Error::other)?;
            let mut out = Hashing::new(out);
            out.write_all(&MAGIC)?;
            out.write_all(&VERSION.to_le_bytes())?;
            out.write_all(&(header.len() as u32).to_le_bytes())?;
            out.write_all(&header)?;
            write(&mut out)?;
            let digest = out.digest().to_le_bytes();
            out.write_all(&digest)?;
            Ok(out.bytes())
        })
    }

    /// The last checkpoint of the unit, if it could not be saved.
    pub(in crate::builder) fn unsaved(&self) -> Option<&UnsavedCheckpoint> {
        self.unsaved.as_ref()
    }

    /// Restores a checkpoint, if one exists and can be used. `read` receives the header and what
    /// [`save`](Self::save) wrote.
    pub(in crate::builder) fn restore<H: DeserializeOwned, T>(
        &self,
        read: impl FnOnce(H, &mut dyn Read) -> io::Result<(T, Stage)>,
    ) -> Option<T> {
        let file = match open_regular(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            opened => opened,
        };
        let restored = file.and_then(|file| self.try_restore(BufReader::new(file), read));
        let (event, result) = match restored {
            Ok((result, stage)) => (CheckpointEvent::Resumed { stage }, Some(result)),
            Err(error) => {
                let why = match error.kind() {
                    ErrorKind::UnexpectedEof => "it is truncated".to_owned(),
                    _ => error.to_string(),
                };
                (CheckpointEvent::Unusable { path: self.path.clone(), why }, None)
            }
        };
        self.progress.checkpoint(self.unit, &event);
        result
    }

    fn try_restore<H: DeserializeOwned, T>(
        &self,
        input: impl Read,
        read: impl FnOnce(H, &mut dyn Read) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut input = Hashing::new(input);
        if read_array(&mut input)? != MAGIC {
            return Err(damaged("it is not a checkpoint"));
        }
        let version = u32::from_le_bytes(read_array(&mut input)?);
        if version != VERSION {
            return Err(damaged(format!("it has version {version}, not {VERSION}")));
        }
        let length = u32::from_le_bytes(read_array(&mut input)?) as usize;
        if length > METADATA_LIMIT {
            return Err(damaged("its header is damaged"));
        }
        let mut header = vec![0; length];
        input.read_exact(&mut header)?;
        let is_damaged = |_| damaged("its header is damaged");
        let (identity, header): (Identity, Vec<u8>) =
            decode_metadata(&header).map_err(is_damaged)?;
        self.check_identity(&identity)?;
        let header: H = decode_metadata(&header).map_err(is_damaged)?;
        let result = read(header, &mut input)?;
        let digest = input.digest();
        if read_array(input.inner())? != digest.to_le_bytes() {
            return Err(damaged("its checksum differs"));
        }
        if input.read(&mut [0])? != 0 {
            return Err(damaged("it is too long"));
        }
        Ok(result)
    }

    fn check_identity(&self, found: &Identity) -> io::Result<()> {
        if *found == self.identity {
            return Ok(());
        }
        if (Identity { tables: self.identity.tables, ..found.clone() }) == self.identity {
            return Err(damaged("the tables that it depends on have changed"));
        }
        if (Identity { method: self.identity.method.clone(), ..found.clone() }) == self.identity {
            return Err(damaged(format!("it is of another method, {}", found.method)));
        }
        let Identity { board, rules, metric, unit: slice, .. } = *found;
        Err(damaged(format!("it is for {}", TableKey { board, rules, slice, metric })))
    }

    /// Removes the checkpoint of a unit whose tables are complete. Errors are ignored, because
    /// nothing reads the file any more.
    pub(in crate::builder) fn remove(&self) {
        let _ = std::fs::remove_file(&self.path);
    }
}
