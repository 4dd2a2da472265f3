//! Arguments and input that nothing can be done with: one clear message, exit status 2.

use std::fs;

use crate::{json, refused, refused_in};

#[test]
fn boards() {
    refused("moves --board 4x4", 2, &["4x4", "odd", "as in 9x5"]);
    refused("perft 1 --board 9x9", 2, &["9x9", "at most 63 points"]);
    refused("moves --board nine", 2, &["'nine' is not a board", "WIDTHxHEIGHT"]);
    refused("moves --board \"\"", 2, &["--board"]);
}

/// The hint names the command whose help says more.
#[test]
fn hints_name_the_command() {
    for (args, hint) in [
        ("moves --bord 9x5", "try 'fanorona moves --help'."),
        ("stats --depth x", "try 'fanorona stats --help'."),
        ("build", "try 'fanorona build --help'."),
        ("no-such-command", "try 'fanorona --help'."),
    ] {
        refused(args, 2, &["For more information, ", hint]);
    }
}

/// A negative number is a value of its option, and not an unknown option.
#[test]
fn negative_and_large_numbers() {
    refused("perft -1", 2, &["the depth is '-1'", "whole number, 1 to 255"]);
    refused("build --stones -1", 2, &["'-1' for '--stones <N>'", "whole number, 2 or more"]);
    refused("analyze --time -1", 2, &["'-1' for '--time", "write a time, as in 10s"]);
    for time in ["1d", "1m30s", "ms"] {
        refused(&format!("analyze --time {time}"), 2, &[time, "write a time, as in 10s"]);
    }
    let large = "99999999999999999999999";
    refused(&format!("build --stones {large}"), 2, &[large, "the number is too large"]);
    refused("build --stones 5 --memory 1", 2, &["1 MiB can be used", "more memory with --memory"]);
}

#[test]
fn positions() {
    let cases: [(&str, &[&str]); 11] = [
        ("9/9/2W1B4/8/9 w", &["rank 2 of the position has 8 points"]),
        ("9/9/2W1B4/9 w", &["4 ranks given; 9x5 needs 5"]),
        ("9/9/2W1B4/9/9", &["who moves", "' w' or ' b'"]),
        ("9/9/2W1B4/9/9 x", &["the side to move is 'x'", "w or b"]),
        ("9/9/2W1C4/9/9 w", &["rank 3 of the position has 'C'"]),
        ("WWWWWWWWW/WWWWWWWWW/WWWWW4/9/9 w", &["white has 23 stones", "22"]),
        ("9/9/9/9/9 w", &["no stone"]),
        ("", &["the text of the position is empty"]),
        ("99999999999999999999999/9/9 w", &["there is no board"]),
        ("9/9/2W1B4/9/9 w e3", &["'e3'"]),
        ("9/9/2W1B4/9/9\u{a0}w", &["non-breaking space"]),
    ];
    for (position, parts) in cases {
        refused(&format!("moves \"{position}\""), 2, parts);
    }
}

/// A position says on which board it is; an option that says otherwise is refused.
#[test]
fn a_position_of_another_board() {
    let position = "BBB/B1W/WWW w";
    let given = json(&format!("moves \"{position}\""));
    assert_eq!((&given["board"], &given["position"]), (&"3x3".into(), &position.into()));
    let parts = [position, "is on a board of 3x3, but --board is 9x5", "use --board 3x3"];
    refused(&format!("perft 1 --board 9x5 \"{position}\""), 2, &parts);
    // The rules are checked for the position's board.
    refused(&format!("moves --rules vela \"{position}\""), 2, &["3x3"]);
}

#[test]
fn turns() {
    let cases: [(&str, &[&str]); 6] = [
        ("d3-e4A", &["d3-e4A", "no link"]),
        ("a1-a2", &["a1-a2", "not legal", "a2 is not empty"]),
        ("d3-e3", &["d3-e3", "d3-e3A or d3-e3W"]),
        ("e2-e3W", &["e2-e3W", "captures nothing"]),
        ("d3-e3A z9-e4A", &["z9"]),
        ("hello", &["'hello'"]),
    ];
    for (turns, parts) in cases {
        refused(&format!("moves --after \"{turns}\""), 2, parts);
    }
}

#[test]
fn rule_sets() {
    refused("moves --rules chess", 2, &["'chess' is not a rule set", "free-capture"]);
    refused("moves --rules standard+fast", 2, &["'fast' is not an option"]);
    refused("moves --rules standard+victor-black", 2, &["victor-black", "vela"]);
    refused("moves --rules vela --board 5x5", 2, &["5x5", "vela+stones-3"]);
}

#[test]
fn commands_and_numbers() {
    refused("solve", 2, &["'solve'"]);
    refused("perft many", 2, &["'many'", "whole number, 1 to 255"]);
    refused("perft 0", 2, &["'0'", "whole number, 1 to 255"]);
    refused("perft 1 --count moves", 2, &["'moves'", "turns, positions, steps"]);
    refused("perft 1 --threads two", 2, &["'two'", "whole number"]);
    refused("perft 1 --max-nodes 5", 2, &["--max-nodes"]);
    refused("perft 1 --suite file", 2, &["[DEPTH]", "--suite"]);
    refused("stats", 2, &["--depth"]);
    refused("stats --games few", 2, &["'few'", "whole number"]);
    refused("stats --depth 1 --seed 3", 2, &["--games"]);
    refused(
        "stats --depth 1 --svg nowhere/a.svg",
        2,
        &["cannot write the chart 'nowhere/a.svg'", "No such"],
    );
    refused("verify --stones 1", 2, &["'1'", "whole number, 2 or more"]);
    refused("verify --slice 3", 2, &["'3'", "as in 3v2"]);
    refused("verify --slice 3v2 --stones 5", 2, &["--slice", "--stones"]);
    refused("verify --slice 2v1,23v1", 2, &["--slice 23v1 is too large", "22 of each side"]);
    refused("verify --same-as a --sample 5", 2, &["--same-as", "--sample"]);
    refused("verify --same-as a --quick", 2, &["--same-as", "--quick"]);
    refused("verify --tables . --same-as nowhere", 2, &["nowhere"]);
    refused("completions tcsh", 2, &["'tcsh'", "bash"]);
    refused("man /dev/null/pages", 2, &["/dev/null/pages"]);
}

#[test]
fn goals_of_a_build() {
    refused("build", 2, &["--stones", "--slice"]);
    refused("build --stones 3 --slice 2v1", 2, &["--stones", "--slice"]);
    refused("build --stones 1", 2, &["'1'", "whole number, 2 or more"]);
    for command in
        ["build", "unpack", "export", "verify", "compare --rules standard,vela", "find wins"]
    {
        let parts = ["--stones 45", "9x5 has 44 stones, 22 of each side"];
        refused(&format!("{command} --stones 45"), 2, &parts);
    }
    refused("build --slice 3x2", 2, &["'3x2' is not a slice", "3v2"]);
    refused("build --slice 23v1", 2, &["--slice 23v1", "22 of each side"]);
    refused("build --slice 8v8", 2, &["MiB of memory"]);
}

#[test]
fn suites() {
    let dir = tempfile::tempdir().expect("a directory");
    let refused = |args: &str, parts: &[&str]| refused_in(dir.path(), args, 2, parts);
    refused("perft --suite missing.perft", &["cannot read 'missing.perft'"]);
    refused("perft --suite .", &["cannot read '.'"]);
    let write = |name: &str, text: &[u8]| {
        fs::write(dir.path().join(name), text).expect("it can be written");
    };
    write("empty.perft", b"# Nothing yet.\n");
    refused("perft --suite empty.perft", &["empty.perft", "no entry"]);
    write("bytes.perft", b"id \xff\xfe\n");
    refused("perft --suite bytes.perft", &["'bytes.perft': line 1 is not UTF-8"]);
    write("bad.perft", b"id one\nrules standard\ncount turns\nposition 3/3/4 w\nperft 1 2\n");
    refused("perft --suite bad.perft", &["bad.perft", "line 4", "4 points"]);
    write("good.perft", b"id one\nrules standard\ncount turns\nposition 3/3/W1B w\nperft 1 2\n");
    refused("perft --suite good.perft bad.perft", &["bad.perft", "line 4"]);
}
