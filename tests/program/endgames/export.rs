//! `export`: positions of tables with their values.

use super::*;

#[test]
fn exports_have_the_counts_of_tables() {
    for (rules, export, tables) in [
        ("standard", with_small("export"), with_small("tables")),
        (
            "free-capture",
            with_small("export --rules free-capture"),
            with_small("tables --rules free-capture"),
        ),
        ("standard", with_shared("export --stones 3"), with_shared("tables")),
    ] {
        let rows = csv(&printed(&export));
        let report = json(&tables);
        let mut slices = 0;
        for slice in list(&report, "slices") {
            let name = slice["slice"].as_str().expect("a name");
            let of_slice: Vec<_> = rows.iter().filter(|row| row.slice == name).collect();
            if of_slice.is_empty() {
                continue;
            }
            slices += 1;
            assert_eq!(of_slice.len() as u64, slice["canonical"], "{rules} {name}");
            let sum = |value: &str| -> u64 {
                of_slice.iter().filter(|row| row.value == value).map(|row| row.weight).sum()
            };
            for value in ["win", "draw", "loss"] {
                assert_eq!(slice[value], sum(value), "{rules} {name}");
            }
            let mut distances = BTreeMap::<String, u64>::new();
            for row in of_slice.iter().filter(|row| row.value == "win") {
                let dtw = row.dtw.expect("a win has a distance").to_string();
                *distances.entry(dtw).or_default() += row.weight;
            }
            assert_eq!(slice["win_distances"], json!(distances), "{rules} {name}");
        }
        let names: std::collections::BTreeSet<_> = rows.iter().map(|row| &row.slice).collect();
        assert!(slices >= 3 && slices == names.len(), "{rules}");
        // The other form has the same rows.
        assert_eq!(json_lines(&printed(&format!("{export} --json"))), rows, "{rules}");
    }
}

/// The tables of the slow and simple builder have the same rows.
#[test]
fn an_export_is_what_the_plain_builder_finds() {
    let dir = tempfile::tempdir().expect("a directory");
    for rules in ["standard", "free-capture"] {
        let build = format!("build --board 3x3 --stones 5 --method plain --rules {rules} --tables");
        fanorona(words(&build)).arg(dir.path()).assert().success();
        let export = format!("export --board 3x3 --rules {rules} --tables");
        let plain = fanorona(words(&export)).arg(dir.path()).assert().success();
        let plain = String::from_utf8(plain.get_output().stdout.clone()).expect("UTF-8");
        assert!(plain.lines().count() > 300);
        assert!(plain == printed(&with_small(&format!("export --rules {rules}"))), "{rules}");
    }
}

/// All placements that the rows stand for have the values that `probe` finds.
#[test]
fn an_export_is_what_probing_all_placements_finds() {
    let rows = csv(&printed(&with_small("export --stones 3")));
    let mut all = BTreeMap::new();
    for row in &rows {
        let position: Position = row.position.parse().expect("a position");
        let images = position.board().symmetries().iter();
        let images = images.filter_map(|symmetry| position.transformed(*symmetry));
        let images: BTreeSet<_> = images.map(|image| image.to_string()).collect();
        assert_eq!(images.len() as u64, row.weight, "{row:?}");
        all.extend(images.into_iter().map(|image| (image, row)));
    }
    let weights: u64 = rows.iter().map(|row| row.weight).sum();
    assert_eq!(all.len() as u64, weights, "each once");
    let input: String = all.keys().map(|position| format!("{position}\n")).collect();
    let batch = with_small("probe --batch -");
    let output = fanorona(words(&batch)).write_stdin(input).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).expect("UTF-8");
    let mut compared = 0;
    for (line, row) in text.lines().zip(all.values()) {
        let probed: Value = serde_json::from_str(line).expect("JSON");
        let found = (probed["value"].as_str(), probed["dtw"].as_u64());
        assert_eq!(found, (Some(row.value.as_str()), row.dtw), "{row:?}");
        compared += 1;
    }
    assert_eq!(compared, all.len());
}

#[test]
fn exports_are_written_to_files() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = |name: &str| dir.path().join(name).display().to_string();
    let (csv_file, lines) = (file("rows.csv"), file("rows.jsonl"));
    let report = json(&with_small(&format!("export --output \"{csv_file}\"")));
    let text = fs::read_to_string(&csv_file).expect("it is written");
    assert_eq!(text, printed(&with_small("export")));
    let rows = csv(&text);
    let positions: u64 = rows.iter().map(|row| row.weight).sum();
    let expected = json!({
        "board": "3x3", "rules": "standard", "output": csv_file, "format": "csv",
        "rows": rows.len(), "positions": positions
    });
    assert_eq!(report, expected);
    let said = printed(&with_small(&format!("export --output \"{lines}\"")));
    let count = |number: usize| grouped(&json!(number));
    let expected = format!(
        "{} rows in {lines}, for {} positions\n",
        count(rows.len()),
        count(positions as usize)
    );
    assert_eq!(said, expected);
    assert_eq!(json_lines(&fs::read_to_string(&lines).expect("it is written")), rows);
}

#[test]
fn exports_that_cannot_be() {
    let nowhere = tempfile::tempdir().expect("a directory");
    let refused_small = |args: &str, parts: &[&str]| refused(&with_small(args), 2, parts);
    refused_small("export --stones 6", &["no wdl or dtw table for slice", "fanorona build"]);
    refused_small("export --slice 4v4", &["4v4", "fanorona build"]);
    refused_small("export --slice 5v1", &["--slice 5v1 is too large", "4 of each side"]);
    refused_small("export --stones 9", &["--stones 9", "3x3 has 8 stones"]);
    refused_small("export --rules forced-relay", &["no tables of 3x3 under forced-relay"]);
    refused_small("export --rules standard,free-capture", &["2 rule sets; give one"]);
    refused_small("export --output nowhere/rows.csv", &["the positions 'nowhere/rows.csv'"]);
    refused_in(nowhere.path(), "export", 2, &["no tables of 9x5 under standard in tables"]);
    // Distances that the tables do not have.
    let build = "build --board 3x3 --stones 3 --metric wdl --tables here";
    fanorona(words(build)).current_dir(&nowhere).assert().success();
    let here = |args: &str| format!("{args} --board 3x3 --tables here");
    refused_in(nowhere.path(), &here("find wins"), 2, &["no dtw table", "--metric dtw"]);
    // Where some have distances, these are searched.
    let build = "build --board 3x3 --stones 2 --tables here";
    fanorona(words(build)).current_dir(&nowhere).assert().success();
    let found = fanorona(words(&here("find wins"))).current_dir(&nowhere).assert().success();
    found.stdout(predicate::str::contains("\nleft out, without distances: 2v1, 1v2\n"));
    refused_in(nowhere.path(), &here("find wins --stones 3"), 2, &["no dtw table"]);
    for name in ["1v1", "2v1", "1v2"] {
        let _ = fs::remove_file(nowhere.path().join(format!("here/3x3_standard_{name}.dtw.fano")));
    }
    let rows = fanorona(words(&here("export"))).current_dir(&nowhere).assert().success();
    let text = String::from_utf8(rows.get_output().stdout.clone()).expect("UTF-8");
    assert!(csv(&text).iter().all(|row| row.dtw.is_none()));
}

#[cfg(unix)]
#[test]
fn exports_that_nobody_reads_or_nothing_holds() {
    let dir = tempfile::tempdir().expect("a directory");
    let export = format!("\"$F\" {}", with_shared("export"));
    let script = format!("{{ {export}; echo \"status $?\" >&2; }} | head -n 2");
    let output = crate::shell(dir.path(), &script);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "status 0\n");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
    // A limit for every file does what a full disk does.
    let script = format!("trap '' XFSZ; ulimit -f 1; {export} --output rows.csv");
    let output = crate::shell(dir.path(), &script);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("cannot write the positions 'rows.csv'"), "{stderr}");
    assert_eq!(fs::read_dir(&dir).expect("it can be listed").count(), 0, "nothing is left");
    if Path::new("/dev/full").exists() {
        let output = crate::shell(dir.path(), &format!("{export} > /dev/full"));
        assert_eq!(output.status.code(), Some(2));
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(stderr.contains("cannot write to standard output"), "{stderr}");
    }
}
