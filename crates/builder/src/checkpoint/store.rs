//! Saving and restoring checkpoints.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use fanorona_core::{Board, RuleSet, with_causes};
use fanorona_storage::{
    Access, Container, ContainerWriter, FileError, FileKind, Operation, checksum, decode, encode,
    encode_metadata,
};
use fanorona_tablebase::format::TableFile;
use fanorona_tablebase::{Metric, Result, Slice, TableError, TableKey, Unit, check_stop};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::extents::{CHECKPOINT_FILE, Extent, ExtentFile, damaged, of_system};
use super::unit_progress::UnitProgress;
use crate::context::BuildContext;
use crate::processes::Processes;
use crate::progress::CheckpointEvent;

/// The version of the file form. It must change whenever the bytes of a checkpoint or their meaning
/// change.
const VERSION: u32 = 14;

/// A manifest is a container of this kind. It is in the metadata.
const MANIFEST: FileKind =
    FileKind { name: "a checkpoint", magic: *b"FanoChck", version: VERSION, oldest: VERSION };

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

/// The file of a process, as the manifest lists it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct SavedFile {
    number: u32,
    /// Where its index is: what it has, as the method lists it.
    index: Extent,
}

/// The file that says what the others have. It is written last, and makes the checkpoint valid.
#[derive(Serialize, Deserialize)]
struct Manifest {
    identity: Identity,
    files: Vec<SavedFile>,
    done: UnitProgress,
}

/// Saves and restores the checkpoint of a unit: a *manifest* and a [file of extents](ExtentFile) of each
/// process, which also has what does not fit in memory. A new checkpoint adds what has changed, and
/// then the manifest is replaced. So the last checkpoint is complete at any time.
pub(crate) struct CheckpointStore<'a> {
    path: PathBuf,
    identity: Identity,
    unit: Unit,
    interval: Option<Duration>,
    /// The time of the last checkpoint, or of the start.
    since: Instant,
    /// The file of this process, and how the last checkpoint lists it, if it has one.
    file: Arc<ExtentFile>,
    own: Option<SavedFile>,
    /// The files of the last checkpoint that was saved or restored.
    files: Vec<SavedFile>,
    /// The last event, if it is that a checkpoint could not be saved.
    pub unsaved: Option<CheckpointEvent>,
    context: BuildContext<'a>,
}

impl<'a> CheckpointStore<'a> {
    /// The checkpoints of the unit of a slice, which a method solves and which depends on `tables`.
    /// `interval` is the time between checkpoints; with `None`, none are written, and what does not fit
    /// in memory goes to a temporary file. Each process writes its file, and the first one the manifest.
    pub(crate) fn new<'t>(
        dir: &Path,
        key: TableKey,
        method: &str,
        tables: impl Iterator<Item = &'t TableFile>,
        interval: Option<Duration>,
        context: &BuildContext<'a>,
    ) -> Self {
        let unit = key.unit();
        let sums: Vec<u8> = tables.flat_map(|table| table.fingerprint().to_le_bytes()).collect();
        let identity = Identity {
            board: key.board,
            rules: key.rules,
            metric: key.metric,
            method: method.to_owned(),
            unit: unit.stronger(),
            tables: checksum(&sums),
        };
        let file = match interval {
            Some(_) => ExtentFile::for_checkpoint(dir, context.sizes),
            None => ExtentFile::scratch(context.scratch_dir, context.sizes),
        };
        Self {
            path: path_of(dir, &key),
            identity,
            unit,
            interval,
            since: Instant::now(),
            file: Arc::new(file),
            own: None,
            files: Vec::new(),
            unsaved: None,
            context: *context,
        }
    }

    pub(crate) fn file(&self) -> &Arc<ExtentFile> {
        &self.file
    }

    /// Whether a checkpoint of this process is due: it is time, or too much is kept for the last one.
    fn is_due(&self) -> bool {
        let is_first = self.context.processes.is_first();
        let is_time = |interval| is_first && self.since.elapsed() >= interval;
        let is_overfull = || self.unsaved.is_none() && self.file.is_overfull();
        self.interval.is_some_and(|interval| is_time(interval) || is_overfull())
    }

    /// Saves a checkpoint if one is due or the build is being stopped. `result` is that of some work
    /// that all processes have done. `write` writes what is not in the file of this process, frees what
    /// is not needed any more, and returns the index of the file.
    ///
    /// If that fails, the last checkpoint stays, and an event reports the error. The result is an error if
    /// the work failed or the build is being stopped.
    pub(crate) fn save_if_due<I: Serialize>(
        &mut self,
        result: Result<()>,
        done: &UnitProgress,
        write: impl FnOnce(&ExtentFile) -> Result<I>,
    ) -> Result<()> {
        if let Err(error @ TableError::Exchange(_)) = result {
            // The other processes cannot be told.
            return Err(error);
        }
        let BuildContext { processes, progress, stop, .. } = self.context;
        let asking = vec![check_stop(stop).is_err().into(), self.is_due().into()];
        let asking = processes.sums(result.map(|()| asking))?;
        let [is_stopped, is_due] = [0, 1].map(|i| asking[i] > 0);
        if done.has_begun() && self.interval.is_some() && (is_due || is_stopped) {
            let before = self.file.written();
            let event = match self.try_save(done, write) {
                Ok((files, manifest)) => {
                    self.unsaved = None;
                    self.files = files;
                    self.file.release();
                    if processes.is_first() {
                        remove_files(&self.path, &self.files);
                    }
                    let bytes = self.file.written() - before + manifest;
                    let bytes = processes.gather(Ok(bytes))?.iter().sum();
                    CheckpointEvent::Saved { stage: done.stage(), bytes }
                }
                Err(TableError::File(error)) => self
                    .unsaved
                    .insert(CheckpointEvent::NotSaved { why: with_causes(&error) })
                    .clone(),
                Err(error) => return Err(error),
            };
            progress.checkpoint(self.unit, &event);
            self.since = Instant::now();
        }
        if is_stopped { Err(TableError::Stopped) } else { Ok(()) }
    }

    /// Writes what is not in the files, and then the manifest. Returns the files, and the bytes of the
    /// manifest in the first process. If a process cannot write, each has an error of a file.
    fn try_save<I: Serialize>(
        &mut self,
        done: &UnitProgress,
        write: impl FnOnce(&ExtentFile) -> Result<I>,
    ) -> Result<(Vec<SavedFile>, u64)> {
        let processes = self.context.processes;
        // Processes do not use the same numbers.
        let used = self.files.iter().chain(&self.own).map(|file| file.number);
        let next = processes.max(used.max().map_or(0, |last| u64::from(last) + 1))?;
        let number = self.own.map_or(next as u32 + processes.index() as u32, |own| own.number);
        let own = self.write_file(number, write);
        let all = processes.gather(Ok(own.as_ref().ok().copied()))?;
        own?;
        let files: Option<Vec<_>> = all.into_iter().collect();
        let files = files.ok_or_else(|| self.failed_elsewhere())?;
        let written = match processes.is_first() {
            true => self.write_manifest(done, &files),
            false => Ok(0),
        };
        let has_failed = processes.any(Ok(written.is_err()))?;
        let manifest = written?;
        if has_failed { Err(self.failed_elsewhere()) } else { Ok((files, manifest)) }
    }

    /// Brings the file of this process up to date, with its index.
    fn write_file<I: Serialize>(
        &mut self,
        number: u32,
        write: impl FnOnce(&ExtentFile) -> Result<I>,
    ) -> Result<SavedFile> {
        let path = file_path(&self.path, number);
        let index = write(&self.file).map_err(|error| match error {
            TableError::File(_) => error,
            other => TableError::io(Operation::Write, &path)(io::Error::other(other)),
        })?;
        let index = encode(&index).map_err(TableError::io(Operation::Write, &path))?;
        let own = SavedFile { number, index: self.file.write(&index)? };
        if let Some(last) = self.own.replace(own) {
            self.file.free(last.index);
        }
        self.file.pin(&path)?;
        Ok(own)
    }

    fn failed_elsewhere(&self) -> TableError {
        let source = io::Error::other("another process cannot write its part");
        TableError::io(Operation::Write, &self.path)(source)
    }

    /// Writes a manifest. Returns its bytes.
    fn write_manifest(&self, done: &UnitProgress, files: &[SavedFile]) -> Result<u64> {
        let (identity, files, done) = (self.identity.clone(), files.to_vec(), done.clone());
        let manifest = encode_metadata(&Manifest { identity, files, done });
        let manifest = manifest.map_err(FileError::io(Operation::Write, &self.path))?;
        let out = ContainerWriter::create(&self.path, MANIFEST, CHECKPOINT_FILE)?;
        Ok(out.finish(&[], &manifest)?)
    }

    /// Restores a checkpoint, if one exists and can be used by all processes. `new` is the progress of a
    /// unit that begins. `read` receives what the checkpoint has, and the files. It returns the number
    /// of complete rounds that the values show.
    pub(crate) fn restore<T>(
        &mut self,
        new: &UnitProgress,
        read: impl FnOnce(&UnitProgress, &SavedFiles<'_>) -> io::Result<(T, u32)>,
    ) -> Result<Option<(T, UnitProgress)>> {
        let BuildContext { processes, progress, .. } = self.context;
        let file = Container::open(&self.path, MANIFEST, Access::READ);
        let is_missing = matches!(&file, Err(error) if error.kind() == ErrorKind::NotFound);
        if processes.any(Ok(is_missing))? {
            if processes.is_first() {
                remove_files(&self.path, &[]);
            }
            return Ok(None);
        }
        let restored = file.and_then(|file| file.metadata::<Manifest>(&[])).map_err(of_system);
        let restored = restored.and_then(|Manifest { identity, files, done }| {
            self.check_identity(&identity)?;
            let done = done.restored(new)?;
            let (manifest, new, process) = (&self.path, &self.file, processes.index());
            let mut saved = SavedFiles { manifest, files: &files, process, new, own: None };
            if files.len() == processes.count() {
                saved.own = Some(saved.open(process)?);
            }
            let (result, rounds) = read(&done, &saved)?;
            let own = saved.own.map(|(own, _)| own);
            if let Some(own) = &own {
                let settled = own.claim(files[process].index).and_then(|()| own.settle());
                settled.map_err(|error| of_file(files[process].number, &error))?;
            }
            Ok((result, done.with_rounds(rounds)?, files, own))
        });
        let restored = match (processes.any(Ok(restored.is_err()))?, restored) {
            (true, Ok(_)) => Err(damaged("another process cannot read it")),
            (_, restored) => restored,
        };
        let (event, result) = match restored {
            Ok((result, mut done, files, own)) => {
                // The longest distance can be in another process.
                done.rounds = processes.max(done.rounds.into())? as u32;
                if let Some(file) = own {
                    (self.file, self.own) = (file, Some(files[processes.index()]));
                }
                if processes.is_first() {
                    remove_files(&self.path, &files);
                }
                self.files = files;
                (CheckpointEvent::Resumed { stage: done.stage() }, Some((result, done)))
            }
            Err(error) => {
                let why = in_words(&error);
                (CheckpointEvent::Unusable { path: self.path.clone(), why }, None)
            }
        };
        progress.checkpoint(self.unit, &event);
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
}

/// The file of the checkpoint of a unit, given the key of one of its tables.
fn path_of(dir: &Path, key: &TableKey) -> PathBuf {
    let key = TableKey { slice: key.unit().stronger(), ..*key };
    dir.join(format!("{key}.checkpoint"))
}

/// Removes the checkpoint of a unit whose tables are complete, given the key of one of them, if this is
/// the first process. Errors are ignored, because nothing reads the files any more.
pub(crate) fn remove_checkpoint(dir: &Path, key: &TableKey, processes: Processes<'_>) {
    if processes.is_first() {
        let path = path_of(dir, key);
        let _ = std::fs::remove_file(&path);
        remove_files(&path, &[]);
    }
}

/// The files of a checkpoint that is restored.
pub(crate) struct SavedFiles<'s> {
    manifest: &'s Path,
    files: &'s [SavedFile],
    process: usize,
    /// The file of this process for what is new.
    new: &'s Arc<ExtentFile>,
    /// That of the checkpoint with its index, if the build goes on with it.
    own: Option<OpenFile>,
}

/// A file of a checkpoint, and its index.
type OpenFile = (Arc<ExtentFile>, Vec<u8>);

impl SavedFiles<'_> {
    /// The number of processes that have saved it. If it is that of this build, the build goes on with
    /// the files. Then everything that an index lists has to be claimed.
    pub(crate) fn count(&self) -> usize {
        self.files.len()
    }

    /// The file of this process in which the build goes on.
    pub(crate) fn file(&self) -> &Arc<ExtentFile> {
        self.own.as_ref().map_or(self.new, |(file, _)| file)
    }

    /// Reads something of the file of each process, given its index: the own one if the build goes on
    /// with it, and otherwise all.
    pub(crate) fn read_each<I: DeserializeOwned>(
        &self,
        mut read: impl FnMut(usize, &Arc<ExtentFile>, I) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut read = |process: usize, (file, index): &OpenFile| {
            let index = decode(index).map_err(|_| damaged("its index is damaged"));
            let done = index.and_then(|index| read(process, file, index));
            done.map_err(|error| of_file(self.files[process].number, &error))
        };
        match &self.own {
            Some(own) => read(self.process, own),
            None => (0..self.count()).try_for_each(|process| read(process, &self.open(process)?)),
        }
    }

    fn open(&self, process: usize) -> io::Result<OpenFile> {
        let SavedFile { number, index } = self.files[process];
        let open = || {
            let path = file_path(self.manifest, number);
            let file = ExtentFile::open(&path, self.new.sizes).map_err(of_system)?;
            // Not more memory than the file has bytes.
            file.check(index)?;
            let mut bytes = vec![0; index.len()];
            file.read(index, &mut bytes).map_err(of_system)?;
            Ok((Arc::new(file), bytes))
        };
        open().map_err(|error| of_file(number, &error))
    }
}

fn of_file(number: u32, error: &io::Error) -> io::Error {
    damaged(format!("its file {number}: {}", in_words(error)))
}

fn file_path(manifest: &Path, number: u32) -> PathBuf {
    let mut path = manifest.as_os_str().to_owned();
    path.push(format!("-{number}"));
    path.into()
}

/// Removes the files of a checkpoint except some. Errors are ignored: the files only take space.
fn remove_files(manifest: &Path, except: &[SavedFile]) {
    let Some(name) = manifest.file_name().and_then(|name| name.to_str()) else { return };
    let files = manifest.parent().and_then(|dir| std::fs::read_dir(dir).ok());
    for file in files.into_iter().flatten().flatten() {
        let found = file.file_name();
        let number = found.to_str().and_then(|found| found.strip_prefix(name)?.strip_prefix('-'));
        let Some(number) = number.and_then(|number| number.parse::<u32>().ok()) else { continue };
        if !except.iter().any(|saved| saved.number == number) {
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
