//! What the size of blocks and the level of compression cost and save: a measurement, whose result
//! stands in the page on the format.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use fanorona_core::{Board, RuleSet};
use rayon::prelude::*;
use zstd::bulk::{Decompressor, compress};

use crate::probe::Tables;
use crate::slice::Unit;
use crate::value::Metric;

const BLOCK_VALUES: [usize; 6] = [1 << 10, 1 << 11, 1 << 12, 1 << 13, 1 << 14, 1 << 15];
const LEVELS: [i32; 4] = [3, 9, 12, 19];

/// Values that are packed anew together.
const PART: usize = 1 << 18;
/// Of so many parts one is taken.
const ONE_OF: usize = 13;
/// Blocks that are unpacked for the time that it takes, and how often.
const UNPACKED: usize = 500;
const PASSES: usize = 40;

/// The bytes, before they are compressed, of the parts of the tables with `stones` stones.
fn parts(tables: &Tables, metric: Metric, stones: u32) -> Vec<Vec<u8>> {
    let mut parts = Vec::new();
    for unit in Unit::up_to(tables.board(), stones).filter(|u| u.stronger().stones() == stones) {
        for slice in unit.slices() {
            let table = tables.table(slice, metric).unwrap().expect("all tables are there");
            let values = table.metadata().values;
            let starts = (0..values).step_by(PART).step_by(ONE_OF);
            parts.par_extend(starts.collect::<Vec<_>>().into_par_iter().map(|first| {
                let mut codes = table.codes(first, (values - first).min(PART as u64)).unwrap();
                let mut bytes = Vec::new();
                super::Packing::from_bits(table.metadata().bits)
                    .unwrap()
                    .pack(&mut codes, &mut bytes);
                bytes
            }));
        }
    }
    parts
}

#[test]
#[ignore = "a measurement: takes a minute, and tables of 7 stones in FANORONA_TABLES"]
fn block_sizes_and_levels() {
    let dir = PathBuf::from(std::env::var_os("FANORONA_TABLES").expect("a directory"));
    let metric =
        std::env::var("METRIC").map_or(Metric::Wdl, |name| name.parse().expect("wdl or dtw"));
    let tables = Tables::open(dir, Board::tsivy(), RuleSet::STANDARD).unwrap();
    let parts = parts(&tables, metric, 7);
    let raw: usize = parts.iter().map(Vec::len).sum();
    println!("values  level  bits a value  of that index  s to pack  us to unpack");
    for block_values in BLOCK_VALUES {
        for level in LEVELS {
            let bits = usize::from(if metric == Metric::Wdl { 2_u8 } else { 8 });
            let block = block_values * bits / 8;
            let started = Instant::now();
            let blocks: Vec<Vec<u8>> = parts
                .par_iter()
                .flat_map_iter(|part| part.chunks(block))
                .map(|bytes| compress(bytes, level).unwrap())
                .collect();
            let to_pack = started.elapsed().as_secs_f64();
            let packed: usize = blocks.iter().map(Vec::len).sum();
            let index = 12 * blocks.len();
            let per_value = |bytes: usize| (bytes * bits) as f64 / raw as f64;
            let (all, index) = (per_value(packed + index), per_value(index));

            let mut unpacker = Decompressor::new().unwrap();
            let mut bytes = vec![0; block];
            let mut pass = |pass: usize| {
                let started = Instant::now();
                for i in 0..UNPACKED {
                    // A prime step goes through the blocks in no order.
                    let packed = &blocks[(pass * UNPACKED + i) * 982_451_653 % blocks.len()];
                    unpacker.decompress_to_buffer(packed, &mut bytes[..]).unwrap();
                    black_box(&bytes);
                }
                started.elapsed().as_secs_f64() / UNPACKED as f64 * 1e6
            };
            // The best, for other programs may run.
            let unpack = (0..PASSES).map(&mut pass).fold(f64::INFINITY, f64::min);
            println!(
                "{block_values:6}  {level:5}  {all:12.4}  {index:13.4}  {to_pack:9.1}  {unpack:12.2}"
            );
        }
    }
}
