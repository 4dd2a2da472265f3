//! `verify`.

use std::fs;

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::tables::{shared, slices, with_shared};
use crate::{fanorona, json, refused, words};

#[test]
fn good_tables_are_verified() {
    let against = format!("--same-as \"{}\"", shared().display());
    for (how, checked) in [("", 1980), ("--quick", 0), ("--sample 100", 100), (&against, 1980)] {
        let report = json(&with_shared(&format!("verify {how}")));
        assert_eq!(slices(&report).len(), 6);
        assert!(slices(&report).iter().all(|slice| slice["ok"] == true), "{report}");
        assert_eq!(slices(&report)[0]["checked"], checked, "{how}");
    }
    fanorona(words(&with_shared("verify --quick")))
        .assert()
        .success()
        .stdout(predicate::str::contains("6 tables checked, all good"));
}

#[test]
fn one_slice_is_verified() {
    let against = format!("--same-as \"{}\"", shared().display());
    let positions = 595_980;
    for (how, checked) in
        [("", positions), ("--quick", 0), ("--sample 100", 100), (&against, positions)]
    {
        let report = json(&with_shared(&format!("verify --slice 1v3 {how}")));
        let [slice] = &slices(&report)[..] else { panic!("{report}") };
        assert_eq!((&slice["own"], &slice["opponent"]), (&json!(1), &json!(3)));
        assert_eq!((&slice["ok"], &slice["checked"]), (&json!(true), &json!(checked)), "{how}");
    }
    let two = json(&with_shared("verify --quick --slice 1v3,1v1 --slice 2v1"));
    let names: Vec<_> = slices(&two).iter().map(|s| (&s["own"], &s["opponent"])).collect();
    let expected = [[1, 1], [2, 1], [1, 3]].map(|[own, opponent]| (json!(own), json!(opponent)));
    assert_eq!(names, expected.each_ref().map(|(own, opponent)| (own, opponent)));
    let missing = ["no wdl or dtw table for slice 3v2", "fanorona build"];
    refused(&with_shared("verify --quick --slice 1v1,3v2"), 2, &missing);
}

#[test]
fn a_table_is_not_called_bad_for_want_of_another() {
    let dir = tempfile::tempdir().expect("a directory");
    for slice in ["1v1", "1v2", "2v1", "1v3"] {
        let file = format!("9x5_standard_{slice}.dtw.fano");
        fs::copy(shared().join(&file), dir.path().join(&file)).expect("it can be copied");
    }
    let sample = format!("verify --sample 100 --tables \"{}\"", dir.path().display());
    fanorona(words(&sample))
        .assert()
        .code(2)
        .stdout(predicate::str::contains("1v3 dtw  cannot be checked: no dtw table for slice"))
        .stdout(predicate::str::contains("BAD").not())
        .stderr("error: 1 of 4 tables cannot be checked\n");
    let output = fanorona(words(&sample)).arg("--json").assert().code(2).get_output().clone();
    let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    let good: Vec<_> = slices(&report).iter().map(|slice| &slice["ok"]).collect();
    assert_eq!(good, [true, true, true, false]);

    // A table that is wrong is reported all the same, and counts more.
    let damaged = dir.path().join("9x5_standard_1v1.dtw.fano");
    let mut bytes = fs::read(&damaged).expect("it is there");
    *bytes.last_mut().expect("it has bytes") ^= 1;
    fs::write(&damaged, bytes).expect("it can be written");
    fanorona(words(&sample))
        .assert()
        .code(1)
        .stdout(predicate::str::contains("1v1 dtw  BAD"))
        .stdout(predicate::str::contains("1v3 dtw  cannot be checked"))
        .stderr("error: 1 of 4 tables failed the check\n");
}

#[test]
fn tables_without_distances_are_verified_against_those_with() {
    let dir = tempfile::tempdir().expect("a directory");
    let here = format!("--tables \"{}\"", dir.path().display());
    json(&format!("build --stones 3 --metric wdl {here}"));
    let against = format!("verify {here} --same-as \"{}\"", shared().display());
    let report = json(&against);
    let checked: Vec<_> = slices(&report).iter().map(|slice| &slice["checked"]).collect();
    assert_eq!(checked, [1980, 42570, 42570]);
    assert_eq!(slices(&json(&format!("{against} --stones 2"))).len(), 1);

    // A missing table to compare with is reported before anything is compared.
    fanorona(words("build --stones 4 --metric wdl")).args(words(&here)).assert().success();
    let other = tempfile::tempdir().expect("a directory");
    let there = other.path().display().to_string();
    fanorona(words("build --stones 3 --tables")).arg(other.path()).assert().success();
    refused(&format!("verify {here} --same-as \"{there}\""), 2, &["2v2", &there]);
}
