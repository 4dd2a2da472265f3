//! The mistakes of turns and the better turns, against the list of turns of their position.

use axum::body::Body;
use axum::http::{Method, StatusCode};
use fanorona_core::{Board, Position, Side, SplitMix64, Value as Worth};
use fanorona_tablebase::Slice;
use serde_json::{Value, json};

use crate::common::{WITHOUT_BOOKS, ask, json_request, of_position, request};

/// What is known of a position or a turn: the least and the most, and the distance.
fn known(found: &Value) -> (Worth, Worth, Option<u64>) {
    let worth = |key: &str| match found[key].as_str() {
        Some("win") => Some(Worth::Win),
        Some("draw") => Some(Worth::Draw),
        Some("loss") => Some(Worth::Loss),
        _ => None,
    };
    let bound = |key| worth("value").or(worth(key)).expect("a value or a bound");
    (bound("at_least"), bound("at_most"), found["dtw"].as_u64())
}

/// The mistake that a turn of a position is for certain.
fn mistake(position: &Value, turn: &Value) -> Option<&'static str> {
    let ((least, most, here), (at_least, at_most, there)) = (known(position), known(turn));
    let is_known = least == most && at_least == at_most;
    match (least, at_most) {
        (Worth::Win, Worth::Loss) => Some("loses_win"),
        (Worth::Win, Worth::Draw) => Some("misses_win"),
        (Worth::Draw, Worth::Loss) => Some("loses_draw"),
        (Worth::Win, Worth::Win) if is_known => (there? > here?).then_some("slower"),
        (Worth::Loss, Worth::Loss) if is_known => (there? < here?).then_some("slower"),
        _ => None,
    }
}

#[test]
fn better_turns_come_from_the_list_of_their_position() {
    let board = Board::dimy();
    let mut random = SplitMix64::new(5);
    let (mut mistakes, mut open) = ([0; 5], 0);
    // The tables have up to 5 stones. Captures lead into them.
    for (own, opponent) in [(2, 2), (1, 3), (3, 1), (3, 2), (2, 3), (4, 3), (3, 5), (4, 4)] {
        for _ in 0..12 {
            let position =
                Slice::new(own, opponent).random_position(board, Side::White, &mut random);
            let position: Position = position.expect("it is on the board");
            let address = of_position("position", "standard", &position);
            let request = request(Method::GET, &address).body(Body::empty()).unwrap();
            let found = ask(&WITHOUT_BOOKS, request).json();
            let turns = found["turns"].as_array().expect("a list");
            let worth = |turn: &Value| (turn["value"].clone(), known(turn));
            for (place, played) in turns.iter().enumerate().step_by(turns.len().div_ceil(6).max(1))
            {
                let body = json!({
                    "board": "5x5", "start": position.to_string(), "turns": [played["turn"]],
                });
                let answer = ask(&WITHOUT_BOOKS, json_request("/api/v1/game", body.to_string()));
                assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
                let turn = answer.json()["turns"][0].clone();
                let expected = mistake(&found, played);
                assert_eq!(turn["mistake"], json!(expected), "{position} {turn}");
                // An unknown turn may stand before one that gives the value away.
                let bounds = |turn: &Value| (known(turn).0, known(turn).1);
                let is_better = |listed: &&Value| {
                    worth(listed) != worth(played) && bounds(listed) >= bounds(played)
                };
                let better = turns[..place].iter().filter(is_better);
                // A turn that may give away what the position has is none to name.
                let is_good = |listed: &&Value| {
                    mistake(&found, listed).is_none() && known(listed).0 >= known(&found).0
                };
                let good: Vec<_> = better.clone().filter(is_good).map(|it| &it["turn"]).collect();
                let good = if expected.is_some() { &good[..good.len().min(3)] } else { &[] };
                assert_eq!(turn["better"], json!(good), "{position} {turn}");
                let names = ["loses_win", "misses_win", "loses_draw", "slower"];
                let kind = names.iter().position(|name| Some(*name) == expected);
                mistakes[kind.unwrap_or(4)] += 1;
                open += u32::from(expected.is_none() && better.count() > 0);
            }
        }
    }
    assert!(mistakes.iter().all(|found| *found > 0) && open > 0, "{mistakes:?} {open}");
}
