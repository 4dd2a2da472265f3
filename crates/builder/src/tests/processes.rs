//! Builds with several processes, as threads.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_core::{Board, RuleSet};
use fanorona_tablebase::{Metric, TableError};
use fanorona_tests::effort;

use super::{Recorder, built, contents, options, put};
use crate::processes::tests::on_ranks;
use crate::{
    BuildOptions, Method, ProcessGroup, Progress, build_distributed, estimate_distributed,
};

/// Several processes write the files that one writes, whatever their number.
#[test]
fn processes_make_no_difference() {
    let cases = [
        ("3x3", "standard", effort(7, 8)),
        ("3x3", "free-capture", effort(6, 8)),
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
            let alone = fanorona_tests::directory().expect("a directory");
            built(&options(alone.path())).expect("it builds");
            for (count, has_little_memory) in [(2, false), (3, true), (7, false)] {
                let dir = fanorona_tests::directory().expect("a directory");
                let options = options(dir.path());
                let least =
                    estimate_distributed(&options, count).expect("it can be done").least_memory;
                let options = options.with_memory(has_little_memory.then_some(least));
                let reports = on_ranks(count, |processes| {
                    build_distributed(&options, &(), &AtomicBool::new(false), processes)
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
            let alone = fanorona_tests::directory().expect("a directory");
            built(&options(alone.path())).expect("it builds");
            let expected = contents(alone.path());
            for (count, then) in
                [(3, 2), (1, 4), (4, 1), (1, 1), (3, 3)].into_iter().take(effort(3, 5))
            {
                let dir = fanorona_tests::directory().expect("a directory");
                let recorder = Recorder::new(dir.path());
                let together = options(dir.path());
                let results = on_ranks(count, |processes| {
                    let progress: &dyn Progress =
                        if processes.index() == 0 { &recorder } else { &() };
                    build_distributed(&together, progress, &AtomicBool::new(false), processes)
                        .map(|_| ())
                });
                results.into_iter().for_each(|result| result.expect("it builds"));
                assert!(contents(dir.path()) == expected);
                let saved = recorder.saved.into_inner().expect("no panic");
                assert!(saved.len() > 20, "{} checkpoints", saved.len());
                for files in saved.iter().step_by(saved.len() / effort(2, 20) + 1) {
                    let dir = put(files);
                    let resumed = Recorder::new(dir.path());
                    let options = options(dir.path()).with_checkpoint(None);
                    // Where matrices are makes no difference.
                    let least = estimate_distributed(&options, then).expect("it can be done");
                    let memory = (then == 2).then_some(least.least_memory);
                    let options = options.with_memory(memory);
                    let results = on_ranks(then, |processes| {
                        build_distributed(&options, &resumed, &AtomicBool::new(false), processes)
                            .map(|_| ())
                    });
                    results.into_iter().for_each(|result| result.expect("it builds"));
                    assert_eq!(*resumed.resumed.lock().expect("no panic"), then);
                    let same = contents(dir.path()) == expected;
                    assert!(same, "{size} {rules} {metric}: {count} processes, then {then}");
                }
            }
        }
    }
}

/// A process that fails or is stopped ends the build of all.
#[test]
fn an_error_of_one_process_is_one_of_all() {
    let dir = fanorona_tests::directory().expect("a directory");
    let options = |processes: &dyn ProcessGroup| {
        let options = options(dir.path(), RuleSet::STANDARD, 5, Metric::Wdl);
        let memory = (processes.index() == 1).then_some(1);
        options.with_method(Method::Rows).with_memory(memory)
    };
    let results = on_ranks(3, |processes| {
        build_distributed(&options(processes), &(), &AtomicBool::new(false), processes).map(|_| ())
    });
    for (process, result) in results.iter().enumerate() {
        let expected = match result {
            Err(TableError::Resources { .. }) => process == 1,
            Err(TableError::OtherProcess { process: other }) => process != 1 && *other == 1,
            _ => false,
        };
        assert!(expected, "{process}: {result:?}");
    }
    let results = on_ranks(3, |processes| {
        let stop = AtomicBool::new(processes.index() == 2);
        let options = options(processes).with_memory(None);
        build_distributed(&options, &(), &stop, processes).map(|_| ())
    });
    for result in results {
        assert!(matches!(result, Err(TableError::Stopped)), "{result:?}");
    }
    // Only one method works with several processes.
    let results = on_ranks(2, |processes| {
        let options = options(processes).with_memory(None).with_method(Method::Dense);
        build_distributed(&options, &(), &AtomicBool::new(false), processes).map(|_| ())
    });
    for result in results {
        assert!(matches!(result, Err(TableError::OneProcess { method: "dense" })), "{result:?}");
    }
    // Each has a directory of its own.
    let dirs = [(); 2].map(|()| fanorona_tests::directory().expect("a directory"));
    let results = on_ranks(2, |processes| {
        let options = options(processes).with_memory(None);
        let options = BuildOptions { dir: dirs[processes.index()].path().to_owned(), ..options };
        build_distributed(&options, &(), &AtomicBool::new(false), processes).map(|_| ())
    });
    for result in results {
        assert!(matches!(result, Err(TableError::NotShared { process: 1, .. })), "{result:?}");
    }
}
