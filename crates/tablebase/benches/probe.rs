//! Random probes from warm files: 9x5 to four stones, built into a temporary directory.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fanorona_core::{Board, Position, RuleSet, Side};
use fanorona_tablebase::{BuildOptions, Metric, Slice, TableValue, Tables, build};

const POSITIONS: usize = 10_000;

/// A number for all values of a list of positions, which any change of one of them changes.
fn checksum(values: impl Iterator<Item = TableValue>) -> u64 {
    values.fold(0xcbf2_9ce4_8422_2325, |sum: u64, value| {
        let turns = u64::from(value.dtw.unwrap_or(0));
        let number = turns * 3 + value.value as u64;
        (sum ^ number).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Positions of a slice, each as likely as any other, always the same.
fn random_positions(board: Board, slice: Slice, quiet: bool) -> Vec<Position> {
    // SplitMix64 (Steele, Lea, Flood 2014).
    let mut state = u64::from(slice.own) << 8 | u64::from(slice.opponent);
    let mut random = move || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    let mut set = |stones: u8, taken: u64| {
        let mut set = 0_u64;
        while set.count_ones() < stones.into() {
            set |= 1 << (random() % u64::from(board.points())) & !taken;
        }
        set
    };
    let mut positions = Vec::new();
    while positions.len() < POSITIONS {
        let own = set(slice.own, 0);
        let opponent = set(slice.opponent, own);
        let position = Position::from_mover(board, own, opponent, Side::White).unwrap();
        if !quiet || !RuleSet::STANDARD.has_capture(&position) {
            positions.push(position);
        }
    }
    positions
}

fn probes(criterion: &mut Criterion) {
    let (board, rules) = (Board::tsivy(), RuleSet::STANDARD);
    let dir = tempfile::tempdir().unwrap();
    for metric in [Metric::Wdl, Metric::Dtw] {
        let options = BuildOptions::new(dir.path(), board, rules, 4, metric);
        build(&options, &(), &AtomicBool::new(false)).unwrap();
    }
    let tables = Tables::open(dir.path(), board, rules).unwrap();

    let mut group = criterion.benchmark_group("probe");
    group.throughput(Throughput::Elements(POSITIONS as u64));
    for (name, slice, metric, quiet, expected) in [
        ("2v2/wdl/quiet", (2, 2), Metric::Wdl, true, 0x7244_5749_3680_e953),
        ("2v2/dtw/quiet", (2, 2), Metric::Dtw, true, 0x8e65_56ed_43f8_d3d9),
        ("2v2/dtw/any", (2, 2), Metric::Dtw, false, 0x428f_51a0_303f_337b),
        ("1v3/dtw/any", (1, 3), Metric::Dtw, false, 0x25fd_9162_afea_a474),
        ("3v1/dtw/any", (3, 1), Metric::Dtw, false, 0x88c8_6446_8248_829b),
    ] {
        let slice = Slice { own: slice.0, opponent: slice.1 };
        let positions = random_positions(board, slice, quiet);
        let probe_all = || {
            checksum(positions.iter().map(|position| {
                tables.probe_metric(black_box(position), metric).expect("all tables are there")
            }))
        };
        // The first time the files become warm, and the answers are compared.
        let found = probe_all();
        assert_eq!(found, expected, "{name}: {found:#018x}");
        group.bench_function(name, |bencher| bencher.iter(probe_all));
    }
    group.finish();
}

criterion_group!(benches, probes);
criterion_main!(benches);
