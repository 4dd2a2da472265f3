//! Values in answers against a slow, obvious computation: for the first steps of a turn, the best of
//! all turns that begin with them.

use std::cmp::Reverse;

use axum::body::Body;
use axum::http::{Method, StatusCode};
use fanorona_core::{Board, Position, RuleSet, SplitMix64, Stones, Turn, Value as Worth};
use fanorona_explorer::Settings;
use fanorona_tablebase::{Metric, TableValue, Tables};
use fanorona_tests::effort;
use fanorona_tests::partial::{Answer, Compared, leave_some, position_with};
use serde_json::{Value, json};

use crate::common::{
    WITHOUT_BOOKS, ask, build_tables, explorer_in, get, good, of_position, open_tables, request,
};

#[test]
fn a_board_stands_for_its_start() {
    for (asked, board) in
        [("position=5x5", Board::dimy()), ("board=3x3&position=3X3", Board::telo())]
    {
        let answer = good(&format!("/api/v1/position?{asked}&detail=value"));
        assert_eq!(answer["position"], board.start().to_string());
        assert_eq!(answer["board"], board.to_string());
    }
}

/// The known value of a turn: bounds and distance, for the side that makes it.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Known {
    at_least: Worth,
    at_most: Worth,
    dtw: Option<u16>,
}

fn exact(found: TableValue) -> Known {
    Known { at_least: found.value, at_most: found.value, dtw: found.dtw }
}

/// All turns with what a table says about the position after each.
fn turns(tables: &Tables, position: &Position) -> Vec<(Turn, Known)> {
    let known = |turn: &Turn| {
        let after = position.play_unchecked(turn);
        let mut found = after_turn(tables, &after);
        if found.dtw.is_none() && found.at_least == found.at_most {
            // The tables of the replies may have the distance.
            let replies: Vec<_> = tables
                .rules()
                .turns(&after)
                .iter()
                .map(|reply| after_turn(tables, &after.play_unchecked(reply)))
                .collect();
            found.dtw =
                (!replies.is_empty()).then(|| best(&replies).dtw).flatten().map(|dtw| dtw + 1);
        }
        found
    };
    tables.rules().turns(position).into_iter().map(|turn| (turn.clone(), known(&turn))).collect()
}

/// The value of a turn that leads to this position, from a table.
fn after_turn(tables: &Tables, after: &Position) -> Known {
    match tables.probe(after) {
        Ok(found) => exact(found.before_turn()),
        Err(_) => Known { at_least: Worth::Loss, at_most: Worth::Win, dtw: None },
    }
}

/// The best of some turns.
fn best(turns: &[Known]) -> Known {
    let at_least = turns.iter().map(|turn| turn.at_least).max().unwrap();
    let at_most = turns.iter().map(|turn| turn.at_most).max().unwrap();
    let decided = turns.iter().filter(|turn| turn.at_least == turn.at_most);
    let all_known = turns.iter().all(|turn| turn.dtw.is_some() || turn.at_most == Worth::Draw);
    let distances = |value| decided.clone().filter(move |turn| turn.at_least == value);
    let dtw = match (at_least, at_most) {
        (Worth::Win, _) => {
            let least = distances(Worth::Win).filter_map(|turn| turn.dtw).min();
            least.filter(|least| all_known || *least <= 3)
        }
        (Worth::Loss, Worth::Loss) if all_known => {
            distances(Worth::Loss).filter_map(|turn| turn.dtw).max()
        }
        _ => None,
    };
    Known { at_least, at_most, dtw }
}

fn name(value: Worth) -> Value {
    json!(value.to_string())
}

fn check_known(found: &Value, expected: Known, what: &str) {
    let is_known = expected.at_least == expected.at_most;
    let bound = |bound| if is_known { Value::Null } else { name(bound) };
    assert_eq!(found["at_least"], bound(expected.at_least), "{what}");
    assert_eq!(found["at_most"], bound(expected.at_most), "{what}");
    assert_eq!(found["dtw"], json!(expected.dtw), "{what}");
    let value = if is_known { name(expected.at_least) } else { json!("unknown") };
    assert_eq!(found["value"], value, "{what}");
}

/// A bound in an answer: 0 for a loss, 2 for a win.
fn worth_of(entry: &Value, field: &str) -> usize {
    let known = entry[field].as_str().or(entry["value"].as_str()).unwrap();
    ["loss", "draw", "win"].iter().position(|value| *value == known).unwrap()
}

/// The text of a turn up to a step, by the notation alone.
fn beginning(turn: &str, steps: usize) -> String {
    turn.split('-').take(steps + 1).collect::<Vec<_>>().join("-")
}

/// Checks a tree of steps: each node is a beginning of some turns, and has the value of the best.
/// Returns the beginnings found.
fn check_steps(steps: &Value, depth: usize, all: &[(String, Known)], found: &mut Vec<String>) {
    for step in steps.as_array().unwrap() {
        let text = step["turn"].as_str().unwrap();
        let begins = |turn: &str| beginning(turn, depth) == text;
        let these: Vec<_> = all.iter().filter(|(turn, _)| begins(turn)).map(|it| it.1).collect();
        assert!(!these.is_empty(), "{text} begins no turn");
        check_known(step, best(&these), text);
        let ends = all.iter().any(|(turn, _)| turn == text);
        assert_eq!(step["turn_index"].is_number(), ends, "{text}");
        found.push(text.to_owned());
        check_steps(&step["next"], depth + 1, all, found);
    }
}

/// Compares the answer for a position with the slow computation. Returns whether there was a relay.
fn check(tables: &Tables, position: &Position) -> bool {
    let board = position.board();
    let address = of_position("position", &tables.rules().to_string(), position);
    let good = |address: &str| {
        // Certificates would know more.
        let request = request(Method::GET, address).body(Body::empty()).unwrap();
        let answer = ask(&WITHOUT_BOOKS, request);
        assert_eq!(answer.status, StatusCode::OK, "{address}");
        answer.json()
    };
    let answer = good(&address);
    let known = turns(tables, position);
    if known.is_empty() {
        assert_eq!(answer["turns"], json!([]));
        return false;
    }
    let text = |turn: &Turn| turn.text(board).to_string();
    let listed = answer["turns"].as_array().unwrap();
    assert_eq!(listed.len(), known.len());

    // Each turn has its value, and what belongs to it.
    for (turn, expected) in &known {
        let entry = listed.iter().find(|entry| entry["turn"] == text(turn)).expect("it is listed");
        check_known(entry, *expected, &text(turn));
        let after = position.play_unchecked(turn);
        assert_eq!(entry["position"], after.to_string());
        assert_eq!(entry["captured"].as_array().unwrap().len(), turn.captured().len() as usize);
        let holds = expected.at_least == expected.at_most && entry["value"] == answer["value"];
        assert_eq!(entry["holds"], holds);
    }

    // The order of the list: what gives the value away last; better bounds first, sooner wins, later
    // losses. A loss of unknown length is before a loss in 4.
    let order = |entry: &Value| {
        let worth = |field: &str| worth_of(entry, field);
        let dtw = entry["dtw"].as_i64();
        let distance = match entry["value"].as_str().unwrap() {
            "win" => dtw.unwrap_or(i64::MAX),
            "loss" => dtw.map_or(-5, |dtw| -dtw),
            _ => i64::MAX,
        };
        let is_best = entry["dtw"].is_number() && entry["dtw"] == answer["dtw"];
        let gives_away = worth("at_most") < worth_of(&answer, "at_least");
        (
            Reverse(is_best),
            gives_away,
            Reverse(worth("at_least")),
            Reverse(worth("at_most")),
            distance,
        )
    };
    assert!(listed.is_sorted_by_key(order), "{position}");

    // The position is worth its best turn, or what its own table says.
    let own = match tables.probe(position) {
        Ok(found) => {
            let of_turns = best(&known.iter().map(|it| it.1).collect::<Vec<_>>());
            Known { dtw: found.dtw.or(of_turns.dtw), ..exact(found) }
        }
        Err(_) => best(&known.iter().map(|it| it.1).collect::<Vec<_>>()),
    };
    check_known(&answer, own, &position.to_string());
    let is_known = own.at_least == own.at_most;
    assert!(!is_known || answer["missing"].is_null());

    // The tree has each beginning of each turn once.
    let all: Vec<_> = known.iter().map(|(turn, known)| (text(turn), *known)).collect();
    let mut found = Vec::new();
    check_steps(&answer["steps"], 1, &all, &mut found);
    let steps = |turn: &str| turn.matches('-').count();
    let mut expected: Vec<_> = all
        .iter()
        .flat_map(|(turn, _)| (1..=steps(turn)).map(move |count| beginning(turn, count)))
        .collect();
    expected.sort();
    expected.dedup();
    found.sort();
    assert_eq!(found, expected);

    // The line begins with the first turn of the list, and so does each of its positions.
    let line = good(&address.replace("position?", "line?"));
    let turns_of_line = line["line"].as_array().unwrap();
    assert_eq!((&line["value"], &line["dtw"]), (&answer["value"], &answer["dtw"]));
    match turns_of_line.first() {
        Some(first) => {
            for field in ["turn", "position", "value", "dtw", "captured"] {
                assert_eq!(first[field], listed[0][field]);
            }
            assert_eq!(answer["best"], first["turn"]);
        }
        None => assert_eq!((&answer["best"], &line["end"]), (&Value::Null, &json!("unknown"))),
    }
    if line["end"] == "finished" && line["dtw"].is_number() {
        assert_eq!(line["dtw"], turns_of_line.len());
    }
    known.iter().any(|(turn, _)| turn.steps().len() > 1)
}

/// A position with some stones, most of them of one side, so that relays end in tables.
fn random_position(random: &mut SplitMix64, board: Board, stones: u64) -> Position {
    let mut points: Vec<_> = board.all_points().iter().collect();
    let own = 1 + random.below(stones - 1);
    let mut sides = [Vec::new(), Vec::new()];
    for stone in 0..stones {
        let at = random.below(points.len() as u64) as usize;
        sides[usize::from(stone >= own)].push(points.swap_remove(at));
    }
    let [own, opponent] = sides.map(|points| points.into_iter().collect());
    let side = [fanorona_core::Side::White, fanorona_core::Side::Black][random.below(2) as usize];
    Position::from_mover(board, Stones { own, opponent }, side).expect("it is one")
}

#[test]
fn values_are_those_of_the_slow_computation() {
    for (stream, rules) in (0..).zip(["standard", "free-capture", "forced-relay"]) {
        let tables = open_tables(rules);
        let mut random = SplitMix64::stream(12, stream);
        let mut relays = 0;
        for case in 0..effort(120, 2000) {
            // Inside the tables, at their edge, and beyond.
            let position = random_position(&mut random, Board::dimy(), 2 + case % 7);
            relays += u32::from(check(&tables, &position));
        }
        assert!(relays > 10, "{rules}: {relays}");
    }
}

/// With any part of the tables, answers may say less than with all, but nothing else.
#[test]
fn a_part_of_the_tables_says_nothing_else_than_all() {
    let board = Board::dimy();
    let all = tempfile::tempdir().unwrap();
    for metric in Metric::ALL {
        build_tables(all.path(), "5x5", "standard", 4, metric);
    }
    let tables = Tables::open(all.path(), board, RuleSet::STANDARD).unwrap();
    let truth = |position: &Position| {
        let found = tables.probe(position).unwrap();
        (found.value, found.dtw)
    };
    let mut random = SplitMix64::new(9);
    let mut compared = Compared::default();
    for _ in 0..effort(40, 500) {
        let some = tempfile::tempdir_in(all.path()).unwrap();
        leave_some(all.path(), some.path(), &mut random).unwrap();
        let explorer = explorer_in(Some(some.path().to_owned()), &[], Settings::default());
        for _ in 0..8 {
            let stones = 3 + random.below(2);
            let position = position_with(board, &RuleSet::STANDARD, stones, &mut random);
            let address = of_position("position", "standard", &position);
            let request = request(Method::GET, &address).body(Body::empty()).unwrap();
            let answer = Answer::of_json(&ask(&explorer, request).json());
            compared.check(&RuleSet::STANDARD, truth, &answer);
        }
    }
    assert!(compared.distances > 50 && compared.without > 20, "{compared:?}");
}

#[test]
fn books_answer_beyond_tables() {
    // The start of 5x5 is proved to be a draw, with tables to 4 stones or fewer at its leaves.
    let start = good("/api/v1/position?board=5x5");
    assert_eq!((&start["value"], &start["source"]), (&json!("draw"), &json!("proof")));
    assert_eq!(start["missing"], Value::Null);
    let best = &start["turns"][0];
    assert_eq!((&best["value"], &best["holds"]), (&json!("draw"), &json!(true)));
    assert_eq!(start["best"], best["turn"]);
    // No turn of a drawn position is worth more.
    for turn in start["turns"].as_array().unwrap() {
        assert!(turn["value"] != "win" && turn["at_most"] != "win", "{turn}");
    }
    // The line follows the proof for some turns.
    let line = good("/api/v1/line?board=5x5");
    assert_eq!(line["line"][0]["turn"], best["turn"]);
    assert_eq!(line["line"][0]["value"], "draw");

    for (board, value) in [("3x3", "win"), ("5x3", "win"), ("3x5", "win")] {
        let start = good(&format!("/api/v1/position?board={board}"));
        assert_eq!(
            (&start["value"], &start["source"]),
            (&json!(value), &json!("proof")),
            "{board}"
        );
        let after = start["turns"][0]["position"].as_str().unwrap().replace(' ', "%20");
        let answer = good(&format!("/api/v1/position?board={board}&position={after}"));
        assert_eq!(answer["value"], "loss", "{board}");
    }
    // Other rules have no book.
    assert_eq!(good("/api/v1/position?board=5x5&rules=free-capture")["value"], "unknown");
}

#[test]
fn replies_are_counted() {
    let tables = open_tables("standard");
    let mut random = SplitMix64::new(3);
    let (mut counted, mut tricky) = (0, 0);
    for _ in 0..effort(20, 200) {
        let position = random_position(&mut random, Board::dimy(), 4);
        let address = of_position("position", "standard", &position);
        let answer = good(&format!("{address}&detail=replies"));
        // The trickiest turn keeps the value, and no other that does, and after which the opponent can go
        // wrong, leaves fewer replies that hold.
        if let Some(turn) = answer["trickiest"].as_str() {
            let all = answer["turns"].as_array().unwrap();
            let least = |entry: &Value| {
                let after: Position = entry["position"].as_str().unwrap().parse().unwrap();
                let (of, holding) =
                    (RuleSet::STANDARD.turns(&after).len() as u64, &entry["replies_that_hold"]);
                holding.as_u64().filter(|holding| entry["holds"] == true && *holding < of)
            };
            let found = all.iter().find(|entry| entry["turn"] == turn).unwrap();
            assert_eq!(least(found), all.iter().filter_map(least).min(), "{turn}");
            tricky += 1;
        }
        assert!(good(&address).get("trickiest").is_none(), "it was not asked for");
        for entry in answer["turns"].as_array().unwrap() {
            let after: Position = entry["position"].as_str().unwrap().parse().unwrap();
            let value = tables.probe(&after).unwrap().value;
            let worth = |turn: &Turn| -tables.probe(&after.play_unchecked(turn)).unwrap().value;
            let turns = RuleSet::STANDARD.turns(&after);
            let expected = turns.iter().filter(|turn| worth(turn) == value).count();
            assert_eq!(entry["replies_that_hold"], expected, "{}", entry["turn"]);
            counted += expected;
        }
    }
    assert!(counted > 0 && tricky > 0);
}

#[test]
fn an_exact_answer_may_be_kept() {
    let address = "/api/v1/position?board=5x5&position=5/5/1W1B1/5/5%20w";
    let answer = get(address);
    assert_eq!(answer.header("cache-control"), "public, max-age=3600");
    let unknown = get("/api/v1/position");
    assert_eq!(unknown.header("cache-control"), "no-cache");
    assert_ne!(answer.header("etag"), unknown.header("etag"));
}
