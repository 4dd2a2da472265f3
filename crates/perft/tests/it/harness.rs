//! Reads arbitrary texts as suites, and panics if the reader misbehaves. The tests and the fuzz
//! target under `fuzz` share it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fanorona_perft::LevelOptions;
use fanorona_perft::suite::{check, parse};

/// Reads a text as a suite, and checks its counts for a moment.
pub(crate) fn read_as_suite(text: &str) {
    let entries = match parse(text) {
        Ok(entries) => entries,
        Err(error) => {
            assert!((1..=text.lines().count() + 1).contains(&error.line), "{error}");
            return;
        }
    };
    let mut counts = 0;
    for entry in &entries {
        assert!(!entry.counts.is_empty(), "line {}", entry.line);
        assert_eq!(entry.rules.check(entry.position.board()), Ok(()), "line {}", entry.line);
        assert!(entry.reference.is_none_or(|depth| entry.counts.contains_key(&depth)));
        counts += entry.counts.len();
    }
    let stop = AtomicBool::new(false);
    let mut levels = LevelOptions::default();
    levels.memory = 1 << 20;
    let report = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(20));
            stop.store(true, Ordering::Relaxed);
        });
        check(&entries, None, &levels, &stop, |_| {}).expect("there is room on the disk")
    });
    assert_eq!(report.checked + report.unfinished, counts);
}
