//! Saving and restoring checkpoints.

use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fanorona_core::{Board, RuleSet, with_causes};
use fanorona_storage::{
    FileError, METADATA_LIMIT, Operation, PartialKind, decode_metadata, encode_metadata,
    open_regular, write_atomically,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::stream::{Hashing, damaged, read_array};
use crate::builder::progress::{CheckpointEvent, Progress, Stage, UnsavedCheckpoint};
use crate::builder::ranks::Processes;
use crate::format::TableFile;
use crate::key::TableKey;
use crate::slice::{Slice, Unit};
use crate::value::Metric;

/// The version of the file form. It must change whenever the bytes of a checkpoint or their meaning
/// change.
const VERSION: u32 = 11;

const MAGIC: [u8; 8] = *b"FanoChck";

/// The temporary files of checkpoints and their parts.
pub(in crate::builder) const CHECKPOINT_FILE: PartialKind = PartialKind::new("checkpoint");

/// The identity of a checkpoint: what it is for, and the tables that it depends on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Identity {
    board: Board,
    rules: RuleSet,
    metric: Metric,
    method: String,
    unit: Slice,
    /// A checksum of the tables that the unit depends on.
    tables: u64,
}

/// Names the contents of a part of a checkpoint, so that a resumed build finds them.
pub(in crate::builder) trait Content:
    Clone + Serialize + DeserializeOwned
{
}

impl<C: Clone + Serialize + DeserializeOwned> Content for C {}

/// A file with a part of a checkpoint, as the manifest lists it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(in crate::builder) struct PartFile {
    /// The number in its name.
    number: u32,
    bytes: u64,
    checksum: u64,
}

/// The file that lists the parts of a checkpoint. It is written last, and makes the checkpoint valid.
#[derive(Serialize, Deserialize)]
struct Manifest {
    identity: Identity,
    parts: Vec<PartFile>,
    /// The header, encoded.
    header: Vec<u8>,
}

/// A checkpoint that was saved.
struct Saved<C> {
    /// The bytes that all processes have written.
    bytes: u64,
    /// The parts of this process.
    own: Vec<(C, PartFile)>,
    /// The parts of all processes.
    all: Vec<PartFile>,
}

/// Saves and restores the checkpoint of a unit.
///
/// A checkpoint is a *manifest* and files with its parts. A new checkpoint has the unchanged parts
/// of the last one, and new files for the others. Then the manifest is replaced, and the files that
/// it does not list are removed. So the last checkpoint is complete at any time, and saving takes
/// time and space only for what has changed.
pub(in crate::builder) struct CheckpointStore<'a> {
    path: PathBuf,
    identity: Identity,
    unit: Unit,
    interval: Option<Duration>,
    /// The time of the last checkpoint, or of the start.
    since: Instant,
    /// The parts of the last checkpoint that was saved or restored.
    parts: Vec<PartFile>,
    /// The last checkpoint, if it could not be saved.
    unsaved: Option<UnsavedCheckpoint>,
    progress: &'a dyn Progress,
    processes: Processes<'a>,
}

impl<'a> CheckpointStore<'a> {
    /// The checkpoints of the unit of a slice, which a method solves and which depends on `tables`.
    /// `interval` is the time between checkpoints; with `None`, none are written. Each process
    /// writes its parts, and the first one the manifest.
    pub(in crate::builder) fn new<'t>(
        dir: &Path,
        key: TableKey,
        method: &str,
        tables: impl Iterator<Item = &'t TableFile>,
        interval: Option<Duration>,
        progress: &'a dyn Progress,
        processes: Processes<'a>,
    ) -> Self {
        let unit = key.unit();
        let sums: Vec<u8> = tables.flat_map(|table| table.fingerprint().to_le_bytes()).collect();
        let identity = Identity {
            board: key.board,
            rules: key.rules,
            metric: key.metric,
            method: method.to_owned(),
            unit: unit.stronger(),
            tables: xxh3_64(&sums),
        };
        Self {
            path: path_of(dir, &key),
            identity,
            unit,
            interval,
            since: Instant::now(),
            parts: Vec::new(),
            unsaved: None,
            progress,
            processes,
        }
    }

    /// Whether it is time for a checkpoint.
    pub(in crate::builder) fn is_due(&self) -> bool {
        self.interval.is_some_and(|interval| self.since.elapsed() >= interval)
    }

    /// Writes a checkpoint. `write` writes the parts of this process that have changed, and returns
    /// all its parts: those, and unchanged ones of the last checkpoint, each with its content.
    /// `header` receives the contents of all processes. Returns the parts of this process.
    ///
    /// If that fails, the last checkpoint stays, an event reports the error, and the result is
    /// `None`.
    ///
    /// # Errors
    /// If processes cannot exchange data.
    pub(in crate::builder) fn save<C: Content, H: Serialize>(
        &mut self,
        stage: Stage,
        write: impl FnOnce(&mut PartWriter<'_>) -> Result<Vec<(C, PartFile)>, FileError>,
        header: impl FnOnce(Vec<C>) -> H,
    ) -> crate::Result<Option<Vec<(C, PartFile)>>> {
        if self.interval.is_none() {
            return Ok(None);
        }
        let (event, saved) = match self.try_save(write, header)? {
            Ok(Saved { bytes, own, all }) => {
                self.unsaved = None;
                self.parts = all;
                (CheckpointEvent::Saved { stage, bytes }, Some(own))
            }
            Err(error) => {
                let unsaved = UnsavedCheckpoint {
                    unit: self.unit,
                    path: self.path.clone(),
                    kind: error.kind(),
                    why: with_causes(&error),
                };
                self.unsaved = Some(unsaved.clone());
                (CheckpointEvent::NotSaved(unsaved), None)
            }
        };
        if self.processes.is_first() {
            remove_parts(&self.path, &self.parts);
        }
        self.progress.checkpoint(self.unit, &event);
        self.since = Instant::now();
        Ok(saved)
    }

    /// Writes parts and then the manifest.
    fn try_save<C: Content, H: Serialize>(
        &self,
        write: impl FnOnce(&mut PartWriter<'_>) -> Result<Vec<(C, PartFile)>, FileError>,
        header: impl FnOnce(Vec<C>) -> H,
    ) -> crate::Result<Result<Saved<C>, FileError>> {
        let processes = self.processes;
        // Processes do not use the same numbers.
        let next = self.parts.iter().map(|part| part.number + 1).max().unwrap_or(0);
        let next = processes.max(next.into())? as u32;
        let next = next.next_multiple_of(processes.count() as u32) + processes.rank() as u32;
        let step = processes.count() as u32;
        let mut writer = PartWriter { manifest: &self.path, next, step, bytes: 0 };
        let own = write(&mut writer);
        let encoded = own.as_ref().map_or_else(|_| Ok(Vec::new()), encode_metadata);
        let all = processes.gather(Ok(encoded.unwrap_or_default()))?;
        let decoded: Result<Vec<Vec<(C, PartFile)>>, _> =
            all.iter().map(|parts| decode_metadata(parts)).collect();
        let (own, all) = match (own, decoded) {
            (Ok(own), Ok(all)) => (own, all),
            (Err(error), _) => return Ok(Err(error)),
            (Ok(_), Err(_)) => return Ok(Err(self.failed_elsewhere())),
        };
        let (contents, all): (_, Vec<_>) = all.into_iter().flatten().unzip();
        let written = match processes.is_first() {
            true => self.write_manifest(header(contents), &all),
            false => Ok(0),
        };
        let bytes = writer.bytes + written.as_ref().map_or(0, |bytes| *bytes);
        let bytes = processes.sums(Ok(vec![bytes]))?[0];
        Ok(match (processes.any(Ok(written.is_err()))?, written) {
            (_, Err(error)) => Err(error),
            (true, Ok(_)) => Err(self.failed_elsewhere()),
            (false, Ok(_)) => Ok(Saved { bytes, own, all }),
        })
    }

    fn failed_elsewhere(&self) -> FileError {
        let source = io::Error::other("another process cannot write its parts");
        FileError::io(Operation::Write, &self.path)(source)
    }

    /// Writes a manifest. Returns its bytes.
    fn write_manifest(&self, header: impl Serialize, parts: &[PartFile]) -> Result<u64, FileError> {
        write_atomically(&self.path, CHECKPOINT_FILE, |out| {
            let header = encode_metadata(&header).map_err(io::Error::other)?;
            let (identity, parts) = (self.identity.clone(), parts.to_vec());
            let manifest = Manifest { identity, parts, header };
            let manifest = encode_metadata(&manifest).map_err(io::Error::other)?;
            let mut out = Hashing::new(out);
            out.write_all(&MAGIC)?;
            out.write_all(&VERSION.to_le_bytes())?;
            out.write_all(&(manifest.len() as u32).to_le_bytes())?;
            out.write_all(&manifest)?;
            let digest = out.digest().to_le_bytes();
            out.write_all(&digest)?;
            Ok(out.count())
        })
    }

    /// The last checkpoint of the unit, if it could not be saved.
    pub(in crate::builder) fn unsaved(&self) -> Option<&UnsavedCheckpoint> {
        self.unsaved.as_ref()
    }

    /// Restores a checkpoint, if one exists and can be used by all processes. `read` receives the
    /// header, all parts as [`save`](Self::save) listed them, and what reads them.
    ///
    /// # Errors
    /// If processes cannot exchange data.
    pub(in crate::builder) fn restore<H: DeserializeOwned, T>(
        &mut self,
        read: impl FnOnce(H, &[PartFile], &PartReader<'_>) -> io::Result<(T, Stage)>,
    ) -> crate::Result<Option<T>> {
        let file = open_regular(&self.path);
        let is_missing = matches!(&file, Err(error) if error.kind() == ErrorKind::NotFound);
        if self.processes.any(Ok(is_missing))? {
            return Ok(None);
        }
        let restored = file.and_then(|file| {
            let Manifest { parts, header, .. } = self.read_manifest(BufReader::new(file))?;
            let header = decode_metadata(&header).map_err(|_| damaged("its header is damaged"))?;
            let reader = PartReader { manifest: &self.path };
            Ok((read(header, &parts, &reader)?, parts))
        });
        let restored = match (self.processes.any(Ok(restored.is_err()))?, restored) {
            (true, Ok(_)) => Err(damaged("another process cannot read it")),
            (_, restored) => restored,
        };
        let (event, result) = match restored {
            Ok(((result, stage), parts)) => {
                self.parts = parts;
                (CheckpointEvent::Resumed { stage }, Some(result))
            }
            Err(error) => {
                let why = in_words(&error);
                (CheckpointEvent::Unusable { path: self.path.clone(), why }, None)
            }
        };
        self.progress.checkpoint(self.unit, &event);
        Ok(result)
    }

    fn read_manifest(&self, input: impl Read) -> io::Result<Manifest> {
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
        let mut manifest = vec![0; length];
        input.read_exact(&mut manifest)?;
        let digest = input.digest();
        if read_array(input.inner())? != digest.to_le_bytes() {
            return Err(damaged("its checksum differs"));
        }
        if input.read(&mut [0])? != 0 {
            return Err(damaged("it is too long"));
        }
        let manifest: Manifest =
            decode_metadata(&manifest).map_err(|_| damaged("its header is damaged"))?;
        self.check_identity(&manifest.identity)?;
        Ok(manifest)
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
}

/// The file of the checkpoint of a unit, given the key of one of its tables.
fn path_of(dir: &Path, key: &TableKey) -> PathBuf {
    let key = TableKey { slice: key.unit().stronger(), ..*key };
    dir.join(format!("{key}.checkpoint"))
}

/// Removes the checkpoint of a unit whose tables are complete, given the key of one of them. Errors
/// are ignored, because nothing reads the files any more.
pub(in crate::builder) fn remove_checkpoint(dir: &Path, key: &TableKey) {
    let path = path_of(dir, key);
    let _ = std::fs::remove_file(&path);
    remove_parts(&path, &[]);
}

/// Writes the parts of a checkpoint.
pub(in crate::builder) struct PartWriter<'p> {
    manifest: &'p Path,
    /// The number of the next part, and of the one after it less that.
    next: u32,
    step: u32,
    /// The bytes of the parts that were written.
    bytes: u64,
}

impl PartWriter<'_> {
    /// Writes a part: what `write` writes.
    pub(in crate::builder) fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<PartFile, FileError> {
        let number = self.next;
        let path = part_path(self.manifest, number);
        let (bytes, checksum) = write_atomically(path, CHECKPOINT_FILE, |out| {
            let mut out = Hashing::new(out);
            write(&mut out)?;
            Ok((out.count(), out.digest()))
        })?;
        self.next += self.step;
        self.bytes += bytes;
        Ok(PartFile { number, bytes, checksum })
    }
}

/// Reads the parts of a checkpoint.
pub(in crate::builder) struct PartReader<'p> {
    manifest: &'p Path,
}

impl PartReader<'_> {
    /// Reads a part: `read` receives what was written. The result can be used only if this is
    /// without error, because the checksum is compared at the end.
    pub(in crate::builder) fn read<T>(
        &self,
        part: &PartFile,
        read: impl FnOnce(&mut dyn Read) -> io::Result<T>,
    ) -> io::Result<T> {
        let checked = || {
            let file = open_regular(part_path(self.manifest, part.number))?;
            let mut input = Hashing::new(BufReader::new(file));
            let result = read(&mut input)?;
            if input.read(&mut [0])? != 0 {
                return Err(damaged("it is too long"));
            }
            if (input.count(), input.digest()) != (part.bytes, part.checksum) {
                return Err(damaged("its checksum differs"));
            }
            Ok(result)
        };
        checked()
            .map_err(|error| damaged(format!("its part {}: {}", part.number, in_words(&error))))
    }
}

fn part_path(manifest: &Path, number: u32) -> PathBuf {
    let mut path = manifest.as_os_str().to_owned();
    path.push(format!("-{number}"));
    path.into()
}

/// Removes the parts of a checkpoint except some. Errors are ignored: the files only take space.
fn remove_parts(manifest: &Path, except: &[PartFile]) {
    let Some(name) = manifest.file_name().and_then(|name| name.to_str()) else { return };
    let files = manifest.parent().and_then(|dir| std::fs::read_dir(dir).ok());
    for file in files.into_iter().flatten().flatten() {
        let found = file.file_name();
        let number = found.to_str().and_then(|found| found.strip_prefix(name)?.strip_prefix('-'));
        let Some(number) = number.and_then(|number| number.parse::<u32>().ok()) else { continue };
        if !except.iter().any(|part| part.number == number) {
            let _ = std::fs::remove_file(file.path());
        }
    }
}

/// An error of reading, as a clause about "it".
fn in_words(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => "it is truncated".to_owned(),
        ErrorKind::NotFound => "it is missing".to_owned(),
        _ => error.to_string(),
    }
}
