//! Checking suites: counts that are checked, skipped, or differ.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use fanorona_perft::suite::{Entry, Report, parse};
use fanorona_perft::{LevelOptions, suite};

static NEVER: AtomicBool = AtomicBool::new(false);

/// The start of 3x3 in all four ways. At depth 4 ways begin to differ.
const SUITE: &str = "
id turns
rules standard
count turns
position BBB/B1W/WWW w
perft 3 14
perft 4 67
perft 5 137

id positions
rules standard
count positions
position BBB/B1W/WWW w
perft 5 137

id steps
rules standard
count steps
position BBB/B1W/WWW w
perft 3 13

id unique
rules standard
count unique
position BBB/B1W/WWW w
perft 4 50
perft 5 79
";

fn check<'a>(
    entries: &'a [Entry],
    max_nodes: Option<u128>,
    stop: &AtomicBool,
    progress: impl Fn(&Entry) + Sync,
) -> Report<'a> {
    suite::check(entries, max_nodes, &LevelOptions::default(), stop, progress)
        .expect("there is room")
}

#[test]
fn right_counts_are_good() {
    let entries = parse(SUITE).expect("it is a suite");
    let report = check(&entries, None, &NEVER, |_| {});
    assert_eq!(report.mismatches, []);
    assert!(report.is_good());
    assert_eq!((report.checked, report.skipped, report.unfinished), (7, 0, 0));
}

/// A count that is equal to the limit is checked.
#[test]
fn counts_up_to_the_limit_are_checked() {
    let entries = parse(SUITE).expect("it is a suite");
    for (limit, checked) in [(0, 0), (12, 0), (13, 1), (14, 2), (66, 3), (67, 4), (137, 7)] {
        let report = check(&entries, Some(limit), &NEVER, |_| {});
        assert_eq!((report.checked, report.skipped), (checked, 7 - checked), "limit {limit}");
        assert!(report.is_good());
    }
}

/// Changes each count by one in either direction.
#[test]
fn every_wrong_count_is_found() {
    let good = ["perft 3 14", "perft 4 67", "perft 3 13", "perft 4 50", "perft 5 79"];
    for line in good {
        let (depth, count) = line.rsplit_once(' ').expect("three words");
        let count: u128 = count.parse().expect("a number");
        for wrong in [count - 1, count + 1, 0, u128::MAX] {
            let text = SUITE.replacen(line, &format!("{depth} {wrong}"), 1);
            let entries = parse(&text).expect("it is a suite");
            let report = check(&entries, None, &NEVER, |_| {});
            assert!(!report.is_good());
            assert_eq!((report.checked, report.unfinished), (7, 0));
            let [mismatch] = &report.mismatches[..] else { panic!("{line}: {report:?}") };
            assert_eq!((mismatch.expected, mismatch.found), (wrong, count), "{line}");
            assert_eq!(format!("perft {}", mismatch.depth), depth, "{line}");
            assert!(mismatch.entry.counts.contains_key(&mismatch.depth));
        }
    }
}

#[test]
fn mismatches_come_in_the_order_of_the_entries() {
    let mut text = SUITE.to_owned();
    for count in ["14", "67", "13", "50"] {
        text = text.replacen(&format!(" {count}\n"), " 1\n", 1);
    }
    let entries = parse(&text).expect("it is a suite");
    let report = check(&entries, None, &NEVER, |_| {});
    let found = report.mismatches.iter().map(|it| (it.entry.id.as_str(), it.depth, it.found));
    let expected = [("turns", 3, 14), ("turns", 4, 67), ("steps", 3, 13), ("unique", 4, 50)];
    assert_eq!(found.collect::<Vec<_>>(), expected);
}

#[test]
fn a_stopped_check_is_not_good() {
    let entries = parse(SUITE).expect("it is a suite");
    let report = check(&entries, None, &AtomicBool::new(true), |_| {});
    assert_eq!((report.checked, report.unfinished), (0, 7));
    assert!(report.mismatches.is_empty() && !report.is_good());

    // Stopped in the course of the work, which a count below the start of 9x5 does not end in time.
    let deep =
        SUITE.replacen("BBB/B1W/WWW w", "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w", 1);
    let deep = deep.replacen("perft 5 137", "perft 200 1", 1);
    let entries = parse(&deep).expect("it is a suite");
    let stop = AtomicBool::new(false);
    let report = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(200));
            stop.store(true, Ordering::Relaxed);
        });
        check(&entries, None, &stop, |_| {})
    });
    assert!(report.unfinished > 0 && !report.is_good());
    assert_eq!(report.checked + report.unfinished, 7);
}

#[test]
fn progress_names_every_entry() {
    let entries = parse(SUITE).expect("it is a suite");
    let seen = Mutex::new(Vec::new());
    let see = |entry: &Entry| {
        seen.lock().unwrap_or_else(PoisonError::into_inner).push(entry.id.clone());
    };
    check(&entries, None, &NEVER, see);
    let mut seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
    seen.sort_unstable();
    let expected = ["positions", "steps", "turns", "turns", "turns", "unique", "unique"];
    assert_eq!(seen, expected);
}
