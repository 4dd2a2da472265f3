//! Typed by people: positions in any place, names in any case, and mistakes, which get an answer of
//! a few lines that helps.

use std::fs;
use std::path::Path;

use crate::{fanorona, json, refused_in, words};

/// A position or a board can be given as an argument wherever there is one to begin with.
#[test]
fn a_position_is_an_argument() {
    for (args, position) in [
        ("moves 5x5", "BBBBB/BBBBB/BW1BW/WWWWW/WWWWW w"),
        ("moves BBB/B1W/WWW w", "BBB/B1W/WWW w"),
        ("moves \"BBB/B1W/WWW w\"", "BBB/B1W/WWW w"),
        ("moves 3X3", "BBB/B1W/WWW w"),
        ("moves --board 3X3 --rules Free-Capture", "BBB/B1W/WWW w"),
        ("moves \"bbb/b1w/www W\"", "BBB/B1W/WWW w"),
        ("perft 3x3", "BBB/B1W/WWW w"),
        ("perft 2 3x3", "BBB/B1W/WWW w"),
        ("perft 3x3 2", "BBB/B1W/WWW w"),
        ("perft 2 BBB/B1W/WWW w", "BBB/B1W/WWW w"),
        ("stats 3x3 --depth 1", "BBB/B1W/WWW w"),
        ("moves 3x3 --after \"1. C2B2+ 1... a3a2\"", "1BB/BW1/1WW w"),
        ("3X3 --book none --nodes 5", "BBB/B1W/WWW w"),
    ] {
        let report = json(args);
        assert_eq!(report["position"], position, "{args}");
        if args.contains('2') && args.starts_with("perft") {
            assert_eq!(report["depths"].as_array().map(Vec::len), Some(2), "{args}");
        }
    }
}

/// Mistakes: each answer says what is wrong, or what to write, in three lines at most.
#[test]
fn files_named_like_commands_hide_none() {
    let dir = tempfile::tempdir().expect("a directory");
    for name in ["help", "rules"] {
        std::fs::write(dir.path().join(name), "no position").expect("it can be written");
        let expected = fanorona([name]).output().expect("it starts").stdout;
        let found = fanorona([name]).current_dir(&dir).output().expect("it starts");
        assert!(found.status.success() && !expected.is_empty(), "{name}");
        assert_eq!(found.stdout, expected, "{name}");
    }
}

#[test]
fn mistakes_get_an_answer_that_helps() {
    let dir = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| {
        fs::write(dir.path().join(name), text).expect("it can be written");
    };
    write("game.txt", "1. d3-e3A *\n");
    write("mine", "print(1)\n");
    write("mine.py", "print(1)\n");
    for (args, part) in [
        // Positions and boards.
        ("9x6", "there is no board 9x6: width and height are odd"),
        ("5x5x5", "unrecognized subcommand '5x5x5'"),
        ("moves 9x6", "there is no board 9x6"),
        ("moves five", "'five' is not a position: write the ranks"),
        ("BBB/B1W/WWW", "does not say who moves: end it with ' w' or ' b'"),
        ("\"9/9/2W1B4/9 w\"", "4 ranks given; 9x5 needs 5"),
        ("\"B3B/5/5/6/2W1W w\"", "rank 2 of the position has 6 points, but the top rank has 5"),
        ("\"B3B/5/5/5/2W1X w\"", "rank 1 of the position has 'X'; write W, B, a digit"),
        ("moves \"9/9/2W1B4/9/9 w\" --board 5x5", "use --board 9x5"),
        ("moves 5x5 3x3", "is not a position"),
        // Files in the place of positions.
        (
            "game.txt",
            "'game.txt' is a file, not a position; 'fanorona analyze' reads games with --game",
        ),
        ("analyze game.txt", "'game.txt' is a file, not a position"),
        ("probe game.txt", "'game.txt' is a file, not a position"),
        ("analyze --game nothing.txt", "cannot read 'nothing.txt'"),
        ("analyze --game mine.py", "'mine.py' is not a game: line 1"),
        ("check game.txt", "game.txt is not a certificate"),
        // Commands.
        ("startpos", "write 'fanorona 9x5'"),
        ("solve 5x5", "write 'fanorona analyze'"),
        ("analyse 5x3", "write 'fanorona analyze'"),
        ("perf 3", "'perft'"),
        ("Moves", "'moves'"),
        ("help rule", "write 'fanorona help rules'"),
        // Arguments without their option.
        ("build 4", "write '--stones 4'"),
        ("build 5x5", "write '--board 5x5'"),
        ("build --stones 4 5x5", "write '--board 5x5'"),
        ("build --stones four", "'four' for '--stones <N>': write a whole number"),
        ("build", "--stones <N>|--slice <SLICE>"),
        ("tables 5x5", "write '--board 5x5'"),
        ("tables vela", "write '--rules vela'"),
        ("stats 5", "--depth <N>"),
        ("find wins -n 3", "write '--top N'"),
        ("match --tc 5+0.1", "write '--clock TIME+INC'"),
        ("find win", "a similar value exists: 'wins'"),
        ("find wins 5", "unexpected argument '5'"),
        // Values.
        ("perft five", "the depth is 'five': write a whole number, 1 to 255"),
        ("perft -3", "the depth is '-3': write a whole number, 1 to 255"),
        ("perft --depth 3", "write the depth alone"),
        ("moves --position 3x3", "write the position alone"),
        ("moves --rules vella", "'vella' is not a rule set: the presets are standard"),
        ("export --slice 5", "'5' is not a slice: write own stones, v and the opponent's"),
        ("analyze 5x3 --time 1x", "write a time, as in 10s, 1m or 500ms"),
        ("play --level hard", "'hard' is not a level: 1 (beginner)"),
        ("compare", "name two, as in --rules standard,free-capture"),
        ("match", "a match has two players, not 0"),
        // Turns.
        ("moves --after d3e3", "d3-e3A or d3-e3W: add A for approach or W for withdrawal"),
        ("moves --after e3-d3", "e3 is not a stone of the side to move"),
        ("moves --after d3-e9A", "the board 9x5 has no point e9"),
        // Tables.
        ("probe", "44 stones are too many for tables; ask 'fanorona analyze'"),
        ("probe \"B7B/9/9/9/W7W w\"", "build them with 'fanorona build"),
        ("unpack", "build them with 'fanorona build"),
        ("find wins", "build them with 'fanorona build"),
        // Other programs.
        ("perft --against mine", "for the file here, write './mine'"),
        (
            "perft --against \"./mine {position} {depth}\"",
            "if './mine' is a script, write its language",
        ),
        ("perft --against \"nothing {position} {depth}\"", "cannot start 'nothing"),
    ] {
        refused_in(dir.path(), args, 2, &[part]);
        let output = fanorona(words(args)).current_dir(dir.path()).output().expect("it starts");
        let lines = String::from_utf8_lossy(&output.stderr).lines().count();
        assert!(lines <= 4, "{args}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The certificate of a start that is no part of the program, in the data directory.
#[test]
fn certificates_are_found_in_the_data_directory() {
    let dir = tempfile::tempdir().expect("a directory");
    let proofs = dir.path().join("fanorona/proofs");
    fs::create_dir_all(&proofs).expect("it can be made");
    let (args, name) = ("3x3 --rules standard+direction-free", "3x3-standard+direction-free.proof");
    let ask = |extra: &str| {
        let args = format!("{args} {extra}");
        let mut command = fanorona(words(&args));
        command.env("XDG_DATA_HOME", dir.path()).current_dir(dir.path());
        let output = command.output().expect("it starts");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr),
        )
    };
    let (_, searched) = ask("");
    assert!(searched.contains("Proved by a search"), "{searched}");
    let file = proofs.join(name);
    let (status, made) = ask(&format!("--certificate \"{}\"", file.display()));
    assert_eq!(status, Some(0), "{made}");
    let (_, found) = ask("");
    let sentence = format!("Proved by the certificate {}", file.display());
    assert!(found.replace('\n', " ").contains(&sentence), "{found}");
    let (_, without) = ask("--book none");
    assert!(without.contains("Proved by a search"), "{without}");
    fs::write(&file, "no certificate").expect("it can be written");
    let (status, damaged) = ask("");
    assert_eq!(status, Some(2), "{damaged}");
    assert!(damaged.contains("is not a certificate") && damaged.contains(name), "{damaged}");
}

/// Tables without distances: the line goes on to the end of the game, or says why not.
#[test]
fn lines_into_tables_without_distances_end_the_game() {
    let dir = tempfile::tempdir().expect("a directory");
    let run = |args: &str| {
        let output = fanorona(words(args)).current_dir(dir.path()).output().expect("it starts");
        assert!(output.status.success(), "{args}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    run("build --board 5x5 --stones 4 --metric wdl");
    for (position, winner) in [
        ("5/1B3/W2W1/5/4B w", "White"),
        ("B4/5/5/1W3/3W1 b", "White"),
        ("2B2/5/1W3/2B2/4W w", "Black"),
    ] {
        let text = run(&format!("\"{position}\""));
        let text = text.replace("\n  ", " ");
        let end = format!("and {winner} has won (one way, perhaps not the shortest).");
        assert!(text.contains(&end), "{position}: {text}");
        // The turns are legal, and the last one ends the game.
        let report: serde_json::Value =
            serde_json::from_str(&run(&format!("\"{position}\" --json"))).expect("it is JSON");
        let line = report["line"].as_array().expect("a list");
        let turns: Vec<_> = line.iter().filter_map(|turn| turn["turn"].as_str()).collect();
        assert_eq!(turns.len(), line.len(), "{report}");
        assert_eq!(report["end"], "finished", "{report}");
        let after = run(&format!("moves \"{position}\" --after \"{}\"", turns.join(" ")));
        assert!(
            after.contains(&format!("the game is over: {} has won", winner.to_lowercase())),
            "{after}"
        );
    }
    assert!(Path::new(dir.path()).join("tables").is_dir());
}
