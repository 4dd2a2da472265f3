//! Random probes of tables in the page cache: tables of 9x5 up to five stones, built into a
//! temporary directory, or those in the directory `FANORONA_TABLES`.
//!
//! Positions are uniformly random, with the number of stones of the largest slices, and include
//! those with captures. All ways of probing must return the same values; their counts are known for
//! five and seven stones. Each way is measured with reading and with mapping.

use std::hint::black_box;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fanorona_builder::{BuildOptions, UnpackOptions, build, unpack};
use fanorona_core::{Board, Position, RuleSet, Side, SplitMix64, Stones, Value};
use fanorona_tablebase::{Access, Metric, Tables, TablesOptions};

const POSITIONS: usize = 200_000;

/// The known counts of losses, draws and wins, by number of stones.
const KNOWN: [(u32, [usize; 3]); 2] =
    [(5, [53_793, 36_302, 109_905]), (7, [48_213, 36_361, 115_426])];

/// Uniformly random positions with a number of stones. They are the same in each run.
fn random_positions(board: Board, stones: u32) -> Vec<Position> {
    let mut random = SplitMix64::new(u64::from(stones));
    let mut positions = Vec::new();
    while positions.len() < POSITIONS {
        let mut all = 0_u64;
        while all.count_ones() < stones {
            all |= 1 << (random.next_u64() % u64::from(board.num_points()));
        }
        let own = all & random.next_u64();
        if own != 0 && own != all {
            let stones = Stones::from_bits(own, all & !own);
            positions.push(Position::from_mover(board, stones, Side::White).unwrap());
        }
    }
    positions
}

fn count(values: impl Iterator<Item = Value>) -> [usize; 3] {
    let mut counts = [0; 3];
    values.for_each(|value| counts[value as usize] += 1);
    counts
}

/// Puts packed `wdl` tables into a directory: copies of the given ones, or new ones. Copies have no
/// unpacked tables beside them.
fn packed(dir: &Path) -> Tables {
    let (board, rules, metric) = (Board::tsivy(), RuleSet::STANDARD, Metric::Wdl);
    if let Some(from) = std::env::var_os("FANORONA_TABLES") {
        copy(&Tables::open(from, board, rules).unwrap(), dir);
    } else {
        let options = BuildOptions::new(dir, board, rules, 5).with_metric(metric);
        build(&options, &(), &AtomicBool::new(false)).unwrap();
    }
    Tables::open(dir, board, rules).unwrap()
}

fn copy(tables: &Tables, dir: &Path) {
    for file in tables.all().unwrap() {
        if file.metadata().metric == Metric::Wdl {
            std::fs::copy(file.path(), dir.join(file.path().file_name().unwrap())).unwrap();
        }
    }
}

fn unpacked(packed: &Tables, dir: &Path) -> Tables {
    let (board, rules, metric) = (packed.board(), packed.rules(), None);
    copy(packed, dir);
    let options = UnpackOptions::new(dir, board, rules).with_metric(metric);
    unpack(&options, &(), &AtomicBool::new(false)).unwrap();
    Tables::open(dir, board, rules).unwrap()
}

/// The same tables, mapped.
fn mapped(tables: &Tables) -> Tables {
    // SAFETY: the files are in temporary directories of this program, which changes none.
    let access = unsafe { Access::map() };
    let options = TablesOptions { access, ..TablesOptions::default() };
    Tables::open_dirs(&[tables.dir()], tables.board(), tables.rules(), options).unwrap()
}

fn probes(criterion: &mut Criterion) {
    // Measure on one thread.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().unwrap();
    let dirs = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let packed = packed(dirs[0].path());
    let unpacked = unpacked(&packed, dirs[1].path());
    let (packed_mapped, unpacked_mapped) = (mapped(&packed), mapped(&unpacked));
    let board = packed.board();
    let slices = packed.all().unwrap().into_iter().map(|table| table.metadata().slice);
    let stones = slices.map(|slice| slice.stones()).max().expect("there are tables");
    let positions = random_positions(board, stones);

    let one_by_one = |tables: &Tables| {
        let probe = |position| tables.probe_metric(black_box(position), Metric::Wdl);
        count(positions.iter().map(|position| probe(position).expect("it is there").value))
    };
    let quickly = |tables: &Tables| {
        let all = positions.iter().map(Stones::of);
        count(all.map(|stones| tables.wdl(black_box(stones)).expect("it is there")))
    };
    let together = |tables: &Tables| {
        let values = tables.probe_many(black_box(&positions));
        count(values.into_iter().map(|value| value.expect("it is there").value))
    };
    let ways: [(&str, &dyn Fn() -> [usize; 3]); 8] = [
        ("packed, read", &|| one_by_one(&packed)),
        ("packed, mapped", &|| one_by_one(&packed_mapped)),
        ("packed, sorted, read", &|| together(&packed)),
        ("packed, sorted, mapped", &|| together(&packed_mapped)),
        ("unpacked, read", &|| one_by_one(&unpacked)),
        ("unpacked, mapped", &|| one_by_one(&unpacked_mapped)),
        ("unpacked, from sets, read", &|| quickly(&unpacked)),
        ("unpacked, from sets, mapped", &|| quickly(&unpacked_mapped)),
    ];
    let known = KNOWN.into_iter().find(|(of, _)| *of == stones).map(|(_, counts)| counts);
    let expected = known.unwrap_or_else(|| one_by_one(&packed));
    let mut group = criterion.benchmark_group(format!("probe, {stones} stones"));
    group.throughput(Throughput::Elements(POSITIONS as u64)).sample_size(10);
    for (name, probe_all) in ways {
        // The first pass loads the files into the page cache and compares the counts.
        assert_eq!(probe_all(), expected, "{name}");
        group.bench_function(name, |bencher| bencher.iter(probe_all));
    }
    group.finish();
}

criterion_group!(benches, probes);
criterion_main!(benches);
