//! `build`, `tables`, `probe`, `bench` on good tables.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::{env, fs};

use fanorona_core::{Board, PointSet, Position, Side, SplitMix64, Stones};
use predicates::prelude::*;
use serde_json::{Value, json};

#[cfg(unix)]
use crate::shell;
use crate::{fanorona, json, refused, words};

/// Tables of 9x5 to 4 stones with distances, built once.
pub(crate) fn shared() -> &'static Path {
    static DIR: OnceLock<PathBuf> = OnceLock::new();
    DIR.get_or_init(|| {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("program-tables");
        // Tables of an earlier run may be of another version.
        let _ = fs::remove_dir_all(&dir);
        fanorona(["build", "--stones", "4", "--tables"]).arg(&dir).assert().success();
        dir
    })
}

pub(crate) fn with_shared(args: &str) -> String {
    format!("{args} --tables \"{}\"", shared().display())
}

pub(crate) fn slices(report: &Value) -> &Vec<Value> {
    report["slices"].as_array().expect("a list")
}

#[test]
fn the_parts_of_a_list_may_have_blanks_around_them() {
    let report = json(&with_shared("verify --quick --slice \"2v1, 1v2 \""));
    assert_eq!(slices(&report).len(), 2);
    refused("moves --rules \"standard, free-capture\"", 2, &["--rules has 2 rule sets"]);
}

#[test]
fn known_counts_come_out() {
    let report = json(&with_shared("tables"));
    let found: Vec<Vec<u64>> = slices(&report)
        .iter()
        .map(|slice| {
            let keys = ["own", "opponent", "win", "draw", "loss", "max_win", "max_loss"];
            keys.iter().filter_map(|key| slice[key].as_u64()).collect()
        })
        .collect();
    let expected: [[u64; 7]; 6] = [
        [1, 1, 592, 1288, 100, 7, 6],
        [2, 1, 40996, 1550, 24, 29, 8],
        [1, 2, 2822, 12766, 26982, 9, 30],
        [2, 2, 509_777, 314_953, 69240, 49, 50],
        [3, 1, 595_618, 358, 4, 27, 2],
        [1, 3, 16682, 63186, 516_112, 9, 30],
    ];
    let sorted = |mut slices: Vec<Vec<u64>>| {
        slices.sort();
        slices
    };
    assert_eq!(sorted(found), sorted(expected.iter().map(|slice| slice.to_vec()).collect()));

    let smallest = &slices(&report)[0];
    assert_eq!(smallest["win_distances"], json!({"1": 336, "3": 140, "5": 92, "7": 24}));
    assert_eq!(smallest["loss_distances"], json!({"2": 32, "4": 52, "6": 16}));
    assert_eq!((&smallest["positions"], &smallest["metric"]), (&json!(1980), &json!("dtw")));
    let bytes = fs::metadata(shared().join("9x5_standard_1v1.dtw.fano")).expect("it is there");
    assert_eq!(smallest["bytes"], bytes.len());
    assert_eq!(smallest["checksum"].as_str().map(str::len), Some(16));
}

#[test]
fn examples_of_zugzwangs_are_some() {
    let report = json(&with_shared("tables"));
    let wanted = |kind: &str| match kind {
        "full" => ["loss", "loss"],
        "draw_to_loss" => ["loss", "draw"],
        "win_to_draw" => ["draw", "loss"],
        other => panic!("no kind: {other}"),
    };
    let mut found = Vec::new();
    for slice in slices(&report) {
        for example in slice["zugzwangs"]["examples"].as_array().expect("a list") {
            let (kind, position) = (example["kind"].as_str(), example["position"].as_str());
            let (kind, position) = (kind.expect("a kind"), position.expect("a position"));
            let other = position.replace(" w", " b");
            let values = [position, &other].map(|position| {
                let probed = json(&with_shared(&format!("probe \"{position}\"")));
                for turn in probed["turns"].as_array().expect("a list") {
                    let text = turn["turn"].as_str().expect("a text");
                    assert!(!text.contains(['A', 'W']), "{position}: {text} captures");
                }
                probed["value"].as_str().map(str::to_owned).expect("a value")
            });
            assert_eq!(values, wanted(kind), "{position}");
            assert!(slice["zugzwangs"][kind].as_u64() > Some(0));
            found.push(kind.to_owned());
        }
    }
    found.sort_unstable();
    found.dedup();
    assert_eq!(found, ["draw_to_loss", "full", "win_to_draw"]);
}

#[test]
fn one_slice_is_built_with_what_it_rests_on() {
    let dir = tempfile::tempdir().expect("a directory");
    let build = format!("build --slice 1v3 --tables \"{}\"", dir.path().display());
    let estimate = json(&format!("{build} --estimate"));
    let names = |report: &Value| {
        let name = |slice: &Value| format!("{}v{}", slice["own"], slice["opponent"]);
        slices(report).iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(names(&estimate), ["1v1", "2v1", "1v2", "3v1", "1v3"]);
    assert_eq!(estimate["stones"], 4);
    let built = json(&build);
    assert_eq!(names(&built), names(&estimate));
    for name in names(&built) {
        let file = format!("9x5_standard_{name}.dtw.fano");
        let [here, there] = [dir.path(), shared()].map(|dir| fs::read(dir.join(&file)));
        assert_eq!(here.expect("it is there"), there.expect("it is there"), "{file}");
    }
}

#[test]
fn the_longest_win_is_one() {
    let report = json(&with_shared("tables"));
    for slice in slices(&report) {
        for (value, longest, position) in [
            ("win", &slice["max_win"], &slice["max_win_position"]),
            ("loss", &slice["max_loss"], &slice["max_loss_position"]),
        ] {
            let probed = json(&with_shared(&format!("probe {position}")));
            assert_eq!((probed["value"].as_str(), &probed["dtw"]), (Some(value), longest));
        }
    }
}

#[test]
fn tables_are_printed() {
    fanorona(words(&with_shared("tables")))
        .assert()
        .success()
        .stdout(predicate::str::contains("9x5, standard\n\nslice  metric  positions"))
        .stdout(predicate::str::contains("2v2    dtw       893,970"))
        .stdout(predicate::str::contains("2v2  loss in  50  "))
        .stdout(predicate::str::contains("2v2  full                      24  "));
}

#[test]
fn a_position_and_its_turns_are_probed() {
    let probed = json(&with_shared("probe \"9/9/2W1B4/9/9 w\""));
    let expected = json!({
        "board": "9x5", "rules": "standard", "position": "9/9/2W1B4/9/9 w",
        "value": "win", "dtw": 1, "source": "table",
        "turns": [{
            "turn": "c3-d3A", "value": "win", "dtw": 1, "source": "rules",
            "position": "9/9/3W5/9/9 b", "captured": ["e3"]
        }]
    });
    assert_eq!(probed, expected);

    // The turns' values are the mover's, best first, and the best one is the position's.
    let probed = json(&with_shared("probe \"BB7/9/9/3W5/9 w\""));
    assert_eq!((&probed["value"], &probed["dtw"]), (&json!("loss"), &json!(30)));
    let turns = probed["turns"].as_array().expect("a list");
    assert_eq!((&turns[0]["value"], &turns[0]["dtw"]), (&json!("loss"), &json!(30)));
    let distances: Vec<_> = turns.iter().filter_map(|turn| turn["dtw"].as_u64()).collect();
    assert_eq!(distances.len(), turns.len());
    assert!(distances.is_sorted_by(|a, b| a >= b), "{distances:?}");

    let over = json(&with_shared("probe \"9/9/2W6/9/9 b\""));
    assert_eq!((&over["value"], &over["turns"]), (&json!("loss"), &json!([])));
    fanorona(words(&with_shared("probe \"9/9/2W1B4/9/9 w\"")))
        .assert()
        .success()
        .stdout("9/9/2W1B4/9/9 w: win in 1 turn\n\nturn    value  dtw\nc3-d3A  win      1\n");
}

#[test]
fn tables_of_standard_serve_rule_sets_that_end_like_it() {
    let mut standard = json(&with_shared("probe \"9/9/2W1B4/9/9 w\""));
    standard["rules"] = json!("first-capture-single");
    let single = "probe --rules first-capture-single \"9/9/2W1B4/9/9 w\"";
    assert_eq!(json(&with_shared(single)), standard);
}

#[test]
fn a_batch_is_answered_line_by_line() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("positions");
    let good = "9/9/2W1B4/9/9 w\n\n9/9/2W1B4/9/9 b\r\nBB7/9/9/3W5/9 w\n";
    fs::write(&file, good).expect("it can be written");
    let args = with_shared(&format!("probe --batch \"{}\"", file.display()));
    let output = fanorona(words(&args)).assert().success().get_output().stdout.clone();
    let text = String::from_utf8(output).expect("JSON is UTF-8");
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(lines[0], json(&with_shared("probe \"9/9/2W1B4/9/9 w\"")));
    assert_eq!(lines[2]["dtw"], 30);
    let from_stdin = with_shared("probe --batch -");
    fanorona(words(&from_stdin)).write_stdin(good).assert().success().stdout(text);

    let bad = format!("{good}nonsense\nWWW6/9/9/9/BB7 w\n");
    let output = fanorona(words(&from_stdin)).write_stdin(bad).assert().code(2);
    let output = output.stderr(predicate::str::contains("2 of 5 positions of standard input"));
    let text = String::from_utf8(output.get_output().stdout.clone()).expect("JSON is UTF-8");
    let lines: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    assert_eq!((lines.len(), &lines[3]["position"]), (5, &json!("nonsense")));
    let error = &lines[4]["error"];
    assert_eq!(error["code"], "missing_table");
    assert!(error["message"].as_str().is_some_and(|message| message.contains("3v2")));
}

/// The first directory that has a table counts, also if the table is damaged there.
#[cfg(unix)]
#[test]
fn tables_of_several_directories_are_used() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (few, more) = (path("few"), path("more"));
    for (dir, stones) in [(&few, 2), (&more, 3)] {
        let args = format!("build -b 3x3 --stones {stones} -t {dir}");
        fanorona(words(&args)).assert().success();
    }
    let both = format!("{few}:{more}");
    let report = json(&format!("tables -b 3x3 -t {both}"));
    assert_eq!(slices(&report).len(), 3);
    let probe = "probe \"1W1/W2/2B w\"";
    refused(&format!("{probe} -t {few}"), 2, &["2v1"]);
    let value = json(&format!("{probe} -t {both}"))["value"].clone();
    assert_eq!(value, json(&format!("{probe} -t {more}"))["value"]);
    fanorona(words(probe)).env("FANORONA_TABLES", &both).assert().success();
    let analyzed = json(&format!("analyze \"1W1/W2/2B w\" -t {both}"));
    assert_eq!((&analyzed["value"], &analyzed["source"]), (&value, &json!("table")));
    json(&format!("verify -b 3x3 -t {both}"));

    let table = Path::new(&few).join("3x3_standard_1v1.dtw.fano");
    fs::remove_file(&table).expect("it is there");
    fs::write(&table, "damaged").expect("it can be written");
    let probe = "probe \"W2/3/1B1 w\"";
    refused(&format!("{probe} -t {both}"), 2, &["few/3x3_standard_1v1.dtw.fano"]);
    json(&format!("{probe} -t {more}:{few}"));

    refused(&format!("tables -t {more}:nowhere"), 2, &["there is no table directory nowhere"]);
    refused(&format!("tables -t {more}:"), 2, &["several as in PATH"]);
    let parts = ["several directories", "name the one to write to"];
    refused(&format!("build -b 3x3 --stones 2 -t {both}"), 2, &parts);
    refused(&format!("unpack -b 3x3 -t {both}"), 2, &parts);
}

/// The command that a message suggests can be pasted, and builds what is needed.
#[cfg(unix)]
#[test]
fn suggested_commands_work_as_they_are() {
    let dir = tempfile::tempdir().expect("a directory");
    let position = "9/2W4B1/9/1B7/9 w";
    for name in ["new", "my tables", "my friend's \"$HOME\" tables"] {
        let tables = dir.path().join(name);
        let probe = || {
            let mut probe = fanorona(["probe", position, "--tables"]);
            probe.arg(&tables).assert()
        };
        let output = probe().code(2).get_output().clone();
        let stderr = String::from_utf8(output.stderr).expect("it is text");
        assert!(stderr.contains("; build them with 'fanorona build "), "{stderr}");
        let (_, command) = stderr.split_once("'fanorona ").expect("it names a command");
        let command = command.trim_end().strip_suffix('\'').expect("the quotes end");
        assert!(command.contains("--stones 3 "), "as many as are needed: {command}");
        let built = shell(dir.path(), &format!("\"$F\" {command}"));
        assert!(built.status.success(), "{command}: {}", String::from_utf8_lossy(&built.stderr));
        probe().success();
    }
}

#[test]
fn an_empty_variable_is_not_set() {
    let dir = tempfile::tempdir().expect("a directory");
    for args in ["moves", "tables", "analyze --board 3x3"] {
        let run = |set: bool| {
            let mut command = fanorona(words(args));
            command.current_dir(&dir).arg("--json");
            if set {
                command.env("FANORONA_TABLES", "");
            }
            let output = command.output().expect("it runs");
            let text = String::from_utf8_lossy(&output.stderr).into_owned();
            (output.status.code(), text)
        };
        assert_eq!(run(true), run(false), "{args}");
    }
    fanorona(["tables", "--tables", ""]).assert().code(2);
}

#[test]
fn a_build_tells_where_its_time_went() {
    let dir = tempfile::tempdir().expect("a directory");
    let here = format!("--stones 3 --metric wdl --tables \"{}\"", dir.path().display());
    let report = json(&format!("build {here}"));
    let phases = report["phases"].as_array().expect("a list");
    let names = |stones: u64| -> Vec<_> {
        let of_stones = |phase: &&Value| {
            Some(stones)
                == phase["own"].as_u64().zip(phase["opponent"].as_u64()).map(|(a, b)| a + b)
        };
        phases.iter().filter(of_stones).filter_map(|phase| phase["phase"].as_str()).collect()
    };
    let all = ["captures", "rounds", "transposition", "count", "pack", "compress", "write"];
    assert_eq!((names(2), names(3)), (all.to_vec(), all.to_vec()));
    for phase in phases {
        let positions = if phase["own"] == 1 { 1980 } else { 2 * 42570 };
        assert_eq!(phase["positions"], positions, "{phase}");
        assert!(phase["seconds"].as_f64().is_some_and(|seconds| seconds >= 0.0), "{phase}");
        assert!(phase["processor_seconds"].as_f64().is_some_and(|s| s >= 0.0), "{phase}");
    }

    // Existing tables are loaded, and only new ones are printed.
    let report = json(&format!("build {here}"));
    let phases = report["phases"].as_array().expect("a list");
    assert!(phases.iter().all(|phase| phase["phase"] == "load") && phases.len() == 2, "{report}");
}

#[test]
fn builds_go_on_with_what_is_missing() {
    let dir = tempfile::tempdir().expect("a directory");
    let build = |more: &str| {
        json(&format!("build --tables \"{}\" {more}", dir.path().join("new/tables").display()))
    };
    let written = |report: &Value| {
        let all = slices(report).iter();
        all.map(|slice| slice["written"].as_bool().expect("yes or no")).collect::<Vec<_>>()
    };
    let estimate = build("--stones 3 --estimate");
    assert_eq!(estimate["positions"], 1980 + 85140);
    assert!(!dir.path().join("new").exists(), "an estimate writes nothing");
    for key in ["stones", "memory", "memory_available", "disk", "disk_available", "seconds"] {
        assert!(estimate[key].as_f64().is_some_and(|number| number > 0.0), "{key}");
    }

    assert_eq!(written(&build("--stones 2")), [true]);
    assert_eq!(written(&build("--stones 3")), [false, true, true]);
    let there: Vec<_> = slices(&build("--stones 3 --estimate"))
        .iter()
        .map(|slice| slice["there"].as_bool())
        .collect();
    assert_eq!(there, [Some(true); 3]);

    // The other metric is another table, and has no distances.
    let wdl = build("--stones 2 --metric wdl");
    assert_eq!((&slices(&wdl)[0]["metric"], &slices(&wdl)[0]["win"]), (&json!("wdl"), &json!(592)));
    assert!(slices(&wdl)[0].get("win_distances").is_none());
}

#[test]
fn the_environment_names_the_directory() {
    fanorona(["probe", "9/9/2W1B4/9/9 w"]).env("FANORONA_TABLES", shared()).assert().success();
}

#[test]
fn a_whole_board_is_built_and_probed() {
    let dir = tempfile::tempdir().expect("a directory");
    let board = format!("--board 3x3 --tables \"{}\"", dir.path().display());
    json(&format!("build --stones 8 {board}"));
    let start = json(&format!("probe {board}"));
    assert_eq!((&start["value"], &start["dtw"]), (&json!("win"), &json!(11)));
    assert_eq!(start["turns"].as_array().map(Vec::len), Some(4));
    let analysis = json(&format!("analyze {board}"));
    assert_eq!((&analysis["value"], &analysis["dtw"]), (&json!("win"), &json!(11)));
    assert_eq!(analysis["turns"], start["turns"]);
    assert_eq!(analysis["best"], start["turns"][0]["turn"]);
}

/// Tables of the vela: both roles in its first phase, and positions as in the game.
#[test]
fn the_vela_in_both_phases() {
    let dir = tempfile::tempdir().expect("a directory");
    let run = |command: &str| -> Value {
        let args = format!("{command} --board 3x3 --rules vela+stones-2 --json");
        let output = fanorona(words(&args)).current_dir(&dir).output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("it is JSON")
    };
    let estimate = run("build --slice 4v4 --estimate");
    let of_role = |report: &Value, role: &str| {
        slices(report).iter().filter(|slice| slice["role"] == role).count()
    };
    assert_eq!((of_role(&estimate, "victor"), of_role(&estimate, "challenger")), (2, 2));
    let built = run("build --slice 4v4");
    assert_eq!((of_role(&built, "victor"), of_role(&built, "challenger")), (2, 2));
    assert_eq!(slices(&built).len(), slices(&estimate).len());
    let phases = built["phases"].as_array().expect("a list");
    assert!(phases.iter().any(|phase| phase["first_phase"] == true));
    assert!(phases.iter().any(|phase| phase.get("first_phase").is_none()));

    let found = run("tables");
    for slice in slices(&found).iter().filter(|slice| slice["role"] == "challenger") {
        assert_eq!(slice["rules"], "vela+stones-2");
        let position = slice["max_win_position"].as_str().expect("it can win");
        assert!(position.ends_with(" b"), "White is the victor, and Black is to move: {position}");
        let probed = run(&format!("probe \"{position}\""));
        assert_eq!((&probed["value"], &probed["dtw"]), (&json!("win"), &slice["max_win"]));
    }
    let start = run("analyze");
    assert_eq!((&start["value"], &start["nodes"]), (&json!("win"), &json!(0)), "from the tables");
    let verified = run("verify");
    assert_eq!(slices(&verified).len(), slices(&found).len());
    assert_eq!((of_role(&verified, "victor"), of_role(&verified, "challenger")), (2, 2));

    let args = "verify --board 3x3 --rules vela+stones-2 --quick";
    let text = fanorona(words(args)).current_dir(&dir).assert().success();
    text.stdout(predicate::str::contains("4v4 challenger dtw  good\n"));
    // The page without a server has each table, with those of the second phase.
    #[cfg(feature = "serve")]
    {
        crate::site::write_module(&dir.path().join("module"));
        let args = "site --board 3x3 --rules vela+stones-2 --module module site --json";
        let output = fanorona(words(args)).current_dir(&dir).output().expect("it runs");
        let site: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
        assert_eq!(site["tables"].as_array().map(Vec::len), Some(slices(&found).len()));
    }
    // A slice of the first phase is asked for with White to move.
    let args = "build --board 3x3 --rules vela+stones-2+victor-black --slice 4v3 --json";
    let output = fanorona(words(args)).current_dir(&dir).output().expect("it runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("it is JSON");
    assert_eq!((of_role(&report, "victor"), of_role(&report, "challenger")), (1, 1));
}

/// Distances to three stones, and values alone of four: a position with a capture has its value in a
/// table of one metric, and those after it in tables of the other.
#[test]
fn tables_of_both_metrics_answer_together() {
    let dir = tempfile::tempdir().expect("a directory");
    let here = format!("--tables \"{}\"", dir.path().display());
    json(&format!("build --stones 4 --metric wdl {here}"));
    for slice in ["1v1", "1v2", "2v1"] {
        let file = |metric| format!("9x5_standard_{slice}.{metric}.fano");
        fs::remove_file(dir.path().join(file("wdl"))).expect("it was built");
        fs::copy(shared().join(file("dtw")), dir.path().join(file("dtw"))).expect("a copy");
    }
    let board: Board = "9x5".parse().expect("a board");
    let mut random = SplitMix64::new(1);
    let mut position = || loop {
        let mut sides = [PointSet::EMPTY; 2];
        for side in [0, 1, random.below(2), random.below(2)] {
            let points: Vec<_> = (board.all_points() - (sides[0] | sides[1])).iter().collect();
            sides[side as usize] |= points[random.below(points.len() as u64) as usize];
        }
        let [own, opponent] = sides;
        if let Ok(position) = Position::from_mover(board, Stones { own, opponent }, Side::White) {
            break position.to_string();
        }
    };
    let input: String = (0..300).map(|_| position() + "\n").collect();
    let probe = |tables: &str| -> Vec<Value> {
        let args = format!("probe --batch - {tables}");
        let answers = fanorona(words(&args)).write_stdin(input.clone()).assert().success();
        let text = String::from_utf8(answers.get_output().stdout.clone()).expect("UTF-8");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let (mixed, complete) = (probe(&here), probe(&with_shared("")));
    assert_eq!((mixed.len(), complete.len()), (300, 300));
    let (mut distances, mut values_alone) = (0, 0);
    for (mixed, complete) in mixed.iter().zip(&complete) {
        assert_eq!(
            (&mixed["position"], &mixed["value"]),
            (&complete["position"], &complete["value"])
        );
        let value_of = |report: &Value, turn: &Value| {
            let turns = report["turns"].as_array().expect("a list");
            turns.iter().find(|other| other["turn"] == turn["turn"]).expect("the turn").clone()
        };
        for turn in mixed["turns"].as_array().expect("a list").iter().chain([mixed]) {
            let expected = match turn.get("turn") {
                Some(_) => value_of(complete, turn),
                None => complete.clone(),
            };
            assert_eq!(turn["value"], expected["value"], "{mixed}");
            match turn.get("dtw") {
                Some(dtw) => {
                    assert_eq!(*dtw, expected["dtw"], "{mixed}");
                    distances += 1;
                }
                None => values_alone += u32::from(expected.get("dtw").is_some()),
            }
        }
        // One by one, the answers are the same.
        if distances % 10 == 0 {
            let position = mixed["position"].as_str().expect("a text");
            assert_eq!(*mixed, json(&format!("probe \"{position}\" {here}")));
        }
    }
    assert!(distances > 300 && values_alone > 300, "{distances} and {values_alone}");
}
