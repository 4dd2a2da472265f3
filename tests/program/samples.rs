//! Samples of `verify`.

use std::collections::HashSet;
use std::fs;

use serde_json::Value;

use crate::tables::shared;
use crate::{fanorona, words};

/// Without the table of 1v1, some positions of 2v1 cannot be checked: which ones a sample has, its seed
/// decides.
#[test]
fn a_sample_has_a_seed() {
    let dir = tempfile::tempdir().expect("a directory");
    for slice in ["1v2", "2v1"] {
        let file = format!("9x5_standard_{slice}.dtw.fano");
        fs::copy(shared().join(&file), dir.path().join(&file)).expect("it can be copied");
    }
    let good = |seed: u32| {
        let verify = format!("verify --slice 2v1 --sample 2 --seed {seed} --tables . --json");
        let output = fanorona(words(&verify)).current_dir(&dir).output().expect("it runs");
        let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        report["slices"][0]["ok"].as_bool().expect("a verdict")
    };
    let found: Vec<_> = (0..20).map(good).collect();
    let kinds: HashSet<_> = found.iter().collect();
    assert_eq!(kinds.len(), 2, "{found:?}");
    assert_eq!((0..3).map(good).collect::<Vec<_>>(), found[..3]);
}
