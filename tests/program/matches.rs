//! `match`: games between levels of the program, through UGI.

use std::fs;
use std::path::Path;

use fanorona_engine::{GameResult, Record, Records};
use serde_json::json;

use crate::{fanorona, json, refused, refused_in, words};

fn read_games(path: &Path) -> Vec<Record> {
    let text = fs::read_to_string(path).expect("the games");
    Records::new(&text).map(|game| game.expect("it is read")).collect()
}

/// Twenty games between two levels, with all that is said about them.
#[test]
fn two_levels_play_twenty_games() {
    let dir = tempfile::tempdir().expect("a directory");
    let games_file = dir.path().join("games.txt");
    let args = format!(
        "match --board 5x5 --level 1 --level 4 --games 20 --nodes 1000 --output {}",
        games_file.display()
    );
    let report = json(&args);
    assert_eq!(report["players"], json!(["level 1", "level 4"]));
    assert_eq!((&report["board"], &report["end"]), (&json!("5x5"), &json!("games")));
    // The draw rules that every command has by default.
    let draw_rules = json!({"repetition": true, "without_capture": null});
    assert_eq!(report["draw_rules"], draw_rules);
    let games = read_games(&games_file);
    assert_eq!(games.len(), 20);
    let mut points = 0.0;
    for record in &games {
        let comment = |turns| record.annotation(turns).and_then(|note| note.comments().next());
        assert_eq!(comment(6), Some("opening"));
        for turns in 7..=record.game().turns().len() {
            let (said, time) = comment(turns).and_then(|said| said.split_once(' ')).expect("both");
            assert!(said.starts_with(['+', '-']) && said.contains('/') && time.ends_with('s'));
        }
        assert!(record.date().is_some());
        points += match record.result() {
            GameResult::Won(side) => f64::from(u8::from(record.player(side) == Some("level 1"))),
            GameResult::Draw => 0.5,
            GameResult::Unfinished => panic!("a game of a match ends: {record}"),
        };
    }
    let [weak, strong] = [0, 1].map(|player| &report["effort"][player]["nodes"]);
    assert!(weak.as_f64() > Some(0.0) && weak.as_f64() < strong.as_f64(), "{report}");
    assert_eq!(report["share"], points / 20.0);
    let sum = ["wins", "draws", "losses"].map(|name| report[name].as_u64().expect("a number"));
    assert_eq!(sum.iter().sum::<u64>(), 20);
    let pairs: u64 = (0..5).map(|i| report["pairs"][i].as_u64().expect("a number")).sum();
    assert_eq!((pairs, &report["forfeits"]), (10, &json!([0, 0])));
    assert!(points < 10.0, "level 1 is the weaker one: {report}");
    // The levels play the same again, also at the same time.
    let again = json(&format!("{args} --concurrency 2"));
    assert_eq!(again["pairs"], report["pairs"]);
    let turns = |record: &Record| record.game().turns().to_vec();
    let [games, again] =
        [games, read_games(&games_file)].map(|g| g.iter().map(turns).collect::<Vec<_>>());
    assert_eq!(again, games, "the file is replaced");
    // The games are openings of another match.
    let more_file = dir.path().join("more.txt");
    let more = json(&format!(
        "match --board 5x5 --level 2 --level 2 --games 2 --nodes 100 --openings {} --output {}",
        games_file.display(),
        more_file.display()
    ));
    for record in read_games(&more_file) {
        assert_eq!(record.game().turns()[..6], games[0][..6]);
    }
    assert_eq!(more["players"], json!(["level 2 (1)", "level 2 (2)"]));
}

#[test]
fn a_test_decides() {
    let args = "match --board 5x5 --level 1 --level 7 --sprt -400,0 --games 200 --nodes 5000";
    let report = json(args);
    assert_eq!((&report["end"], &report["sprt"]["verdict"]), (&json!("sprt"), &json!("elo0")));
    let llr = |name: &str| report["sprt"][name].as_f64().expect("a number");
    assert!(llr("llr") <= llr("lower") && llr("lower") < 0.0);
    let played = ["wins", "draws", "losses"].map(|name| report[name].as_u64().expect("a number"));
    assert!(played.iter().sum::<u64>() < 200);
}

#[test]
fn programs_are_named_and_options_set() {
    let program = env!("CARGO_BIN_EXE_fanorona");
    let dir = tempfile::tempdir().expect("a directory");
    let args = format!(
        "match --board 5x5 --engine \"'{program}' ugi\" --level 1 \
         --option 1:Level=2 --option Hash=16 --games 2 --nodes 9 --nodes 2:70 --log log"
    );
    let output = fanorona(words(&args)).current_dir(&dir).assert().success().stderr("");
    let text = String::from_utf8_lossy(&output.get_output().stdout).into_owned();
    let limits = " (9 nodes for each turn) against level 1 (70 nodes for each turn)\n";
    assert!(text.contains(limits), "{text}");
    let log = fs::read_to_string(dir.path().join("log")).expect("it is written");
    let sent: Vec<_> =
        log.lines().filter_map(|line| line.split_once(' ')).map(|(_, l)| l).collect();
    for line in [
        "1 < ugi",
        "1 > ugiok",
        "1 < setoption name Level value 2",
        "1 < setoption name Hash value 16",
        "2 < ugi",
        "2 < setoption name Seed value 1",
        "2 < setoption name Hash value 16",
        "1 < setoption name Board value 5x5",
        "1 < go nodes 9",
        "2 < go nodes 70",
        "2 < quit",
    ] {
        assert!(sent.contains(&line), "{line}");
    }
    assert!(!sent.contains(&"2 < setoption name Level value 2"));
}

/// A program that ends at its first turn, in each game.
#[cfg(unix)]
#[test]
fn a_program_that_dies_for_good_ends_the_match() {
    let dir = tempfile::tempdir().expect("a directory");
    let script = "while read line; do case $line in ugi) echo ugiok;; isready) echo readyok;; \
                  go*) exit 3;; esac; done";
    fs::write(dir.path().join("mortal"), script).expect("it is written");
    let args = "match --board 5x5 --engine \"sh mortal\" --level 1 --games 40 --nodes 9 --json";
    let output = fanorona(words(args)).current_dir(&dir).assert().code(2);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let message = "error: player 1 (sh mortal) has not survived 6 games in a row; the result is that of 6 games\n";
    assert_eq!(text(&output.get_output().stderr), message);
    let report: serde_json::Value =
        serde_json::from_str(&text(&output.get_output().stdout)).expect("it is JSON");
    assert_eq!((&report["end"], &report["forfeits"]), (&json!("died"), &json!([6, 0])));
}

/// The file of the games says what the turns do not.
#[cfg(unix)]
#[test]
fn a_game_says_how_it_was_ended() {
    let dir = tempfile::tempdir().expect("a directory");
    let script = |answer: &str| {
        format!(
            "while read line; do case $line in ugi) echo ugiok;; isready) echo readyok;; \
             go*) {answer};; quit) exit;; esac; done"
        )
    };
    for (name, answer, limit, expected) in [
        ("crash", "exit 3", "--nodes 9", Some("abandoned")),
        ("slow", "sleep 5", "--time 20ms", Some("time forfeit")),
        ("wrong", "echo bestmove a1-a9", "--nodes 9", Some("rules infraction")),
    ] {
        fs::write(dir.path().join(name), script(answer)).expect("it is written");
        let args = format!(
            "match --board 5x5 --engine \"sh {name}\" --level 1 --games 2 {limit} \
             --output {name}.txt"
        );
        fanorona(words(&args)).current_dir(&dir).assert().success();
        let games = read_games(&dir.path().join(format!("{name}.txt")));
        assert_eq!(games.iter().map(Record::termination).collect::<Vec<_>>(), [expected; 2]);
    }
    // Two stones that never meet: a draw after 400 turns.
    fs::write(dir.path().join("corners"), "B4/5/5/5/4W w").expect("it is written");
    let args = "match --board 5x5 --level 8 --level 8 --games 2 --nodes 9 --draws none \
                --openings corners --output long.txt";
    fanorona(words(args)).current_dir(&dir).assert().success();
    let long = dir.path().join("long.txt");
    for game in read_games(&long) {
        assert_eq!((game.game().turns().len(), game.termination()), (400, Some("adjudication")));
    }
    // A match that cannot begin leaves the file.
    let text = fs::read_to_string(&long).expect("the games");
    let args = "match --board 5x5 --engine nobody --level 1 --output long.txt";
    refused_in(dir.path(), args, 2, &["player 1 cannot play"]);
    assert_eq!(fs::read_to_string(&long).expect("the games"), text);
}

#[test]
fn unusable_input_is_refused() {
    refused("match", 2, &["two players, not 0"]);
    refused("match --level 1", 2, &["two players, not 1"]);
    refused("match --level 1 --level 2 --level 3", 2, &["two players, not 3"]);
    refused("match --level 1 --level 2 --games 3", 2, &["even number"]);
    refused("match --level 1 --level 2 --games 0", 2, &["even number, 2 or more"]);
    for wrong in ["0", "1s+", "+1", "1+-1", "1+2+3", "1e10"] {
        let args = format!("match --level 1 --level 2 --clock {wrong}");
        refused(&args, 2, &["each turn after a +, as in 10s+100ms"]);
    }
    let both = ["--nodes 1 --time 1", "--nodes 1 --nodes 2", "--nodes 2:1 --clock 2:1"];
    for (limits, player) in both.into_iter().zip(["1", "1", "2"]) {
        let parts = [&format!("player {player} has two limits"), "--nodes", "--clock"];
        refused(&format!("match --level 1 --level 2 {limits}"), 2, &parts);
    }
    refused("match --level 1 --level 2 --nodes 3:1", 2, &["no player 3", "2:1"]);
    refused("match --level 1 --level 2 --sprt 5,0", 2, &["the lower one first"]);
    for wrong in ["abc", "-1"] {
        let args = format!("match --level 1 --level 2 --seed={wrong}");
        refused(&args, 2, &["--seed", "write a whole number, 0 to 9223372036854775807"]);
    }
    let parts = ["there is no player 3", "2:Hash=1"];
    refused("match --level 1 --level 2 --option 3:Hash=1", 2, &parts);
    refused("match --level 1 --level 2 --option Hash", 2, &["Hash=64"]);
    refused("match --level 1 --level 2 --option No=1", 2, &["player 1 cannot play", "'No'"]);
    refused("match --level 1 --level 2 --openings none", 2, &["cannot read 'none'"]);
    refused("match --engine no-such-program-here --level 2", 2, &["player 1 cannot play"]);
    refused("match --engine \"'open\" --level 2", 2, &["is not a command"]);
    refused("match --level 1 --level 2 --tables none", 2, &["no tables of 9x5"]);
    let dir = tempfile::tempdir().expect("a directory");
    fs::write(dir.path().join("openings"), "9/9/2W1B4/9/9 w\nnonsense\n").expect("it is written");
    let args = "match --level 1 --level 2 --openings openings";
    refused_in(dir.path(), args, 2, &["'openings' cannot be used: line 2"]);
    fs::write(dir.path().join("bytes"), b"9/9/2W1B4/9/9 w\n\xff\n").expect("it is written");
    let args = "match --level 1 --level 2 --openings bytes";
    refused_in(dir.path(), args, 2, &["'bytes': line 2 is not UTF-8"]);
    fs::write(dir.path().join("long"), "x".repeat(200_000)).expect("it is written");
    let args = "match --level 1 --level 2 --openings long";
    let parts =
        ["'long' cannot be used: line 1: the line has 200000 bytes, more than any position"];
    refused_in(dir.path(), args, 2, &parts);
    let args = "match --level 1 --level 2 --output x --log x";
    fs::write(dir.path().join("x"), "").expect("it is written");
    refused_in(dir.path(), args, 2, &["--output 'x' and --log 'x' are the same file"]);
    // A program whose path has a blank.
    fs::create_dir(dir.path().join("my engine")).expect("it can be made");
    fs::write(dir.path().join("my engine/run"), "").expect("it is written");
    let args = "match --engine \"./my engine/run --hash 1\" --level 1";
    refused_in(dir.path(), args, 2, &["cannot start", "for the file './my engine/run'"]);
    // A program that is no engine: it ends, or says nothing that helps.
    let program = env!("CARGO_BIN_EXE_fanorona");
    let args = format!("match --engine \"'{program}' moves\" --level 1");
    refused(&args, 2, &["player 1 cannot play", "the program has ended"]);
}

/// A device says that it is empty, and has no end.
#[cfg(unix)]
#[test]
fn openings_without_end_are_refused() {
    let args = "match --level 1 --level 2 --openings /dev/zero";
    refused(args, 2, &["'/dev/zero' has more than 64 MiB"]);
}

/// Level 9 has the certificate that is a part of the program, or the match does not begin.
#[test]
#[cfg(feature = "starts")]
fn the_level_that_cannot_lose_plays() {
    let report = json("match --board 5x3 --level 9 --level 1 --games 2 --nodes 500");
    assert_eq!(report["players"], json!(["level 9", "level 1"]));
    assert_eq!(report["forfeits"], json!([0, 0]), "{report}");
    assert_eq!(
        report["pairs"]
            .as_array()
            .map(|all| all.iter().filter_map(serde_json::Value::as_u64).sum()),
        Some(1)
    );
    // One message, which says what is missing.
    let args = "match --board 5x3 --rules standard+direction-strict --level 1 --level 9";
    refused(args, 2, &["level 9", "5x3", "needs a certificate"]);
}

/// The programs that the main thread of a process has started.
#[cfg(target_os = "linux")]
fn children(pid: u32) -> Vec<String> {
    let list = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    list.split_whitespace().map(str::to_owned).collect()
}

/// Starts the program, and interrupts it when it has started another one that says nothing of use.
/// How it ends: the exit status, and what it has printed.
#[cfg(target_os = "linux")]
pub(crate) fn interrupted_while_an_engine_starts(args: &str) -> (Option<i32>, String, String) {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    let child = Command::new(env!("CARGO_BIN_EXE_fanorona"))
        .args(words(args))
        .env_remove("FANORONA_TABLES")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let begin = Instant::now();
    while children(child.id()).is_empty() {
        assert!(begin.elapsed() < crate::ctrl_c::SOON, "no engine is started");
        std::thread::sleep(Duration::from_millis(5));
    }
    crate::ctrl_c::interrupt(&child);
    crate::ctrl_c::end(child)
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_waiting_for_an_engine() {
    let (status, stdout, stderr) =
        interrupted_while_an_engine_starts("match --engine cat --level 2 --games 2");
    assert_eq!((status, stdout.as_str()), (Some(130), ""), "{stderr}");
    assert_eq!(stderr, "error: interrupted: no game was played\n");
}

#[cfg(target_os = "linux")]
#[test]
fn ctrl_c_ends_a_match_and_its_programs() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};

    let dir = tempfile::tempdir().expect("a directory");
    let args = "match --board 5x5 --level 8 --level 8 --games 1000 --time 1ms --output games";
    let mut child = Command::new(env!("CARGO_BIN_EXE_fanorona"))
        .args(words(args))
        .current_dir(&dir)
        .env_remove("FANORONA_TABLES")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let stdout = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut lines = stdout.lines().map(|line| line.expect("it is text"));
    lines.find(|line| line.starts_with("game 2: ")).expect("two games end");
    let programs = children(child.id());
    crate::ctrl_c::interrupt(&child);
    let rest: Vec<_> = lines.collect();
    assert!(rest.iter().any(|line| line.starts_with("player ")), "the result is printed: {rest:?}");
    let (status, _, stderr) = crate::ctrl_c::end(child);
    assert_eq!(status, Some(130), "{stderr}");
    assert!(
        stderr.starts_with("error: interrupted: ") && stderr.ends_with(" finished\n"),
        "{stderr}"
    );
    for program in programs {
        let stat = fs::read_to_string(format!("/proc/{program}/stat")).unwrap_or_default();
        assert!(!stat.contains("(fanorona)") || stat.contains(") Z "), "it still runs: {stat}");
    }
    let text = fs::read_to_string(dir.path().join("games")).expect("it is written");
    assert!(text.matches("[Board ").count() >= 2);
}
