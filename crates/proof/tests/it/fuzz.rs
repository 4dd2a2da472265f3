//! Runs the fuzz targets on the stored corpus, with any compiler.

use std::fs;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::harness::{check_as_certificate, check_block, check_signed};
use fanorona_tests::strategies::cases;

/// Runs a target with each file of its corpus.
fn run(target: &str, check: fn(&[u8])) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut files = 0;
    for entry in fs::read_dir(dir).unwrap() {
        check(&fs::read(entry.unwrap().path()).unwrap());
        files += 1;
    }
    assert!(files >= 5, "{target}: {files} files");
}

#[test]
fn certificates_of_the_corpus() {
    run("certificate", check_as_certificate);
}

#[test]
fn signed_certificates_of_the_corpus() {
    run("signed_certificate", check_signed);
}

#[test]
fn blocks_of_the_corpus() {
    run("block", check_block);
}

proptest! {
    #![proptest_config(cases(500))]

    #[test]
    fn any_block_is_survived(bytes in vec(prop_oneof![4 => 0..8u8, 1 => any::<u8>()], 0..60)) {
        check_block(&bytes);
    }
}
