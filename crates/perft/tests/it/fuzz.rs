//! The corpus of the fuzz target, and the suites, read under any compiler.

use std::fs;
use std::path::Path;

use crate::harness::read_as_suite;

#[test]
fn suites_of_the_corpus_do_not_panic() {
    let mut files = 0;
    for folder in ["fuzz/corpus/suite", "../../data/perft"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for file in fs::read_dir(folder).expect("the folder is there") {
            let bytes = fs::read(file.expect("it can be listed").path()).expect("it can be read");
            // Like the fuzz target, skips files that are not text.
            read_as_suite(&String::from_utf8_lossy(&bytes));
            files += 1;
        }
    }
    assert!(files >= 20, "{files} files");
}
