//! `analyze --certificate` and `check`.

use std::fs;
use std::path::Path;

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::{fanorona, refused_in, tables, words};

/// Runs the program in a directory with `--json`, and reads what it prints.
fn json_in(dir: &Path, args: &str, status: i32) -> Value {
    let assert = fanorona(words(args)).arg("--json").current_dir(dir).assert().code(status);
    serde_json::from_slice(&assert.get_output().stdout).expect("it is JSON")
}

#[test]
fn a_proof_is_written_and_checked() {
    let dir = tempfile::tempdir().expect("a directory");
    let analysis = json_in(dir.path(), "analyze --board 3x5 --certificate start.cert", 0);
    assert_eq!(analysis["value"], "win");
    let checked = json_in(dir.path(), "check start.cert", 0);
    assert_eq!((&checked["ok"], checked.get("error")), (&json!(true), None));
    assert_eq!(checked["positions"], analysis["certificate"]["positions"]);
    assert!(checked["positions"].as_u64() > Some(1));
    let bytes = fs::metadata(dir.path().join("start.cert")).expect("it is there").len();
    assert_eq!((&checked["bytes"], &checked["tables"]), (&json!(bytes), &json!(0)));
    assert_eq!((&checked["value"], &checked["board"]), (&json!("win"), &json!("3x5")));
    assert_eq!(checked["position"], analysis["position"]);
    let text = fanorona(words("check start.cert")).current_dir(&dir).assert().success();
    text.stdout(predicate::str::contains("standard: win\nproved by "));
}

#[test]
fn a_draw_without_end_has_a_certificate() {
    let dir = tempfile::tempdir().expect("a directory");
    let analyze = "analyze --board 5x5 \"5/B4/5/5/4W w\" --certificate draw.cert";
    let analysis = json_in(dir.path(), analyze, 0);
    assert_eq!(analysis["value"], "draw");
    let checked = json_in(dir.path(), "check draw.cert", 0);
    assert_eq!((&checked["value"], &checked["tables"]), (&json!("draw"), &json!(0)));
    assert_eq!(checked["positions"], analysis["certificate"]["positions"]);
    refused_in(dir.path(), "analyze --batch list --certificate draw.cert", 2, &["--certificate"]);
}

#[test]
fn without_a_proof_there_is_no_certificate() {
    let dir = tempfile::tempdir().expect("a directory");
    let analysis = json_in(dir.path(), "analyze --nodes 1 --certificate start.cert", 0);
    assert_eq!((&analysis["value"], analysis.get("certificate")), (&json!("unknown"), None));
    assert!(!dir.path().join("start.cert").exists());
    let args = "analyze --board 3x3 --certificate missing/start.cert";
    refused_in(dir.path(), args, 2, &["missing/start.cert", "directory"]);
}

#[test]
fn a_proof_that_does_not_hold_is_told() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("start.cert");
    fanorona(words("analyze --board 3x3 --certificate start.cert"))
        .current_dir(&dir)
        .assert()
        .success();
    let whole = fs::read(&path).expect("it is there");
    for byte in [20, 70, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[byte] ^= 1;
        fs::write(&path, bytes).expect("it can be written");
        let report = json_in(dir.path(), "check start.cert", 1);
        assert_eq!(report["ok"], false);
        let error = report["error"].as_str().expect("it says why");
        assert!(error.contains("start.cert is damaged"), "{error}");
        assert!(report["positions"].is_u64());
        fanorona(words("check start.cert"))
            .current_dir(&dir)
            .assert()
            .code(1)
            .stdout("")
            .stderr(predicate::str::contains("error: start.cert is damaged"));
    }
    fs::write(&path, "a list of things to buy").expect("it can be written");
    refused_in(dir.path(), "check start.cert", 2, &["start.cert is not a certificate"]);
    refused_in(dir.path(), "check other.cert", 2, &["cannot open other.cert"]);
    refused_in(dir.path(), "check", 2, &["<FILE>"]);
}

#[test]
fn a_certificate_wants_the_tables_that_it_names() {
    let dir = tempfile::tempdir().expect("a directory");
    let tables = tables::shared().display();
    let analyze = "analyze \"9/9/W1WB1BB2/9/9 w\" --certificate draw.cert";
    let analysis = json_in(dir.path(), &format!("{analyze} --tables \"{tables}\""), 0);
    assert_eq!(analysis["value"], "draw");
    let checked = json_in(dir.path(), &format!("check draw.cert --tables \"{tables}\""), 0);
    assert_eq!((&checked["ok"], &checked["value"]), (&json!(true), &json!("draw")));
    assert!(checked["tables"].as_u64() > Some(0));

    let advice = ["draw.cert", "fanorona build --board 9x5 --rules standard --stones"];
    refused_in(dir.path(), "check draw.cert", 2, &advice);
    refused_in(dir.path(), "check draw.cert --tables .", 2, &advice[1..]);
    refused_in(dir.path(), "check draw.cert --tables missing", 2, &["missing"]);
    // Tables of the same slices with other bytes: those with checksums of another metric do.
    let build = "build --stones 4 --metric wdl --tables .";
    fanorona(words(build)).current_dir(&dir).assert().success();
    refused_in(dir.path(), "check draw.cert --tables .", 2, &["--metric dtw"]);
    for slice in ["1v1", "1v2", "2v1", "2v2", "1v3", "3v1"] {
        let [dtw, wdl] = ["dtw", "wdl"]
            .map(|metric| dir.path().join(format!("9x5_standard_{slice}.{metric}.fano")));
        fs::rename(wdl, dtw).expect("it is there");
    }
    refused_in(dir.path(), "check draw.cert --tables .", 2, &["holds the table"]);
}

#[test]
fn a_proof_is_checked_without_trust_in_tables() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs/9x3-standard.proof");
    fs::copy(file, dir.path().join("start.cert")).expect("it is kept");
    let refused = |args: &str, parts: &[&str]| refused_in(dir.path(), args, 2, parts);
    refused("check start.cert --trust-no-table", &["rests on", "fanorona build --board 9x3"]);
    json_in(dir.path(), "build --board 9x3 --stones 5 --metric wdl", 0);
    refused("check start.cert --memory 1", &["--trust-no-table"]);
    refused("check start.cert --trust-no-table --memory 0", &["1 or more"]);

    let plain = json_in(dir.path(), "check start.cert", 0);
    assert_eq!(plain.get("expansion"), None);
    let checked = json_in(dir.path(), "check start.cert --trust-no-table --memory 100", 0);
    assert_eq!((&checked["ok"], &checked["positions"]), (&json!(true), &plain["positions"]));
    let expansion = &checked["expansion"];
    let proof = &expansion["proofs"][0];
    assert_eq!((&proof["side"], &proof["claim"]), (&json!("white"), &json!("white wins")));
    assert_eq!(proof["entries"], plain["positions"]);
    assert!(proof["leaves"].as_u64() > Some(100), "{proof}");
    for key in ["positions", "replies"] {
        assert!(expansion[key].as_u64() > Some(1000), "{expansion}");
    }
    assert!(expansion["memory_bytes"].as_u64() > Some(1000));
    let text = fanorona(words("check start.cert --trust-no-table")).current_dir(&dir).assert();
    text.success().stdout(predicate::str::contains("no table is trusted: "));

    // Any tables will do, also those of another metric, which makes no difference. The checksums are
    // not compared.
    for table in fs::read_dir(dir.path().join("tables")).expect("a directory") {
        fs::remove_file(table.expect("a file").path()).expect("it can be removed");
    }
    json_in(dir.path(), "build --board 9x3 --stones 5 --metric dtw", 0);
    let other = json_in(dir.path(), "check start.cert --trust-no-table", 0);
    assert_eq!(other["ok"], json!(true));
    assert_eq!(other["expansion"]["positions"], expansion["positions"]);
    fs::remove_file(dir.path().join("tables/9x3_standard_2v3.dtw.fano")).expect("it is there");
    refused("check start.cert --trust-no-table", &["2v3"]);
}

#[test]
fn several_certificates_are_checked_at_once() {
    let dir = tempfile::tempdir().expect("a directory");
    let proofs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs");
    let kept = [
        "5x5-standard",
        "openings/5x5-standard-b2-c3A",
        "openings/5x5-standard-d2-c3A",
        "9x3-standard",
        "3x3-standard",
    ];
    for (number, name) in kept.iter().enumerate() {
        let to = dir.path().join(format!("{number}.cert"));
        fs::copy(proofs.join(format!("{name}.proof")), to).expect("it is kept");
    }
    json_in(dir.path(), "build --board 5x5 --stones 6 --metric wdl", 0);
    json_in(dir.path(), "build --board 9x3 --stones 5 --metric wdl", 0);

    let plain = json_in(dir.path(), "check 0.cert 1.cert 2.cert 3.cert 4.cert", 0);
    assert_eq!(plain["ok"], json!(true));
    let certificates = plain["certificates"].as_array().expect("a list");
    assert_eq!(certificates.len(), 5);
    for (number, of) in certificates.iter().enumerate() {
        let mut alone = json_in(dir.path(), &format!("check {number}.cert"), 0);
        alone["file"] = json!(format!("{number}.cert"));
        assert_eq!(*of, alone);
    }

    // The draws of 5x5 share positions.
    let check = |files: &str| {
        let found = json_in(dir.path(), &format!("check {files} --trust-no-table"), 0);
        assert_eq!(found["ok"], json!(true));
        found["expansion"]["positions"].as_u64().expect("a number")
    };
    let alone: Vec<_> = (0..5).map(|number| check(&format!("{number}.cert"))).collect();
    assert!(alone[0] < check("0.cert 1.cert") && check("0.cert 1.cert") < alone[0] + alone[1]);
    let found = json_in(dir.path(), "check 0.cert 3.cert 4.cert --trust-no-table", 0);
    assert_eq!(found["expansion"]["positions"], alone[0] + alone[3] + alone[4]);
    let proofs = found["expansion"]["proofs"].as_array().expect("a list");
    let of: Vec<_> = proofs.iter().map(|proof| &proof["certificate"]).collect();
    assert_eq!(of, [0, 0, 1, 2]);

    fanorona(words("check 4.cert 2.cert")).current_dir(&dir).assert().success().stdout(
        predicate::str::starts_with("4.cert:\nBBB/B1W/WWW w, standard: win\nproved by ")
            .and(predicate::str::contains("\n2.cert:\n")),
    );

    // One that does not hold, among others.
    let mut bytes = fs::read(dir.path().join("1.cert")).expect("it is there");
    *bytes.last_mut().expect("it is not empty") ^= 1;
    fs::write(dir.path().join("1.cert"), bytes).expect("it can be written");
    let found = json_in(dir.path(), "check 0.cert 1.cert 4.cert", 1);
    let good = |found: &Value| -> Vec<_> {
        let certificates = found["certificates"].as_array().expect("a list");
        certificates.iter().map(|of| of["ok"].as_bool()).collect()
    };
    assert_eq!(found["ok"], json!(false));
    assert_eq!(good(&found), [Some(true), Some(false), Some(true)]);
    let found = json_in(dir.path(), "check 1.cert 4.cert --trust-no-table", 1);
    assert_eq!(good(&found), [Some(false), Some(true)]);
    refused_in(dir.path(), "check 1.cert 1.cert", 1, &["1.cert is damaged"]);
    // A file that cannot be used does not keep the others from being checked, nor does it hide that one
    // does not hold.
    let found = json_in(dir.path(), "check 7.cert 0.cert", 2);
    assert_eq!(good(&found), [Some(false), Some(true)]);
    let found = json_in(dir.path(), "check 7.cert 1.cert 4.cert", 1);
    assert_eq!(good(&found), [Some(false), Some(false), Some(true)]);
    fanorona(words("check 7.cert 4.cert"))
        .current_dir(&dir)
        .assert()
        .code(2)
        .stdout(predicate::str::starts_with("4.cert:\nBBB/B1W/WWW w, standard: win\n"))
        .stderr(predicate::str::contains("cannot open 7.cert"));
    json_in(dir.path(), "check 4.cert 0.cert --tables none", 2);
    let found = json_in(dir.path(), "check 4.cert 0.cert --tables .. ", 2);
    assert_eq!(good(&found), [Some(true), Some(false)]);
    let why = found["certificates"][1]["error"].as_str().expect("a message");
    assert!(why.contains("fanorona build"), "{why}");
    // Where certificates are expanded together, only the bad one is refuted; the other is not checked.
    let mut bytes = fs::read(dir.path().join("0.cert")).expect("it is there");
    bytes[200] ^= 1;
    fs::write(dir.path().join("5.cert"), bytes).expect("it can be written");
    let found = json_in(dir.path(), "check 5.cert 3.cert --trust-no-table", 1);
    assert_eq!(good(&found), [Some(false), Some(false)]);
    let error = |i: usize| found["certificates"][i]["error"].as_str().expect("a message");
    assert!(error(0).contains("5.cert is damaged"), "{}", error(0));
    assert!(error(1).starts_with("not checked"), "{}", error(1));
}

/// The proofs that are kept under `data/proofs`, and what its JSON files say of them. Those that rest on
/// tables want these built; of them only the size is compared.
#[test]
fn kept_proofs_hold() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs");
    let (mut checked, mut kept) = (0, 0);
    for entry in fs::read_dir(&dir).expect("there are proofs") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let results = fs::read_to_string(&path).expect("it can be read");
        let results: Value = serde_json::from_str(&results).expect("it is JSON");
        for row in results["boards"].as_array().into_iter().flatten() {
            if row.get("entries").is_none() {
                assert_eq!(row["value"], "unknown");
                continue;
            }
            let text = |value: &Value| value.as_str().expect("a text").to_owned();
            let name = format!("{}-{}.proof", text(&row["board"]), text(&results["rules"]));
            let bytes = fs::metadata(dir.join(&name)).expect("it is kept").len();
            assert_eq!(row["bytes"], json!(bytes), "{name}");
            kept += 1;
            if row["tables"] == 0 {
                let found = json_in(&dir, &format!("check {name}"), 0);
                assert_eq!(found["positions"], row["entries"], "{name}");
                for key in ["value", "position", "board"] {
                    assert_eq!(found[key], row[key], "{name}");
                }
                checked += 1;
            }
        }
    }
    assert!(checked >= 10 && kept >= 20, "{checked} of {kept}");
}

/// The recorded values of the openings of 5x5: their certificates hold, and a search finds the same.
#[test]
fn the_openings_of_5x5_are_proved() {
    let dir = tempfile::tempdir().expect("a directory");
    let build = "build --board 5x5 --stones 6 --metric wdl --tables tables";
    fanorona(words(build)).current_dir(&dir).assert().success();
    let openings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs/openings");
    let record = fs::read(openings.join("5x5-standard.json")).expect("it is there");
    let record: Value = serde_json::from_slice(&record).expect("it is JSON");
    let rows = record["openings"].as_array().expect("a list");
    let firsts = rows.iter().filter(|row| row["turns"].as_array().is_some_and(|t| t.len() == 1));
    assert_eq!(firsts.count(), 5);
    for row in rows {
        let file = openings.join(row["certificate"].as_str().expect("a name"));
        let file = file.to_str().expect("a name in UTF-8");
        let checked = json_in(dir.path(), &format!("check \"{file}\" --tables tables"), 0);
        let turns = row["turns"].as_array().expect("a list");
        let texts: Vec<_> = turns.iter().map(|turn| turn.as_str().expect("a turn")).collect();
        // The record has values for White, and the programs have those for the side to move.
        let value = match (row["at_least"].as_str(), texts.len() % 2) {
            (Some("loss"), 1) => "win",
            (Some("win"), 1) => "loss",
            (value, _) => value.expect("a value"),
        };
        assert_eq!(row["at_least"], row["at_most"], "{row}");
        assert_eq!((&checked["value"], &checked["position"]), (&json!(value), &row["position"]));
        let analyze =
            format!("analyze --board 5x5 --after \"{}\" --tables tables", texts.join(" "));
        let analysis = json_in(dir.path(), &analyze, 0);
        assert_eq!((&analysis["value"], &analysis["position"]), (&json!(value), &row["position"]));
    }
}
