//! Writing files.

use std::cell::RefCell;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use fanorona_storage::Operation;
use rayon::prelude::*;
use serde::Serialize;
use tempfile::NamedTempFile;
use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::Compressor;

use super::metadata::Metadata;
use super::{FINISHED, Kind, METADATA_LIMIT, PRELUDE, Packing, Prelude};
use crate::clock::{Spent, Stopwatch};
use crate::error::{Result, TableError};
use crate::value::Code;

/// How hard zstd tries.
const LEVEL: i32 = 12;

/// Blocks that are packed before they are written, and so held in memory.
const BATCH: u64 = 1024;

/// How metadata are written and read.
pub(crate) fn metadata_format() -> impl bincode::config::Config {
    bincode::config::standard()
        .with_little_endian()
        .with_fixed_int_encoding()
        .with_limit::<METADATA_LIMIT>()
}

thread_local! {
    /// Kept from block to block, for making one takes time too.
    static COMPRESSOR: RefCell<Compressor<'static>> =
        RefCell::new(Compressor::new(LEVEL).expect("the level is one that there is"));
}

/// What writing a table took, by parts.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WriteTimes {
    pub pack: Spent,
    pub compress: Spent,
    pub write: Spent,
}

/// Writes a table.
///
/// `fill` gives the values of the places that begin at its first argument; [`Code::NONE`] where
/// any value will do.
pub(crate) fn write_table(
    path: &Path,
    metadata: &Metadata,
    fill: impl Fn(u64, &mut [Code]) + Sync,
) -> Result<WriteTimes> {
    let (whole, mut times) = (Stopwatch::start(), WriteTimes::default());
    let packing = Packing::from_bits(metadata.bits).expect("a width that was chosen");
    let make = |first: u64, count: usize| {
        let watch = Stopwatch::start_on_this_thread();
        let mut codes = vec![Code::NONE; count];
        fill(first, &mut codes);
        let mut bytes = Vec::new();
        packing.pack(&mut codes, &mut bytes);
        let pack = watch.read();
        let compressed = COMPRESSOR.with_borrow_mut(|compressor| compressor.compress(&bytes));
        let compress = watch.read() - pack;
        Ok((compressed.expect("zstd compresses into memory"), pack, compress))
    };
    write_file(path, Kind::TABLE, metadata, |put| {
        let (mut offsets, mut checksums) = (vec![PRELUDE as u64], Vec::new());
        let block_values = metadata.block_values.into();
        for_each_batch(metadata.values, block_values, BATCH, make, |blocks, wall| {
            times.add_batch(wall, blocks.iter().map(|(_, pack, compress)| (*pack, *compress)));
            blocks.iter().try_for_each(|(block, ..)| {
                offsets.push(offsets[offsets.len() - 1] + block.len() as u64);
                checksums.push(xxh3_64(block) as u32);
                put(block)
            })
        })?;
        let offsets = offsets.iter().flat_map(|offset| offset.to_le_bytes());
        let checksums = checksums.iter().flat_map(|checksum| checksum.to_le_bytes());
        Ok(offsets.chain(checksums).collect())
    })?;
    times.write = whole.read() - times.pack - times.compress;
    Ok(times)
}

impl WriteTimes {
    /// Adds blocks that several threads have packed and compressed in so long a time.
    fn add_batch(&mut self, wall: Duration, blocks: impl Iterator<Item = (Spent, Spent)>) {
        let (mut pack, mut compress) = (Spent::default(), Spent::default());
        for (packing, compressing) in blocks {
            pack += packing;
            compress += compressing;
        }
        let busy = pack.wall + compress.wall;
        let share = if busy.is_zero() { 0.0 } else { pack.wall.as_secs_f64() / busy.as_secs_f64() };
        pack.wall = wall.mul_f64(share);
        compress.wall = wall.saturating_sub(pack.wall);
        self.pack += pack;
        self.compress += compress;
    }
}

/// Makes something of so many values at a time on all threads, and uses `batch` such parts together,
/// in their order, with the time that it took to make them.
pub(super) fn for_each_batch<T: Send>(
    values: u64,
    part_values: u64,
    batch: u64,
    make: impl Fn(u64, usize) -> Result<T> + Sync,
    mut consume: impl FnMut(&[T], Duration) -> Result<()>,
) -> Result<()> {
    let parts = values.div_ceil(part_values);
    let make = |part: u64| {
        let first = part * part_values;
        make(first, (values - first).min(part_values) as usize)
    };
    for begin in (0..parts).step_by(batch as usize) {
        let watch = Stopwatch::start();
        let parts = (begin..parts.min(begin + batch)).into_par_iter();
        let made = parts.map(make).collect::<Result<Vec<_>>>()?;
        consume(&made, watch.read().wall)?;
    }
    Ok(())
}

/// Writes a file under another name, syncs it, and renames it when it is whole.
///
/// `body` writes what is behind the prelude, and returns the index, which goes between that and the
/// metadata.
pub(super) fn write_file(
    path: &Path,
    kind: Kind,
    metadata: &impl Serialize,
    body: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<()>) -> Result<Vec<u8>>,
) -> Result<()> {
    let dir = path.parent().unwrap_or(Path::new("."));
    let io = |doing| TableError::io(doing, path);
    let mut out = BufWriter::new(new_partial(dir)?);
    out.write_all(&[0; PRELUDE]).map_err(io(Operation::Write))?;
    let mut index_offset = PRELUDE as u64;
    let mut tail = body(&mut |bytes| {
        index_offset += bytes.len() as u64;
        out.write_all(bytes).map_err(io(Operation::Write))
    })?;
    let metadata_offset = index_offset + tail.len() as u64;
    let metadata = bincode::serde::encode_to_vec(metadata, metadata_format())
        .expect("metadata are small and have a form");
    tail.extend(metadata);
    out.write_all(&tail).map_err(io(Operation::Write))?;

    let prelude = Prelude {
        finished: FINISHED,
        index_offset,
        metadata_offset,
        file_length: index_offset + tail.len() as u64,
        tail_checksum: xxh3_64(&tail),
    };
    out.seek(SeekFrom::Start(0)).map_err(io(Operation::Write))?;
    out.write_all(&prelude.to_bytes(kind)).map_err(io(Operation::Write))?;
    let partial = out.into_inner().map_err(|e| io(Operation::Write)(e.into_error()))?;
    partial.as_file().sync_all().map_err(io(Operation::Write))?;
    partial.persist(path).map_err(|e| io(Operation::Write)(e.error))?;
    sync_directory(dir)
}

/// A new file that readers take for nothing, with the permissions of any other new file.
pub(crate) fn new_partial(dir: &Path) -> Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PARTIAL);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(dir).map_err(TableError::io(Operation::Create, dir))
}

/// How the names of files begin that are not whole yet.
pub(crate) const PARTIAL: &str = ".partial-";

/// Makes a rename last: on Unix a directory is synced like a file, elsewhere it cannot be opened.
pub(crate) fn sync_directory(dir: &Path) -> Result<()> {
    if cfg!(unix) {
        std::fs::File::open(dir)
            .and_then(|dir| dir.sync_all())
            .map_err(TableError::io(Operation::SyncDirectory, dir))?;
    }
    Ok(())
}
