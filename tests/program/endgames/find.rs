//! `find`: longest wins, zugzwangs and studies.

use fanorona_core::Board;
use fanorona_tablebase::Tables;

use super::*;

#[test]
fn the_longest_are_those_of_tables() {
    let report = json(&with_shared("tables"));
    let most = |key: &str| {
        let found = list(&report, "slices").iter().filter_map(|slice| slice[key].as_u64());
        found.max().expect("there are some")
    };
    for (kind, value, longest) in
        [("wins", "win", most("max_win")), ("losses", "loss", most("max_loss"))]
    {
        let found = json(&with_shared(&format!("find {kind} --top 30")));
        let positions = list(&found, "positions");
        assert_eq!(positions.len(), 30);
        assert_eq!(
            (&positions[0]["value"], &positions[0]["dtw"]),
            (&json!(value), &json!(longest))
        );
        let lengths: Vec<_> = positions.iter().filter_map(|p| p["dtw"].as_u64()).collect();
        assert!(lengths.len() == 30 && lengths.is_sorted_by(|a, b| a >= b), "{lengths:?}");
        for slice in list(&report, "slices") {
            let name = slice["slice"].as_str().expect("a name");
            let found = json(&with_shared(&format!("find {kind} --top 1 --slice {name}")));
            let key = format!("max_{value}");
            assert_eq!(found["positions"][0]["dtw"], slice[&key], "{name}");
        }
    }
    // All wins are those of an export.
    let rows = csv(&printed(&with_small("export")));
    let found = json(&with_small("find wins --top 100000"));
    let wins = rows.iter().filter(|row| row.value == "win").count();
    assert_eq!(list(&found, "positions").len(), wins);
}

#[test]
fn zugzwangs_are_as_many_as_tables_count() {
    let found = json(&with_shared("find zugzwangs --top 100000"));
    let mut counts = BTreeMap::<(String, String), u64>::new();
    for position in list(&found, "positions") {
        let text = |key: &str| position[key].as_str().expect("a text").to_owned();
        let weight = position["weight"].as_u64().expect("a number");
        *counts.entry((text("slice"), text("zugzwang"))).or_default() += weight;
    }
    for slice in list(&json(&with_shared("tables")), "slices") {
        let name = slice["slice"].as_str().expect("a name");
        for kind in ["full", "draw_to_loss", "win_to_draw"] {
            let count = counts.remove(&(name.to_owned(), kind.to_owned())).unwrap_or(0);
            assert_eq!(slice["zugzwangs"][kind], count, "{name} {kind}");
        }
    }
    assert!(counts.is_empty(), "{counts:?}");
    // The full ones come first, and can be had alone.
    let is_full = |position: &&Value| position["zugzwang"] == "full";
    let full: Vec<_> = list(&found, "positions").iter().take_while(is_full).cloned().collect();
    assert!(!full.is_empty());
    let found = json(&with_shared("find full-zugzwangs --top 100000"));
    assert_eq!(*list(&found, "positions"), full);
}

/// Studies by probing every position that an export has.
#[test]
fn studies_have_one_turn_that_keeps_the_value() {
    for (kind, value) in [("studies", "win"), ("draw-studies", "draw")] {
        let rows = csv(&printed(&with_small("export")));
        let rows = rows.iter().filter(|row| row.value == value);
        let input: String = rows.map(|row| format!("{}\n", row.position)).collect();
        let batch = fanorona(words(&with_small("probe --batch -"))).write_stdin(input).assert();
        let output = batch.success().get_output().stdout.clone();
        let mut expected = BTreeMap::new();
        for line in String::from_utf8(output).expect("UTF-8").lines() {
            let probed: Value = serde_json::from_str(line).expect("JSON");
            let turns = list(&probed, "turns");
            let keeping = turns.iter().filter(|turn| turn["value"] == value).count();
            if turns.len() > 1 && keeping == 1 {
                let key = probed["position"].as_str().expect("a text").to_owned();
                expected.insert(
                    key,
                    (turns[0]["turn"].clone(), turns.len(), turns[1]["value"].clone()),
                );
            }
        }
        let found = json(&with_small(&format!("find {kind} --top 100000")));
        let found: BTreeMap<_, _> = list(&found, "positions")
            .iter()
            .map(|found| {
                let turns = found["turns"].as_u64().expect("a number") as usize;
                let next = found["next"]["value"].clone();
                let key = found["position"].as_str().expect("a text").to_owned();
                (key, (found["turn"].clone(), turns, next))
            })
            .collect();
        assert!(!expected.is_empty(), "{kind}");
        assert_eq!(found, expected, "{kind}");
    }
}

#[test]
fn what_is_found_is_written_as_games_and_drawn() {
    let dir = tempfile::tempdir().expect("a directory");
    let run = |args: &str| {
        let done = fanorona(words(&with_shared(args))).current_dir(&dir).assert().success();
        String::from_utf8(done.stderr("").get_output().stdout.clone()).expect("UTF-8")
    };
    run("find wins --top 3 --output games --svg sheet.svg");
    let games = fs::read_to_string(dir.path().join("games")).expect("it is written");
    assert_eq!(games.matches("[Board \"9x5\"]").count(), 3);
    let found = json(&with_shared("find wins --top 3"));
    for (game, position) in games.split("\n\n[").zip(list(&found, "positions")) {
        assert!(game.contains(&format!("[Start {}]", position["position"])), "{game}");
        // The game ends where the distance says, with the win of the side to move.
        let dtw = position["dtw"].as_u64().expect("a distance");
        let last = format!("\n{}. ", dtw.div_ceil(2));
        let flat = game.replace(' ', "\n");
        assert!(flat.contains(last.trim_end()), "{dtw} turns: {game}");
        assert!(game.contains("[Result \"1-0\"]"), "{game}");
    }
    let sheet = fs::read_to_string(dir.path().join("sheet.svg")).expect("it is written");
    let sheet = roxmltree::Document::parse(&sheet).expect("it is well formed");
    let circles = sheet.descendants().filter(|node| node.tag_name().name() == "circle").count();
    let stones: u64 = list(&found, "positions")
        .iter()
        .map(|p| p["position"].as_str().expect("a text").matches(['W', 'B']).count() as u64)
        .sum();
    assert_eq!(circles as u64, stones);
    // A line for each, and none if there are none.
    let text = printed(&with_shared("find studies --top 4"));
    assert_eq!(text.lines().count(), 2 + 1 + 4, "{text}");
    assert!(text.contains("only turn") && text.contains(" of "), "{text}");
    let none = printed(&with_small("find draw-studies --slice 1v1"));
    assert_eq!(none, "3x3, standard\n\nnone found\n");
    refused(&with_shared("find"), 2, &["<KIND>"]);
    refused(&with_shared("find wonders"), 2, &["'wonders'", "zugzwangs"]);
    refused(&with_shared("find wins --top 0"), 2, &["whole number, 1 or more"]);
    refused(&with_shared("find wins --output nowhere/games"), 2, &["the games 'nowhere/games'"]);
    refused(&with_shared("find wins --svg /dev/null/pictures"), 2, &["'/dev/null/pictures'"]);
}

/// In the first phase of the vela the same stones have two values.
#[test]
fn positions_of_the_vela_are_those_of_the_game() {
    let dir = tempfile::tempdir().expect("a directory");
    let game = "--board 3x3 --rules vela+stones-1";
    let run = |args: &str| {
        let args = format!("{args} {game}");
        let output = fanorona(words(&args)).current_dir(&dir).assert().success();
        String::from_utf8(output.get_output().stdout.clone()).expect("UTF-8")
    };
    run("build --stones 5");
    let rows = csv(&run("export --slice 3v2"));
    assert_eq!(json_lines(&run("export --slice 3v2 --json")), rows);
    let names: std::collections::BTreeSet<_> = rows.iter().map(|row| row.slice.as_str()).collect();
    assert_eq!(names.into_iter().collect::<Vec<_>>(), ["3v2 challenger", "3v2 victor"]);
    for row in rows.iter().step_by(7) {
        let side = if row.slice.ends_with("victor") { " w" } else { " b" };
        assert!(row.position.ends_with(side), "White is the victor: {row:?}");
        let probed = run(&format!("probe --json \"{}\"", row.position));
        let probed: Value = serde_json::from_str(&probed).expect("JSON");
        let found = (probed["value"].as_str(), probed["dtw"].as_u64());
        assert_eq!(found, (Some(row.value.as_str()), row.dtw), "{row:?}");
    }
}

/// The turns of the winner that are the only ones from the study on, by the tables alone. The text says
/// of how many.
#[test]
fn streaks_are_counted_along_the_best_play() {
    let board = Board::telo();
    let tables = Tables::open(small(), board, RuleSet::STANDARD).expect("they are there");
    let rank = |position: &Position| tables.rank(position).expect("it is there");
    let report = json(&with_small("find studies --top 40"));
    let text = printed(&with_small("find studies --top 40"));
    let rows = text.lines().filter(|line| line.trim_start().starts_with(|c: char| c.is_numeric()));
    let rows: Vec<_> = rows.filter(|line| line.contains(" win in ")).collect();
    let studies = list(&report, "positions");
    assert_eq!((studies.len(), rows.len()), (40, 40), "{text}");
    let mut broken = 0;
    for (study, row) in studies.iter().zip(rows) {
        let text = study["position"].as_str().expect("a text");
        let mut position: Position = text.parse().expect("a position");
        let dtw = study["dtw"].as_u64().expect("a distance");
        let all = dtw.div_ceil(2);
        let mut streak = 0;
        while streak < all {
            let turns = rank(&position);
            if turns.iter().filter(|turn| turn.value.value == fanorona_core::Value::Win).count() > 1
            {
                break;
            }
            streak += 1;
            position = turns[0].after;
            if let Some(reply) = rank(&position).into_iter().next() {
                position = reply.after;
            }
        }
        assert_eq!(study["streak"], streak, "{text}");
        assert!(row.contains(&format!(" {streak} of {all} ")), "{row}");
        broken += u32::from(streak < all);
    }
    assert!(0 < broken && broken < 40, "{broken}");
}
