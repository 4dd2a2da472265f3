//! Builds on top of edited tables with correct checksums.

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_core::{Board, ErrorKind, RuleSet, Value};
use fanorona_storage::Access;
use fanorona_tests::effort;

use super::context::MAX_DISTANCE;
use super::ranks::tests::on_ranks;
use super::{
    BuildOptions, CheckpointEvent, Method, Progress, Ranks, UnpackOptions, build, build_together,
    estimate_together, unpack,
};
use crate::error::TableError;
use crate::format::{Counter, Packing, TableFile, write_table};
use crate::index::SliceIndex;
use crate::key::TableKey;
use crate::orbits::OrbitSets;
use crate::probe::open_table;
use crate::slice::{Slice, Unit};
use crate::value::{Code, Metric};

const BOARD: &str = "5x3";

fn board() -> Board {
    BOARD.parse().expect("a board")
}

fn options(dir: &Path, rules: RuleSet, stones: u32, metric: Metric) -> BuildOptions {
    BuildOptions::new(dir, board(), rules, stones).with_metric(metric)
}

fn built(options: &BuildOptions) -> Result<(), TableError> {
    build(options, &(), &AtomicBool::new(false)).map(drop)
}

/// Replaces a table by one with other values and matching counts.
fn edit(dir: &Path, key: &TableKey, edit: impl Fn(Code) -> Code) {
    let table = open_table(dir, key, Access::READ).expect("it is whole").expect("it is there");
    let sets = OrbitSets::new(key.board);
    let index = SliceIndex::new(&sets, key.slice).expect("it fits");
    let codes = table.codes(0, index.len()).expect("it is whole");
    let codes: Vec<_> = codes.into_iter().map(edit).collect();
    let mut counter = Counter::default();
    for ((place, entry), code) in (0..).zip(index.entries(0)).zip(&codes) {
        counter.count(place, entry.weight, *code, key.metric);
    }
    let zugzwangs = table.metadata().statistics.zugzwangs.expect("they are counted");
    let statistics = counter.finish(&index, zugzwangs);
    let largest = codes.iter().map(|code| code.0).max().expect("there are values");
    let bits = Packing::for_codes(key.metric, largest).bits();
    let metadata = crate::format::Metadata { statistics, bits, ..table.metadata().clone() };
    drop(table);
    write_table(&dir.join(key.file_name()), &metadata, |first, values| {
        values.copy_from_slice(&codes[first as usize..][..values.len()]);
    })
    .expect("it can be written");
}

/// A directory with the tables up to 3 stones, in which `more` turns are added to every distance
/// above 1.
fn with_long_distances(rules: RuleSet, more: u16) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a directory");
    built(&options(dir.path(), rules, 3, Metric::Dtw)).expect("it builds");
    for slice in Unit::up_to(board(), 3).flat_map(Unit::slices) {
        let key = TableKey::new(board(), &rules, slice, Metric::Dtw);
        edit(dir.path(), &key, |code| if code.0 > 2 { Code(code.0 + more) } else { code });
    }
    dir
}

/// The names and contents of the files in a directory.
type Files = Vec<(String, Vec<u8>)>;

fn contents(dir: &Path) -> Files {
    let files = fs::read_dir(dir).expect("a directory").map(|file| file.expect("a file"));
    let mut contents: Vec<_> = files
        .map(|file| {
            let bytes = fs::read(file.path()).expect("it can be read");
            (file.file_name().into_string().expect("a name"), bytes)
        })
        .collect();
    contents.sort();
    contents
}

/// Compares files. `what` names the case.
fn assert_same(found: &Files, expected: &Files, what: &str) {
    let differs = found.iter().zip(expected).find(|(found, expected)| found != expected);
    assert!(found == expected, "{what}: {:?}", differs.map(|((name, _), _)| name));
}

fn copy(dir: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a directory");
    for (name, bytes) in contents(dir) {
        fs::write(copy.path().join(name), bytes).expect("it can be written");
    }
    copy
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
                let unpacking = UnpackOptions::new(dir.path(), board(), rules).with_method(method);
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
    built(&options(undisturbed.path())).expect("it builds");
    let undisturbed = contents(undisturbed.path());

    /// Stops a build at a given round.
    struct StopAt<'a>(u32, &'a AtomicBool);
    impl super::Progress for StopAt<'_> {
        fn begin(&self, _: Unit, phase: super::Phase, _: u64) {
            if phase == super::Phase::Round(self.0) {
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

/// The limit is low in this crate's tests, so that small tables reach it.
#[test]
fn distances_that_no_table_can_hold_are_refused() {
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
    let estimated = super::estimate(&options.with_method(Method::Rows)).expect("it fits");
    let whole = built_with(None);
    for memory in [estimated.least_memory, estimated.most_memory] {
        assert!(built_with(Some(memory)) == whole, "{memory}");
    }
}

/// All builders refuse values that a table's header does not count.
#[test]
fn values_that_the_header_does_not_count_are_refused() {
    let key = |metric| {
        let slice = Slice { own: 2, opponent: 1 };
        TableKey::new(board(), &RuleSet::STANDARD, slice, metric)
    };
    let damaged = |metric, bits, replaced: Code, by: Code| {
        let dir = tempfile::tempdir().expect("a directory");
        built(&options(dir.path(), RuleSet::STANDARD, 3, metric)).expect("it builds");
        let path = dir.path().join(key(metric).file_name());
        let table = TableFile::open_with(&path, Access::READ).expect("it is whole");
        let mut metadata = table.metadata().clone();
        let mut codes = table.codes(0, metadata.values).expect("it is whole");
        let place = codes.iter().position(|code| *code == replaced).expect("there is such a value");
        codes[place] = by;
        metadata.bits = bits;
        drop(table);
        write_table(&path, &metadata, |first, values| {
            values.copy_from_slice(&codes[first as usize..][..values.len()]);
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

/// Slices that are loaded in many parts (see `LOADED_TOGETHER`) equal slices that were just solved.
#[test]
fn tables_are_loaded_in_parts() {
    for rules in [RuleSet::STANDARD, RuleSet::FREE_CAPTURE] {
        for (metric, method) in Metric::ALL.into_iter().flat_map(|m| Method::ALL.map(|by| (m, by)))
        {
            let options =
                |dir: &Path, stones| options(dir, rules, stones, metric).with_method(method);
            let all = tempfile::tempdir().expect("a directory");
            built(&options(all.path(), 6)).expect("it builds");
            let dir = tempfile::tempdir().expect("a directory");
            for stones in 2..=6 {
                built(&options(dir.path(), stones)).expect("it builds");
            }
            assert!(contents(dir.path()) == contents(all.path()), "{rules} {metric} {method}");
        }
    }
}

/// A table is deleted after a build has opened it.
#[test]
fn tables_that_disappear_do_no_harm() {
    struct Delete<'a>(&'a Path, &'a str);
    impl super::Progress for Delete<'_> {
        fn finished(&self, _: &TableFile, _: bool) {
            // Deletes it at the first call.
            let _ = fs::remove_file(self.0.join(self.1));
        }
    }

    for method in Method::ALL {
        let dir = tempfile::tempdir().expect("a directory");
        let options = options(dir.path(), RuleSet::STANDARD, 4, Metric::Wdl).with_method(method);
        built(&options).expect("it builds");
        let whole = contents(dir.path());
        for (name, _) in whole.iter().filter(|(name, _)| !name.contains("1v1")) {
            fs::remove_file(dir.path().join("5x3_standard_3v1.wdl.fano")).expect("it is there");
            build(&options, &Delete(dir.path(), name), &AtomicBool::new(false)).expect("it builds");
            built(&options).expect("it builds");
            assert!(contents(dir.path()) == whole, "{method}, {name}");
        }
    }
}

/// Builds. Returns the content of the directory whenever a checkpoint is saved, and at the end.
fn all_contents(options: &BuildOptions) -> Vec<Files> {
    struct Record<'a>(&'a Path, Mutex<Vec<Files>>);
    impl super::Progress for Record<'_> {
        fn checkpoint(&self, _: Unit, event: &super::CheckpointEvent) {
            assert!(matches!(event, super::CheckpointEvent::Saved { .. }), "{event:?}");
            self.1.lock().expect("no panic").push(contents(self.0));
        }
    }
    let record = Record(&options.dir, Mutex::default());
    build(options, &record, &AtomicBool::new(false)).expect("it builds");
    let mut all = record.1.into_inner().expect("no panic");
    all.push(contents(&options.dir));
    all
}

/// Builds on top of the tables in a directory, with memory for everything and for less. Then adds
/// the tables to the directory. Returns whether the build can have files.
fn assert_same_with_files(below: &Path, options: &BuildOptions) -> bool {
    let with = |dir: &Path, memory| {
        let options = options.clone().with_memory(memory);
        BuildOptions { dir: dir.to_owned(), ..options }
    };
    let super::Estimate { memory, least_memory: least, most_memory: most, .. } =
        super::estimate(&with(below, None)).expect("it fits");
    assert_eq!(memory, most);
    // A smaller unit, which is loaded, can take the most memory.
    if least < most {
        let whole = copy(below);
        let in_memory = all_contents(&with(whole.path(), Some(most)));
        for memory in [least, (2 * least + most) / 3, most - 1] {
            let dir = copy(below);
            let options = with(dir.path(), Some(memory));
            let estimated = super::estimate(&options).expect("it fits");
            assert!(estimated.memory <= memory, "{}", estimated.memory);
            assert!(estimated.work > 0, "{memory} bytes");
            assert!(all_contents(&options) == in_memory, "{options:?}");
        }
        let error = built(&with(below, Some(least - 1))).unwrap_err();
        let names_the_least =
            matches!(error, TableError::Resources { needed, .. } if needed == least);
        assert!(names_the_least, "{error}");
    }
    built(&with(below, None)).expect("it builds");
    least < most
}

/// Builds with less memory keep matrices, or solved slices, in files. Their tables are those of the
/// plain builder. By rows, their checkpoints are those of builds with enough memory.
fn assert_memory_makes_no_difference(method: Method, cases: &[(&str, &str, usize)]) {
    for &(size, rules, most) in cases {
        let (board, rules): (Board, RuleSet) = (size.parse().unwrap(), rules.parse().unwrap());
        for metric in Metric::ALL {
            let [below, plain] = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
            let options = |dir: &Path, stones| {
                BuildOptions::new(dir, board, rules, stones).with_metric(metric).with_method(method)
            };
            let most = most as u32;
            let compared = (2..=most).filter(|stones| {
                // The progress of the dense builder at some time depends on the order of threads.
                let saves = method == Method::Rows && size == "5x3" && *stones == most - 1;
                let interval = saves.then_some(Duration::ZERO);
                let options = options(below.path(), *stones).with_checkpoint(interval);
                assert_same_with_files(below.path(), &options)
            });
            let compared = compared.count();
            assert!(compared >= 2, "{size} {rules} {metric}: {compared} builds had files");
            built(&options(plain.path(), most).with_method(Method::Plain)).expect("it builds");
            assert!(contents(below.path()) == contents(plain.path()), "{size} {rules} {metric}");
        }
    }
}

#[test]
fn memory_makes_no_difference_by_rows() {
    let cases = [
        ("3x3", "standard", 7),
        ("3x3", "vela+stones-1", 7),
        ("5x3", "vela+stones-1+must-capture", effort(4, 5)),
        ("5x3", "standard", effort(4, 5)),
        ("5x3", "free-capture", effort(4, 5)),
        ("5x3", "standard+no-turns-draw", effort(4, 5)),
        ("5x5", "standard", effort(3, 4)),
    ];
    assert_memory_makes_no_difference(Method::Rows, &cases);
}

#[test]
fn memory_makes_no_difference_to_the_dense_builder() {
    let cases = [
        ("3x3", "standard", 8),
        ("5x3", "standard", effort(5, 6)),
        ("5x3", "free-capture", effort(4, 5)),
        ("5x3", "standard+no-turns-draw", effort(4, 5)),
    ];
    assert_memory_makes_no_difference(Method::Dense, &cases);
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
        let memory = super::estimate(&options).expect("it fits").memory;
        let error = built(&options.clone().with_memory(Some(memory))).unwrap_err();
        assert!(
            matches!(error, TableError::Resources { needed, .. } if needed > memory),
            "{error}"
        );
        built(&options.with_memory(Some(memory + (64 << 20)))).expect("it builds");
    }
}

/// The sets of 8 points of 9x5 are too many for the dense builder.
#[test]
fn boards_with_too_many_sets_are_refused() {
    let dir = tempfile::tempdir().expect("a directory");
    let options = BuildOptions::new(dir.path(), Board::tsivy(), RuleSet::STANDARD, 8);
    let error = built(&options.with_method(Method::Dense)).unwrap_err();
    assert!(matches!(error, TableError::TooLarge { .. }), "{error}");
}

/// Several processes write the files that one writes, whatever their number.
#[test]
fn processes_make_no_difference() {
    let cases = [
        ("3x3", "standard", 8),
        ("3x3", "free-capture", 8),
        ("3x3", "vela+stones-2", effort(6, 8)),
        ("5x3", "vela+stones-1", effort(4, 5)),
        ("5x3", "standard", effort(4, 6)),
        ("5x3", "free-capture", effort(4, 5)),
        ("5x3", "standard+no-turns-draw", effort(4, 5)),
        ("5x5", "standard", effort(3, 4)),
    ];
    for (size, rules, stones) in cases {
        let (board, rules): (Board, RuleSet) = (size.parse().unwrap(), rules.parse().unwrap());
        for metric in Metric::ALL {
            let options = |dir: &Path| {
                BuildOptions::new(dir, board, rules, stones as u32)
                    .with_metric(metric)
                    .with_method(Method::Rows)
            };
            let alone = tempfile::tempdir().expect("a directory");
            built(&options(alone.path())).expect("it builds");
            for (count, has_little_memory) in [(2, false), (3, true), (7, false)] {
                let dir = tempfile::tempdir().expect("a directory");
                let options = options(dir.path());
                let least =
                    estimate_together(&options, count).expect("it can be done").least_memory;
                let options = options.with_memory(has_little_memory.then_some(least));
                let reports = on_ranks(count, |ranks| {
                    build_together(&options, &(), &AtomicBool::new(false), ranks)
                        .map(|report| report.written)
                });
                for report in reports {
                    assert!(report.expect("it builds") > 0);
                }
                let same = contents(dir.path()) == contents(alone.path());
                assert!(same, "{size} {rules} {metric}: {count} processes");
            }
        }
    }
}

/// A checkpoint of some processes is one for any number of them.
#[test]
fn checkpoints_do_not_depend_on_the_number_of_processes() {
    let cases = [
        ("5x3", "standard", 4),
        ("5x3", "free-capture", 4),
        ("5x3", "vela+stones-1", 4),
        ("3x3", "standard", 7),
    ];
    for (size, rules, stones) in cases {
        let (board, rules): (Board, RuleSet) = (size.parse().unwrap(), rules.parse().unwrap());
        for metric in Metric::ALL {
            let options = |dir: &Path| {
                BuildOptions::new(dir, board, rules, stones)
                    .with_metric(metric)
                    .with_method(Method::Rows)
                    .with_checkpoint(Some(Duration::ZERO))
            };
            let alone = tempfile::tempdir().expect("a directory");
            built(&options(alone.path())).expect("it builds");
            let expected = contents(alone.path());
            for (count, then) in [(1, 1), (3, 2), (1, 4), (4, 1), (3, 3)] {
                let dir = tempfile::tempdir().expect("a directory");
                let recorder = CheckpointFiles(dir.path(), Mutex::default());
                let together = options(dir.path());
                let results = on_ranks(count, |ranks| {
                    let progress: &dyn Progress = if ranks.rank() == 0 { &recorder } else { &() };
                    build_together(&together, progress, &AtomicBool::new(false), ranks).map(|_| ())
                });
                results.into_iter().for_each(|result| result.expect("it builds"));
                assert!(contents(dir.path()) == expected);
                let saved = recorder.1.into_inner().expect("no panic");
                assert!(saved.len() > 20, "{} checkpoints", saved.len());
                for files in saved.iter().step_by(saved.len() / effort(3, 20) + 1) {
                    let dir = tempfile::tempdir().expect("a directory");
                    for (name, bytes) in files {
                        fs::write(dir.path().join(name), bytes).expect("it is written");
                    }
                    let resumed = Resumed::default();
                    let options = options(dir.path()).with_checkpoint(None);
                    // Where matrices are makes no difference.
                    let least = estimate_together(&options, then).expect("it can be done");
                    let memory = (then == 2).then_some(least.least_memory);
                    let options = options.with_memory(memory);
                    let results = on_ranks(then, |ranks| {
                        build_together(&options, &resumed, &AtomicBool::new(false), ranks)
                            .map(|_| ())
                    });
                    results.into_iter().for_each(|result| result.expect("it builds"));
                    assert_eq!(*resumed.0.lock().expect("no panic"), then);
                    let same = contents(dir.path()) == expected;
                    assert!(same, "{size} {rules} {metric}: {count} processes, then {then}");
                }
            }
        }
    }
}

/// The files of a directory after each checkpoint.
struct CheckpointFiles<'d>(&'d Path, Mutex<Vec<Files>>);

impl Progress for CheckpointFiles<'_> {
    fn checkpoint(&self, _: Unit, event: &CheckpointEvent) {
        assert!(matches!(event, CheckpointEvent::Saved { .. }), "{event}");
        let files = fs::read_dir(self.0).expect("a directory").map(|file| file.expect("a file"));
        // The other processes go on, and their temporary files can disappear.
        let read = |file: fs::DirEntry| {
            let name = file.file_name().into_string().expect("a name");
            Some((name, fs::read(file.path()).ok()?))
        };
        self.1.lock().expect("no panic").push(files.filter_map(read).collect());
    }
}

/// The number of processes that have used a checkpoint.
#[derive(Default)]
struct Resumed(Mutex<usize>);

impl Progress for Resumed {
    fn checkpoint(&self, _: Unit, event: &CheckpointEvent) {
        assert!(matches!(event, CheckpointEvent::Resumed { .. }), "{event}");
        *self.0.lock().expect("no panic") += 1;
    }
}

/// A process that fails or is stopped ends the build of all.
#[test]
fn an_error_of_one_process_is_one_of_all() {
    let dir = tempfile::tempdir().expect("a directory");
    let options = |ranks: &dyn Ranks| {
        let options = options(dir.path(), RuleSet::STANDARD, 5, Metric::Wdl);
        let memory = (ranks.rank() == 1).then_some(1);
        options.with_method(Method::Rows).with_memory(memory)
    };
    let results = on_ranks(3, |ranks| {
        build_together(&options(ranks), &(), &AtomicBool::new(false), ranks).map(|_| ())
    });
    for (rank, result) in results.iter().enumerate() {
        let expected = match result {
            Err(TableError::Resources { .. }) => rank == 1,
            Err(TableError::OtherRank { rank: other }) => rank != 1 && *other == 1,
            _ => false,
        };
        assert!(expected, "{rank}: {result:?}");
    }
    let results = on_ranks(3, |ranks| {
        let stop = AtomicBool::new(ranks.rank() == 2);
        let options = options(ranks).with_memory(None);
        build_together(&options, &(), &stop, ranks).map(|_| ())
    });
    for result in results {
        assert!(matches!(result, Err(TableError::Stopped)), "{result:?}");
    }
    // Only one method works with several processes.
    let results = on_ranks(2, |ranks| {
        let options = options(ranks).with_memory(None).with_method(Method::Dense);
        build_together(&options, &(), &AtomicBool::new(false), ranks).map(|_| ())
    });
    for result in results {
        assert!(matches!(result, Err(TableError::OneProcess { method: "dense" })), "{result:?}");
    }
    // Each has a directory of its own.
    let dirs = [(); 2].map(|()| tempfile::tempdir().expect("a directory"));
    let results = on_ranks(2, |ranks| {
        let options = options(ranks).with_memory(None);
        let options = BuildOptions { dir: dirs[ranks.rank()].path().to_owned(), ..options };
        build_together(&options, &(), &AtomicBool::new(false), ranks).map(|_| ())
    });
    for result in results {
        assert!(matches!(result, Err(TableError::NotShared { rank: 1, .. })), "{result:?}");
    }
}
