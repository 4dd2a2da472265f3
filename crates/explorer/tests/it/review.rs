//! Streams about a game or a position: proof searches that tell what they prove, reviews, and the
//! engine's view.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Method, StatusCode};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use fanorona_core::{Board, Position, RuleSet};
use fanorona_explorer::{Explorer, Library, LibraryOptions, Settings};
use fanorona_proof::Certificate;
use serde_json::{Value, json};

use crate::common::{
    Answer, TABLES, WITHOUT_BOOKS, ask, check_schema, explorer_in, explorer_with, get, good,
    json_request, library_explorer, of_position, request,
};
use crate::routes::events;

/// The events of the review of a game.
fn review(body: &Value) -> Vec<(String, Value)> {
    let answer = ask(&WITHOUT_BOOKS, json_request("/api/v1/review", body.to_string()));
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    let events = events(&answer.text());
    for (name, data) in &events {
        let schema = if name == "done" { "ReviewDone" } else { "ReviewPosition" };
        check_schema(schema, data);
    }
    events
}

/// The turns of a game from a start, each the one with this place in the list, best first.
fn turns(start: &str, choose: impl Fn(usize) -> usize, most: usize) -> Vec<String> {
    let mut position: Position = start.parse().expect("a position");
    let rules = RuleSet::STANDARD;
    let mut turns = Vec::new();
    while turns.len() < most && rules.outcome(&position).is_none() {
        let all = rules.turns(&position);
        let turn = &all[choose(turns.len()) % all.len()];
        turns.push(turn.text(position.board()).to_string());
        position = position.play_unchecked(turn);
    }
    turns
}

/// Against the tables: each judgement is that of the list of turns of its position.
#[test]
fn a_game_within_the_tables_is_judged_exactly() {
    let start = "1B3/5/2B2/5/W3W w";
    let turns = turns(start, |i| 7 * i + 3, 8);
    let events = review(&json!({"board": "5x5", "start": start, "turns": turns}));
    let (name, done) = events.last().expect("an end");
    assert_eq!((name.as_str(), events.len()), ("done", turns.len() + 2));
    assert_eq!(
        (&done["settled"], &done["positions"]),
        (&done["positions"], &json!(turns.len() + 1))
    );
    let mut mistakes = Vec::new();
    for (number, (_, judged)) in events[..events.len() - 1].iter().enumerate() {
        let ply = turns.len() - number;
        assert_eq!(judged["ply"], ply);
        let position: Position = judged["position"].as_str().unwrap().parse().unwrap();
        let known = ask(
            &WITHOUT_BOOKS,
            request(Method::GET, &of_position("position", "standard", &position))
                .body(Body::empty())
                .unwrap(),
        )
        .json();
        for field in ["value", "dtw", "to_move"] {
            assert_eq!(judged[field], known[field], "{field} of {position}");
        }
        let turn = &judged["turn"];
        if ply == turns.len() {
            assert_eq!(turn, &Value::Null);
            continue;
        }
        assert_eq!(turn["turn"], turns[ply]);
        let all = known["turns"].as_array().unwrap();
        let listed = all.iter().find(|listed| listed["turn"] == turns[ply]).expect("it is legal");
        assert_eq!(turn["value"], listed["value"]);
        let gives_away = listed["value"] != known["value"];
        let mistake = turn["mistake"].as_str();
        assert_eq!(gives_away, mistake.is_some_and(|mistake| mistake != "slower"), "{judged}");
        if gives_away {
            mistakes.push(ply);
            assert_eq!(turn["better"][0], known["turns"][0]["turn"]);
        }
        let holding = all.iter().filter(|listed| listed["value"] == known["value"]).count();
        let share = json!({"holding": holding, "turns": all.len()});
        let expected = if known["value"] == "loss" { Value::Null } else { share };
        assert_eq!(turn["share"], expected, "{position}");
    }
    mistakes.reverse();
    assert_eq!(done["mistakes"], json!(mistakes));
    let sum = |side: &str, what: &str| done[side][what].as_u64().unwrap();
    assert_eq!(sum("white", "mistakes") + sum("black", "mistakes"), mistakes.len() as u64);
    assert_eq!(sum("white", "turns") + sum("black", "turns"), turns.len() as u64);
    assert!(!mistakes.is_empty(), "the test should have one");
}

/// Beyond the tables there are estimates, with the depth of the search, within the time.
#[test]
fn an_open_position_has_an_estimate() {
    let body = json!({"board": "9x5", "turns": ["d3-e3A", "d4-d3A"], "seconds": 0.6});
    let began = Instant::now();
    let events = review(&body);
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    for (_, judged) in &events[..3] {
        assert_eq!(judged["value"], "unknown");
        assert!(judged["estimate"].is_i64() && judged["estimate_depth"].is_u64(), "{judged}");
        assert!(judged["best"].is_string());
    }
    assert_eq!(events[3].1["settled"], 0);
}

#[test]
fn bad_reviews_are_refused() {
    for (body, code) in [
        (json!({"turns": ["a1-a2"]}), "bad_turn"),
        (json!({"turns": [], "seconds": 0}), "bad_number"),
        (json!({"turns": [], "start": "nothing"}), "bad_position"),
    ] {
        let answer = ask(&WITHOUT_BOOKS, json_request("/api/v1/review", body.to_string()));
        assert_eq!(answer.json()["error"]["code"], code, "{body}");
    }
    let mut settings = Settings::default();
    settings.searches = 0;
    let explorer = explorer_with(settings);
    let refused = |answer: Answer| assert_eq!(answer.json()["error"]["code"], "not_offered");
    refused(ask(&explorer, json_request("/api/v1/review", json!({"turns": []}).to_string())));
    let analysis = request(Method::GET, "/api/v1/analysis").body(Body::empty()).unwrap();
    refused(ask(&explorer, analysis));
}

#[test]
fn an_analysis_has_lines_of_growing_depth() {
    let text = get("/api/v1/analysis?lines=3&seconds=0.5").text();
    let events = events(&text);
    assert_eq!(events.last().expect("an end").0, "done");
    let mut depth = 0;
    for (_, data) in &events {
        check_schema("AnalysisAnswer", data);
        let lines = data["lines"].as_array().unwrap();
        assert_eq!(lines.len(), 3);
        for line in lines {
            assert_eq!((&line["value"], &line["source"]), (&json!("unknown"), &json!("estimate")));
            assert_eq!(line["line"][0], line["turn"]);
            assert!(line["estimate"].is_i64());
        }
        assert!(data["depth"].as_u64().unwrap() >= depth);
        depth = data["depth"].as_u64().unwrap();
    }
    assert!(depth > 1);
    for wrong in ["lines=0", "lines=6", "seconds=0"] {
        assert_eq!(get(&format!("/api/v1/analysis?{wrong}")).json()["error"]["code"], "bad_number");
    }
}

/// A search tells at once what it has proved: the position and its turns with all that is known.
#[test]
fn what_a_search_proves_is_in_the_answer_about_the_position() {
    let address = "/api/v1/search?board=3x5&seconds=60";
    let body = request(Method::GET, address).body(Body::empty()).unwrap();
    let events = events(&ask(&WITHOUT_BOOKS, body).text());
    let last = events.iter().rfind(|(name, _)| name == "position").expect("something is proved");
    let (found, done) = (&last.1, &events.last().unwrap().1);
    assert_eq!((&found["value"], &found["source"]), (&done["value"], &json!("search")));
    assert_eq!(
        found["position"],
        Board::all().find(|b| b.to_string() == "3x5").unwrap().start().to_string()
    );
    let turns = found["turns"].as_array().unwrap();
    assert_eq!((&turns[0]["value"], &turns[0]["holds"]), (&found["value"], &json!(true)));
    let first = found["steps"][0].clone();
    assert_eq!(first["value"], found["value"]);
    // Each turn of which the search has proved something has it.
    for state in done["turns"].as_array().unwrap() {
        let turn = turns.iter().find(|turn| turn["turn"] == state["turn"]).expect("it is listed");
        if state["value"] != "unknown" {
            assert_eq!(turn["value"], state["value"], "{state}");
        }
    }
}

/// The command that checks a certificate names the tables that it needs.
#[test]
fn a_certificate_that_needs_tables_comes_with_them() {
    let address =
        "/api/v1/search?board=5x5&position=BB3/B4/5/3W1/3WW%20w&seconds=60&certificate=true";
    let body = || request(Method::GET, address).body(Body::empty()).unwrap();
    let events = events(&ask(&WITHOUT_BOOKS, body()).text());
    let (name, certificate) = events.last().unwrap();
    assert_eq!(name, "certificate", "{:?}", events.iter().map(|it| &it.0).collect::<Vec<_>>());
    let file = certificate["file_name"].as_str().unwrap();
    assert!(file.starts_with("5x5-standard-BB3_B4_5_3W1_3WW-w-"), "{file}");
    assert_eq!(certificate["check"], format!("fanorona check {file} --tables tables"));

    // A check reads these tables, if they are not too large.
    let dir = tempfile::tempdir().unwrap();
    let (path, content) = (dir.path().join(file), certificate["base64"].as_str().unwrap());
    std::fs::write(&path, BASE64_STANDARD.decode(content).unwrap()).unwrap();
    let options = LibraryOptions::new([TABLES.path().to_owned()]);
    let library = Library::new(options, vec![Certificate::open(&path).unwrap()]);
    let explorer = Explorer::new(library, Settings::default());
    let (_, done) = last_event(&explorer, "/api/v1/check?board=5x5");
    let bytes = done["table_bytes"].as_u64().unwrap_or_else(|| panic!("{done}"));
    assert!(bytes > 0 && done["checked"] == done["positions"], "{done}");
    for (most, expected) in [(bytes, "done"), (bytes - 1, "failed"), (0, "failed")] {
        let address = format!("/api/v1/check?board=5x5&max_table_bytes={most}");
        let (name, last) = last_event(&explorer, &address);
        assert_eq!(name, expected, "{last}");
        let code = if name == "failed" { json!("too_large") } else { Value::Null };
        assert_eq!(last["error"]["code"], code, "{last}");
    }
}

/// With win, draw and loss alone no turn is known to make progress, so the line ends at once.
#[test]
fn a_line_without_distances_does_not_wander() {
    let dir = tempfile::tempdir().unwrap();
    crate::common::build_tables(dir.path(), "5x5", "standard", 3, fanorona_tablebase::Metric::Wdl);
    let explorer = explorer_in(Some(dir.path().to_owned()), &[], Settings::default());
    let address = "/api/v1/line?board=5x5&position=W4/5/5/5/W3B%20w";
    let answer = ask(&explorer, request(Method::GET, address).body(Body::empty()).unwrap()).json();
    assert_eq!((&answer["value"], &answer["dtw"]), (&json!("win"), &Value::Null));
    assert_eq!(
        (answer["line"].as_array().unwrap().len(), &answer["end"]),
        (1, &json!("table_edge"))
    );
    // With distances it goes to the end of the game.
    let answer = good(address);
    assert_eq!(answer["end"], "finished");
}

/// The certificates that are a part of the program are used if that is asked for, and only then.
#[test]
fn the_certificates_of_the_starts_are_used_on_demand() {
    for starts in [false, true] {
        let mut options = LibraryOptions::new(None);
        options.starts = starts;
        let explorer = library_explorer(options);
        let start = request(Method::GET, "/api/v1/position?board=5x3").body(Body::empty()).unwrap();
        let answer = ask(&explorer, start).json();
        // Tests of this crate alone have no certificate in the program.
        let is_there =
            fanorona_knowledge::Book::of_start("5x3".parse().unwrap(), &RuleSet::STANDARD);
        let is_there = is_there.unwrap().is_some() && starts;
        assert_eq!(answer["value"] == "win", is_there);
        assert_eq!(answer["source"] == "proof", is_there);
    }
}

fn last_event(explorer: &Arc<Explorer>, address: &str) -> (String, Value) {
    let asked = request(Method::GET, address).body(Body::empty()).expect("a request");
    let answer = ask(explorer, asked);
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    events(&answer.text()).pop().expect("it ends with an event")
}

/// The certificates of a game are checked, or it is said why they cannot be.
#[test]
fn certificates_are_checked() {
    let explorer = explorer_with(Settings::default());
    let check = |explorer: &Arc<Explorer>, game: &str| {
        last_event(explorer, &format!("/api/v1/check?{game}"))
    };
    let (name, done) = check(&explorer, "board=5x3");
    check_schema("CheckAnswer", &done);
    assert_eq!((&*name, &done["board"]), ("done", &json!("5x3")));
    assert_eq!(done["checked"], done["positions"]);
    assert!(done["positions"].as_u64() > Some(1), "{done}");

    assert_eq!(done["table_bytes"], 0, "it rests on no tables");

    // That of 5x5 rests on tables of six stones, which the tests lack.
    let (name, failed) = check(&explorer, "board=5x5");
    assert_eq!((&*name, &failed["error"]["code"]), ("failed", &json!("not_found")), "{failed}");
    assert!(failed["error"]["message"].as_str().is_some_and(|text| text.contains("tables")));
    let (name, failed) = check(&WITHOUT_BOOKS, "board=5x3");
    assert_eq!((&*name, &failed["error"]["code"]), ("failed", &json!("not_found")), "{failed}");
}
