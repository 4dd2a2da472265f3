//! `moves`, `stats`, `man`, `completions`.

use std::fs;

use predicates::prelude::*;
use serde_json::{Value, json};

use crate::{fanorona, grouped, json, words};

#[test]
fn a_board_is_drawn_with_its_turns() {
    let drawn = "
 3 B---B---B
   | \\ | / |
 2 B---.---W
   | / | \\ |
 1 W---W---W
   a   b   c

BBB/B1W/WWW w
white to move, 4 turns

   turn    captures
1  a1-b2A  c3
2  b1-b2A  b3
3  c1-b2A  a3
4  c2-b2A  a2
";
    fanorona(["moves", "--board", "3x3"])
        .assert()
        .success()
        .stdout(drawn.trim_start_matches('\n'))
        .stderr("");
}

#[test]
fn turns_come_as_json() {
    let moves = json("moves");
    assert_eq!(moves["position"], "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w");
    let turns: Vec<_> = moves["turns"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|turn| (turn["turn"].as_str().expect("a text"), &turn["captured"]))
        .collect();
    let expected = [
        ("d2-e3A", json!(["f4", "g5"])),
        ("e2-e3A", json!(["e4", "e5"])),
        ("f2-e3A", json!(["d4", "c5"])),
        ("d3-e3A", json!(["f3"])),
        ("d3-e3W", json!(["c3"])),
    ];
    assert_eq!(turns, expected.iter().map(|(turn, taken)| (*turn, taken)).collect::<Vec<_>>());
    assert_eq!(
        moves["turns"][3]["position"],
        "BBBBBBBBB/BBBBBBBBB/BWB1W1WBW/WWWWWWWWW/WWWWWWWWW b"
    );
}

#[test]
fn turns_are_played_first() {
    let moves = json("moves --board 3x3 --after \"b1-b2A a3b3\"");
    assert_eq!(moves["position"], "1BB/BWW/W1W w");
    assert_eq!(json("moves --board 3x3 --after \"b1b2,a3-b3\""), moves);
}

#[test]
fn rule_sets_take_options() {
    let rules = |args: &str| json(&format!("moves {args}"))["rules"].clone();
    assert_eq!(rules("--rules vela+victor-black"), "vela+victor-black");
    assert_eq!(rules("-b 5x5 -r vela+stones-3"), "vela+stones-3");
    assert_eq!(
        rules("--board 5x5 --rules vela+must-capture+stones-3"),
        "vela+stones-3+must-capture"
    );
    assert_eq!(
        rules("--rules standard+no-turns-draw+direction-strict"),
        "standard+direction-strict+no-turns-draw"
    );
}

#[test]
fn a_finished_game_has_no_turns() {
    let over = json("moves \"9/9/2W6/9/9 b\"");
    assert_eq!((&over["outcome"], &over["turns"]), (&json!("white"), &json!([])));
    let blocked = "moves \"BBB6/WBB6/BBB6/9/9 w\"";
    assert_eq!(json(blocked)["outcome"], "black");
    assert_eq!(json(&format!("{blocked} --rules standard+no-turns-draw"))["outcome"], "draw");
    fanorona(words(blocked))
        .assert()
        .success()
        .stdout(predicate::str::contains("the game is over: black has won"));
}

#[test]
fn play_is_described_by_depth() {
    let stats = json("stats --depth 4");
    let depths = stats["depths"].as_array().expect("a list");
    let turns: Vec<_> = depths.iter().map(|depth| depth["turns"].as_u64()).collect();
    assert_eq!(turns, [5, 39, 724, 18026].map(Some));
    assert_eq!(depths[0]["approaches"], 4);
    assert_eq!(depths[0]["withdrawals"], 1);
    assert_eq!(depths[0]["relay_lengths"], json!({"1": 5}));
    assert_eq!(depths[0]["stones_taken"], json!({"1": 2, "2": 3}));
    assert_eq!(depths[1]["branching"]["positions"], 5);
    assert!(stats.get("games").is_none());

    let small = json("stats --board 3x3 --depth 8");
    let sum = |key: &str| -> u64 {
        small["depths"].as_array().into_iter().flatten().filter_map(|d| d[key].as_u64()).sum()
    };
    assert_eq!(sum("turns"), 4 + 7 + 14 + 67 + 137 + 280 + 744 + 1497);
    assert_eq!(sum("turns"), sum("captures") + sum("paikas"));
    assert!(sum("finished") > 0);
}

#[test]
fn random_games_are_the_same_on_any_number_of_threads() {
    let games = |threads| {
        let args = "stats --board 3x3 --games 600 --seed 9 --threads";
        json(&format!("{args} {threads}"))["games"].clone()
    };
    let one = games(1);
    assert_eq!(one, games(4));
    let results: u64 = ["white", "black", "draw", "unfinished"]
        .iter()
        .filter_map(|key| one["results"][key].as_u64())
        .sum();
    assert_eq!(results, 600);
    // The generator is a promise: the same games on every machine and in every version.
    assert_eq!(one["results"], json!({"white": 358, "black": 242, "draw": 0, "unfinished": 0}));
}

#[test]
fn stats_are_printed_as_tables() {
    fanorona(words("stats --board 3x3 --depth 3 --games 10"))
        .assert()
        .success()
        .stdout(predicate::str::contains("depth  turns  captures"))
        .stdout(predicate::str::contains("10 random games:"));
}

/// The texts of a chart's bars, panel by panel.
fn bars(svg: &str) -> Vec<Vec<String>> {
    let drawing = roxmltree::Document::parse(svg).expect("it is well formed");
    let is_bar = |node: &roxmltree::Node| node.attribute("class") == Some("bar");
    let text = |bar: roxmltree::Node| bar.first_element_child()?.text().map(str::to_owned);
    let panels = drawing.root_element().children().filter(|node| node.has_tag_name("g"));
    panels.map(|panel| panel.children().filter(is_bar).filter_map(text).collect()).collect()
}

#[test]
fn charts_have_the_numbers_of_the_report() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("stats.svg");
    // An existing file is replaced, and not only overwritten from its beginning.
    fs::write(&file, "x".repeat(100_000)).expect("it can be written");
    let args = "stats --board 5x5 --depth 4 --games 80 --seed 3";
    let stats = json(&format!("{args} --svg \"{}\"", file.display()));
    let svg = fs::read_to_string(&file).expect("there is a chart");
    let [captures, relays, branching, lengths] = &bars(&svg)[..] else { panic!("{svg}") };
    assert_eq!(json(args), stats);

    let list = |value: &Value| value.as_array().cloned().expect("a list");
    let number = |value: &Value| value.as_f64().expect("a number");
    let depths = list(&stats["depths"]);
    let expected = depths.iter().map(|depth| {
        let percent = 100.0 * number(&depth["captures"]) / number(&depth["turns"]);
        assert!((100.0 * number(&depth["capture_share"]) - percent).abs() < 1e-9);
        let [depth, captures, turns] =
            ["depth", "captures", "turns"].map(|key| grouped(&depth[key]));
        format!("depth {depth}: {captures} of {turns} turns, {percent:.2} %")
    });
    assert_eq!(*captures, expected.collect::<Vec<_>>());

    let last = &depths[3];
    for (steps, turns) in last["relay_lengths"].as_object().expect("an object") {
        let percent = 100.0 * number(turns) / number(&last["captures"]);
        let turns = grouped(turns);
        assert!(relays.contains(&format!("{steps} steps: {turns} turns, {percent:.2} %")));
    }
    let expected = list(&stats["games"]["branching"]).into_iter().rev().map(|row| {
        let [stones, max, positions] = ["stones", "max", "positions"].map(|key| grouped(&row[key]));
        let mean = number(&row["mean"]);
        let [turns, games] = [&max, &positions].map(|n| if n == "1" { "" } else { "s" });
        format!("{stones} stones: mean {mean:.2}, at most {max} turn{turns}; {positions} position{games}")
    });
    assert_eq!(*branching, expected.collect::<Vec<_>>());

    // Games are put together by length: "6 to 7 turns: 3 games, 3.75 %".
    let games = stats["games"]["length"]["games"].as_object().expect("an object");
    let mut found = 0;
    for bar in lengths {
        let (range, rest) = bar.split_once(" turns: ").expect("a range");
        let count: u64 = rest.split(' ').next().and_then(|n| n.parse().ok()).expect("a count");
        let ends: Vec<u64> = range.split(" to ").map(|n| n.parse().expect("a length")).collect();
        let inside = games.iter().filter(|(length, _)| {
            let length = length.parse().expect("a length");
            ends[0] <= length && length <= ends[ends.len() - 1]
        });
        assert_eq!(inside.filter_map(|(_, games)| games.as_u64()).sum::<u64>(), count, "{bar}");
        found += count;
    }
    assert_eq!(found, games.values().filter_map(Value::as_u64).sum::<u64>());
}

#[test]
fn charts_tell_what_was_asked_for() {
    let dir = tempfile::tempdir().expect("a directory");
    for (args, panels) in [("--depth 2", 2), ("--games 3", 2), ("--depth 1 --games 3", 4)] {
        let command = format!("stats --board 3x3 {args} --svg chart.svg");
        fanorona(words(&command)).current_dir(&dir).assert().success();
        let svg = fs::read_to_string(dir.path().join("chart.svg")).expect("there is a chart");
        assert_eq!(bars(&svg).len(), panels, "{args}");
        assert!(
            svg.contains("prefers-color-scheme:dark")
                && svg.contains("3x3, standard, from the start")
        );
    }
}

#[test]
fn shells_and_the_manual_are_served() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let names_itself = predicate::str::contains("fanorona");
        fanorona(["completions", shell]).assert().success().stdout(names_itself);
    }
    fanorona(["man"]).assert().success().stdout(predicate::str::contains(".TH fanorona"));
    let dir = tempfile::tempdir().expect("a directory");
    fanorona(["man", "pages"]).current_dir(&dir).assert().success().stdout("");
    for page in ["fanorona.1", "fanorona-perft.1", "fanorona-moves.1"] {
        assert!(dir.path().join("pages").join(page).exists(), "{page}");
    }
}
