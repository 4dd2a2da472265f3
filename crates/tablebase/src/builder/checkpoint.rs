//! Checkpoints: what a unit at work has come to, kept now and then in a file, so that a build that
//! is killed loses minutes and not the unit.
//!
//! A checkpoint is for the program that wrote it and of no use to others: whatever is not exactly
//! as expected (its version, what it is for, the tables it rests on, its checksum) makes it
//! unusable, and the unit begins anew. `docs/BUILDING.md` tells what stands in it.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fanorona_core::{Board, RuleSet};
use fanorona_storage::{
    AtomicFile, METADATA_LIMIT, ReplaceError, decode_metadata, encode_metadata, open_regular,
};
use rayon::prelude::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::{Phase, Progress};
use crate::format::{PARTIAL, TableFile};
use crate::slice::{Slice, Unit};
use crate::value::Metric;

/// Changes with the bytes of a checkpoint and with what they mean to a solver.
const VERSION: u32 = 1;

const MAGIC: [u8; 8] = *b"FanoChck";

/// How hard zstd tries: a build waits for it.
const LEVEL: i32 = 1;

/// Bytes that are packed together.
const FRAME: usize = 1 << 20;

/// Frames that are packed or unpacked at a time, and so held in memory.
const BATCH: usize = 64;

/// What became of a unit's checkpoint.
#[derive(Clone, PartialEq, Debug)]
pub enum Checkpoint {
    /// It was written.
    Saved {
        /// What the builder was doing.
        phase: Phase,
        /// How much of that phase was done, from 0 to 1.
        share: f64,
        /// The size of the file.
        bytes: u64,
    },
    /// Work goes on from it.
    Resumed {
        /// What the builder was doing.
        phase: Phase,
        /// How much of that phase was done, from 0 to 1.
        share: f64,
    },
    /// There is one that cannot be used, and the unit begins anew.
    Unusable {
        /// The file.
        path: PathBuf,
        /// How one can tell.
        why: String,
    },
    /// It could not be written, and the build goes on without.
    NotSaved {
        /// The file.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = |f: &mut fmt::Formatter<'_>, phase: &Phase, share: f64| match phase {
            Phase::Captures => write!(f, "{phase}, {:.0} % done", 100.0 * share),
            _ => write!(f, "{phase}"),
        };
        match self {
            Self::Saved { phase, share, bytes } => {
                f.write_str("checkpoint at ")?;
                at(f, phase, *share)?;
                write!(f, ", {bytes} bytes")
            }
            Self::Resumed { phase, share } => {
                f.write_str("goes on from a checkpoint at ")?;
                at(f, phase, *share)
            }
            Self::Unusable { path, why } => {
                write!(f, "begins anew, for {} cannot be used: {why}", path.display())
            }
            Self::NotSaved { path, why } => {
                write!(f, "goes on without a checkpoint, for {} ", path.display())?;
                write!(f, "cannot be written: {why}")
            }
        }
    }
}

/// What a checkpoint is for, and which tables it was made from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct Identity {
    board: Board,
    rules: RuleSet,
    metric: Metric,
    unit: Slice,
    rests_on: u64,
}

/// Saves a unit's work now and then, and finds it again.
pub(super) struct Keeper<'a> {
    path: PathBuf,
    identity: Identity,
    unit: Unit,
    interval: Option<Duration>,
    since: Instant,
    progress: &'a dyn Progress,
}

impl<'a> Keeper<'a> {
    /// For a unit that rests on these tables. `interval` is how long to wait between checkpoints;
    /// none are written without one.
    pub(super) fn new(
        dir: &Path,
        (board, rules, metric): (Board, RuleSet, Metric),
        unit: Unit,
        tables: &[TableFile],
        interval: Option<Duration>,
        progress: &'a dyn Progress,
    ) -> Self {
        let sums: Vec<u8> =
            tables.iter().flat_map(|table| table.fingerprint().to_le_bytes()).collect();
        let slice = unit.stronger();
        let path = dir.join(format!("{board}_{rules}_{slice}.{}.checkpoint", metric.name()));
        let identity = Identity { board, rules, metric, unit: slice, rests_on: xxh3_64(&sums) };
        Self { path, identity, unit, interval, since: Instant::now(), progress }
    }

    /// Whether it is time for a checkpoint.
    pub(super) fn is_due(&self) -> bool {
        self.interval.is_some_and(|interval| self.since.elapsed() >= interval)
    }

    /// Writes a checkpoint: where work stands, and what `write` adds. That this fails is no reason
    /// to end a build.
    pub(super) fn save<S: Serialize>(
        &mut self,
        (phase, share): (Phase, f64),
        standing: &S,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) {
        if self.interval.is_none() {
            return;
        }
        let event = match self.try_save(standing, write) {
            Ok(bytes) => Checkpoint::Saved { phase, share, bytes },
            Err(why) => Checkpoint::NotSaved { path: self.path.clone(), why },
        };
        self.progress.checkpoint(self.unit, &event);
        self.since = Instant::now();
    }

    fn try_save<S: Serialize>(
        &self,
        standing: &S,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<u64, String> {
        let partial = AtomicFile::create(&self.path, PARTIAL).map_err(describe)?;
        let header =
            encode_metadata(&(&self.identity, standing)).map_err(|error| error.to_string())?;
        let mut out = Summed::new(BufWriter::new(partial));
        let written = (|| {
            out.write_all(&MAGIC)?;
            out.write_all(&VERSION.to_le_bytes())?;
            out.write_all(&(header.len() as u32).to_le_bytes())?;
            out.write_all(&header)?;
            write(&mut out)?;
            out.inner.write_all(&out.sum.digest().to_le_bytes())?;
            out.inner.flush()
        })();
        written.map_err(|error: io::Error| error.to_string())?;
        let bytes = out.bytes + 8;
        let partial = out.inner.into_inner().map_err(|error| error.to_string())?;
        partial.commit().map_err(describe)?;
        Ok(bytes)
    }

    /// Takes up the work of a checkpoint, if there is a good one: `read` is given where work stood
    /// and what was added, and tells what `save` was told.
    pub(super) fn take_up<S: DeserializeOwned, T>(
        &self,
        read: impl FnOnce(S, &mut dyn Read) -> io::Result<(T, (Phase, f64))>,
    ) -> Option<T> {
        let file = match open_regular(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            opened => opened,
        };
        let (event, result) = match file.and_then(|file| self.try_take_up(file, read)) {
            Ok((result, (phase, share))) => (Checkpoint::Resumed { phase, share }, Some(result)),
            Err(error) => {
                let why = match error.kind() {
                    ErrorKind::UnexpectedEof => "it is cut short".to_owned(),
                    _ => error.to_string(),
                };
                (Checkpoint::Unusable { path: self.path.clone(), why }, None)
            }
        };
        self.progress.checkpoint(self.unit, &event);
        result
    }

    fn try_take_up<S: DeserializeOwned, T>(
        &self,
        file: File,
        read: impl FnOnce(S, &mut dyn Read) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut input = Summed::new(BufReader::new(file));
        if read_array(&mut input)? != MAGIC {
            return Err(bad("it is no checkpoint"));
        }
        let version = u32::from_le_bytes(read_array(&mut input)?);
        if version != VERSION {
            return Err(bad(format!("it has version {version}, and this program's is {VERSION}")));
        }
        let length = u32::from_le_bytes(read_array(&mut input)?) as usize;
        if length > METADATA_LIMIT {
            return Err(bad("its header is damaged"));
        }
        let mut header = vec![0; length];
        input.read_exact(&mut header)?;
        let (identity, standing): (Identity, S) =
            decode_metadata(&header).map_err(|_| bad("its header is damaged"))?;
        if identity != self.identity {
            let Identity { board, rules, metric, unit, .. } = &identity;
            let same = Identity { rests_on: self.identity.rests_on, ..identity.clone() };
            return Err(bad(if same == self.identity {
                "the tables that it rests on have changed".to_owned()
            } else {
                format!("it is for {board}, {rules}, {unit}, {}", metric.name())
            }));
        }
        let result = read(standing, &mut input)?;
        let sum = input.sum.digest();
        if read_array(&mut input)? != sum.to_le_bytes() {
            return Err(bad("its checksum differs"));
        }
        if input.read(&mut [0])? != 0 {
            return Err(bad("it is too long"));
        }
        Ok(result)
    }

    /// Removes the checkpoint of a unit whose tables are there. If it is there and cannot be
    /// removed, it does no harm: nothing looks at it any more.
    pub(super) fn remove(&self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Why a checkpoint is not there.
fn describe(error: ReplaceError) -> String {
    error.source.to_string()
}

/// An error of bytes that are not what they should be.
pub(super) fn bad(why: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why.into())
}

fn read_array<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Adds up the bytes that go through.
struct Summed<T> {
    inner: T,
    sum: Xxh3,
    bytes: u64,
}

impl<T> Summed<T> {
    fn new(inner: T) -> Self {
        Self { inner, sum: Xxh3::new(), bytes: 0 }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.sum.update(bytes);
        self.bytes += bytes.len() as u64;
    }
}

impl<T: Write> Write for Summed<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.add(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Summed<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(bytes)?;
        self.add(&bytes[..count]);
        Ok(count)
    }
}

/// What matrices are made of, as bytes.
pub(super) trait Item: Copy + Send + Sync {
    fn put(items: &[Self], bytes: &mut Vec<u8>);
    fn take(items: &mut [Self], bytes: &[u8]);
}

impl Item for u8 {
    fn put(items: &[Self], bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(items);
    }

    fn take(items: &mut [Self], bytes: &[u8]) {
        items.copy_from_slice(bytes);
    }
}

impl Item for u64 {
    fn put(items: &[Self], bytes: &mut Vec<u8>) {
        bytes.extend(items.iter().flat_map(|item| item.to_le_bytes()));
    }

    fn take(items: &mut [Self], bytes: &[u8]) {
        for (item, bytes) in items.iter_mut().zip(bytes.chunks_exact(8)) {
            *item = Self::from_le_bytes(bytes.try_into().expect("8 bytes"));
        }
    }
}

/// Writes items in packed frames, each behind its length.
pub(super) fn write_items<T: Item>(out: &mut dyn Write, items: &[T]) -> io::Result<()> {
    let together = FRAME / size_of::<T>();
    let pack = |items: &[T]| {
        let mut bytes = Vec::with_capacity(FRAME);
        T::put(items, &mut bytes);
        zstd::bulk::compress(&bytes, LEVEL)
    };
    for batch in items.chunks(BATCH * together) {
        let frames: Vec<_> = batch.par_chunks(together).map(pack).collect();
        for frame in frames {
            let frame = frame?;
            out.write_all(&(frame.len() as u32).to_le_bytes())?;
            out.write_all(&frame)?;
        }
    }
    Ok(())
}

/// Reads as many items as there is room for.
pub(super) fn read_items<T: Item>(mut input: &mut dyn Read, items: &mut [T]) -> io::Result<()> {
    let together = FRAME / size_of::<T>();
    for batch in items.chunks_mut(BATCH * together) {
        let frames = (0..batch.len().div_ceil(together)).map(|_| {
            let length = u32::from_le_bytes(read_array(&mut input)?) as usize;
            if length > zstd::zstd_safe::compress_bound(FRAME) {
                return Err(bad("it is damaged"));
            }
            let mut frame = vec![0; length];
            input.read_exact(&mut frame)?;
            Ok(frame)
        });
        let frames = frames.collect::<io::Result<Vec<_>>>()?;
        batch.par_chunks_mut(together).zip(frames).try_for_each(|(items, frame)| {
            let bytes = zstd::bulk::decompress(&frame, FRAME).map_err(|_| bad("it is damaged"))?;
            if bytes.len() != size_of_val(items) {
                return Err(bad("it is damaged"));
            }
            T::take(items, &bytes);
            Ok(())
        })?;
    }
    Ok(())
}
