//! Tables with several blocks.

use std::path::{Path, PathBuf};

use fanorona_core::{ErrorKind, RuleSet};
use fanorona_storage::{Access, BlockCache, checksum};

use super::packing::Packing;
use super::writer::{BLOCK_BATCH, write_table};
use super::{Metadata, Statistics, TableFile};
use crate::error::Result;
use crate::key::{Layout, TableKey};
use crate::value::{Code, Metric};

/// Values per block.
const BLOCK_VALUES: u32 = 16;

/// The most blocks of a table, where each value is read.
const MAX_BLOCKS: u64 = 7;

/// A directory with a table, and its values.
struct Written {
    dir: tempfile::TempDir,
    key: TableKey,
    codes: Vec<Code>,
}

impl Written {
    /// A table with a number of values and all codes up to `max_code`.
    fn new(metric: Metric, bits: u8, values: u64, max_code: u16) -> Self {
        let dir = fanorona_tests::directory().unwrap();
        let key = TableKey { metric, ..KEY.parse().unwrap() };
        let code = |i: u64| Code((i * 40_503 % (u64::from(max_code) + 1)) as u16);
        let codes: Vec<_> = (0..values).map(code).collect();
        let distances = match metric {
            Metric::Wdl => Vec::new(),
            Metric::Dtw => vec![0; max_code.into()],
        };
        let metadata = Metadata {
            board: key.board,
            rules: RuleSet::STANDARD,
            metric,
            slice: key.slice,
            bits,
            values,
            block_values: BLOCK_VALUES,
            captures_stored: true,
            statistics: Statistics { distances, ..Statistics::default() },
            layout: Layout::Packed,
        };
        let written = Self { dir, key, codes };
        write_table(&written.path(), &metadata, |first, codes| {
            assert!(codes.len() <= BLOCK_VALUES as usize);
            codes.copy_from_slice(&written.codes[first as usize..][..codes.len()]);
            Ok(())
        })
        .unwrap();
        written
    }

    fn path(&self) -> PathBuf {
        self.dir.path().join(self.key.file_name())
    }

    fn open(&self) -> TableFile {
        self.open_with(Access::READ)
    }

    fn open_with(&self, access: Access) -> TableFile {
        TableFile::open_with(self.path(), access).unwrap()
    }

    /// The same values in an unpacked table.
    fn unpack(&self) {
        let metadata = self.open().metadata().unpacked();
        write_table(&self.path(), &metadata, |first, codes| {
            codes.copy_from_slice(&self.codes[first as usize..][..codes.len()]);
            Ok(())
        })
        .unwrap();
    }
}

const KEY: &str = "5x3_standard_2v1.wdl";

const WIDTHS: [(Metric, u8, u16); 5] = [
    (Metric::Wdl, 2, 2),
    (Metric::Wdl, 8, 2),
    (Metric::Dtw, 2, 2),
    (Metric::Dtw, 8, 255),
    (Metric::Dtw, 16, 1000),
];

/// Numbers of values with a full and with a partial last block or part.
fn numbers_of_values() -> impl Iterator<Item = u64> {
    let full = (0..=MAX_BLOCKS).map(|blocks| blocks * u64::from(BLOCK_VALUES));
    full.flat_map(|values| [values, values + 1, values + 15])
}

#[test]
fn every_value_of_every_block_is_read() {
    let cache = BlockCache::new(1 << 16);
    for (metric, bits, max_code) in WIDTHS {
        for values in numbers_of_values() {
            let written = Written::new(metric, bits, values, max_code);
            let table = written.open();
            assert_eq!(table.blocks(), values.div_ceil(BLOCK_VALUES.into()));
            table.check().unwrap();
            for (index, code) in (0..).zip(&written.codes) {
                assert_eq!(table.code(index, &cache).unwrap(), *code, "{index} of {values}");
            }
            assert!(table.code(values, &cache).is_err());
            for (first, count) in [(0, values + 1), (values, 1), (u64::MAX, 1), (1, u64::MAX)] {
                assert!(table.codes(first, count).is_err(), "{first}, {count}");
            }
            let count = |first: u64| [0, 1, 17, 50].map(|count| count.min(values - first));
            for first in 0..values {
                for count in count(first) {
                    let range = first as usize..(first + count) as usize;
                    assert_eq!(table.codes(first, count).unwrap(), written.codes[range]);
                }
            }
        }
    }
}

/// Blocks are packed a batch at a time.
#[test]
fn every_batch_is_written() {
    for (metric, bits, max_code) in WIDTHS {
        for blocks in [BLOCK_BATCH, BLOCK_BATCH + 1, 2 * BLOCK_BATCH, 2 * BLOCK_BATCH + 1] {
            let values = blocks * u64::from(BLOCK_VALUES) - 3;
            let written = Written::new(metric, bits, values, max_code);
            let table = written.open();
            table.check().unwrap();
            assert_eq!(table.blocks(), blocks);
            assert_eq!(table.codes(0, values).unwrap(), written.codes);
        }
    }
}

/// The values fill several blocks, the last one in part.
#[test]
fn every_value_of_unpacked_tables_is_read() {
    // SAFETY: the test replaces mapped files and never changes them.
    #[expect(unsafe_code, reason = "mapping is tested")]
    let accesses = [Access::READ, unsafe { Access::map() }];
    for (metric, bits, max_code) in WIDTHS {
        for bytes in [0, 2, 6, 4096, 3 * 4096 + 6] {
            let values = bytes * 8 / u64::from(bits);
            let written = Written::new(metric, bits, values, max_code);
            written.unpack();
            for access in accesses {
                let cache = BlockCache::new(1 << 20);
                let table = written.open_with(access);
                assert_eq!(table.blocks(), (values * u64::from(bits)).div_ceil(8 * 4096));
                table.check().unwrap();
                for i in 0..values {
                    let index = i * 7919 % values;
                    let expected = written.codes[index as usize];
                    assert_eq!(
                        table.code(index, &cache).unwrap(),
                        expected,
                        "{index}, {bits} bits"
                    );
                }
                assert!(table.code(values, &cache).is_err());
                assert_eq!(table.codes(0, values).unwrap(), written.codes);
                assert!(table.codes(0, values + 1).is_err());
            }
        }
    }
}

fn change(path: &Path, at: usize) -> Vec<u8> {
    let whole = std::fs::read(path).unwrap();
    let mut bytes = whole.clone();
    bytes[at] ^= 1;
    std::fs::remove_file(path).unwrap();
    std::fs::write(path, bytes).unwrap();
    whole
}

/// Damages a byte of each block in turn.
#[test]
fn damage_is_found_in_every_block() {
    let word = |bytes: &[u8], at: usize| {
        u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
    };
    for blocks in [1, 3, 4, 7_u64] {
        let values = blocks * u64::from(BLOCK_VALUES) - 3;
        let written = Written::new(Metric::Dtw, 8, values, 255);
        let path = written.path();
        let bytes = std::fs::read(&path).unwrap();
        for block in 0..blocks as usize {
            let at = word(&bytes, word(&bytes, 16) + 8 * (block + 1)) - 1;
            let whole = change(&path, at);
            let table = written.open();
            let error = table.check().unwrap_err().to_string();
            assert!(error.contains(&format!("block {block} of {blocks}")), "{error}");
            let cache = BlockCache::new(0);
            for index in 0..values {
                let is_here = index / u64::from(BLOCK_VALUES) == block as u64;
                assert_eq!(table.code(index, &cache).is_err(), is_here, "{index}");
            }
            std::fs::write(&path, whole).unwrap();
        }
    }
}

#[test]
fn damage_is_found_in_every_unpacked_block() {
    let written = Written::new(Metric::Dtw, 8, 2 * 4096 + 7, 255);
    written.unpack();
    let path = written.path();
    for (block, at) in [(0, 64), (0, 64 + 4095), (1, 64 + 4096), (2, 64 + 8192 + 6)] {
        let whole = change(&path, at);
        let error = written.open().check().unwrap_err().to_string();
        assert!(error.contains(&format!("block {block} of 3")), "{error}");
        std::fs::write(&path, whole).unwrap();
    }
}

/// Puts a value that the writer would refuse or change into the only block of a table, and updates
/// the checksums.
fn put_value(written: &Written, packing: Packing, value: u16) {
    let path = written.path();
    let mut bytes = std::fs::read(&path).unwrap();
    let word = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let (end, metadata) = (word(&bytes, 16) as usize, word(&bytes, 24) as usize);
    let mut values = vec![0; packing.bytes(written.codes.len())];
    match packing {
        Packing::Two => values[0] = value as u8,
        Packing::Eight => values[0] = value as u8,
        Packing::Sixteen => values[..2].copy_from_slice(&value.to_le_bytes()),
    }
    let block = fanorona_storage::compress(&values, 1).unwrap();
    let mut index = 64_u64.to_le_bytes().to_vec();
    index.extend((64 + block.len() as u64).to_le_bytes());
    index.extend((checksum(&block) as u32).to_le_bytes());
    let tail = [&index[..], &bytes[metadata..]].concat();
    bytes.splice(64.., block.iter().copied().chain(tail.iter().copied()));
    assert!(end < metadata);
    let end = 64 + block.len() as u64;
    for (at, word) in
        [(16, end), (24, end + index.len() as u64), (32, bytes.len() as u64), (40, checksum(&tail))]
    {
        bytes[at..at + 8].copy_from_slice(&word.to_le_bytes());
    }
    let header = checksum(&bytes[..56]);
    bytes[56..64].copy_from_slice(&header.to_le_bytes());
    std::fs::remove_file(&path).unwrap();
    std::fs::write(&path, bytes).unwrap();
}

/// Under `wdl` only 0, 1 and 2 are values, at any width. Under `dtw` no distance is longer than the
/// longest one in the metadata.
#[test]
fn values_that_the_metadata_exclude_are_refused() {
    for (metric, bits, max_code, value, is_refused) in [
        (Metric::Wdl, 2, 2, 2, false),
        (Metric::Wdl, 2, 2, 3, true),
        (Metric::Wdl, 8, 2, 2, false),
        (Metric::Wdl, 8, 2, 3, true),
        (Metric::Wdl, 8, 2, 4, true),
        (Metric::Wdl, 16, 2, 3, true),
        (Metric::Dtw, 2, 1, 2, true),
        (Metric::Dtw, 8, 100, 100, false),
        (Metric::Dtw, 8, 100, 101, true),
        (Metric::Dtw, 16, 300, 300, false),
        (Metric::Dtw, 16, 300, 301, true),
        (Metric::Dtw, 16, 300, u16::MAX, true),
    ] {
        let written = Written::new(metric, bits, 12, max_code);
        put_value(&written, Packing::from_bits(bits).unwrap(), value);
        let table = written.open();
        table.check().unwrap();
        let cache = BlockCache::new(0);
        let results: [Result<_>; 3] = [
            table.code(0, &cache),
            table.codes(0, 1).map(|codes| codes[0]),
            table.read_codes(0).map(|codes| codes[0]),
        ];
        for result in results {
            match result {
                Ok(code) => assert!(!is_refused && code.0 == value, "{metric} {bits} {value}"),
                Err(error) => {
                    assert_eq!(error.kind(), ErrorKind::DamagedFile, "{error}");
                    assert!(is_refused, "{metric} {bits} {value}: {error}");
                }
            }
        }
        assert!(table.code(1, &cache).is_ok());
    }
}

/// The longest distance plus the turns of a search of captures fits in 16 bits.
#[test]
fn the_longest_distance_leaves_room_for_captures() {
    let written = Written::new(Metric::Dtw, 16, 12, Code::MAX_DISTANCE + 1);
    let mut code = Code(written.open().metadata().statistics.distances.len() as u16);
    assert_eq!(code.distance(), Some(Code::MAX_DISTANCE));
    for _ in 0..63 {
        let before = code.before_turn(Metric::Dtw);
        assert_eq!(before.value(), -code.value());
        assert_ne!(before, Code::NONE);
        code = before;
    }
}
