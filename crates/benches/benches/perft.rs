//! Measures listing, counting, making and reading turns. Each benchmark checks its result.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fanorona_core::{Board, Position, RuleSet, Turn};
use fanorona_perft::{Counting, PerftCounter, PerftNode, PerftTable, perft};

const STANDARD: RuleSet = RuleSet::STANDARD;

/// Stones in the middle of a game, with 58 turns.
const MIDDLE_GAME: &str = "B1BB1BB1B/B2BB2BB/1WB1W1B1B/WWW2WW1W/1W1WWWW1W w";

/// The position with the most turns among those of the perft suites: 10464.
const MANY_TURNS: &str = "W1BWBBBBB/1BB2BB2/BW1B2B1B/WBW1B2B1/2BWBBB1B w";

/// Three stones against three, mostly paikas.
const ENDGAME: &str = "9/2W3B2/4W4/1B4WB1/9 w";

fn position(text: &str) -> Position {
    text.parse().expect("a position")
}

fn listing(c: &mut Criterion) {
    let mut group = c.benchmark_group("listing");
    let start = Board::tsivy().start();
    let positions =
        [("start", start), ("middle game", position(MIDDLE_GAME)), ("many", position(MANY_TURNS))];
    for ((name, position), turns) in positions.into_iter().zip([5, 58, 10_464]) {
        group.throughput(Throughput::Elements(turns));
        group.bench_function(format!("each turn, {name}"), |b| {
            b.iter(|| {
                let mut count = 0;
                STANDARD.for_each_turn(black_box(&position), |_| count += 1);
                assert_eq!(count, turns);
            });
        });
        group.bench_function(format!("all turns, {name}"), |b| {
            b.iter(|| assert_eq!(STANDARD.turns(black_box(&position)).len() as u64, turns));
        });
    }
}

fn counting(c: &mut Criterion) {
    let mut group = c.benchmark_group("perft");
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    let start = Board::tsivy().start();
    let endgame = position(ENDGAME);
    let cases = [
        ("standard", start, 7, Counting::Turns, 175_243_243),
        ("standard", start, 6, Counting::Positions, 9_204_447),
        ("standard", start, 11, Counting::Steps, 16_893_291),
        ("standard", start, 5, Counting::Unique, 375_275),
        ("standard", endgame, 8, Counting::Turns, 2_018_119),
        ("forced-relay", start, 7, Counting::Turns, 2_769_628),
        ("free-capture", start, 6, Counting::Turns, 39_749_401),
        ("vela", start, 9, Counting::Turns, 6_749_106),
    ];
    for (rules, position, depth, counting, expected) in cases {
        let rules: RuleSet = rules.parse().expect("a rule set");
        let of = if position == start { "start" } else { "endgame" };
        group.throughput(Throughput::Elements(expected as u64));
        group.bench_function(format!("{counting}, {rules}, {of}, depth {depth}"), |b| {
            b.iter(|| assert_eq!(perft(&rules, black_box(&position), depth, counting), expected));
        });
    }
}

fn hashing(c: &mut Criterion) {
    let mut group = c.benchmark_group("perft with a table");
    group.sample_size(10).measurement_time(Duration::from_secs(10));
    let start = Board::tsivy().start();
    let endgame = position(ENDGAME);
    let cases = [
        (start, 7, Counting::Turns, 175_243_243),
        (start, 11, Counting::Steps, 16_893_291),
        (endgame, 12, Counting::Turns, 5_546_915_241),
    ];
    for (position, depth, counting, expected) in cases {
        let of = if position == start { "start" } else { "endgame" };
        group.throughput(Throughput::Elements(expected as u64));
        group.bench_function(format!("{counting}, {of}, depth {depth}"), |b| {
            b.iter(|| {
                let board = position.board();
                let table = PerftTable::new(&STANDARD, board, counting, depth, 64 << 20);
                let table = table.expect("there is memory");
                let mut counter = PerftCounter::with_table(&table);
                assert_eq!(counter.count(&PerftNode::new(&position), depth), expected);
            });
        });
    }
}

fn making(c: &mut Criterion) {
    let mut group = c.benchmark_group("turn");
    let position = position(MANY_TURNS);
    let board = position.board();
    let turns = STANDARD.turns(&position);
    assert_eq!(turns.len(), 10_464);
    let left = |turn: &Turn| position.play_unchecked(black_box(turn)).own().len();
    group.throughput(Throughput::Elements(turns.len() as u64));
    group.bench_function("made", |b| {
        b.iter(|| assert_eq!(turns.iter().map(left).sum::<u32>(), 123_826));
    });

    let texts: Vec<String> = turns.iter().map(|turn| turn.text(board).to_string()).collect();
    group.bench_function("written", |b| {
        b.iter(|| {
            let length = |turn: &Turn| black_box(turn).text(board).to_string().len();
            assert_eq!(turns.iter().map(length).sum::<usize>(), 386_372);
        });
    });
    group.sample_size(10).bench_function("read", |b| {
        b.iter(|| {
            for (text, turn) in texts.iter().zip(&turns) {
                assert_eq!(STANDARD.parse_turn(&position, black_box(text)).as_ref(), Ok(turn));
            }
        });
    });
}

criterion_group!(benches, listing, counting, hashing, making);
criterion_main!(benches);
