//! Builds on top of tables with long distances, edited with correct checksums.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_core::{ErrorKind, RuleSet, Value};
use fanorona_storage::Access;
use fanorona_tablebase::format::{Packing, TableFile, write_table};
use fanorona_tablebase::index::SliceIndex;
use fanorona_tablebase::orbits::OrbitSets;
use fanorona_tablebase::{Code, Layout, Metric, Slice, TableError, TableKey, Unit, open_table};
use fanorona_tests::effort;

use super::{assert_same, board, built, contents, copy, options};
use crate::count::{add_code, of_codes};
use crate::sizes::Sizes;
use crate::{Activity, Method, Progress, UnpackOptions, build, estimate, unpack};

/// Replaces a table by one with other values and matching counts.
fn edit(dir: &Path, key: &TableKey, edit: impl Fn(Code) -> Code) {
    let table = open_table(dir, key, Layout::Packed, Access::READ)
        .expect("it is whole")
        .expect("it is there");
    let sets = OrbitSets::new(key.board);
    let index = SliceIndex::new(&sets, key.slice).expect("it fits");
    let codes = table.codes(0, index.len()).expect("it is whole");
    let codes: Vec<_> = codes.into_iter().map(edit).collect();
    let mut counts = Vec::new();
    for (entry, code) in index.entries(0).zip(&codes) {
        add_code(&mut counts, *code, entry.weight);
    }
    let zugzwangs = table.metadata().statistics.zugzwangs.expect("they are counted");
    let first = |code| Ok(codes.iter().position(|each| *each == code).expect("it is there") as u64);
    let statistics = of_codes(&index, key.metric, &counts, zugzwangs, first).expect("it counts");
    let largest = codes.iter().map(|code| code.0).max().expect("there are values");
    let bits = Packing::for_codes(key.metric, largest).bits();
    let metadata =
        fanorona_tablebase::format::Metadata { statistics, bits, ..table.metadata().clone() };
    drop(table);
    write_table(&dir.join(key.file_name()), &metadata, |first, values| {
        values.copy_from_slice(&codes[first as usize..][..values.len()]);
        Ok(())
    })
    .expect("it can be written");
}

/// A directory with the tables up to 3 stones, in which `more` turns are added to every distance
/// above 1.
fn with_long_distances(rules: RuleSet, more: u16) -> tempfile::TempDir {
    let dir = fanorona_tests::directory().expect("a directory");
    built(&options(dir.path(), rules, 3, Metric::Dtw)).expect("it builds");
    for slice in Unit::up_to(board(), 3).flat_map(Unit::slices) {
        let key = TableKey::new(board(), &rules, slice, Metric::Dtw);
        edit(dir.path(), &key, |code| if code.0 > 2 { Code(code.0 + more) } else { code });
    }
    dir
}

fn longest(dir: &Path) -> u16 {
    let tables = fs::read_dir(dir).expect("a directory").map(|file| {
        let path = file.expect("a file").path();
        TableFile::open_with(&path, Access::READ).expect("a table")
    });
    let longest = tables.map(|table| {
        let statistics = &table.metadata().statistics;
        statistics.longest(Value::Win).max(statistics.longest(Value::Loss)).unwrap_or(0)
    });
    longest.max().expect("there are tables")
}

/// The builders agree if distances fit in one byte, if they need two bytes from some round on,
/// and if they need two from the beginning. So do unpacked tables.
#[test]
fn distances_beyond_a_byte_are_counted() {
    for rules in [RuleSet::STANDARD, RuleSet::FREE_CAPTURE].into_iter().take(effort(1, 2)) {
        let mut reached = Vec::new();
        let all = [(0, 20), (226, 246), (228, 248), (230, 250), (238, 258), (256, 276)];
        let (more, expected): (Vec<_>, Vec<_>) = all.into_iter().step_by(effort(2, 1)).unzip();
        for more in more {
            let dir = with_long_distances(rules, more);
            let by = |method| {
                let dir = copy(dir.path());
                built(&options(dir.path(), rules, 5, Metric::Dtw).with_method(method))
                    .expect("it builds");
                let mut unpacking = UnpackOptions::new(dir.path(), board(), rules);
                unpacking.method = Some(method);
                let longest = longest(dir.path());
                unpack(&unpacking, &(), &AtomicBool::new(false)).expect("it unpacks");
                (contents(dir.path()), longest)
            };
            let (plain, longest) = by(Method::Plain);
            for method in [Method::Rows, Method::Dense] {
                assert_same(
                    &by(method).0,
                    &plain,
                    &format!("{method}, {rules}, {more} turns longer"),
                );
            }
            reached.push(longest);
        }
        // A loss in 248 is the longest that fits in one byte.
        assert_eq!(reached, expected);
    }
}

/// Checkpoints save grades of both widths.
#[test]
fn builds_with_wide_grades_continue_from_checkpoints() {
    for method in [Method::Rows, Method::Dense] {
        continue_with_wide_grades(method);
    }
}

fn continue_with_wide_grades(method: Method) {
    let dir = with_long_distances(RuleSet::STANDARD, 240);
    let options = |dir: &Path| {
        options(dir, RuleSet::STANDARD, 4, Metric::Dtw)
            .with_method(method)
            .with_checkpoint(Some(Duration::ZERO))
    };
    let undisturbed = copy(dir.path());
    built(&options(undisturbed.path()).with_checkpoint(None)).expect("it builds");
    let undisturbed = contents(undisturbed.path());

    /// Stops a build at a given round.
    struct StopAt<'a>(u32, &'a AtomicBool);
    impl Progress for StopAt<'_> {
        fn begin(&self, _: Unit, activity: Activity, _: u64) {
            if activity == Activity::Round(self.0) {
                self.1.store(true, std::sync::atomic::Ordering::Relaxed);
            }
        }
    }

    let mut stopped = 0;
    for round in [3, 245, 248, 249, 250, 251, 252, 255].into_iter().step_by(effort(3, 1)) {
        let dir = copy(dir.path());
        let stop = AtomicBool::new(false);
        match build(&options(dir.path()), &StopAt(round, &stop), &stop) {
            Err(TableError::Stopped) => stopped += 1,
            result => assert!(result.is_ok(), "{result:?}"),
        }
        built(&options(dir.path())).expect("it builds");
        assert_same(&contents(dir.path()), &undisturbed, &format!("stopped at round {round}"));
    }
    assert!(stopped >= effort(2, 6), "{stopped} builds were stopped");
}

#[test]
fn distances_that_no_table_can_hold_are_refused() {
    const MAX_DISTANCE: u16 = Sizes::SMALL.max_distance;
    let dir = with_long_distances(RuleSet::STANDARD, MAX_DISTANCE - 14);
    assert_eq!(longest(dir.path()), MAX_DISTANCE - 2);
    let beyond = with_long_distances(RuleSet::STANDARD, MAX_DISTANCE);
    for method in Method::ALL {
        for dir in [copy(dir.path()), copy(beyond.path())] {
            let options = options(dir.path(), RuleSet::STANDARD, 5, Metric::Dtw);
            let error = built(&options.with_method(method)).unwrap_err();
            assert!(
                matches!(error, TableError::TooFar { limit: MAX_DISTANCE, .. }),
                "{method}: {error}"
            );
        }
    }
}

/// By rows, wide grades take more memory than estimated, so they go to files.
#[test]
fn wide_grades_do_not_need_more_memory() {
    let dir = with_long_distances(RuleSet::STANDARD, 256);
    let built_with = |memory| {
        let dir = copy(dir.path());
        let options = options(dir.path(), RuleSet::STANDARD, 5, Metric::Dtw);
        built(&options.with_method(Method::Rows).with_memory(memory)).expect("it builds");
        contents(dir.path())
    };
    let options = options(dir.path(), RuleSet::STANDARD, 5, Metric::Dtw);
    let estimated = estimate(&options.with_method(Method::Rows)).expect("it fits");
    let whole = built_with(None);
    for memory in [estimated.least_memory, estimated.most_memory] {
        assert!(built_with(Some(memory)) == whole, "{memory}");
    }
}

/// All builders refuse values that a table's header does not count.
#[test]
fn values_that_the_header_does_not_count_are_refused() {
    let key = |metric| {
        let slice = Slice::new(2, 1);
        TableKey::new(board(), &RuleSet::STANDARD, slice, metric)
    };
    let damaged = |metric, bits, replaced: Code, by: Code| {
        let dir = fanorona_tests::directory().expect("a directory");
        built(&options(dir.path(), RuleSet::STANDARD, 3, metric)).expect("it builds");
        let path = dir.path().join(key(metric).file_name());
        let table = TableFile::open_with(&path, Access::READ).expect("it is whole");
        let mut metadata = table.metadata().clone();
        let mut codes = table.codes(0, metadata.values).expect("it is whole");
        let index = codes.iter().position(|code| *code == replaced).expect("there is such a value");
        codes[index] = by;
        metadata.bits = bits;
        drop(table);
        write_table(&path, &metadata, |first, values| {
            values.copy_from_slice(&codes[first as usize..][..values.len()]);
            Ok(())
        })
        .expect("it can be written");
        dir
    };
    for dir in [
        damaged(Metric::Wdl, 8, Code::WIN, Code(3)),
        damaged(Metric::Wdl, 8, Code::WIN, Code(4)),
        damaged(Metric::Wdl, 16, Code::LOSS, Code(300)),
        damaged(Metric::Dtw, 8, Code(4), Code(100)),
        damaged(Metric::Dtw, 16, Code(4), Code(65_534)),
    ] {
        let metric =
            if contents(dir.path())[0].0.contains("wdl") { Metric::Wdl } else { Metric::Dtw };
        for method in Method::ALL {
            let options = options(dir.path(), RuleSet::STANDARD, 4, metric).with_method(method);
            let error = built(&options).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::DamagedFile, "{method}: {error}");
            assert!(error.to_string().contains("5x3_standard_2v1"), "{error}");
        }
    }
}

/// Grades of two bytes are not in the estimate, so the dense builder asks for their memory when it
/// needs them.
#[test]
fn the_dense_builder_has_no_wide_grades_without_memory_for_them() {
    // The grades are wide from the beginning, from some round on, and when a table is loaded.
    for more in [256, 238, 230] {
        let below = with_long_distances(RuleSet::STANDARD, more);
        let dir = copy(below.path());
        let options = options(dir.path(), RuleSet::STANDARD, 5, Metric::Dtw);
        let options = options.with_method(Method::Dense);
        let memory = estimate(&options).expect("it fits").memory;
        let error = built(&options.clone().with_memory(Some(memory))).unwrap_err();
        assert!(
            matches!(error, TableError::Resources { needed, .. } if needed > memory),
            "{error}"
        );
        built(&options.with_memory(Some(memory + (64 << 20)))).expect("it builds");
    }
}
