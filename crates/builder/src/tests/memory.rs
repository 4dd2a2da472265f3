//! Builds with little memory, and tables that are loaded in parts or disappear.

use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::format::TableFile;
use fanorona_tablebase::{Metric, TableError};
use fanorona_tests::effort;

use super::{Files, Recorder, built, contents, copy, options, put};
use crate::{BuildOptions, Estimate, Method, Progress, build, estimate};

/// A table is deleted after a build has opened it.
#[test]
fn tables_that_disappear_do_no_harm() {
    struct Delete<'a>(&'a Path, &'a str);
    impl Progress for Delete<'_> {
        fn finished(&self, _: &TableFile, _: bool) {
            // Deletes it at the first call.
            let _ = fs::remove_file(self.0.join(self.1));
        }
    }

    for method in Method::ALL {
        let dir = fanorona_tests::directory().expect("a directory");
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

/// Builds. Returns the content of the directory whenever a checkpoint is saved.
fn all_saved(options: &BuildOptions) -> Vec<Files> {
    let recorder = Recorder::new(&options.dir);
    build(options, &recorder, &AtomicBool::new(false)).expect("it builds");
    recorder.saved.into_inner().expect("no panic")
}

/// Builds that go on with checkpoints with some memory have the same tables. They save more
/// checkpoints if these ask for it.
fn assert_resumes(saved: &[Files], options: &BuildOptions, expected: &Files) {
    for files in saved.iter().step_by(saved.len() / effort(2, 10) + 1) {
        let dir = put(files);
        let options = BuildOptions { dir: dir.path().to_owned(), ..options.clone() };
        let recorder = Recorder::new(dir.path());
        build(&options, &recorder, &AtomicBool::new(false)).expect("it builds");
        assert_eq!(*recorder.resumed.lock().expect("no panic"), 1);
        assert!(contents(dir.path()) == *expected, "{options:?}");
    }
}

/// Builds on top of the tables in a directory, with memory for everything and for less. Then adds
/// the tables to the directory. Returns whether the build can have files.
fn assert_same_with_files(below: &Path, options: &BuildOptions) -> bool {
    let with = |dir: &Path, memory| {
        let options = options.clone().with_memory(memory);
        BuildOptions { dir: dir.to_owned(), ..options }
    };
    let Estimate { memory, least_memory: least, most_memory: most, .. } =
        estimate(&with(below, None)).expect("it fits");
    assert_eq!(memory, most);
    // A smaller unit, which is loaded, can take the most memory.
    if least < most {
        let whole = copy(below);
        let in_memory = all_saved(&with(whole.path(), Some(most)));
        let expected = contents(whole.path());
        for memory in [least, (2 * least + most) / 3, most - 1].into_iter().step_by(effort(2, 1)) {
            let dir = copy(below);
            let options = with(dir.path(), Some(memory));
            let estimated = estimate(&options).expect("it fits");
            assert!(estimated.memory <= memory, "{}", estimated.memory);
            assert!(estimated.work + estimated.checkpoints > 0, "{memory} bytes");
            let saved = all_saved(&options);
            assert!(contents(dir.path()) == expected, "{options:?}");
            // A checkpoint does not depend on the memory.
            assert_resumes(&in_memory, &options, &expected);
            let more = options.with_memory(Some(most)).with_checkpoint(None);
            assert_resumes(&saved, &more, &expected);
        }
        let error = built(&with(below, Some(least - 1))).unwrap_err();
        let names_the_least =
            matches!(error, TableError::Resources { needed, .. } if needed == least);
        assert!(names_the_least, "{error}");
    }
    built(&with(below, None)).expect("it builds");
    least < most
}

/// Builds with less memory keep matrices, or solved slices, in files, and each build loads the tables
/// of the one before in many parts. Their tables are those of the plain builder. Builds with other
/// memory can go on with their checkpoints.
fn assert_memory_makes_no_difference(method: Method, cases: &[(&str, &str, usize)]) {
    for &(size, rules, most) in cases {
        let (board, rules): (Board, RuleSet) = (size.parse().unwrap(), rules.parse().unwrap());
        for metric in Metric::ALL {
            let [below, plain] =
                [(); 2].map(|()| fanorona_tests::directory().expect("a directory"));
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
        ("3x3", "standard", effort(6, 7)),
        ("3x3", "vela+stones-1", effort(6, 7)),
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
        ("5x3", "standard", effort(4, 6)),
        ("5x3", "free-capture", effort(4, 5)),
        ("5x3", "standard+no-turns-draw", effort(4, 5)),
    ];
    assert_memory_makes_no_difference(Method::Dense, &cases);
}

/// The sets of 8 points of 9x5 are too many for the dense builder.
#[test]
fn boards_with_too_many_sets_are_refused() {
    let dir = fanorona_tests::directory().expect("a directory");
    let options = BuildOptions::new(dir.path(), Board::tsivy(), RuleSet::STANDARD, 8);
    let error = built(&options.with_method(Method::Dense)).unwrap_err();
    assert!(matches!(error, TableError::TooLarge { .. }), "{error}");
}
