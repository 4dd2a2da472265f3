//! The inputs that fuzzing starts with, under any compiler.

use std::fs;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::hostile::{check_content, check_file, check_table};

/// Runs a target with each file of its corpus. Some must be accepted, and some refused.
fn run(target: &str, check: fn(&[u8]) -> bool) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut counts = [0, 0];
    for entry in fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        counts[usize::from(check(&fs::read(path).expect("a file")))] += 1;
    }
    assert!(counts.iter().all(|count| *count >= 2), "{target}: {counts:?} refused and accepted");
}

#[test]
fn files_of_the_corpus() {
    run("file", check_file);
}

#[test]
fn contents_of_the_corpus() {
    run("content", check_content);
}

#[test]
fn tables_of_the_corpus() {
    run("table", check_table);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Changed bytes of a table that a search wrote.
    #[test]
    fn changed_tables_are_survived(changes in vec((any::<u16>(), any::<u8>()), 1..20)) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/table/as-saved");
        let mut bytes = fs::read(path).expect("a file");
        for (at, byte) in changes {
            let at = usize::from(at) % bytes.len();
            bytes[at] = byte;
        }
        check_table(&bytes);
    }
}
