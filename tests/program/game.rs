//! `moves`, `stats`, `man`, `completions`.

use predicates::prelude::*;
use serde_json::json;

use crate::{fanorona, json, words};

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

   turn    takes
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
    assert_eq!(rules("--rules vela --victor black"), "vela+victor-black");
    assert_eq!(
        rules("--board 5x5 --rules vela --victor-stones 3 --must-capture"),
        "vela+stones-3+must-capture"
    );
    assert_eq!(
        rules("--no-turns draw --direction strict"),
        "standard+direction-strict+no-turns-draw"
    );
    assert_eq!(rules("--rules standard+no-turns-draw --no-turns loss"), "standard");
}

#[test]
fn a_finished_game_has_no_turns() {
    let over = json("moves --position \"9/9/2W6/9/9 b\"");
    assert_eq!((&over["outcome"], &over["turns"]), (&json!("white has won"), &json!([])));
    let blocked = "moves --position \"BBB6/WBB6/BBB6/9/9 w\"";
    assert_eq!(json(blocked)["outcome"], "black has won");
    assert_eq!(json(&format!("{blocked} --no-turns draw"))["outcome"], "drawn");
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
        let args = "stats --board 3x3 --games 600 --seed 9 --max-turns 9 --threads";
        json(&format!("{args} {threads}"))["games"].clone()
    };
    let one = games(1);
    assert_eq!(one, games(4));
    let results: u64 = ["white", "black", "draw", "unfinished"]
        .iter()
        .filter_map(|key| one["results"][key].as_u64())
        .sum();
    assert_eq!(results, 600);
    assert_ne!(one["results"]["unfinished"], 0);
    // The generator is a promise: the same games on every machine and in every version.
    assert_eq!(one["results"], json!({"white": 328, "black": 182, "draw": 0, "unfinished": 90}));
}

#[test]
fn stats_are_printed_as_tables() {
    fanorona(words("stats --board 3x3 --depth 3 --games 10"))
        .assert()
        .success()
        .stdout(predicate::str::contains("depth  turns  captures"))
        .stdout(predicate::str::contains("10 random games:"));
}

#[test]
fn shells_and_the_manual_are_served() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let names_itself = predicate::str::contains("fanorona");
        fanorona(["completions", shell]).assert().success().stdout(names_itself);
    }
    fanorona(["man"]).assert().success().stdout(predicate::str::contains(".TH fanorona"));
    let dir = tempfile::tempdir().expect("a directory");
    fanorona(["man", "--dir", "pages"]).current_dir(&dir).assert().success().stdout("");
    for page in ["fanorona.1", "fanorona-perft.1", "fanorona-moves.1"] {
        assert!(dir.path().join("pages").join(page).exists(), "{page}");
    }
}
