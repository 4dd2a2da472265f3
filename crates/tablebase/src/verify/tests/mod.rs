//! Tables with correct checksums and wrong content.
//!
//! For `fanorona_builder`, the types of this crate under test are those of another crate. So they go
//! there as text.

mod selection;

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_builder::{BuildOptions, UnpackOptions, build, unpack};
use fanorona_core::{Board, Position, RuleSet, Stones};
use fanorona_storage::Access;

use super::*;
use crate::format::{Statistics, write_table};
use crate::index::{Entry, SliceIndex};
use crate::key::TableKey;
use crate::probe::TablesOptions;
use crate::value::Code;
use crate::zugzwang::{Zugzwang, ZugzwangCounter, Zugzwangs};

const RULES: RuleSet = RuleSet::STANDARD;
const BOARD: &str = "5x3";
const STRONGER: Slice = Slice::new(2, 1);

fn built(dir: &Path, metric: Metric) -> Tables {
    let board: Board = BOARD.parse().expect("a board");
    let options =
        BuildOptions::new(dir, board, RULES, 3).with_metric(metric.name().parse().expect("one"));
    build(&options, &(), &AtomicBool::new(false)).expect("it builds");
    Tables::open(dir, board, RULES).expect("it is there")
}

fn run(tables: &Tables, thoroughness: Thoroughness<'_>) -> Vec<SliceCheck> {
    let (never, progress) = (AtomicBool::new(false), WorkProgress::default());
    let checks = verify(tables, &Selection::all(), thoroughness, &never, &progress, |_| {});
    checks.expect("it can be verified")
}

/// The slices with a fault, and the faults.
fn wrong(checks: Vec<SliceCheck>) -> Vec<(String, String)> {
    let wrong =
        checks.into_iter().filter_map(|c| Some((c.slice.to_string(), c.fault?.to_string())));
    wrong.collect()
}

/// All quiet positions of a slice, without symmetry; some more than once.
fn quiet_positions(tables: &Tables, slice: Slice) -> Vec<Position> {
    let board = tables.board();
    let index = SliceIndex::new(tables.sets(), slice).expect("it fits");
    let images = |p: Position| {
        board
            .symmetries()
            .iter()
            .map(move |symmetry| p.transformed(*symmetry).expect("a symmetry of the board"))
    };
    index
        .entries(0)
        .map(|entry| entry.position(board))
        .filter(|p| !RULES.has_capture(p))
        .flat_map(images)
        .collect()
}

/// The largest set of drawn positions that can be claimed as wins of the stronger side without a
/// contradiction: every claimed win has a turn to a claimed loss, and all turns of a claimed loss
/// lead to wins.
fn cycle(tables: &Tables) -> HashSet<Stones> {
    let drawn = |slice| {
        let positions = quiet_positions(tables, slice).into_iter();
        positions.filter(|p| tables.code(p, Metric::Wdl).expect("it is there") == Code::DRAW)
    };
    let mut open: Vec<Position> = drawn(STRONGER).chain(drawn(STRONGER.swapped())).collect();
    loop {
        let claimed: HashSet<_> = open.iter().map(Stones::of).collect();
        let before = open.len();
        open.retain(|position| {
            let successors = RULES.successors(position);
            let mut claims = successors.iter().map(|after| claimed.contains(&Stones::of(after)));
            if Slice::of(position) == Some(STRONGER) {
                claims.any(|claimed| claimed)
            } else {
                let won = |after: &Position| tables.code(after, Metric::Wdl).expect("it is there");
                claims.zip(&successors).all(|(claimed, after)| claimed || won(after) == Code::WIN)
            }
        });
        if open.len() == before {
            return claimed;
        }
    }
}

/// Rewrites the tables so that the positions of a cycle are won and lost, with matching counts and
/// checksums.
fn lie(dir: &Path, tables: &Tables, cycle: &HashSet<Stones>) {
    for slice in [STRONGER, STRONGER.swapped()] {
        let table = tables.table(slice, Metric::Wdl).expect("it is whole").expect("it is there");
        let index = SliceIndex::new(tables.sets(), slice).expect("it fits");
        let claim = if slice == STRONGER { Code::WIN } else { Code::LOSS };
        let mut metadata = table.metadata().clone();
        // The examples would be wrong.
        metadata.statistics.zugzwangs = None;
        let codes: Vec<Code> = index
            .entries(0)
            .zip(table.codes(0, index.len()).expect("it is whole"))
            .map(|(Entry { stones, weight }, code)| {
                if !cycle.contains(&stones) {
                    return code;
                }
                let statistics = &mut metadata.statistics;
                statistics.draw -= u64::from(weight);
                *(if claim == Code::WIN { &mut statistics.win } else { &mut statistics.loss }) +=
                    u64::from(weight);
                claim
            })
            .collect();
        let path = dir.join(
            TableKey { board: tables.board(), rules: RULES, slice, metric: Metric::Wdl }
                .file_name(),
        );
        write_table(&path, &metadata, |first, values| {
            values.copy_from_slice(&codes[first as usize..][..values.len()]);
            Ok(())
        })
        .expect("it can be written");
    }
}

#[test]
fn cycles_of_wins_are_detected() {
    let (dir, truth) = (
        fanorona_tests::directory().expect("a directory"),
        fanorona_tests::directory().expect("one"),
    );
    let tables = built(dir.path(), Metric::Wdl);
    let distances = built(truth.path(), Metric::Dtw);
    for thoroughness in [Thoroughness::Full, Thoroughness::Against(&distances)] {
        assert_eq!(wrong(run(&tables, thoroughness)), []);
    }

    let cycle = cycle(&tables);
    lie(dir.path(), &tables, &cycle);
    let tables = Tables::open(dir.path(), tables.board(), RULES).expect("it is there");
    let won = |position: &&Position| tables.code(position, Metric::Wdl).expect("read") == Code::WIN;
    let claimed = quiet_positions(&tables, STRONGER);
    assert!(claimed.iter().filter(won).any(|p| cycle.contains(&Stones::of(p))));

    // Every value agrees with those of its successors, so samples find nothing.
    let sample = Thoroughness::Sample { positions: 20_000, seed: 1 };
    assert_eq!(wrong(run(&tables, sample)), []);
    assert_eq!(wrong(run(&tables, Thoroughness::Quick)), []);

    for thoroughness in [Thoroughness::Full, Thoroughness::Against(&distances)] {
        let wrong = wrong(run(&tables, thoroughness));
        let slices: Vec<_> = wrong.iter().map(|(slice, _)| slice.as_str()).collect();
        assert_eq!(slices, ["2v1", "1v2"]);
        for ((slice, error), (found, expected)) in
            wrong.iter().zip([("win", "draw"), ("loss", "draw")])
        {
            assert!(error.contains(&format!(" is {found}, and ")), "{slice}: {error}");
            assert!(error.contains(expected), "{slice}: {error}");
        }
    }
}

/// A position whose own set a symmetry maps to itself can have several indexes. Who probes one image of
/// it reads one of them. A wrong value at any of them is noticed.
#[test]
fn every_index_of_a_position_is_compared() {
    let (dir, truth) = (
        fanorona_tests::directory().expect("a directory"),
        fanorona_tests::directory().expect("one"),
    );
    let tables = built(dir.path(), Metric::Wdl);
    let right = built(truth.path(), Metric::Wdl);
    let mut tried = 0;
    for slice in [STRONGER, STRONGER.swapped()] {
        let table = right.table(slice, Metric::Wdl).expect("it is whole").expect("it is there");
        let index = SliceIndex::new(right.sets(), slice).expect("it fits");
        let codes = table.codes(0, index.len()).expect("it is whole");
        let path = file_of(&tables, slice);
        for (place, entry) in (0..).zip(index.entries(0)) {
            let canonical = right.sets().group().canonical(entry.stones);
            let first = index.index_of(canonical.stones).expect("it is in the slice");
            let position = entry.position(right.board());
            if first == place || RULES.has_capture(&position) {
                continue;
            }
            assert_eq!(codes[first as usize], codes[place as usize], "{position}");
            let mut codes = codes.clone();
            let is_win = codes[place as usize] == Code::WIN;
            codes[place as usize] = if is_win { Code::DRAW } else { Code::WIN };
            write_table(&path, table.metadata(), |first, values| {
                values.copy_from_slice(&codes[first as usize..][..values.len()]);
                Ok(())
            })
            .expect("it can be written");
            let tables = Tables::open(dir.path(), tables.board(), RULES).expect("it is there");
            for thoroughness in [Thoroughness::Full, Thoroughness::Against(&right)] {
                let wrong = wrong(run(&tables, thoroughness));
                assert_eq!(wrong.len(), 1, "{thoroughness:?}: {wrong:?}");
                assert_eq!(wrong[0].0, slice.to_string());
            }
            tried += 1;
        }
        std::fs::copy(file_of(&right, slice), path).expect("it can be written");
    }
    assert!(tried > 20, "{tried}");
}

/// Other writers may leave out values of positions with captures where this crate's stores them.
#[test]
fn captures_may_be_left_out_of_any_table() {
    let dir = fanorona_tests::directory().expect("a directory");
    let board = Board::telo();
    build(&BuildOptions::new(dir.path(), board, RULES, 4), &(), &AtomicBool::new(false))
        .expect("it builds");
    let open = || Tables::open(dir.path(), board, RULES).expect("it is there");
    let tables = open();
    for table in tables.all().expect("they are whole") {
        let mut metadata = table.metadata().clone();
        assert_eq!(metadata.captures_stored, metadata.slice.stones() > 2);
        metadata.captures_stored = false;
        let index = SliceIndex::new(tables.sets(), metadata.slice).expect("it fits");
        let mut codes = table.codes(0, index.len()).expect("it is whole");
        for (code, entry) in codes.iter_mut().zip(index.entries(0)) {
            if RULES.has_capture(&entry.position(board)) {
                *code = Code::NONE;
            }
        }
        write_table(table.path(), &metadata, |first, values| {
            values.copy_from_slice(&codes[first as usize..][..values.len()]);
            Ok(())
        })
        .expect("it can be written");
    }
    for thoroughness in [Thoroughness::Sample { positions: 500, seed: 1 }, Thoroughness::Full] {
        assert_eq!(wrong(run(&open(), thoroughness)), []);
    }
}

/// Writes a table's values again with another header.
fn with_header(tables: &Tables, key: &TableKey, edit: impl FnOnce(&mut Statistics)) {
    let table = tables.table(key.slice, key.metric).expect("it is whole").expect("it is there");
    let codes = table.codes(0, table.metadata().values).expect("it is whole");
    let mut metadata = table.metadata().clone();
    edit(&mut metadata.statistics);
    write_table(table.path(), &metadata, |first, values| {
        values.copy_from_slice(&codes[first as usize..][..values.len()]);
        Ok(())
    })
    .expect("it can be written");
}

/// Zugzwangs with another count or another example of a kind.
fn other_zugzwangs(
    tables: &Tables,
    slice: Slice,
    other: Zugzwang,
    count: fn(u64) -> u64,
    moved: u64,
) -> Zugzwangs {
    let index = SliceIndex::new(tables.sets(), slice).expect("it fits");
    let table = tables.table(slice, Metric::Dtw).expect("it is whole").expect("it is there");
    let known = table.metadata().statistics.zugzwangs.expect("they are counted");
    let mut counter = ZugzwangCounter::default();
    for kind in Zugzwang::ALL {
        let found = known.of(kind);
        let same = (found.count, 0);
        let (count, moved) = if kind == other { (count(found.count), moved) } else { same };
        if let Some(stones) = found.example {
            let place = index.index_of(stones).expect("it is of the slice");
            counter.add(kind, count, place + moved);
        }
    }
    counter.finish(&index)
}

type Edit = Box<dyn Fn(&mut Statistics)>;

/// Ways to falsify a header, with the fault that an independent computation finds, and whether
/// comparisons with another table and samples find it too.
fn lies(tables: &Tables, slice: Slice) -> Vec<(Edit, &'static str, bool)> {
    let zugzwangs = |kind, count, moved| -> Edit {
        let other = other_zugzwangs(tables, slice, kind, count, moved);
        Box::new(move |found| found.zugzwangs = Some(other))
    };
    let statistics = tables
        .table(slice, Metric::Dtw)
        .expect("whole")
        .expect("there")
        .metadata()
        .clone()
        .statistics;
    let present = |kind| statistics.zugzwangs.is_some_and(|found| found.of(kind).count > 0);
    let kind = Zugzwang::ALL.into_iter().find(|kind| present(*kind)).expect("there are zugzwangs");
    // A win in 1 or a loss in 0 with the same stones.
    let other = statistics.zugzwangs.and_then(|found| found.of(kind).example);
    vec![
        (
            Box::new(|found| (found.win, found.draw) = (found.win + 1, found.draw - 1)),
            "contradict",
            true,
        ),
        (
            Box::new(|found| (found.win, found.draw) = (found.win - 4, found.draw + 4)),
            "contradict",
            true,
        ),
        (
            Box::new(|found| {
                found.distances[3] -= 4;
                found.distances[1] += 4;
            }),
            "by distance",
            false,
        ),
        (
            Box::new(|found| {
                found.distances[4] += 4;
                found.distances[2] -= 4;
            }),
            "by distance",
            false,
        ),
        (Box::new(|found| found.distances.push(0)), "contradict", true),
        (Box::new(move |found| found.longest_win = other), "longest win", true),
        (Box::new(move |found| found.longest_loss = found.longest_win), "longest loss", true),
        (
            Box::new(|found| found.longest_win = found.longest_win.map(Stones::swapped)),
            "longest win",
            true,
        ),
        (Box::new(|found| found.longest_win = None), "longest win", true),
        (Box::new(|found| found.longest_loss = None), "longest loss", true),
        (
            Box::new(|found| {
                found.longest_loss = found.longest_loss.map(|s| Stones { opponent: s.own, ..s });
            }),
            "longest loss",
            true,
        ),
        (zugzwangs(kind, |count| count + 4, 0), "zugzwangs", false),
        (zugzwangs(kind, |count| count, 7), "example", true),
        (zugzwangs(kind, |_| 0, 0), "example", true),
    ]
}

/// Every number and every position of a header is checked.
#[test]
fn wrong_headers_are_detected() {
    let (dir, truth) = (
        fanorona_tests::directory().expect("a directory"),
        fanorona_tests::directory().expect("one"),
    );
    let tables = built(dir.path(), Metric::Dtw);
    let right = built(truth.path(), Metric::Dtw);
    let slice = STRONGER.swapped();
    let key = TableKey::new(tables.board(), &RULES, slice, Metric::Dtw);
    let thorough = |dir: &Path, other| {
        let tables = Tables::open(dir, key.board, RULES).expect("it is there");
        let sample = Thoroughness::Sample { positions: 100, seed: 1 };
        [Thoroughness::Full, Thoroughness::Against(other), sample, Thoroughness::Quick]
            .map(|thoroughness| wrong(run(&tables, thoroughness)))
    };
    for (edit, message, is_seen_by_samples) in lies(&right, slice) {
        with_header(&tables, &key, &edit);
        let [full, against, sample, quick] = thorough(dir.path(), &right);
        for found in [full, against] {
            let [(found_in, error)] = &found[..] else { panic!("{message}: {found:?}") };
            assert_eq!(*found_in, slice.to_string());
            assert!(error.contains(message), "{error}, not {message}");
        }
        assert_eq!(!sample.is_empty(), is_seen_by_samples, "{message}: {sample:?}");
        assert_eq!(quick, [], "checksums are right");
    }
    // Against tables without distances, the header's distances are checked with the table's own.
    let (dir, values) = (
        fanorona_tests::directory().expect("a directory"),
        fanorona_tests::directory().expect("one"),
    );
    let tables = built(dir.path(), Metric::Dtw);
    let values = built(values.path(), Metric::Wdl);
    with_header(&tables, &key, |found| found.longest_win = found.longest_loss);
    let [_, against, ..] = thorough(dir.path(), &values);
    assert!(against.len() == 1 && against[0].1.contains("longest win"), "{against:?}");
}

/// The counts of tables without distances are checked too.
#[test]
fn wrong_headers_of_tables_without_distances_are_detected() {
    let dir = fanorona_tests::directory().expect("a directory");
    let tables = built(dir.path(), Metric::Wdl);
    let key = TableKey::new(tables.board(), &RULES, STRONGER, Metric::Wdl);
    let edits: [(Edit, &str); 4] = [
        (Box::new(|found| found.distances = vec![0, found.win]), "contradict"),
        (
            Box::new(|found| {
                found.longest_win = Some(Stones::from_bits(3, 4));
            }),
            "longest win",
        ),
        (Box::new(|found| found.draw += 1), "contradict"),
        (
            Box::new(|found| (found.win, found.draw) = (found.win - 1, found.draw + 1)),
            "wins, draws and losses",
        ),
    ];
    let others = [Metric::Wdl, Metric::Dtw].map(|metric| {
        let dir = fanorona_tests::directory().expect("a directory");
        let tables = built(dir.path(), metric);
        (dir, tables)
    });
    for (edit, message) in edits {
        let dir = fanorona_tests::directory().expect("a directory");
        let tables = built(dir.path(), Metric::Wdl);
        with_header(&tables, &key, edit);
        let tables = Tables::open(dir.path(), key.board, RULES).expect("it is there");
        let [(_, wdl), (_, dtw)] = &others;
        for thoroughness in
            [Thoroughness::Full, Thoroughness::Against(wdl), Thoroughness::Against(dtw)]
        {
            let found = wrong(run(&tables, thoroughness));
            assert!(found.len() == 1 && found[0].1.contains(message), "{message}: {found:?}");
        }
    }
}

/// The seed alone determines which positions are compared.
#[test]
fn samples_follow_their_seed() {
    let dir = fanorona_tests::directory().expect("a directory");
    let tables = built(dir.path(), Metric::Wdl);
    let cycle = cycle(&tables);
    // A claim that contradicts its successors: only one of the two slices makes it.
    lie(dir.path(), &tables, &cycle);
    let path = file_of(&tables, STRONGER.swapped());
    let fresh = fanorona_tests::directory().expect("a directory");
    let right = built(fresh.path(), Metric::Wdl);
    std::fs::copy(file_of(&right, STRONGER.swapped()), path).expect("it can be copied");
    let tables = Tables::open(dir.path(), tables.board(), RULES).expect("it is there");
    let found = |seed| wrong(run(&tables, Thoroughness::Sample { positions: 40, seed }));
    let by_seed: Vec<_> = (0..20).map(found).collect();
    assert_eq!(
        by_seed,
        (0..20).map(found).collect::<Vec<_>>(),
        "the same seed, the same positions"
    );
    let different: HashSet<_> = by_seed.iter().filter(|found| !found.is_empty()).collect();
    assert!(different.len() > 5, "{by_seed:?}");
}

fn file_of(tables: &Tables, slice: Slice) -> std::path::PathBuf {
    let table = tables.table(slice, Metric::Wdl).expect("it is whole").expect("it is there");
    table.path().to_owned()
}

/// `--against` maps files only where the tables themselves are mapped.
#[test]
fn other_tables_are_mapped_only_if_both_are() {
    let dir = fanorona_tests::directory().expect("a directory");
    let read = built(dir.path(), Metric::Wdl);
    #[expect(unsafe_code, reason = "mapping is tested")]
    // SAFETY: nobody changes the files.
    let map = unsafe { Access::map() };
    let options = TablesOptions { access: map, ..TablesOptions::default() };
    let mapped =
        Tables::open_dirs(&[dir.path()], read.board(), RULES, options).expect("it is there");
    let is_map = |other: &Tables, tables: &Tables| {
        other.packed_with_access_of(tables).expect("it is there").options().access.is_map()
    };
    assert!(!is_map(&mapped, &read));
    assert!(!is_map(&read, &read));
    assert!(!is_map(&read, &mapped));
    assert!(is_map(&mapped, &mapped));
}

const ALL: [Thoroughness<'_>; 3] =
    [Thoroughness::Quick, Thoroughness::Sample { positions: 50, seed: 1 }, Thoroughness::Full];

/// A sample ends with its first fault, and tells how many positions were good before.
#[test]
fn a_sample_counts_up_to_its_fault() {
    let (dir, fresh) = (
        fanorona_tests::directory().expect("a directory"),
        fanorona_tests::directory().expect("one"),
    );
    let tables = built(dir.path(), Metric::Wdl);
    lie(dir.path(), &tables, &cycle(&tables));
    let path = file_of(&tables, STRONGER.swapped());
    let right = built(fresh.path(), Metric::Wdl);
    std::fs::copy(file_of(&right, STRONGER.swapped()), path).expect("it can be copied");
    let tables = Tables::open(dir.path(), tables.board(), RULES).expect("it is there");
    // Others are those of the header, which is checked last.
    let is_value = |found: &SliceCheck| matches!(found.fault, Some(TableFault::Value { .. }));
    let mut faults = 0;
    for seed in 0..20 {
        let checks = |positions| run(&tables, Thoroughness::Sample { positions, seed });
        for found in checks(40).into_iter().filter(is_value) {
            assert!(found.checked < 40, "{found:?}");
            for (positions, is_found) in [(found.checked, false), (found.checked + 1, true)] {
                let again = checks(positions).into_iter().find(|again| again.slice == found.slice);
                let again = again.expect("it is checked again");
                assert_eq!((again.checked, is_value(&again)), (found.checked, is_found));
            }
            faults += 1;
        }
    }
    assert!(faults > 5, "{faults}");
}
