//! Building: files are always the same bytes, and builds that do not fit are refused before they
//! start.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use fanorona_builder::{Activity, BuildOptions, Estimate, Method, Progress, build, estimate};
use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::{
    FileError, Goal, Metric, Resource, Slice, TableError, TableFile, Tables, Unit,
};
use fanorona_tests::effort;
use fanorona_tests::strategies::cases;
use proptest::prelude::*;

use crate::common::{self, Built, board, contents, rules, slice, slices, try_build};

fn options(dir: &Path, board: Board, stones: u32, metric: Metric) -> BuildOptions {
    common::to_build(dir, board, RuleSet::STANDARD, stones, metric)
}

#[test]
fn any_number_of_threads_writes_the_same_bytes() {
    for (name, rules) in
        [("5x3", RuleSet::STANDARD), ("5x5", RuleSet::STANDARD), ("5x3", RuleSet::FREE_CAPTURE)]
    {
        for metric in Metric::ALL {
            let build = |threads| {
                let dir = fanorona_tests::directory().unwrap();
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| try_build(dir.path(), board(name), rules, 4, metric)).unwrap();
                contents(dir.path())
            };
            let alone = build(1);
            assert_eq!(alone.len(), 6);
            assert_eq!(build(2), alone, "{name} {rules}");
            assert_eq!(build(3), alone, "{name} {rules}");
        }
    }
}

/// Stops the build at a given call.
struct StopAt<'a> {
    calls: AtomicU64,
    at: u64,
    stop: &'a AtomicBool,
}

impl StopAt<'_> {
    fn called(&self) {
        if self.calls.fetch_add(1, Ordering::Relaxed) == self.at {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Progress for StopAt<'_> {
    fn begin(&self, _: Unit, _: Activity, _: u64) {
        self.called();
    }

    fn advance(&self, _: u64) {
        self.called();
    }

    fn finished(&self, _: &TableFile, _: bool) {
        self.called();
    }
}

/// Builds and stops at a call. Returns whether it was stopped, and the number of calls.
fn build_until(options: &BuildOptions, at: u64) -> (bool, u64) {
    let stop = AtomicBool::new(false);
    let progress = StopAt { calls: AtomicU64::new(0), at, stop: &stop };
    let stopped = match build(options, &progress, &stop) {
        Ok(_) => false,
        Err(TableError::Stopped) => true,
        Err(error) => panic!("{error}"),
    };
    (stopped, progress.calls.into_inner())
}

#[test]
fn a_stopped_build_leaves_complete_files_and_the_next_one_continues() {
    stop_everywhere(Method::Rows, Metric::Wdl, Some(Duration::MAX));
    stop_everywhere(Method::Rows, Metric::Dtw, Some(Duration::MAX));
    stop_everywhere(Method::Rows, Metric::Dtw, None);
    stop_everywhere(Method::Dense, Metric::Wdl, Some(Duration::MAX));
    stop_everywhere(Method::Dense, Metric::Dtw, Some(Duration::MAX));
    stop_everywhere(Method::Plain, Metric::Dtw, Some(Duration::ZERO));
}

/// Stops a build at evenly spaced calls, from the first to the last.
fn stop_everywhere(method: Method, metric: Metric, checkpoint: Option<Duration>) {
    let (board, stones) = (board("5x3"), 4);
    let dir = fanorona_tests::directory().unwrap();
    let (stopped, calls) = build_until(
        &options(dir.path(), board, stones, metric).with_method(method).with_checkpoint(checkpoint),
        u64::MAX,
    );
    assert!(!stopped && calls > 50, "{calls} calls");
    let undisturbed = contents(dir.path());

    let (mut resumed_in_part, mut checkpoints) = (0, 0);
    for at in (0..=calls).step_by((calls / effort(12, 100)).max(1) as usize) {
        let dir = fanorona_tests::directory().unwrap();
        let options = options(dir.path(), board, stones, metric);
        let options = options.with_method(method).with_checkpoint(checkpoint);
        let (stopped, _) = build_until(&options, at);
        let mut left = contents(dir.path());
        let tables = left.len();
        left.retain(|name, _| !name.contains(".checkpoint"));
        checkpoints += tables - left.len();
        for (name, bytes) in &left {
            assert_eq!(undisturbed.get(name), Some(bytes), "{name}, stopped at call {at}");
        }
        assert!(stopped || left.len() == undisturbed.len(), "not stopped at call {at}, not whole");
        resumed_in_part += u32::from(!left.is_empty() && left.len() < undisturbed.len());
        if at % 3 == 0 {
            // Probing reports the same tables as missing.
            let tables = Tables::open(dir.path(), board, RuleSet::STANDARD).unwrap();
            assert_eq!(tables.all().unwrap().len(), left.len());
            let report = build(&options, &(), &AtomicBool::new(false)).unwrap();
            assert_eq!(report.written, undisturbed.len() - left.len());
            assert_eq!(contents(dir.path()), undisturbed, "stopped at call {at}");
        }
    }
    assert!(resumed_in_part > effort(1, 10));
    // Stopping a build saves a checkpoint even if none is due.
    let saves = method != Method::Plain && checkpoint.is_some();
    assert!(
        if saves { checkpoints > effort(2, 20) } else { checkpoints == 0 },
        "{checkpoints} checkpoints"
    );
}

/// One slice of a unit exists: the other one is written again with the same bytes.
#[test]
fn any_file_can_be_missing() {
    for rules in ["standard", "free-capture", "forced-relay+no-turns-draw"].map(rules) {
        for metric in Metric::ALL {
            let built = Built::new(board("5x3"), rules, 4, &[metric]);
            let undisturbed = contents(built.dir());
            for name in undisturbed.keys() {
                fs::remove_file(built.dir().join(name)).unwrap();
                let report = try_build(built.dir(), board("5x3"), rules, 4, metric).unwrap();
                assert_eq!(report.written, 1);
                assert_eq!(contents(built.dir()), undisturbed, "without {name}");
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(20))]

    #[test]
    fn any_set_of_files_can_be_missing(missing: u32, metric: bool, rules in common::options()) {
        let metric = if metric { Metric::Dtw } else { Metric::Wdl };
        let built = Built::new(board("3x3"), rules, 6, &[metric]);
        let undisturbed = contents(built.dir());
        let removed = undisturbed.keys().enumerate().filter(|(i, _)| missing >> i & 1 != 0);
        let removed = removed
            .map(|(_, name)| fs::remove_file(built.dir().join(name)).unwrap())
            .count();
        let report = try_build(built.dir(), board("3x3"), rules, 6, metric).unwrap();
        prop_assert_eq!(report.written, removed);
        prop_assert_eq!(report.tables.len(), undisturbed.len());
        prop_assert!(contents(built.dir()) == undisturbed);
    }
}

#[test]
fn files_of_a_killed_build_are_ignored_and_removed() {
    let built = Built::new(board("5x3"), RuleSet::STANDARD, 3, &[Metric::Wdl]);
    let undisturbed = contents(built.dir());
    let (whole, table) = undisturbed.first_key_value().unwrap();
    fs::remove_file(built.dir().join(whole)).unwrap();
    fs::write(built.dir().join(".table.partial-aBc123"), table).unwrap();
    fs::write(built.dir().join(".table.partial-cut"), &table[..100]).unwrap();
    fs::write(built.dir().join(".table.partial-"), "").unwrap();
    fs::write(built.dir().join("notes.txt"), "mine").unwrap();

    let tables = Tables::open(built.dir(), board("5x3"), RuleSet::STANDARD).unwrap();
    assert_eq!(tables.all().unwrap().len(), undisturbed.len() - 1);
    let report = try_build(built.dir(), board("5x3"), RuleSet::STANDARD, 3, Metric::Wdl).unwrap();
    assert_eq!(report.written, 1);
    let mut now = contents(built.dir());
    assert_eq!(now.remove("notes.txt"), Some(b"mine".to_vec()));
    assert_eq!(now, undisturbed);
}

/// Records all reports.
#[derive(Default)]
struct Diary(Mutex<Vec<(String, u64, u64)>>, Mutex<Vec<(String, bool)>>);

impl Progress for Diary {
    fn begin(&self, unit: Unit, activity: Activity, entries: u64) {
        self.0.lock().unwrap().push((format!("{unit} {activity}"), entries, 0));
    }

    fn advance(&self, entries: u64) {
        self.0.lock().unwrap().last_mut().unwrap().2 += entries;
    }

    fn finished(&self, table: &TableFile, written: bool) {
        self.1.lock().unwrap().push((table.metadata().slice.to_string(), written));
    }
}

#[test]
fn progress_reports_every_phase_and_slice() {
    let ways = [Method::Rows, Method::Dense, Method::Plain]
        .into_iter()
        .flat_map(|method| Metric::ALL.map(|metric| (method, metric)))
        .flat_map(|way| [(way, true), (way, false)]);
    for ((method, metric), written) in ways {
        let dir = fanorona_tests::directory().unwrap();
        let options = options(dir.path(), board("5x3"), 3, metric).with_method(method);
        if !written {
            build(&options, &(), &AtomicBool::new(false)).unwrap();
        }
        let diary = Diary::default();
        build(&options, &diary, &AtomicBool::new(false)).unwrap();
        let phases = diary.0.into_inner().unwrap();
        for (phase, entries, done) in &phases {
            assert!(done <= entries, "{method:?} {metric:?} {phase}: {done} of {entries}");
            // Each slice's entries are loaded or written once.
            let all = phase.ends_with("write") || phase.ends_with("load");
            assert!(!all || done == entries, "{method:?} {metric:?} {phase}: {done} of {entries}");
        }
        let has = |name: &str| phases.iter().any(|(phase, ..)| phase == name);
        assert_eq!(has("2v1+1v2 captures"), written);
        assert_eq!(has("2v1+1v2 write"), written);
        assert_eq!(has("2v1+1v2 load"), !written);
        let slices = ["1v1", "2v1", "1v2"].map(|slice| (slice.to_owned(), written));
        assert_eq!(diary.1.into_inner().unwrap(), slices);
    }
}

/// The slices that play can lead to from a slice.
fn reachable(from: Slice) -> BTreeSet<Slice> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(slice) = open.pop() {
        if found.insert(slice) {
            open.push(slice.swapped());
            open.extend(slice.after_captures());
        }
    }
    found
}

#[test]
fn a_slice_is_built_with_its_dependencies_and_nothing_else() {
    for (rules, metric, method) in [
        (RuleSet::STANDARD, Metric::Dtw, Method::Rows),
        (RuleSet::FREE_CAPTURE, Metric::Wdl, Method::Rows),
        (RuleSet::STANDARD, Metric::Dtw, Method::Dense),
        (RuleSet::FREE_CAPTURE, Metric::Wdl, Method::Dense),
        (RuleSet::STANDARD, Metric::Wdl, Method::Plain),
    ] {
        let all = Built::new(board("5x3"), rules, 6, &[metric]);
        let all = contents(all.dir());
        for goal in ["4v2", "2v4", "3v3", "1v5", "1v1"].map(slice) {
            let dir = fanorona_tests::directory().unwrap();
            let goal_of = |goal| {
                BuildOptions::new(dir.path(), board("5x3"), rules, Goal::Slice(goal))
                    .with_metric(metric)
                    .with_method(method)
            };
            let estimated = estimate(&goal_of(goal)).unwrap();
            let report = build(&goal_of(goal), &(), &AtomicBool::new(false)).unwrap();
            let built: BTreeSet<_> = report.tables.iter().map(|t| t.metadata().slice).collect();
            assert_eq!(built, reachable(goal), "{goal}");
            assert_eq!(estimated.slices.iter().map(|s| s.slice).collect::<BTreeSet<_>>(), built);
            for (name, bytes) in contents(dir.path()) {
                assert!(all[&name] == bytes, "{name} differs, built for {goal}");
            }
            // Another slice, on top of the existing tables.
            let report = build(&goal_of(slice("4v2")), &(), &AtomicBool::new(false)).unwrap();
            assert_eq!(
                report.tables.len() - report.written,
                (&built & &reachable(slice("4v2"))).len()
            );
            for (name, bytes) in contents(dir.path()) {
                assert!(all[&name] == bytes, "{name} differs, built for 4v2 after {goal}");
            }
        }
    }
}

#[test]
fn fewer_than_two_stones_build_nothing() {
    for stones in [0, 1] {
        let dir = fanorona_tests::directory().unwrap();
        let report =
            try_build(dir.path(), board("3x3"), RuleSet::STANDARD, stones, Metric::Wdl).unwrap();
        assert_eq!((report.tables.len(), report.written), (0, 0));
        assert_eq!(contents(dir.path()).len(), 0);
    }
}

#[test]
fn more_stones_than_the_board_has_build_all_slices() {
    let dir = fanorona_tests::directory().unwrap();
    let report = try_build(dir.path(), board("3x3"), RuleSet::STANDARD, 1000, Metric::Wdl).unwrap();
    assert_eq!((report.tables.len(), report.written), (16, 16));
}

#[test]
fn directories_are_created_or_the_error_names_them() {
    let dir = fanorona_tests::directory().unwrap();
    let deep = dir.path().join("a/b/c");
    try_build(&deep, board("3x3"), RuleSet::STANDARD, 2, Metric::Wdl).unwrap();
    assert_eq!(contents(&deep).len(), 1);

    let file = dir.path().join("file");
    fs::write(&file, "not a directory").unwrap();
    for path in [file.clone(), file.join("below")] {
        let error = try_build(&path, board("3x3"), RuleSet::STANDARD, 2, Metric::Wdl).unwrap_err();
        assert!(matches!(error, TableError::File(FileError::Io { .. })), "{error}");
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
    }
    assert_eq!(fs::read(&file).unwrap(), b"not a directory");
}

#[cfg(unix)]
#[test]
fn a_directory_that_cannot_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;

    let dir = fanorona_tests::directory().unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o555)).unwrap();
    let all_may = fs::write(dir.path().join("probe"), "").is_ok();
    if !all_may {
        let error =
            try_build(dir.path(), board("3x3"), RuleSet::STANDARD, 2, Metric::Wdl).unwrap_err();
        assert!(matches!(error, TableError::File(FileError::Io { .. })), "{error}");
        assert!(error.to_string().contains(&dir.path().display().to_string()), "{error}");
    }
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();

    // Renaming a table over a directory fails, for root too, and leaves no temporary file.
    let dir = fanorona_tests::directory().unwrap();
    let taken = dir.path().join("3x3_standard_2v1.wdl.fano");
    fs::create_dir(&taken).unwrap();
    let error = try_build(dir.path(), board("3x3"), RuleSet::STANDARD, 3, Metric::Wdl).unwrap_err();
    assert!(matches!(error, TableError::File(FileError::Io { .. })), "{error}");
    assert!(error.to_string().contains(&taken.display().to_string()), "{error}");
    let names = fs::read_dir(dir.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(names.into_iter().all(|name| !name.to_string_lossy().starts_with(".partial")));
}

#[test]
fn a_build_stops_at_a_damaged_table() {
    let built = Built::new(board("5x3"), RuleSet::STANDARD, 3, &[Metric::Dtw]);
    let path = built.dir().join("5x3_standard_1v2.dtw.fano");
    let whole = fs::read(&path).unwrap();
    let mut altered = whole.clone();
    altered[200] ^= 1;
    for damaged in [&altered, &whole[..whole.len() - 1], &whole[..10], &[]] {
        fs::write(&path, damaged).unwrap();
        let error =
            try_build(built.dir(), board("5x3"), RuleSet::STANDARD, 4, Metric::Dtw).unwrap_err();
        assert!(error.to_string().contains("5x3_standard_1v2.dtw.fano"), "{error}");
    }
    // The file is not repaired silently. After it is deleted, the build succeeds.
    assert_eq!(fs::read(&path).unwrap(), b"");
    fs::remove_file(&path).unwrap();
    try_build(built.dir(), board("5x3"), RuleSet::STANDARD, 3, Metric::Dtw).unwrap();
    assert_eq!(fs::read(&path).unwrap(), whole);
}

/// An estimate that needs these numbers of MiB of memory and disk.
fn needing(memory: u64, memory_available: u64, disk: u64, disk_available: u64) -> Estimate {
    let dir = fanorona_tests::directory().unwrap();
    let mut estimate = estimate(&options(dir.path(), board("3x3"), 9, Metric::Wdl)).unwrap();
    estimate.memory = memory << 20;
    estimate.memory_available = Some(memory_available << 20);
    estimate.disk = disk << 20;
    estimate.checkpoints = 0;
    estimate.disk_available = Some(disk_available << 20);
    estimate
}

#[test]
fn refusals_name_the_needed_and_available_bytes() {
    assert!(needing(10, 11, 12, 13).check().is_ok());
    assert!(needing(11, 11, 13, 13).check().is_ok());
    let mut unknown = needing(9, 1, 9, 1);
    (unknown.memory_available, unknown.disk_available) = (None, None);
    assert!(unknown.check().is_ok(), "unknown resources do not refuse a build");
    for (estimate, kind, numbers) in [
        (needing(4321, 1234, 1, 5), "memory", ["4321 MiB", "1234 MiB"]),
        (needing(1, 2, 9876, 5678), "disk", ["9876 MiB", "5678 MiB"]),
        (needing(u64::MAX >> 20, 99, 1, 5), "memory", ["17592186044415 MiB", "99 MiB"]),
    ] {
        let error = estimate.check().unwrap_err();
        assert!(matches!(error, TableError::Resources { .. }), "{error}");
        let message = error.to_string();
        assert!(message.contains(kind), "{message}");
        assert!(numbers.iter().all(|number| message.contains(number)), "{message}");
    }
}

#[test]
fn a_build_that_is_too_large_does_not_start() {
    let dir = fanorona_tests::directory().unwrap();
    let below = dir.path().join("below");
    // Nine stones on 9x5 need some 200 GiB. If that fits, the build is stopped.
    let options = options(&below, Board::tsivy(), 9, Metric::Dtw);
    if estimate(&options).unwrap().check().is_err() {
        let error = build(&options, &(), &AtomicBool::new(true)).unwrap_err();
        assert!(matches!(error, TableError::Resources { .. }), "{error}");
        assert!(error.to_string().contains("9 stones"), "{error}");
    }
    // All slices of the largest board cannot even be numbered.
    let error = try_build(&below, board("9x7"), RuleSet::STANDARD, 62, Metric::Wdl).unwrap_err();
    assert!(matches!(error, TableError::TooLarge { .. }), "{error}");
    assert!(!below.exists(), "nothing is made before it is known to fit");
}

#[test]
fn a_build_that_needs_more_than_the_given_memory_does_not_start() {
    let dir = fanorona_tests::directory().unwrap();
    let below = dir.path().join("below");
    let with = |metric, memory| options(&below, board("5x5"), 6, metric).with_memory(Some(memory));
    let needed = |metric| estimate(&with(metric, 0)).unwrap().memory;
    let enough = needed(Metric::Wdl);
    assert!(enough < needed(Metric::Dtw));
    let error = build(&with(Metric::Dtw, enough), &(), &AtomicBool::new(false)).unwrap_err();
    assert!(matches!(error, TableError::Resources { resource: Resource::Memory, .. }), "{error}");
    assert!(!below.exists(), "nothing is made before it is known to fit");
    build(&with(Metric::Wdl, enough), &(), &AtomicBool::new(false)).unwrap();
    // Existing tables need no memory.
    assert!(needed(Metric::Wdl) < enough);
}

#[test]
fn checkpoints_of_long_units_need_disk_space() {
    let dir = fanorona_tests::directory().unwrap();
    let ask = |checkpoint, method| {
        let options = options(dir.path(), board("5x5"), 6, Metric::Dtw);
        estimate(&options.with_checkpoint(checkpoint).with_method(method)).unwrap()
    };
    let some = ask(Some(Duration::ZERO), Method::Rows);
    assert!(some.checkpoints > 0);
    assert!(ask(Some(Duration::ZERO), Method::Dense).checkpoints > 0);
    for none in [
        ask(Some(Duration::ZERO), Method::Plain),
        ask(Some(Duration::MAX), Method::Rows),
        ask(None, Method::Rows),
    ] {
        assert_eq!((none.checkpoints, none.disk), (0, some.disk));
    }
    // With little memory, what is in work goes to a file. If it is never saved, that file is all.
    let with_little = |checkpoint| {
        let options = options(dir.path(), board("9x5"), 7, Metric::Wdl).with_checkpoint(checkpoint);
        estimate(&options.with_method(Method::Rows).with_memory(Some(0))).unwrap()
    };
    let (kept, lost) = (with_little(Some(Duration::MAX)), with_little(None));
    assert!(kept.checkpoints > 0 && kept.checkpoints + kept.work >= lost.work, "{kept:?}");
    let mut short = some.clone();
    short.disk_available = Some(some.disk);
    let needed_with = |estimate: &Estimate| match estimate.check().unwrap_err() {
        TableError::Resources { resource, needed, available, .. } => (resource, needed, available),
        error => panic!("{error}"),
    };
    let needed = some.disk + some.checkpoints;
    assert_eq!(needed_with(&short), (Resource::DiskWithCheckpoints, needed, some.disk));
    short.disk_available = Some(some.disk - 1);
    assert_eq!(needed_with(&short), (Resource::Disk, some.disk, some.disk - 1));
    short.disk_available = Some(needed);
    short.check().unwrap();
}

/// The estimate of disk space is above what a build takes, by less than a factor of 4.
#[test]
fn estimates_of_disk_space_are_close() {
    for (size, name, stones) in [
        ("9x5", "standard", 4),
        ("9x5", "free-capture", 4),
        ("5x5", "standard", 6),
        ("5x5", "forced-relay", 5),
        ("5x3", "standard", 8),
    ] {
        for metric in Metric::ALL {
            let dir = fanorona_tests::directory().unwrap();
            let options = common::to_build(dir.path(), board(size), rules(name), stones, metric);
            let estimated = estimate(&options).unwrap().disk as f64;
            build(&options, &(), &AtomicBool::new(false)).unwrap();
            let taken = contents(dir.path()).values().map(Vec::len).sum::<usize>() as f64;
            let times = estimated / taken;
            assert!((1.0..4.0).contains(&times), "{size} {name} {metric:?}: {times} times");
        }
    }
}

#[test]
fn estimates_count_missing_tables() {
    let dir = fanorona_tests::directory().unwrap();
    let (board, most) = (board("5x3"), 5);
    let ask = |stones| estimate(&options(dir.path(), board, stones, Metric::Wdl)).unwrap();
    let before = ask(most);
    assert_eq!(before.slices.iter().map(|s| s.slice).collect::<Vec<_>>(), slices(board, most));
    assert!(before.slices.iter().all(|slice| !slice.there));
    assert!(before.disk > 0 && before.seconds > 0.0 && before.memory > 0);
    assert!(before.memory_available > Some(0));
    for found in &before.slices {
        assert!(found.canonical <= found.entries && found.entries <= found.positions);
        assert!(found.positions <= 4 * found.canonical);
    }
    let two = before.slices.iter().find(|s| s.slice == slice("1v1")).unwrap();
    assert_eq!((two.positions, two.entries), (15 * 14, 6 * 14));

    try_build(dir.path(), board, RuleSet::STANDARD, most - 1, Metric::Wdl).unwrap();
    let after = ask(most);
    assert!(after.slices.iter().all(|slice| slice.there == (slice.slice.stones() < most)));
    assert!(after.disk < before.disk && after.seconds < before.seconds);
    assert_eq!(ask(most - 1).disk, 0);
    // Tables of the other metric do not count.
    let other = estimate(&options(dir.path(), board, most, Metric::Dtw)).unwrap();
    assert!(other.slices.iter().all(|slice| !slice.there));
    assert!(ask(most + 1).memory > after.memory);
}

/// Starts another build in the same directory whenever a table is finished.
#[cfg(unix)]
struct BuildsToo<'a>(&'a BuildOptions, Mutex<Vec<TableError>>);

#[cfg(unix)]
impl Progress for BuildsToo<'_> {
    fn finished(&self, _: &TableFile, _: bool) {
        let error = build(self.0, &(), &AtomicBool::new(false)).unwrap_err();
        self.1.lock().unwrap().push(error);
    }
}

#[cfg(unix)]
#[test]
fn one_build_at_a_time() {
    let dir = fanorona_tests::directory().unwrap();
    let options = options(dir.path(), Board::telo(), 2, Metric::Wdl);
    let progress = BuildsToo(&options, Mutex::default());
    build(&options, &progress, &AtomicBool::new(false)).unwrap();
    let errors = progress.1.into_inner().unwrap();
    assert!(matches!(&errors[..], [TableError::Busy { dir: busy }] if busy == dir.path()));
    // The lock is released when the build ends.
    build(&options, &(), &AtomicBool::new(false)).unwrap();
}
