//! Writing a table.

use std::cell::RefCell;
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use rayon::prelude::*;
use tempfile::NamedTempFile;
use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::Compressor;

use super::metadata::Metadata;
use super::{FINISHED, METADATA_LIMIT, PRELUDE, Packing, Prelude};
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

/// Writes a table under another name, syncs it, and renames it when it is whole.
///
/// `fill` gives the values of the places that begin at its first argument; [`Code::NONE`] where
/// any value will do.
pub(crate) fn write_table(
    path: &Path,
    metadata: &Metadata,
    fill: impl Fn(u64, &mut [Code]) + Sync,
) -> Result<WriteTimes> {
    let (whole, mut times) = (Stopwatch::start(), WriteTimes::default());
    let dir = path.parent().unwrap_or(Path::new("."));
    let io = |doing| TableError::io(doing, path);
    let packing = Packing::from_bits(metadata.bits).expect("a width that was chosen");
    let block_values = u64::from(metadata.block_values);
    let blocks = metadata.values.div_ceil(block_values);

    let partial = new_partial(dir)?;
    let mut out = BufWriter::new(partial);
    out.write_all(&[0; PRELUDE]).map_err(io("cannot write"))?;

    let pack = |block: u64| {
        let (watch, first) = (Stopwatch::start_on_this_thread(), block * block_values);
        let mut codes = vec![Code::NONE; (metadata.values - first).min(block_values) as usize];
        fill(first, &mut codes);
        let mut bytes = Vec::new();
        packing.pack(&mut codes, &mut bytes);
        let packing = watch.read();
        let compressed = COMPRESSOR.with_borrow_mut(|compressor| compressor.compress(&bytes));
        let compressing = watch.read() - packing;
        (compressed.expect("zstd compresses into memory"), packing, compressing)
    };
    let (mut offsets, mut checksums) = (Vec::new(), Vec::new());
    let mut offset = PRELUDE as u64;
    for batch in (0..blocks).step_by(BATCH as usize) {
        let watch = Stopwatch::start();
        let packed: Vec<_> = (batch..blocks.min(batch + BATCH)).into_par_iter().map(pack).collect();
        times.add_batch(
            watch.read().wall,
            packed.iter().map(|(_, pack, compress)| (*pack, *compress)),
        );
        for (block, ..) in packed {
            offsets.push(offset);
            checksums.push(xxh3_64(&block) as u32);
            out.write_all(&block).map_err(io("cannot write"))?;
            offset += block.len() as u64;
        }
    }
    offsets.push(offset);

    let mut tail: Vec<u8> = offsets.iter().flat_map(|offset| offset.to_le_bytes()).collect();
    tail.extend(checksums.iter().flat_map(|checksum| checksum.to_le_bytes()));
    let metadata_offset = offset + tail.len() as u64;
    let metadata = bincode::serde::encode_to_vec(metadata, metadata_format())
        .expect("metadata are small and have a form");
    tail.extend(metadata);
    out.write_all(&tail).map_err(io("cannot write"))?;

    let prelude = Prelude {
        finished: FINISHED,
        index_offset: offset,
        metadata_offset,
        file_length: offset + tail.len() as u64,
        tail_checksum: xxh3_64(&tail),
    };
    out.seek(SeekFrom::Start(0)).map_err(io("cannot write"))?;
    out.write_all(&prelude.to_bytes()).map_err(io("cannot write"))?;
    let partial = out.into_inner().map_err(|e| io("cannot write")(e.into_error()))?;
    partial.as_file().sync_all().map_err(io("cannot write"))?;
    partial.persist(path).map_err(|e| io("cannot write")(e.error))?;
    sync_directory(dir)?;
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

/// A new file that readers take for nothing, with the permissions of any other new file.
pub(crate) fn new_partial(dir: &Path) -> Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(PARTIAL);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(dir).map_err(TableError::io("cannot create a file in", dir))
}

/// How the names of files begin that are not whole yet.
pub(crate) const PARTIAL: &str = ".partial-";

/// Makes a rename last: on Unix a directory is synced like a file, elsewhere it cannot be opened.
pub(crate) fn sync_directory(dir: &Path) -> Result<()> {
    if cfg!(unix) {
        std::fs::File::open(dir)
            .and_then(|dir| dir.sync_all())
            .map_err(TableError::io("cannot sync", dir))?;
    }
    Ok(())
}
