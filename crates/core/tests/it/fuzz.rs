//! The corpus of the fuzz targets, read under any compiler.

use std::fs;
use std::path::Path;

use crate::harness;

/// Gives every file of a target's corpus to `read`, as far as it is text.
fn each_file(target: &str, read: impl Fn(&str)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut files = 0;
    for file in fs::read_dir(folder).expect("the corpus is there") {
        let bytes = fs::read(file.expect("it can be listed").path()).expect("it can be read");
        // Like the fuzz targets, skips files that are not text.
        read(&String::from_utf8_lossy(&bytes));
        files += 1;
    }
    assert!(files >= 8, "{files} files for {target}");
}

#[test]
fn positions_of_the_corpus_do_not_panic() {
    each_file("position", harness::read_as_position);
}

#[test]
fn turns_of_the_corpus_do_not_panic() {
    each_file("turn", harness::read_as_turn);
}
