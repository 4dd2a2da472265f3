//! Checkpoints: a build that continues from any of them writes the same tables, and damaged ones
//! are not used.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_builder::{BuildOptions, BuildReport, CheckpointEvent, Method, Progress, build};
use fanorona_core::RuleSet;
use fanorona_tablebase::{Metric, Unit};
use fanorona_tests::effort;

use crate::common::{self, board, contents, rules};

type Files = BTreeMap<String, Vec<u8>>;

/// Records the events of checkpoints, and the content of the directory when one is saved.
struct Recorder<'a> {
    dir: &'a Path,
    events: Mutex<Vec<CheckpointEvent>>,
    files: Mutex<Vec<Files>>,
}

impl Progress for Recorder<'_> {
    fn checkpoint(&self, _: Unit, event: &CheckpointEvent) {
        self.events.lock().unwrap().push(event.clone());
        if matches!(event, CheckpointEvent::Saved { .. }) {
            self.files.lock().unwrap().push(contents(self.dir));
        }
    }
}

/// Builds. Returns the events of checkpoints, the content of the directory when each was saved, and
/// the report.
fn built_with_report(options: &BuildOptions) -> (Vec<CheckpointEvent>, Vec<Files>, BuildReport) {
    let recorder =
        Recorder { dir: &options.dir, events: Mutex::default(), files: Mutex::default() };
    let report = build(options, &recorder, &AtomicBool::new(false)).unwrap();
    (recorder.events.into_inner().unwrap(), recorder.files.into_inner().unwrap(), report)
}

fn built(options: &BuildOptions) -> (Vec<CheckpointEvent>, Vec<Files>) {
    let (events, saved, report) = built_with_report(options);
    assert_eq!(report.unsaved_checkpoints, []);
    (events, saved)
}

fn to_build(dir: &Path, name: &str, stones: u32, metric: Metric) -> BuildOptions {
    let (size, name) = name.split_once(' ').unwrap();
    let options = common::to_build(dir, board(size), rules(name), stones, metric);
    options.with_method(Method::Rows).with_checkpoint(Some(Duration::ZERO))
}

/// The methods that save checkpoints.
const METHODS: [Method; 2] = [Method::Rows, Method::Dense];

/// The only checkpoint in a directory.
fn checkpoint_in(dir: &Path) -> PathBuf {
    let names = contents(dir).into_keys().filter(|name| name.ends_with(".checkpoint"));
    let names: Vec<_> = names.collect();
    assert_eq!(names.len(), 1, "{names:?}");
    dir.join(&names[0])
}

fn put(files: &Files) -> tempfile::TempDir {
    let dir = fanorona_tests::directory().unwrap();
    for (name, bytes) in files {
        fs::write(dir.path().join(name), bytes).unwrap();
    }
    dir
}

fn is_resumed(event: &CheckpointEvent) -> bool {
    matches!(event, CheckpointEvent::Resumed { .. })
}

#[test]
fn every_checkpoint_leads_to_the_same_tables() {
    let names = [
        "5x3 standard",
        "5x3 free-capture",
        "5x3 standard+no-turns-draw",
        "5x3 vela+stones-1",
        "5x5 standard",
    ];
    for (name, method) in names.into_iter().flat_map(|name| METHODS.map(|method| (name, method))) {
        for metric in Metric::ALL {
            let dir = fanorona_tests::directory().unwrap();
            let to_build = |dir: &Path, name, stones, metric| {
                to_build(dir, name, stones, metric).with_method(method)
            };
            let (events, saved) = built(&to_build(dir.path(), name, 4, metric));
            let undisturbed = contents(dir.path());
            assert!(undisturbed.keys().all(|name| name.ends_with(".fano")), "all are removed");
            assert_eq!(events.len(), saved.len(), "{name}: {events:?}");
            assert!(saved.len() > 20, "{name}: {} checkpoints", saved.len());
            for files in saved.iter().step_by(saved.len() / effort(4, 12)) {
                let dir = put(files);
                let options = to_build(dir.path(), name, 4, metric);
                let (events, _) = built(&options.with_checkpoint(None));
                assert!(matches!(&events[..], [event] if is_resumed(event)), "{events:?}");
                assert!(contents(dir.path()) == undisturbed, "{name} {metric:?}");
            }
        }
    }
}

#[test]
fn none_is_written_before_it_is_due() {
    for checkpoint in [None, Some(Duration::MAX)] {
        let dir = fanorona_tests::directory().unwrap();
        let options = to_build(dir.path(), "5x3 standard", 4, Metric::Dtw);
        assert_eq!(built(&options.with_checkpoint(checkpoint)), (Vec::new(), Vec::new()));
    }
}

/// A directory of the tables of 5x3 up to 3 stones with a checkpoint in the rounds of 3v1, and the
/// complete tables.
fn within_3v1(method: Method) -> (Files, Files) {
    let dir = fanorona_tests::directory().unwrap();
    let options = to_build(dir.path(), "5x3 standard", 4, Metric::Dtw);
    let (_, saved) = built(&options.with_method(method));
    (saved.into_iter().next_back().unwrap(), contents(dir.path()))
}

/// Builds on top of a changed checkpoint, which must be refused for the given reason.
fn refused(
    method: Method,
    files: &Files,
    undisturbed: &Files,
    alter: impl FnOnce(&Path),
    reason: &str,
) {
    let dir = put(files);
    alter(&checkpoint_in(dir.path()));
    let options = to_build(dir.path(), "5x3 standard", 4, Metric::Dtw).with_method(method);
    let (events, _) = built(&options.with_checkpoint(None));
    let [event @ CheckpointEvent::Unusable { why, .. }] = &events[..] else { panic!("{events:?}") };
    assert!(why.contains(reason), "{why}, not {reason}");
    assert!(event.to_string().contains("5x3_standard_3v1.dtw.checkpoint"), "{event}");
    assert!(contents(dir.path()) == *undisturbed, "{why}");
}

#[test]
fn damaged_ones_are_refused() {
    METHODS.into_iter().for_each(refuse_damaged);
}

fn refuse_damaged(method: Method) {
    let (files, undisturbed) = within_3v1(method);
    let write = |bytes: &[u8]| {
        let bytes = bytes.to_owned();
        move |path: &Path| fs::write(path, bytes).unwrap()
    };
    let whole = &files["5x3_standard_3v1.dtw.checkpoint"];
    let refused =
        |bytes: &[u8], reason| refused(method, &files, &undisturbed, write(bytes), reason);
    for length in [0, 7, 8, 11, 15, 16, 40] {
        refused(&whole[..length], "it is not a checkpoint: it has");
    }
    for length in [whole.len() / 2, whole.len() - 8, whole.len() - 1] {
        refused(&whole[..length], "and should have");
    }
    refused(&[whole, &b"x"[..]].concat(), "and should have");
    refused(b"These are some notes of mine.", "it is not a checkpoint");
    let mut other_version = whole.clone();
    other_version[8] += 1;
    refused(&other_version, "version");
    // A flipped bit anywhere is found by some check.
    for place in (12..whole.len()).step_by(whole.len() / 20) {
        let mut flipped = whole.clone();
        flipped[place] ^= 0x10;
        refused(&flipped, "");
    }
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    refused(&flipped, "the checksum of index and metadata differs");
}

/// The name of the file with what a checkpoint lists.
fn file_of(files: &Files) -> &String {
    let names: Vec<_> = files.keys().filter(|name| name.contains(".checkpoint-")).collect();
    assert_eq!(names.len(), 1, "{names:?}");
    names[0]
}

#[test]
fn those_with_damaged_files_are_refused() {
    METHODS.into_iter().for_each(refuse_damaged_file);
}

fn refuse_damaged_file(method: Method) {
    let (files, undisturbed) = within_3v1(method);
    let name = file_of(&files);
    let whole = &files[name];
    let with = |bytes: &[u8], reason| {
        let edit = |path: &Path| fs::write(path.with_file_name(name), bytes).unwrap();
        refused(method, &files, &undisturbed, edit, reason);
    };
    with(&whole[..whole.len() - 512], "it is truncated");
    with(&whole[..whole.len() / 2], "it is truncated");
    with(&[], "it is truncated");
    let remove = |path: &Path| fs::remove_file(path.with_file_name(name)).unwrap();
    refused(method, &files, &undisturbed, remove, "it is missing");
    let replace = |path: &Path| {
        remove(path);
        fs::create_dir(path.with_file_name(name)).unwrap();
    };
    let dir = put(&files);
    replace(&checkpoint_in(dir.path()));
    let options = to_build(dir.path(), "5x3 standard", 4, Metric::Dtw).with_method(method);
    let (events, _) = built(&options.with_checkpoint(None));
    assert!(matches!(events[..], [CheckpointEvent::Unusable { .. }]), "{events:?}");
    // A flipped bit is found, or is in space that is free.
    let (mut refused, mut used) = (0, 0);
    for place in (0..whole.len()).step_by(whole.len() / effort(40, 400) + 1) {
        let mut flipped = whole.clone();
        flipped[place] ^= 0x10;
        let dir = put(&files);
        fs::write(dir.path().join(name), flipped).unwrap();
        let options = to_build(dir.path(), "5x3 standard", 4, Metric::Dtw).with_method(method);
        let (events, _) = built(&options.with_checkpoint(None));
        match &events[..] {
            [CheckpointEvent::Unusable { why, .. }] => {
                assert!(why.contains("its file ") && why.contains("checksum"), "{why}");
                refused += 1;
            }
            [event] if is_resumed(event) => used += 1,
            _ => panic!("{events:?}"),
        }
        assert!(contents(dir.path()) == undisturbed, "{place}");
    }
    assert!(refused > 0 && refused + used > 20, "{refused} were refused, {used} used");
}

/// A checkpoint writes what has changed, and leaves the rest where it is.
#[test]
fn only_changes_are_written() {
    for metric in Metric::ALL {
        let dir = fanorona_tests::directory().unwrap();
        let (events, saved) = built(&to_build(dir.path(), "5x5 standard", 4, metric));
        let (mut all_written, mut all) = (0, 0);
        let mut last: Option<(&String, &Vec<u8>)> = None;
        for (event, files) in events.iter().zip(&saved) {
            let CheckpointEvent::Saved { bytes, .. } = event else { panic!("{event:?}") };
            let (name, now) = (file_of(files), &files[file_of(files)]);
            let before = last.filter(|(other, _)| *other == name).map_or(&[][..], |(_, all)| all);
            let changed = before.iter().zip(now).filter(|(before, now)| before != now).count();
            assert!(changed as u64 <= *bytes, "{changed} bytes have changed: {event}");
            all_written += bytes;
            all += now.len() as u64;
            last = Some((name, now));
        }
        assert!(all_written < all / 2, "{metric}: {all_written} bytes of {all} were written");
    }
}

/// Files that a killed build has written, or did not remove.
#[test]
fn files_that_no_manifest_lists_are_removed() {
    let (mut files, undisturbed) = within_3v1(Method::Rows);
    for number in [0, 1, 500, u32::MAX] {
        let name = format!("5x3_standard_3v1.dtw.checkpoint-{number}");
        files.entry(name).or_insert_with(|| b"left over".to_vec());
    }
    let dir = put(&files);
    let (events, saved) = built(&to_build(dir.path(), "5x3 standard", 4, Metric::Dtw));
    assert!(is_resumed(&events[0]), "{events:?}");
    assert!(saved.iter().all(|files| files.values().all(|bytes| bytes != b"left over")));
    assert!(contents(dir.path()) == undisturbed);
    // So are those of a build that was killed before its first checkpoint.
    files.retain(|name, bytes| !name.ends_with(".checkpoint") && bytes != b"left over");
    let name = file_of(&files).clone();
    let partial = files.remove(&name).expect("it is there");
    files.insert(".checkpoint.partial-3v1".to_owned(), partial.clone());
    files.insert("5x3_standard_3v1.dtw.checkpoint-7".to_owned(), partial);
    let dir = put(&files);
    let options = to_build(dir.path(), "5x3 standard", 4, Metric::Dtw);
    let (events, _) = built(&options.with_checkpoint(None));
    assert_eq!(events, []);
    assert!(contents(dir.path()) == undisturbed);
}

#[test]
fn those_of_other_builds_are_refused() {
    let (files, undisturbed) = within_3v1(Method::Rows);
    for (name, metric) in [
        ("5x3 standard", Metric::Wdl),
        ("5x3 free-capture", Metric::Dtw),
        ("3x5 standard", Metric::Dtw),
    ] {
        let dir = fanorona_tests::directory().unwrap();
        let (_, saved) = built(&to_build(dir.path(), name, 4, metric));
        let dir = put(saved.last().unwrap());
        let other = fs::read(checkpoint_in(dir.path())).unwrap();
        refused(
            Method::Rows,
            &files,
            &undisturbed,
            |path| fs::write(path, other).unwrap(),
            "it is for ",
        );
    }
    let dir = fanorona_tests::directory().unwrap();
    let options = to_build(dir.path(), "5x3 standard", 4, Metric::Dtw);
    let (_, saved) = built(&options.with_method(Method::Dense));
    let other = fs::read(checkpoint_in(put(saved.last().unwrap()).path())).unwrap();
    let put_other = |path: &Path| fs::write(path, other).unwrap();
    refused(Method::Rows, &files, &undisturbed, put_other, "it is of another method, dense");
    // A table with the same values in another file: it has the older format.
    let name = "5x3_standard_2v1.dtw.fano";
    let older = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../tablebase/tests/golden/version-1")
        .join(name);
    let replace = |path: &Path| {
        fs::copy(&older, path.with_file_name(name)).unwrap();
    };
    let mut changed = undisturbed.clone();
    let dir = put(&files);
    replace(&checkpoint_in(dir.path()));
    changed.insert(name.to_owned(), fs::read(dir.path().join(name)).unwrap());
    refused(Method::Rows, &files, &changed, replace, "the tables that it depends on have changed");
}

/// Updates the checksums of an edited manifest: that of the end, then that of the header.
fn sign(bytes: &mut [u8]) {
    let sum = |bytes: &[u8]| xxhash_rust::xxh3::xxh3_64(bytes).to_le_bytes();
    let end = sum(&bytes[64..]);
    bytes[40..48].copy_from_slice(&end);
    let header = sum(&bytes[..56]);
    bytes[56..64].copy_from_slice(&header);
}

/// A manifest ends with numbers of rows, widths and rounds. Editing them, with a correct checksum,
/// never leads to a wrong table.
#[test]
fn edited_numbers_do_not_lead_to_wrong_tables() {
    for (metric, method) in Metric::ALL.into_iter().flat_map(|m| METHODS.map(|method| (m, method)))
    {
        let to_build = |dir: &Path, name, stones, metric| {
            to_build(dir, name, stones, metric).with_method(method)
        };
        let dir = fanorona_tests::directory().unwrap();
        let (_, saved) = built(&to_build(dir.path(), "5x3 standard", 4, metric));
        let undisturbed = contents(dir.path());
        let (mut used, mut refused) = (0, 0);
        for files in saved.iter().step_by(effort(18, 3)) {
            let dir = put(files);
            let path = checkpoint_in(dir.path());
            let whole = fs::read(&path).unwrap();
            for place in [whole.len() - 4, whole.len() - 8] {
                let number = u32::from_le_bytes(whole[place..place + 4].try_into().unwrap());
                for other in
                    [number ^ 1, number.wrapping_sub(1), number + 1, number + 2, 0, 9, u32::MAX]
                {
                    let dir = put(files);
                    let mut edited = whole.clone();
                    edited[place..place + 4].copy_from_slice(&other.to_le_bytes());
                    sign(&mut edited);
                    fs::write(checkpoint_in(dir.path()), edited).unwrap();
                    let options = to_build(dir.path(), "5x3 standard", 4, metric);
                    let (events, _) = built(&options.with_checkpoint(None));
                    let [event] = &events[..] else { panic!("{events:?}") };
                    if is_resumed(event) {
                        used += 1;
                    } else {
                        refused += 1;
                    }
                    let found = contents(dir.path());
                    assert!(found == undisturbed, "{metric}: {number} became {other}, {event}");
                }
            }
        }
        assert!(used.min(refused) > effort(2, 20), "{metric}: {used} were used, {refused} refused");
    }
}

#[test]
fn a_build_continues_if_they_cannot_be_read_or_written() {
    let dir = fanorona_tests::directory().unwrap();
    let taken = dir.path().join("5x3_standard_2v1.wdl.checkpoint");
    fs::create_dir(&taken).unwrap();
    let options = to_build(dir.path(), "5x3 standard", 3, Metric::Wdl);
    let (events, _, report) = built_with_report(&options);
    let unusable = |e: &&CheckpointEvent| matches!(e, CheckpointEvent::Unusable { path, .. } if *path == taken);
    let is_unsaved = |event: &&CheckpointEvent| matches!(event, CheckpointEvent::NotSaved { .. });
    let unsaved: Vec<_> = events.iter().filter(is_unsaved).collect();
    assert_eq!(events.iter().filter(unusable).count(), 1, "{events:?}");
    assert!(unsaved.len() > 5, "{events:?}");
    // The report has the unit's last one.
    let [reported] = &report.unsaved_checkpoints[..] else { panic!("{report:?}") };
    assert_eq!(unsaved.last(), Some(&reported));
    let reported = reported.to_string();
    assert!(reported.contains(taken.to_str().unwrap()) && reported.contains("directory"));
    assert_eq!((report.tables.len(), report.written), (3, 3));
    fs::remove_dir(&taken).unwrap();
    let built = common::Built::new(board("5x3"), RuleSet::STANDARD, 3, &[Metric::Wdl]);
    assert_eq!(contents(dir.path()), contents(built.dir()));
}

/// Checkpoints have the same permissions as tables, and symbolic links are followed.
#[cfg(unix)]
#[test]
fn they_have_usual_permissions_and_leave_no_partial_files() {
    use std::os::unix::fs::PermissionsExt;

    struct Look<'a>(&'a Path, Mutex<Vec<(u32, u32)>>);

    impl Progress for Look<'_> {
        fn checkpoint(&self, _: Unit, event: &CheckpointEvent) {
            assert!(matches!(event, CheckpointEvent::Saved { .. }), "{event:?}");
            let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
            let names = contents(self.0).into_keys();
            assert!(names.into_iter().all(|name| !name.contains("partial")));
            let modes = (mode(&checkpoint_in(self.0)), mode(&self.0.join("other")));
            self.1.lock().unwrap().push(modes);
        }
    }

    let dir = fanorona_tests::directory().unwrap();
    fs::write(dir.path().join("other"), "").unwrap();
    let look = Look(dir.path(), Mutex::default());
    let options = to_build(dir.path(), "5x3 standard", 3, Metric::Wdl);
    build(&options, &look, &AtomicBool::new(false)).unwrap();
    let modes = look.1.into_inner().unwrap();
    assert!(modes.len() > 5);
    assert!(modes.iter().all(|(checkpoint, other)| checkpoint == other), "{modes:?}");
}

#[test]
fn stale_ones_are_removed() {
    let (files, undisturbed) = within_3v1(Method::Rows);
    let mut all = undisturbed.clone();
    let (name, checkpoint) = files.iter().find(|(name, _)| name.ends_with(".checkpoint")).unwrap();
    all.insert(name.clone(), checkpoint.clone());
    all.insert("5x3_standard_3v1.wdl.checkpoint".to_owned(), b"another build's".to_vec());
    let dir = put(&all);
    let (events, _) = built(&to_build(dir.path(), "5x3 standard", 4, Metric::Dtw));
    assert_eq!(events, []);
    let mut left = contents(dir.path());
    assert!(left.remove("5x3_standard_3v1.wdl.checkpoint").is_some());
    assert_eq!(left, undisturbed);
}

/// A checkpoint that can be saved later makes up for those that could not.
#[test]
fn only_a_last_checkpoint_that_failed_is_reported() {
    /// Makes room after the first failure.
    struct MakeRoom(std::path::PathBuf, Mutex<Vec<bool>>);

    impl Progress for MakeRoom {
        fn checkpoint(&self, _: Unit, event: &CheckpointEvent) {
            let is_saved = match event {
                CheckpointEvent::Saved { .. } => true,
                CheckpointEvent::NotSaved { .. } => {
                    fs::remove_dir(&self.0).unwrap();
                    false
                }
                _ => return,
            };
            self.1.lock().unwrap().push(is_saved);
        }
    }

    let dir = fanorona_tests::directory().unwrap();
    let taken = dir.path().join("5x3_standard_2v1.wdl.checkpoint");
    fs::create_dir(&taken).unwrap();
    let room = MakeRoom(taken, Mutex::default());
    let options = to_build(dir.path(), "5x3 standard", 3, Metric::Wdl);
    let report = build(&options, &room, &AtomicBool::new(false)).unwrap();
    let saved = room.1.into_inner().unwrap();
    assert_eq!(saved.iter().filter(|is_saved| !**is_saved).count(), 1, "{saved:?}");
    assert!(saved.len() > 5 && saved.last() == Some(&true), "{saved:?}");
    assert!(report.unsaved_checkpoints.is_empty(), "{report:?}");
}
