//! Requests that cannot be answered. Each gets an error that says what would be right.

use std::collections::BTreeSet;
use std::fs;

use axum::body::Body;
use axum::http::{Method, StatusCode};
use fanorona_core::{ErrorKind, Position, RuleSet};
use fanorona_explorer::{Explorer, Library, LibraryOptions, ProblemKind};
use fanorona_proof::Certificate;
use fanorona_tablebase::Metric;
use serde_json::json;

use crate::common::{
    Answer, ask, build_tables, explorer_in, explorer_with, get, good, json_request, of_position,
    post, proof, request, send,
};

fn check(answer: &Answer, status: u16, code: &str, field: Option<&str>) {
    let error = &answer.json()["error"];
    assert_eq!(answer.status.as_u16(), status, "{error}");
    assert_eq!(error["code"], code, "{error}");
    assert_eq!(error["field"], json!(field), "{error}");
    assert!(error["message"].as_str().is_some_and(|text| text.len() > 5), "{error}");
    assert!(error["expected"].as_str().is_some_and(|text| text.len() > 3), "{error}");
    assert!(answer.bytes.len() < 1500, "it does not repeat a long input");
}

#[test]
fn bad_addresses_are_refused() {
    let long = "9".repeat(1000);
    let cases = [
        ("position?board=4x4", 422, "bad_board", Some("board")),
        ("position?board=9x9", 422, "bad_board", Some("board")),
        ("position?board=", 422, "bad_board", Some("board")),
        ("position?rules=chess", 422, "bad_rules", Some("rules")),
        ("position?rules=standard+victor-black", 422, "bad_rules", Some("rules")),
        ("position?board=5x5&rules=vela", 422, "bad_rules", Some("rules")),
        ("position?position=", 422, "bad_position", Some("position")),
        ("position?position=4x4", 422, "bad_board", Some("position")),
        ("position?board=5x5&position=9x5", 422, "bad_position", Some("position")),
        ("position?position=9/9/9/9/9%20w", 422, "bad_position", Some("position")),
        ("position?position=W8/9/9/9/9%20x", 422, "bad_position", Some("position")),
        ("position?board=9x5&position=5/5/1W1B1/5/5%20w", 422, "bad_position", Some("position")),
        ("position?board=5x5&position=W8/9/9/9/9%20w", 422, "bad_position", Some("position")),
        ("position?detail=everything", 422, "bad_parameter", Some("detail")),
        ("position?color=white", 422, "bad_parameter", None),
        ("position?board=9x5&board=5x5", 422, "bad_parameter", None),
        ("position?board=%FF", 422, "bad_board", Some("board")),
        ("position?position=%00", 422, "bad_position", Some("position")),
        ("line?position=x", 422, "bad_position", Some("position")),
        ("turn?turn=", 422, "bad_turn", Some("turn")),
        ("turn", 422, "bad_turn", Some("turn")),
        ("turn?turn=a1-a2", 422, "bad_turn", Some("turn")),
        ("turn?turn=d3-e3", 422, "bad_turn", Some("turn")),
        ("turn?turn=z9-z8", 422, "bad_turn", Some("turn")),
        ("drill?kind=loss", 422, "bad_parameter", Some("kind")),
        ("drill?stones=1", 422, "bad_number", Some("stones")),
        ("drill?stones=45", 422, "bad_number", Some("stones")),
        ("drill?seed=-1", 422, "bad_number", Some("seed")),
        ("drill?seed=9007199254740992", 422, "bad_number", Some("seed")),
        ("search?seconds=0", 422, "bad_number", Some("seconds")),
        ("search?seconds=NaN", 422, "bad_number", Some("seconds")),
        ("search?seconds=1e9", 422, "bad_number", Some("seconds")),
        ("search?nodes=0", 422, "bad_number", Some("nodes")),
        ("search?nodes=many", 422, "bad_number", Some("nodes")),
        ("search?certificate=yes", 422, "bad_parameter", Some("certificate")),
        ("about?x=1", 422, "bad_parameter", None),
        ("tables?board=2x2", 422, "bad_board", Some("board")),
    ];
    for (address, status, code, field) in cases {
        check(&get(&format!("/api/v1/{address}")), status, code, field);
    }
    for field in ["board", "rules", "position"] {
        let kind = format!("bad_{field}");
        check(&get(&format!("/api/v1/line?{field}={long}")), 422, &kind, Some(field));
    }
    check(&get(&format!("/api/v1/turn?turn={long}")), 422, "bad_turn", Some("turn"));
    // A megabyte is refused before it is read as a position.
    let huge = format!("/api/v1/position?position={}", "W".repeat(60_000));
    check(&get(&huge), 413, "too_large", None);
}

#[test]
fn messages_name_what_is_wrong() {
    let message = |address: &str| {
        let answer = get(&format!("/api/v1/{address}")).json();
        answer["error"]["message"].as_str().expect("a text").to_owned()
    };
    assert_eq!(message("turn"), "the parameter turn is missing");
    assert_eq!(message("search?seconds=0"), "seconds is not a number from 0.01 to 600");
    assert_eq!(message("drill?stones=x"), "stones is not a number from 2 to 44");
    let seconds = post("/api/v1/opponent", &json!({"turns": [], "level": 1, "seconds": 0})).json();
    assert_eq!(seconds["error"]["message"], "seconds is not a number from 0.01 to 10");
}

#[test]
fn bad_bodies_are_refused() {
    let explorer = explorer_with(Default::default());
    let route = "/api/v1/game";
    for body in [
        "",
        "{",
        "[]",
        "null",
        "{}",
        r#"{"turns": "d3-e3A"}"#,
        r#"{"turns": [1]}"#,
        r#"{"turns": [], "colour": "white"}"#,
        r#"{"turns": [], "board": 5}"#,
        "{\"turns\": [\"\u{0}\"]}",
    ] {
        check(&ask(&explorer, json_request(route, body)), 400, "bad_body", None);
    }
    // A list is no object, even if it has the values of the fields in their order.
    for (route, body) in [
        ("/api/v1/record", r#" ["1. d3-e3A"]"#),
        ("/api/v1/game", r#"["3x3", "standard", null, [], null]"#),
        ("/api/v1/game", r#"{"board": "3x3", "turns": [], "draw_rules": [true, 5]}"#),
        ("/api/v1/game", r#"{"board": "3x3", "turns": [], "draw_rules": true}"#),
        ("/api/v1/game", r#"{"board": "3x3", "turns": [], "draw_rules": {"repetition": 1}}"#),
        ("/api/v1/opponent", r#"{"turns": [], "level": 1, "draw_rules": []}"#),
    ] {
        let answer = ask(&explorer, json_request(route, body));
        check(&answer, 400, "bad_body", None);
        let text = answer.text();
        assert!(!text.contains("struct"), "no words of the program: {text}");
    }
    let list = ask(&explorer, json_request(route, "[]")).json();
    assert_eq!(list["error"]["message"], "the body is not a JSON object");
    for draws in ["null", "{}", r#"{"repetition": true, "without_capture": 5}"#] {
        let body = format!(r#"{{"board": "3x3", "turns": [], "draw_rules": {draws}}}"#);
        let answer = ask(&explorer, json_request("/api/v1/game", body));
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    }
    // Some programs begin a text with a byte order mark.
    let marked = "\u{feff} {\"board\": \"3x3\", \"turns\": []}";
    assert_eq!(ask(&explorer, json_request("/api/v1/game", marked)).status, StatusCode::OK);
    let not_utf8 = vec![b'{', b'"', 0xff, b'"', b'}'];
    check(&ask(&explorer, json_request(route, not_utf8)), 400, "bad_body", None);
    let deep = "[".repeat(60_000);
    check(&ask(&explorer, json_request(route, deep)), 400, "bad_body", None);
    // The type of the body must be given, so that pages of other sites cannot send one.
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx", ""] {
        let request = request(Method::POST, route).header("content-type", kind);
        let request = request.body(Body::from(r#"{"turns": []}"#)).unwrap();
        check(&ask(&explorer, request), 400, "bad_body", None);
    }
    let huge = json!({"turns": ["W".repeat(1 << 20)]}).to_string();
    check(&ask(&explorer, json_request(route, huge)), 413, "too_large", None);
}

#[test]
fn bad_parts_of_bodies_are_named() {
    let game = "/api/v1/game";
    let cases = [
        (game, json!({"turns": ["d3-e3A", "d3-e3A"]}), "bad_turn", Some("turns")),
        (game, json!({"turns": ["x".repeat(2000)]}), "bad_turn", Some("turns")),
        (game, json!({"start": "x", "turns": []}), "bad_position", Some("start")),
        (game, json!({"board": "1x1", "turns": []}), "bad_board", Some("board")),
        (
            game,
            json!({"turns": [], "draw_rules": {"without_capture": 0}}),
            "bad_number",
            Some("draw_rules"),
        ),
        (game, json!({"turns": vec!["a"; 2001]}), "too_many", Some("turns")),
        (game, json!({"turns": vec!["a"; 2000]}), "bad_turn", Some("turns")),
        ("/api/v1/record", json!({"text": ""}), "bad_record", Some("text")),
        ("/api/v1/record", json!({"text": "[Board \"9x5\"]\n\n1. e4"}), "bad_record", Some("text")),
        (
            "/api/v1/opponent",
            json!({"turns": [], "level": 1, "seed": 1_u64 << 60}),
            "bad_number",
            Some("seed"),
        ),
        (
            "/api/v1/opponent",
            json!({"turns": [], "level": 1, "seconds": 1e9}),
            "bad_number",
            Some("seconds"),
        ),
    ];
    for (route, body, code, field) in cases {
        check(&post(route, &body), 422, code, field);
    }
    let record = post("/api/v1/record", &json!({"text": "[Board \"9x5\"]\n\n1. e4"})).json();
    assert!(record["error"]["message"].as_str().unwrap().starts_with("line "), "{record}");
    let turn = post(game, &json!({"turns": ["d3-e3A", "a1-a2"]})).json();
    assert!(turn["error"]["message"].as_str().unwrap().starts_with("turn 2: "), "{turn}");
}

#[test]
fn a_position_with_too_many_turns_has_a_value_only() {
    // Relays without a direction rule through scattered stones: far more turns than in any game.
    let position = "...B...../.B.BBB.B./BB...B.WB/..B...B../B..BB..BB/.B..BB.B./..B.BBB.. w";
    let position: Position = position.parse().unwrap();
    let mut count = 0;
    let rules: RuleSet = "standard+direction-free".parse().unwrap();
    rules.for_each_turn(&position, |_| count += 1);
    assert!(count > 20_000, "{count}");
    let address = of_position("position", "standard%2Bdirection-free", &position);
    check(&get(&address), 422, "too_many", Some("position"));
    assert_eq!(good(&format!("{address}&detail=value"))["value"], "unknown");
    let line = address.replace("v1/position?", "v1/line?");
    assert_eq!(good(&line)["end"], "unknown");
}

#[test]
fn there_is_nothing_elsewhere() {
    for address in ["/x", "/api", "/api/v1", "/api/v2/about", "/assets/", "/assets/none.js"] {
        let answer = get(address);
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{address}");
        assert_eq!(answer.json()["error"]["code"], "not_found");
    }
    for address in ["/assets/../Cargo.toml", "/assets/%2e%2e/Cargo.toml", "/assets//etc/passwd"] {
        assert_eq!(get(address).status, StatusCode::NOT_FOUND, "{address}");
    }
    let explorer = explorer_with(Default::default());
    for (method, address) in [
        (Method::POST, "/api/v1/position"),
        (Method::DELETE, "/api/v1/position"),
        (Method::GET, "/api/v1/game"),
        (Method::OPTIONS, "/api/v1/game"),
        (Method::POST, "/"),
    ] {
        let answer = send(&explorer, request(method.clone(), address).body(Body::empty()).unwrap());
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{method} {address}");
        assert_eq!(answer.json()["error"]["code"], "method_not_allowed");
    }
}

#[test]
fn missing_and_damaged_files_differ() {
    let dir = tempfile::tempdir().unwrap();
    let explorer = explorer_in(Some(dir.path().join("none")), &[], Default::default());
    let address = "/api/v1/position?board=3x3&position=B2/2W/1W1%20w";
    let get =
        |address: &str| ask(&explorer, request(Method::GET, address).body(Body::empty()).unwrap());
    let before = get(address);
    assert_eq!(before.json()["value"], "unknown");
    assert_eq!(before.json()["missing"]["stones"], 3);

    // Tables that are built meanwhile are found.
    build_tables(&dir.path().join("none"), "3x3", "standard", 3, Metric::Wdl);
    let after = get(address);
    assert_eq!(after.json()["source"], "table");
    assert_ne!(before.header("etag"), after.header("etag"));

    // A damaged one is an error of the server, which names no directory.
    let name = "3x3_standard_2v1.wdl.fano";
    let path = dir.path().join("none").join(name);
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::remove_file(&path).unwrap();
    get(address);
    fs::write(&path, &bytes).unwrap();
    let damaged = get(address);
    check(&damaged, 500, "damaged_file", None);
    let text = damaged.text();
    assert!(!text.contains(dir.path().to_str().unwrap()), "{text}");
    fs::write(&path, b"nonsense").unwrap();
    let other = explorer_in(Some(dir.path().join("none")), &[], Default::default());
    let request = request(Method::GET, address).body(Body::empty()).unwrap();
    check(&ask(&other, request), 500, "damaged_file", None);
}

#[test]
fn a_server_without_tables_answers_by_the_rules() {
    let explorer = explorer_in(None, &[], Default::default());
    let get = |address: &str| {
        ask(&explorer, request(Method::GET, address).body(Body::empty()).unwrap()).json()
    };
    let answer = get("/api/v1/position?board=5x5&position=5/5/1W1B1/5/5%20w");
    // The game ends after the turn, so its value follows from the rules.
    assert_eq!((&answer["value"], &answer["dtw"]), (&json!("win"), &json!(1)));
    assert_eq!(answer["source"], "rules");
    // In the vela, White begins with a move that leaves Black without one.
    let vela = get("/api/v1/position?rules=vela");
    assert_eq!((&vela["value"], &vela["source"]), (&json!("win"), &json!("rules")));
    let quiet = get("/api/v1/position?board=5x5&position=W4/5/5/5/4B%20w");
    assert_eq!((&quiet["value"], &quiet["missing"]["stones"]), (&json!("unknown"), &json!(2)));
    assert_eq!(get("/api/v1/tables")["slices"], json!([]));
    assert_eq!(get("/api/v1/drill")["error"]["code"], "not_found");
}

/// Certificates are read when they are asked. A damaged one is an error of the server, which names no
/// directory.
#[test]
fn a_damaged_certificate_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("damaged.proof");
    let mut bytes = fs::read(proof("3x3-standard")).unwrap();
    bytes[64] ^= 1;
    fs::write(&path, bytes).unwrap();
    let certificate = Certificate::open(&path).expect("its header is intact");
    let library = Library::new(LibraryOptions::new(None), vec![certificate]);
    let explorer = Explorer::new(library, Default::default());
    let get = request(Method::GET, "/api/v1/position?board=3x3").body(Body::empty()).unwrap();
    let answer = ask(&explorer, get);
    check(&answer, 500, "damaged_file", None);
    assert!(!answer.text().contains(dir.path().to_str().unwrap()), "{}", answer.text());
}

/// The page of the API names every code, and no other.
#[test]
fn the_page_names_all_codes() {
    let page = include_str!("../../docs/API.md");
    let from = page.find("| status | codes |").expect("the table is there");
    let part = &page[from..from + page[from..].find("## ").expect("another part follows")];
    let is_code = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let named = part.split('`').skip(1).step_by(2).filter(is_code);
    let fields = ["expected", "field"];
    let named: BTreeSet<_> = named.filter(|word| !fields.contains(word)).collect();
    let of_requests = ProblemKind::ALL.iter().map(|kind| kind.code());
    let all = ErrorKind::ALL.into_iter().map(ErrorKind::code).chain(of_requests);
    // That of the program alone.
    assert_eq!(named, all.chain(["check_failed"]).collect());
}
