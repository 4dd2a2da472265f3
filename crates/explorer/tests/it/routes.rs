//! Every route, with its usual answers.

use axum::body::Body;
use axum::http::{Method, StatusCode};
use fanorona_core::{Board, Direction, RuleSet};
use fanorona_explorer::ProblemKind;
use serde_json::{Value, json};

use crate::common::{
    DOCUMENT, ask, check_schema, explorer_with, get, good, good_post, post, request,
};

/// A position says on which board it is.
#[test]
fn the_board_is_that_of_the_position() {
    let (text, in_address) = ("5/5/1W1B1/5/5 w", "5/5/1W1B1/5/5%20w");
    let given = good(&format!("/api/v1/position?board=5x5&position={in_address}"));
    assert_eq!(good(&format!("/api/v1/position?position={in_address}")), given);
    let game =
        |board| good_post("/api/v1/game", &json!({"board": board, "start": text, "turns": []}));
    assert_eq!(game(Value::Null), game(json!("5x5")));
}

#[test]
fn the_server_says_what_it_has() {
    let about = good("/api/v1/about");
    assert_eq!((&about["name"], &about["api"]), (&json!("fanorona"), &json!("v1")));
    assert_eq!(about["version"], env!("CARGO_PKG_VERSION"));
    let boards = about["boards"].as_array().unwrap();
    assert_eq!(boards[0], "9x5");
    assert_eq!(boards.len(), Board::COUNT);
    assert_eq!(about["presets"], json!(RuleSet::PRESETS.map(|preset| preset.to_string())));
    assert!(about["levels"].as_array().unwrap().len() >= 8);
    let tables = about["tables"].as_array().unwrap();
    let of_5 = json!({"board": "5x5", "rules": "standard", "max_stones": 5, "metric": "wdl"});
    assert!(tables.contains(&of_5), "{tables:?}");
    assert_eq!(about["books"].as_array().unwrap().len(), 4);
}

#[test]
fn a_board_has_each_link_once() {
    for board in Board::all() {
        let answer = good(&format!("/api/v1/board?board={board}"));
        let points = answer["points"].as_array().unwrap();
        assert_eq!(points.len(), board.num_points() as usize);
        let linked = |d: Direction| board.linked(d).len() as usize;
        let ends: usize = Direction::ALL.into_iter().map(linked).sum();
        let mut links: Vec<[String; 2]> = serde_json::from_value(answer["links"].clone()).unwrap();
        assert_eq!(2 * links.len(), ends, "{board}");
        links.iter_mut().for_each(|link| link.sort());
        links.sort();
        links.dedup();
        assert_eq!(2 * links.len(), ends, "{board}");
        assert_eq!(answer["start"], board.start().to_string());
    }
}

#[test]
fn a_position_has_what_was_asked_for() {
    let address = "/api/v1/position?board=5x5&position=5/5/1W1B1/5/5%20w";
    let tree = good(address);
    assert_eq!(tree["value"], "win");
    assert_eq!(tree["dtw"], 1);
    assert_eq!(tree["source"], "table");
    assert_eq!(tree["source"], "table");
    assert_eq!(tree["best"], "b3-c3A");
    assert_eq!(tree["stones"], json!({"white": ["b3"], "black": ["d3"]}));
    assert_eq!(tree["turns"][0]["captured"], json!(["d3"]));
    assert_eq!(tree["turns"][0]["path"], json!(["b3", "c3"]));
    assert_eq!(tree["turns"][0]["source"], "rules");
    assert_eq!(tree["steps"][0]["turn_index"], 0);
    assert_eq!(tree["turns"][0]["replies_that_hold"], Value::Null);
    let turns = good(&format!("{address}&detail=turns"));
    assert_eq!((&turns["turns"], &turns["steps"]), (&tree["turns"], &json!([])));
    let value = good(&format!("{address}&detail=value"));
    assert_eq!((&value["value"], &value["turns"]), (&json!("win"), &json!([])));
    let replies = good(&format!("{address}&detail=replies"));
    assert_eq!(replies["turns"][0]["replies_that_hold"], 0);
}

#[test]
fn a_finished_game_has_an_outcome() {
    let cases = [
        ("5/5/1W3/5/5%20b", "white", "loss"),
        ("5/5/1W3/5/5%20w", "white", "win"),
        ("5/5/1B3/5/5%20w", "black", "loss"),
    ];
    for (position, outcome, value) in cases {
        let answer = good(&format!("/api/v1/position?board=5x5&position={position}"));
        assert_eq!(answer["outcome"], outcome);
        assert_eq!((&answer["value"], &answer["source"]), (&json!(value), &json!("rules")));
        assert_eq!((&answer["turns"], &answer["best"]), (&json!([]), &Value::Null));
    }
    let line = good("/api/v1/line?board=5x5&position=5/5/1W3/5/5%20b");
    assert_eq!((&line["line"], &line["end"]), (&json!([]), &json!("finished")));
}

#[test]
fn what_is_missing_comes_with_its_command() {
    let address = "/api/v1/position?board=5x5&position=WW3/W4/5/4B/3BB%20w";
    let answer = good(address);
    assert_eq!((&answer["value"], &answer["source"]), (&json!("unknown"), &Value::Null));
    assert_eq!((&answer["at_least"], &answer["at_most"]), (&json!("loss"), &json!("win")));
    assert_eq!(answer["missing"]["stones"], 6);
    assert_eq!(answer["missing"]["slices"], json!(["3v3"]));
    let command = "fanorona build --board 5x5 --stones 6 --metric wdl";
    assert_eq!(answer["missing"]["build"]["command"], command);
    let line = good(&address.replace("position?", "line?"));
    assert_eq!((&line["line"], &line["end"]), (&json!([]), &json!("unknown")));
    // No machine has room for the tables of the start of 9x5.
    assert_eq!(good("/api/v1/position")["missing"], Value::Null);
}

#[test]
fn a_turn_is_read_as_people_write_it() {
    let address = "/api/v1/turn?board=5x5&position=5/5/1W1B1/5/5%20w&turn=";
    for text in ["b3-c3A", "b3c3A", "b3-c3", "%20b3c3"] {
        let answer = good(&format!("{address}{text}"));
        assert_eq!(answer["turn"], "b3-c3A");
        assert_eq!(answer["position"], "5/5/2W2/5/5 b");
        assert_eq!(answer["captured"], json!(["d3"]));
        assert_eq!(answer["path"], json!(["b3", "c3"]));
    }
}

#[test]
fn rules_with_options_are_read_from_addresses() {
    for rules in ["standard+no-turns-draw", "standard%2Bno-turns-draw"] {
        let answer = good(&format!("/api/v1/board?board=3x3&rules={rules}"));
        assert_eq!(answer["rules"], "standard+no-turns-draw");
    }
}

#[test]
fn tables_have_statistics_and_their_gaps() {
    let answer = good("/api/v1/tables?board=5x5");
    let slices = answer["slices"].as_array().unwrap();
    let find = |slice: &str, metric: &str| {
        let mut found =
            slices.iter().filter(|table| table["slice"] == slice && table["metric"] == metric);
        found.next().unwrap_or_else(|| panic!("no {slice} {metric}"))
    };
    let table = find("2v1", "dtw");
    let sum = |name: &str| -> u64 {
        table[name].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum()
    };
    assert_eq!(table["positions"], 25 * 24 / 2 * 23);
    assert_eq!(table["win"].as_u64(), Some(sum("win_distances")));
    assert_eq!(table["loss"].as_u64(), Some(sum("loss_distances")));
    assert_eq!(find("3v2", "wdl")["max_win"], Value::Null);
    let missing: Vec<_> = answer["missing"].as_array().unwrap().iter().collect();
    assert_eq!(missing.len(), 5);
    assert!(missing.iter().all(|slice| slice["stones"] == 6));
    assert_eq!(answer["build"]["command"], "fanorona build --board 5x5 --stones 6 --metric wdl");
    check_longest(&answer, "standard");
    let none = good("/api/v1/tables?board=7x3");
    assert_eq!((&none["slices"], &none["total_bytes"]), (&json!([]), &json!(0)));
    assert_eq!(none["missing"], json!([{"slice": "1v1", "stones": 2}]));
}

/// Each position with the longest win or loss has that value by its own answer.
fn check_longest(answer: &Value, rules: &str) {
    let mut checked = 0;
    for slice in answer["slices"].as_array().unwrap() {
        for value in ["win", "loss"] {
            let Some(position) = slice[format!("max_{value}_position")].as_str() else { continue };
            let position = position.replace(' ', "%20");
            let address = format!("/api/v1/position?board=5x5&rules={rules}&position={position}");
            let found = good(&address);
            assert_eq!(
                (&found["value"], &found["dtw"]),
                (&json!(value), &slice[format!("max_{value}")])
            );
            checked += 1;
        }
    }
    assert!(checked > 8);
}

/// In the first phase of the vela, a slice has a table for each role of the side to move. Positions
/// are shown as in the game that is asked for.
#[test]
fn the_vela_has_tables_in_both_phases() {
    for victor in ["", "%2Bvictor-black"] {
        let rules = format!("vela{victor}%2Bstones-1");
        let answer = good(&format!("/api/v1/tables?board=5x5&rules={rules}"));
        let tables = answer["slices"].as_array().unwrap();
        let names: Vec<_> = tables.iter().filter_map(|table| table["rules"].as_str()).collect();
        let count = |name: &str| names.iter().filter(|found| **found == name).count();
        let slices: Vec<_> = tables.iter().filter_map(|table| table["slice"].as_str()).collect();
        assert!(slices.contains(&"2v1 victor") && slices.contains(&"1v2 challenger"));
        assert_eq!(count(&rules.replace("%2B", "+")), 2);
        // Free-capture has tables to four stones. That in which nobody has one stone is of no use here.
        assert_eq!(count("free-capture"), 5);
        let missing: Vec<_> = answer["missing"].as_array().unwrap().iter().collect();
        assert!(missing.iter().all(|slice| slice["stones"] == 4) && !missing.is_empty());
        check_longest(&answer, &rules);
        let position = "WW3/5/5/5/4B%20w";
        let address = format!("/api/v1/position?board=5x5&rules={rules}&position={position}");
        assert_eq!(good(&address)["source"], "table", "{address}");
        let beyond = "WW3/5/5/5/3BB%20w";
        let address = format!("/api/v1/position?board=5x5&rules={rules}&position={beyond}");
        let missing = &good(&address)["missing"];
        let command = missing["build"]["command"].as_str().unwrap();
        assert!(command.contains(&format!("--rules {}", rules.replace("%2B", "+"))), "{missing}");
    }
}

#[test]
fn a_drill_can_be_failed() {
    for (kind, stones) in [("win", 4), ("draw", 4), ("win", 5), ("draw", 3)] {
        let address = format!("/api/v1/drill?board=5x5&kind={kind}&stones={stones}&seed=7");
        let drill = good(&address);
        assert_eq!((&drill["value"], &drill["seed"]), (&json!(kind), &json!(7)));
        assert_eq!(good(&address), drill, "the seed decides");
        let position = drill["position"].as_str().unwrap();
        let found =
            good(&format!("/api/v1/position?board=5x5&position={}", position.replace(' ', "%20")));
        let held = found["turns"].as_array().unwrap().iter().filter(|turn| turn["holds"] == true);
        assert!((1..found["turns"].as_array().unwrap().len()).contains(&held.count()));
        let letters = position.chars().filter(|c| "WB".contains(*c)).count();
        assert_eq!(letters, stones, "{position}");
    }
    let seeds = [good("/api/v1/drill?board=5x5"), good("/api/v1/drill?board=5x5")];
    assert_ne!(seeds[0]["seed"], seeds[1]["seed"]);
    let answer = get("/api/v1/drill?board=7x3&stones=5");
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    let error = &answer.json()["error"];
    assert!(error["expected"].as_str().unwrap().contains("build --board 7x3"), "{error}");
}

/// The events of a stream: names and data.
pub(crate) fn events(text: &str) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for block in text.split("\n\n") {
        let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
        if let (Some(name), Some(data)) = (field("event: "), field("data: ")) {
            found.push((name.to_owned(), serde_json::from_str(data).expect("it is JSON")));
        }
    }
    found
}

#[test]
fn a_search_reports_and_proves() {
    let explorer = explorer_with(Default::default());
    let address = "/api/v1/search?board=3x3&seconds=60&certificate=true";
    let answer = ask(&explorer, request(Method::GET, address).body(Body::empty()).unwrap());
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("content-type"), "text/event-stream");
    let events = events(&answer.text());
    let names: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert!(names.ends_with(&["done", "certificate"]), "{names:?}");
    for (name, data) in &events {
        match name.as_str() {
            "progress" | "done" => check_schema("SearchProgress", data),
            "position" => check_schema("PositionAnswer", data),
            _ => check_schema("CertificateAnswer", data),
        }
        assert_eq!(data["end"].is_string(), name == "done", "{name}");
    }
    let done = &events[events.len() - 2].1;
    assert_eq!((&done["value"], &done["end"]), (&json!("win"), &json!("proved")));
    assert_eq!(done["line"][0], done["best"]);
    assert!(done["nodes"].as_u64() > Some(0), "{done}");
    let questions = done["questions"].as_array().unwrap();
    assert_eq!(
        (&questions[0]["attacker"], &questions[0]["answer"]),
        (&json!("white"), &json!(true))
    );

    // The certificate holds.
    use base64::Engine;
    let certificate = &events.last().unwrap().1;
    assert_eq!(certificate["file_name"], "3x3-standard-start-white-wins.proof");
    // It needs no tables.
    assert_eq!(certificate["check"], "fanorona check 3x3-standard-start-white-wins.proof");
    let text = certificate["base64"].as_str().unwrap();
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).unwrap();
    assert_eq!(certificate["bytes"], bytes.len());
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("proof");
    std::fs::write(&path, bytes).unwrap();
    let proof = fanorona_proof::Certificate::open(&path).unwrap();
    proof.check(None, &std::sync::atomic::AtomicBool::new(false), |_| {}).unwrap();
    assert_eq!(proof.position(), Board::telo().start());
}

#[test]
fn a_search_keeps_its_limits() {
    let address = "/api/v1/search?seconds=60&nodes=1000";
    let text = get(address).text();
    let events = events(&text);
    let (name, done) = events.last().unwrap();
    assert_eq!((name.as_str(), &done["end"]), ("done", &json!("nodes")));
    assert_eq!(done["value"], "unknown");
    assert!(done["turns"].as_array().unwrap().len() <= 20);
}

#[test]
fn a_game_is_replayed() {
    let start = "1B3/5/2B2/5/W3W w";
    let mut played: Vec<Value> = Vec::new();
    for _ in 0..3 {
        let body = json!({"board": "5x5", "start": start, "turns": played});
        let positions = good_post("/api/v1/game", &body)["positions"].clone();
        let last = positions.as_array().unwrap().last().unwrap()["position"].clone();
        let address = last.as_str().unwrap().replace(' ', "%20");
        let found = good(&format!("/api/v1/position?board=5x5&position={address}"));
        played.push(found["turns"].as_array().unwrap().last().unwrap()["turn"].clone());
    }
    let answer =
        good_post("/api/v1/game", &json!({"board": "5x5", "start": start, "turns": played}));
    let (positions, turns) = (&answer["positions"], &answer["turns"]);
    assert_eq!(positions.as_array().unwrap().len(), 4);
    assert_eq!(turns[0]["turn"], played[0]);
    let last = positions[3]["position"].as_str().unwrap().replace(' ', "%20");
    let last = good(&format!("/api/v1/position?board=5x5&position={last}"));
    assert_eq!(answer["end"]["outcome"], last["outcome"]);
    for (i, position) in positions.as_array().unwrap().iter().enumerate() {
        let text = position["position"].as_str().unwrap().replace(' ', "%20");
        let found = good(&format!("/api/v1/position?board=5x5&position={text}"));
        for field in ["value", "at_least", "at_most", "dtw", "to_move", "source"] {
            assert_eq!(position[field], found[field], "{field} of {text}");
        }
        if let Some(turn) = turns.get(i) {
            let mut listed = found["turns"].as_array().unwrap().iter();
            let listed = listed.find(|entry| entry["turn"] == turn["turn"]).unwrap();
            assert_eq!((&listed["value"], &listed["dtw"]), (&turn["value"], &turn["dtw"]));
        }
    }
    // The text of the game leads to the same answer.
    let record = json!({"text": answer["record"]});
    assert_eq!(good_post("/api/v1/record", &record), answer);

    // Who follows the game gets the same for the last turn alone, and its position.
    let mut body = json!({"board": "5x5", "start": start, "turns": played, "from": 2});
    body["detail"] = json!("tree");
    let part = good_post("/api/v1/game", &body);
    assert_eq!(part["here"], last);
    for (field, from) in [("positions", 2), ("turns", 2)] {
        assert_eq!(part[field], json!(answer[field].as_array().unwrap()[from..]));
    }
    body["from"] = json!(4);
    assert_eq!(post("/api/v1/game", &body).json()["error"]["field"], "from");
}

#[test]
fn the_notes_of_a_text_are_kept() {
    let text = "[Board \"5x5\"]\n[White \"Rakoto\"]\n[Black \"Rasoa\"]\n[Date \"2001-02-03\"]\n\
                [Result \"0-1\"]\n\n{Before.} 1. b3-c3A?! {Why?} (1. d2-c3A) 0-1\n";
    let read = good_post("/api/v1/record", &json!({ "text": text }));
    let notes = &read["notes"];
    let expected = json!({
        "white": "Rakoto", "black": "Rasoa", "date": "2001-02-03", "result": "0-1",
        "remarks": [
            {"turns": 0, "glyphs": [], "comments": ["Before."], "variations": []},
            {"turns": 1, "glyphs": [6], "comments": ["Why?"], "variations": ["1. d2-c3A"]},
        ],
    });
    assert_eq!(*notes, expected);
    let turns = json!({"board": "5x5", "turns": ["b3-c3A"], "notes": notes});
    let written = good_post("/api/v1/game", &turns);
    assert_eq!(written["record"], read["record"]);
    assert_eq!(written["notes"], *notes);
    for (field, value) in [("result", "2-0"), ("date", "yesterday"), ("white", "two\nlines")] {
        let request = json!({"board": "5x5", "turns": [], "notes": {field: value}});
        let answer = post("/api/v1/game", &request);
        assert_eq!(answer.json()["error"]["field"], "notes", "{field}");
    }
}

#[test]
fn the_draw_rules_of_a_text_are_kept() {
    let text = "[Board \"5x5\"]\n[Draws \"threefold+without-capture-50\"]\n\n1. b3-c3A *\n";
    let read = good_post("/api/v1/record", &json!({ "text": text }));
    assert_eq!(read["draw_rules"], json!({"repetition": true, "without_capture": 50}));
    let game = json!({
        "board": "5x5", "turns": ["b3-c3A"], "draw_rules": read["draw_rules"],
        "notes": read["notes"],
    });
    let written = good_post("/api/v1/game", &game);
    assert_eq!(written["record"], read["record"]);
    let record = written["record"].as_str().unwrap();
    assert!(record.contains("[Draws \"threefold+without-capture-50\"]"), "{record}");
    let none = good_post("/api/v1/game", &json!({"board": "5x5", "turns": []}));
    assert_eq!(none["draw_rules"], json!({"repetition": false, "without_capture": null}));
}

#[test]
fn a_mistake_comes_with_better_turns() {
    // c3-d3A ends the game; other captures do not exist, so take a position with a choice.
    let drill = good("/api/v1/drill?board=5x5&kind=win&stones=4&seed=3");
    let start = &drill["position"];
    let position = start.as_str().unwrap().replace(' ', "%20");
    let found = good(&format!("/api/v1/position?board=5x5&position={position}"));
    let turns = found["turns"].as_array().unwrap();
    let (best, worst) = (&turns[0], turns.last().unwrap());
    let replay = |turn: &Value| {
        let body = json!({"board": "5x5", "start": start, "turns": [turn["turn"]]});
        good_post("/api/v1/game", &body)["turns"][0].clone()
    };
    let good_turn = replay(best);
    assert_eq!((&good_turn["mistake"], &good_turn["better"]), (&Value::Null, &json!([])));
    let bad_turn = replay(worst);
    let expected = if worst["value"] == "loss" { "loses_win" } else { "misses_win" };
    assert_eq!(bad_turn["mistake"], expected);
    assert_eq!(bad_turn["better"][0], best["turn"]);
    assert!(bad_turn["better"].as_array().unwrap().len() <= 3);
}

#[test]
fn a_game_ends_as_was_agreed() {
    let turns = ["e1-e2", "a5-a4", "e2-e1", "a4-a5"];
    let twice: Vec<_> = turns.iter().chain(&turns).collect();
    let game = |draws: Value| {
        let start = "B4/5/5/5/4W w";
        good_post(
            "/api/v1/game",
            &json!({"board": "5x5", "start": start, "turns": twice, "draw_rules": draws}),
        )["end"]
            .clone()
    };
    assert_eq!(game(Value::Null), Value::Null);
    assert_eq!(
        game(json!({"repetition": true})),
        json!({"outcome": "draw", "reason": "threefold"})
    );
    let without = json!({"repetition": false, "without_capture": 8});
    assert_eq!(game(without.clone()), json!({"outcome": "draw", "reason": "without_capture"}));
    // It may be played on, and its text is read all the same.
    let on: Vec<_> = twice.iter().copied().chain(&["e1-d1"]).collect();
    let body =
        json!({"board": "5x5", "start": "B4/5/5/5/4W w", "turns": on, "draw_rules": without});
    let played_on = good_post("/api/v1/game", &body);
    let read = good_post("/api/v1/record", &json!({"text": played_on["record"]}));
    assert_eq!((&read["record"], &read["turns"]), (&played_on["record"], &played_on["turns"]));
    let won = json!({"board": "5x5", "start": "5/5/1W1B1/5/5 w", "turns": ["b3-c3"]});
    let end = json!({"outcome": "white", "reason": "no_stones"});
    assert_eq!(good_post("/api/v1/game", &won)["end"], end);
}

#[test]
fn every_route_is_described() {
    let paths = DOCUMENT["paths"].as_object().unwrap();
    assert_eq!(paths.len(), 15);
    for (path, methods) in paths {
        for (method, about) in methods.as_object().unwrap() {
            assert!(about["description"].as_str().is_some_and(|text| text.len() > 10), "{path}");
            for parameter in about["parameters"].as_array().into_iter().flatten() {
                assert!(parameter["description"].is_string(), "{path}: {parameter}");
            }
            // The route is there: it does not answer 404.
            let answer = match method.as_str() {
                "get" => get(&format!("{path}?no=such")),
                _ => post(path, &json!({"no": "such"})),
            };
            assert_eq!(answer.status.as_u16(), if method == "get" { 422 } else { 400 }, "{path}");
        }
    }
}

#[test]
fn the_page_about_the_api_has_every_route_and_code() {
    let page = include_str!("../../docs/API.md");
    let mut rows = Vec::new();
    for (path, methods) in DOCUMENT["paths"].as_object().unwrap() {
        for (method, about) in methods.as_object().unwrap() {
            let (method, summary) = (method.to_uppercase(), about["summary"].as_str().unwrap());
            rows.push(format!("| `{method} {path}` | {summary} |\n"));
        }
    }
    rows.sort();
    let table = format!("| request | answer |\n|---|---|\n{}\n", rows.concat());
    assert!(page.contains(&table), "this belongs into docs/API.md:\n{table}");
    for address in page.split("localhost:7878/").skip(1) {
        let path = address.split(['?', ' ', '\'', '\n']).next().unwrap();
        assert!(DOCUMENT["paths"][format!("/{path}")].is_object(), "{path}");
    }
    for kind in ProblemKind::ALL {
        assert!(page.contains(&format!("`{}`", kind.code())), "{}", kind.code());
    }
}

#[test]
fn every_field_is_described_and_no_other_is_allowed() {
    let schemas = DOCUMENT["components"]["schemas"].as_object().unwrap();
    let parts = |schema: &Value| schema["allOf"].as_array().cloned().unwrap_or_default();
    let references: Vec<_> =
        schemas.values().flat_map(parts).map(|part| part["$ref"].clone()).collect();
    for (name, schema) in schemas {
        // A type that has the fields of another one, too, is closed around both.
        let is_part = references.contains(&json!(format!("#/components/schemas/{name}")));
        let is_whole = schema["allOf"].is_array();
        let rule = if is_whole { "unevaluatedProperties" } else { "additionalProperties" };
        let has_fields = is_whole || schema["properties"].is_object();
        assert!(is_part || !has_fields || schema[rule] == false, "{name}");
    }
    let flat = schemas.iter().flat_map(|(name, schema)| {
        parts(schema).into_iter().chain([schema.clone()]).map(move |part| (name, part))
    });
    for (name, schema) in flat {
        let Some(properties) = schema["properties"].as_object() else { continue };
        for (field, about) in properties {
            // The description of a field that may be null is beside the reference.
            let inner = about["oneOf"].as_array().into_iter().flatten();
            let mut texts = [about].into_iter().chain(inner);
            let text = texts.find_map(|about| about["description"].as_str()).unwrap_or_default();
            assert!(text.len() > 5, "{name}.{field} is not described");
            let has_type = ["type", "$ref", "oneOf"].iter().any(|key| about.get(key).is_some());
            assert!(has_type, "{name}.{field} may be anything");
            if ["value", "at_least", "at_most"].contains(&field.as_str()) {
                let says_whose = text.contains("side to move") || text.contains("makes the");
                assert!(says_whose, "{name}.{field} does not say whose it is: {text}");
            }
        }
    }
}

#[test]
fn the_page_is_there() {
    let page = get("/");
    assert_eq!(page.status, StatusCode::OK);
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert_eq!(get("/assets/index.html").bytes, page.bytes);
    assert_eq!(get("/healthz").text(), "ok");
}
