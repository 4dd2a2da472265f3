//! Compares block sizes and compression levels, for the table in `data/notes/builds.md`: bits per
//! value, and the times of compression and decompression.
//!
//! Reads the tables with the most stones in the directory `FANORONA_TABLES`, of the metric in
//! `METRIC` (default `wdl`). Without a directory, builds tables of 9x5 up to 5 stones. Takes a
//! minute with 7 stones.

use std::error::Error;
use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Board, RuleSet};
use fanorona_storage::{Access, Container, FileKind, compress, decompress};
use fanorona_tablebase::{Metric, OLDEST_VERSION, TableFile, Tables, VERSION};
use rayon::prelude::*;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

const KIND: FileKind =
    FileKind { name: "a table", magic: *b"FanoTabl", version: VERSION, oldest: OLDEST_VERSION };

const BLOCK_VALUES: [usize; 6] = [1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15];
const LEVELS: [i32; 4] = [3, 9, 12, 19];

/// Values per part.
const PART: usize = 1 << 18;
/// One of this number of parts is measured.
const STEP: usize = 13;
/// The number of blocks that are decompressed to measure the time.
const DECOMPRESSED: usize = 500;
/// The number of measurements. The best one counts, because other programs may run.
const PASSES: usize = 40;

/// The values of a table as bytes before compression, read as specified in `docs/FORMAT.md`.
fn values(table: &TableFile) -> Result<Vec<u8>> {
    let file = Container::open(table.path(), KIND, Access::READ)?;
    let metadata = table.metadata();
    let word = |at: usize| -> Result<u64> { Ok(u64::from_le_bytes(file.index(at as u64)?)) };
    let mut block = vec![0; metadata.block_values as usize * usize::from(metadata.bits) / 8];
    let (mut values, mut buffer) = (Vec::new(), Vec::new());
    for i in 0..table.blocks() as usize {
        let compressed = file.read(word(8 * i)?..word(8 * (i + 1))?, &mut buffer)?;
        let length = decompress(compressed, &mut block)?;
        values.extend(&block[..length]);
    }
    Ok(values)
}

/// Parts of the tables with the most stones, and that number of stones.
fn parts(tables: &Tables, metric: Metric) -> Result<(u32, Vec<Vec<u8>>)> {
    let all = tables.all()?;
    let all = all.into_iter().filter(|table| table.metadata().metric == metric);
    let stones = |table: &TableFile| table.metadata().slice.stones();
    let most = all.clone().map(stones).max().ok_or("there are no tables")?;
    let mut parts = Vec::new();
    for table in all.filter(|table| stones(table) == most) {
        let part = PART * usize::from(table.metadata().bits) / 8;
        parts.extend(values(table)?.chunks(part).step_by(STEP).map(<[u8]>::to_vec));
    }
    Ok((most, parts))
}

fn measure(parts: &[Vec<u8>], bits: usize, block_values: usize, level: i32) -> Result<()> {
    let block = block_values * bits / 8;
    let started = Instant::now();
    let blocks: Vec<Vec<u8>> = parts
        .par_iter()
        .flat_map_iter(|part| part.chunks(block))
        .map(|bytes| compress(bytes, level))
        .collect::<std::io::Result<_>>()?;
    let compression = started.elapsed().as_secs_f64();
    // Each block has 12 bytes in the offset table.
    let index = 12 * blocks.len();
    let bytes = blocks.iter().map(Vec::len).sum::<usize>() + index;
    let values = parts.iter().map(Vec::len).sum::<usize>() * 8 / bits;
    let bits_a_value = |bytes: usize| (8 * bytes) as f64 / values as f64;

    let mut buffer = vec![0; block];
    let mut decompression = f64::INFINITY;
    for pass in 0..PASSES {
        let started = Instant::now();
        for i in 0..DECOMPRESSED {
            // A step by a prime goes through the blocks in no order.
            let block = &blocks[(pass * DECOMPRESSED + i) * 982_451_653 % blocks.len()];
            decompress(block, &mut buffer)?;
            black_box(&buffer);
        }
        decompression = decompression.min(started.elapsed().as_secs_f64() / DECOMPRESSED as f64);
    }
    println!(
        "{block_values:6}  {level:5}  {:12.4}  {:14.4}  {compression:13.1}  {:16.2}",
        bits_a_value(bytes),
        bits_a_value(index),
        decompression * 1e6,
    );
    Ok(())
}

fn main() -> Result<()> {
    let metric = std::env::var("METRIC").map_or(Ok(Metric::Wdl), |name| name.parse())?;
    let temporary = tempfile::tempdir()?;
    let dir = match std::env::var_os("FANORONA_TABLES") {
        Some(dir) => dir.into(),
        None => {
            let (board, rules) = (Board::tsivy(), RuleSet::STANDARD);
            let options = BuildOptions::new(temporary.path(), board, rules, 5).with_metric(metric);
            build(&options, &(), &AtomicBool::new(false))?;
            temporary.path().to_owned()
        }
    };
    let tables = Tables::open(Path::new(&dir), Board::tsivy(), RuleSet::STANDARD)?;
    let (stones, parts) = parts(&tables, metric)?;
    let bits = match metric {
        Metric::Wdl => 2,
        Metric::Dtw => 8,
    };
    println!("{metric} tables of {stones} stones");
    println!("values  level  bits a value  of that index  s to compress  us to decompress");
    for block_values in BLOCK_VALUES {
        for level in LEVELS {
            measure(&parts, bits, block_values, level)?;
        }
    }
    Ok(())
}
