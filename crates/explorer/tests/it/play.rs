//! The opponent.

use axum::http::StatusCode;
use fanorona_core::{Board, Position, RuleSet};
use fanorona_tests::effort;
use serde_json::{Value, json};

use crate::common::{good, good_post, post};

/// A legal turn with all that belongs to it.
fn check_turn(position: &str, answer: &Value) {
    let position: Position = position.parse().unwrap();
    let turn = answer["turn"].as_str().unwrap();
    let address = format!(
        "/api/v1/turn?board={}&position={}&turn={turn}",
        position.board(),
        position.to_string().replace(' ', "%20")
    );
    let read = good(&address);
    assert_eq!(read["turn"], turn, "it is in normal form");
    assert_eq!(read["position"], answer["position"]);
    assert_eq!(read["path"], answer["path"]);
    let steps = answer["steps"].as_array().unwrap();
    let mut captured: Vec<_> =
        steps.iter().flat_map(|step| step["captured"].as_array().unwrap()).cloned().collect();
    captured.sort_by_key(|point| {
        let points = good(&format!("/api/v1/board?board={}", position.board()))["points"].clone();
        points.as_array().unwrap().iter().position(|p| p == point)
    });
    assert_eq!(json!(captured), read["captured"]);
    let path: Vec<_> =
        [&steps[0]["from"]].into_iter().chain(steps.iter().map(|s| &s["to"])).collect();
    assert_eq!(json!(path), answer["path"]);
    assert_eq!(answer["line"][0], turn);
    let is_estimate = answer["source"] == "estimate";
    assert!(answer["estimate"].is_number() || !is_estimate);
    assert!(answer["value"] == "unknown" || !is_estimate);
}

#[test]
fn two_levels_play_a_game() {
    let board = Board::dimy();
    let mut turns: Vec<String> = Vec::new();
    let mut position = board.start().to_string();
    for ply in 0..effort(12, 60) {
        let level = [1, 3][ply % 2];
        let body = json!({
            "board": "5x5", "turns": turns, "level": level, "seed": 5,
            "draw_rules": {"repetition": true},
        });
        let answer = post("/api/v1/opponent", &body);
        if answer.status == StatusCode::CONFLICT {
            assert_eq!(answer.json()["error"]["code"], "game_over");
            break;
        }
        let answer = answer.json();
        check_turn(&position, &answer);
        turns.push(answer["turn"].as_str().unwrap().to_owned());
        position = answer["position"].as_str().unwrap().to_owned();
    }
    let replayed = good_post("/api/v1/game", &json!({"board": "5x5", "turns": turns}));
    assert_eq!(replayed["positions"].as_array().unwrap().last().unwrap()["position"], position);
}

#[test]
fn every_level_and_preset_plays() {
    let levels = good("/api/v1/about")["levels"].clone();
    for level in levels.as_array().unwrap().iter().filter(|level| level["available"] == true) {
        let body = json!({"board": "5x5", "turns": [], "level": level["name"], "seconds": 0.05});
        check_turn(&Board::dimy().start().to_string(), &good_post("/api/v1/opponent", &body));
        let by_number =
            json!({"board": "5x5", "turns": [], "level": level["number"], "seconds": 0.05});
        good_post("/api/v1/opponent", &by_number);
    }
    for rules in RuleSet::PRESETS {
        let rules = rules.to_string();
        let body = json!({"rules": rules, "turns": [], "level": 2});
        assert_eq!(post("/api/v1/opponent", &body).status, StatusCode::OK, "{rules}");
    }
}

#[test]
fn at_full_strength_tables_decide() {
    let drill = good("/api/v1/drill?board=5x5&kind=win&stones=4&seed=11");
    let body = json!({"board": "5x5", "start": drill["position"], "turns": [], "level": 8});
    let answer = good_post("/api/v1/opponent", &body);
    assert_eq!((&answer["source"], &answer["value"]), (&json!("table"), &json!("win")));
    assert_eq!(answer["dtw"], drill["dtw"]);
}

#[test]
fn the_game_after_the_turn_comes_with_it() {
    let after = json!({"repetition": true});
    let mut body = json!({"board": "5x5", "turns": ["b3-c3A"], "level": 1, "seed": 3});
    let without = good_post("/api/v1/opponent", &body);
    assert!(without.get("after").is_none());
    body["after"] = after.clone();
    let answer = good_post("/api/v1/opponent", &body);
    assert_eq!(answer["turn"], without["turn"]);
    let mut game = json!({"board": "5x5", "turns": ["b3-c3A", answer["turn"]], "from": 1});
    (game["draw_rules"], game["detail"]) = (after, json!("tree"));
    assert_eq!(answer["after"], good_post("/api/v1/game", &game));
    assert_eq!(answer["after"]["here"]["position"], answer["position"]);
    body["after"] = json!({"without_capture": 0});
    assert_eq!(post("/api/v1/opponent", &body).json()["error"]["field"], "after");
}

#[test]
fn the_level_that_cannot_lose_needs_its_files() {
    let start = |board: &str| {
        post("/api/v1/opponent", &json!({"board": board, "turns": [], "level": 9, "seconds": 0.05}))
    };
    // The start of 5x3 is proved to be won, without any table.
    let answer = start("5x3");
    assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
    let answer = answer.json();
    assert_eq!((&answer["value"], &answer["source"]), (&json!("win"), &json!("proof")));
    // The certificate of 5x5 needs tables of 6 stones, which are not there.
    let answer = start("5x5").json();
    assert_eq!(answer["error"]["code"], "level_unavailable");
    assert!(answer["error"]["message"].as_str().unwrap().contains("6 stones"), "{answer}");
    // There is no certificate for 9x5 here.
    let answer = start("9x5");
    assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
    let error = answer.json()["error"].clone();
    assert_eq!(error["code"], "level_unavailable");
    let level = good("/api/v1/about")["levels"][8].clone();
    assert_eq!((&level["number"], &level["available"]), (&json!(9), &json!(false)));
    assert_eq!(level["missing"], json!({"code": "certificate"}));
    // Each game says what it lacks.
    let levels = |game: &str| good(&format!("/api/v1/levels{game}"))["levels"].clone();
    assert_eq!(levels(""), good("/api/v1/about")["levels"]);
    for (game, missing) in [
        ("?board=5x3", json!(null)),
        ("?board=5x3&rules=free-capture", json!({"code": "certificate"})),
        ("?board=5x5", json!({"code": "tables", "stones": 6})),
    ] {
        let levels = levels(game);
        let lacking: Vec<_> =
            levels.as_array().unwrap().iter().map(|level| &level["missing"]).collect();
        assert!(lacking[..8].iter().all(|missing| missing.is_null()), "{game}");
        assert_eq!(
            (lacking[8], &levels[8]["available"]),
            (&missing, &json!(missing.is_null())),
            "{game}"
        );
    }
}

#[test]
fn a_finished_game_has_no_turn() {
    let body = json!({"board": "5x5", "start": "5/5/1W3/5/5 b", "turns": [], "level": 1});
    let answer = post("/api/v1/opponent", &body);
    assert_eq!(answer.status, StatusCode::CONFLICT);
    for (level, code) in [(json!(99), "bad_number"), (json!("best"), "bad_number")] {
        let answer = post("/api/v1/opponent", &json!({"turns": [], "level": level}));
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(answer.json()["error"]["code"], code);
    }
}
