//! Writes what the tests of the C interface compare with: tables of small boards, damaged files, and
//! answers. The counts and some of the values were computed by the Python reference (`data/perft`,
//! `data/values/samples.txt`); the other answers are those of the Rust crates.
//!
//!     capi_test_data REPOSITORY DIRECTORY

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_builder::{BuildOptions, UnpackOptions, build, unpack};
use fanorona_core::{Board, Position, RuleSet, Setup, Side, SplitMix64, Stones, Value};
use fanorona_perft::Counting;
use fanorona_tablebase::{Metric, TableValue, Tables};
use fanorona_tests::partial::leave_some;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// The most nodes of a count that the tests make.
const MAX_NODES: u128 = 200_000;

/// Board, rule set and stones of the tables in `small`, for the prober.
const SMALL: [(&str, &str, u32); 10] = [
    ("3x3", "standard", 8),
    ("3x3", "forced-relay", 8),
    ("3x3", "first-capture-single", 8),
    ("3x3", "free-capture", 8),
    ("3x3", "vela+stones-2", 8),
    ("3x3", "vela+victor-black+stones-3+must-capture", 8),
    ("3x3", "standard+direction-free+no-turns-draw", 8),
    ("3x3", "free-capture+direction-strict", 8),
    ("5x3", "standard", 14),
    ("9x5", "standard", 5),
];

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [repository, directory] = arguments.as_slice() else {
        return Err("usage: capi_test_data REPOSITORY DIRECTORY".into());
    };
    let (repository, directory) = (Path::new(repository), Path::new(directory));
    make_tables(directory)?;
    fs::write(directory.join("perft.txt"), counts(repository)?)?;
    fs::write(directory.join("turns.txt"), turns()?)?;
    fs::write(directory.join("values.txt"), values(repository, directory)?)?;
    Ok(())
}

/// Tables of 5x5: `packed` to 4 stones with distances and to 5 without, `unpacked` the same with
/// unpacked ones beside, `six` to 6, parts of `packed` in `part-0` and so on, and damaged ones. Tables of
/// 9x5 to 3 stones, for the vela too. `small` has all of 3x3 under several rule sets, of 5x3, and of 9x5 to
/// 5 stones, with distances. `questions` has those of `tests/questions.tsv`.
fn make_tables(directory: &Path) -> Result<()> {
    let stop = AtomicBool::new(false);
    let (packed, unpacked) = (directory.join("packed"), directory.join("unpacked"));
    for dir in [&packed, &unpacked] {
        for (metric, stones) in [(Metric::Dtw, 4), (Metric::Wdl, 5)] {
            let options = BuildOptions::new(dir, Board::dimy(), RuleSet::STANDARD, stones);
            build(&options.with_metric(metric), &(), &stop)?;
        }
        for rules in [RuleSet::STANDARD, RuleSet::FREE_CAPTURE] {
            let options = BuildOptions::new(dir, Board::tsivy(), rules, 3);
            build(&options.with_metric(Metric::Wdl), &(), &stop)?;
        }
    }
    let six = BuildOptions::new(directory.join("six"), Board::dimy(), RuleSet::STANDARD, 6);
    build(&six.with_metric(Metric::Wdl), &(), &stop)?;
    let small = directory.join("small");
    for (board, rules, stones) in SMALL {
        let options = BuildOptions::new(&small, board.parse()?, rules.parse()?, stones);
        build(&options.with_metric(Metric::Dtw), &(), &stop)?;
    }
    let questions = directory.join("questions");
    for needed in fanorona_tests::questions::read().0 {
        let (board, rules) = (needed.board.parse()?, needed.rules.parse()?);
        let options = BuildOptions::new(&questions, board, rules, needed.stones);
        build(&options.with_metric(needed.metric.parse()?), &(), &stop)?;
    }
    unpack(&UnpackOptions::new(&unpacked, Board::dimy(), RuleSet::STANDARD), &(), &stop)?;

    let mut random = SplitMix64::new(56);
    for number in 0..60 {
        let part = directory.join(format!("part-{number}"));
        fs::create_dir_all(&part)?;
        leave_some(&packed, &part, &mut random)?;
    }

    let table = |slice: &str| format!("5x5_standard_{slice}.wdl.fano");
    let whole = fs::read(packed.join(table("2v2")))?;
    let damaged: [(&str, &[u8]); 3] = [
        ("cut", &whole[..whole.len() / 2]),
        ("empty", &[]),
        ("text", b"This is not a table, but it is long enough to have been one.\n"),
    ];
    for (name, bytes) in damaged {
        let dir = directory.join(name);
        fs::create_dir_all(&dir)?;
        fs::write(dir.join(table("2v2")), bytes)?;
    }
    // A table under the name of another one.
    let renamed = directory.join("renamed");
    fs::create_dir_all(&renamed)?;
    fs::copy(packed.join(table("1v2")), renamed.join(table("2v2")))?;
    // A byte in the middle of the compressed values.
    let flipped = directory.join("flipped");
    fs::create_dir_all(&flipped)?;
    let mut bytes = whole.clone();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    fs::write(flipped.join(table("2v2")), bytes)?;
    Ok(())
}

/// Counts of turns of the suites: rule set, position, depth, count.
fn counts(repository: &Path) -> Result<String> {
    let mut text = String::new();
    let suites = ["standard-small", "options", "forced-relay", "free-capture", "vela", "countings"];
    for suite in suites {
        let path = repository.join("data/perft").join(format!("{suite}.perft"));
        let entries = fanorona_perft::suite::parse(&fs::read_to_string(path)?)?;
        for entry in entries.iter().filter(|entry| entry.counting == Counting::Turns) {
            for (depth, count) in entry.counts.iter().filter(|(_, count)| **count <= MAX_NODES) {
                let (rules, position) = (entry.rules, entry.position);
                writeln!(text, "{rules}\t{position}\t{depth}\t{count}")?;
            }
        }
    }
    Ok(text)
}

/// Turns of positions from random games: for each position its rule set and text, and for each turn
/// its text and the position after it.
fn turns() -> Result<String> {
    let mut text = String::new();
    let mut random = SplitMix64::new(1);
    for board in ["3x3", "5x5", "9x5", "21x3"] {
        for rules in RuleSet::PRESETS {
            let board: Board = board.parse()?;
            if rules.check(board).is_err() {
                continue;
            }
            let mut position = board.start();
            for _ in 0..40 {
                let turns = rules.turns(&position);
                writeln!(text, "position\t{rules}\t{position}\t{}", turns.len())?;
                for turn in &turns {
                    let after = position.play_unchecked(turn);
                    writeln!(text, "turn\t{}\t{after}", turn.text(board))?;
                }
                if turns.is_empty() {
                    break;
                }
                position =
                    position.play_unchecked(&turns[random.below(turns.len() as u64) as usize]);
            }
        }
    }
    Ok(text)
}

/// Values of positions of 5x5: position, value, distance.
fn values(repository: &Path, directory: &Path) -> Result<String> {
    let mut text = String::new();
    let number = |value| match value {
        Value::Loss => -1,
        Value::Draw => 0,
        Value::Win => 1,
    };
    let board = Board::dimy();

    // Computed by the Python reference.
    let mut samples = 0;
    for line in fs::read_to_string(repository.join("data/values/samples.txt"))?.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let &["standard", position, value, distance] = fields.as_slice() else { continue };
        let position: Position = position.parse()?;
        if position.board() == board && Stones::of(&position).count() <= 4 {
            let distance = if distance == "-" { "-1" } else { distance };
            writeln!(text, "{position}\t{}\t{distance}", number(value.parse()?))?;
            samples += 1;
        }
    }
    if samples == 0 {
        return Err("data/values/samples.txt has no sample of 5x5".into());
    }

    let tables = Tables::open(directory.join("packed"), board, RuleSet::STANDARD)?;
    let mut random = SplitMix64::new(2);
    for stones in 2..=5 {
        for _ in 0..1500 {
            let position = random_position(board, stones, &mut random)?;
            let TableValue { value, dtw } = tables.probe(&position)?;
            let dtw = dtw.map_or(-1, i32::from);
            writeln!(text, "{position}\t{}\t{dtw}", number(value))?;
        }
    }
    Ok(text)
}

/// Stones on random points, at least one of each side.
fn random_position(board: Board, stones: u32, random: &mut SplitMix64) -> Result<Position> {
    let mut setup = Setup::from(board.start());
    (setup.white, setup.black) = Default::default();
    let points: Vec<_> = board.all_points().iter().collect();
    let mut placed = 0;
    while placed < stones {
        let point = points[random.below(points.len() as u64) as usize];
        if (setup.white | setup.black).contains(point) {
            continue;
        }
        let is_white = if placed < 2 { placed == 0 } else { random.below(2) == 0 };
        let side = if is_white { &mut setup.white } else { &mut setup.black };
        *side |= point;
        placed += 1;
    }
    setup.to_move = if random.below(2) == 0 { Side::White } else { Side::Black };
    Ok(setup.try_into()?)
}
