//! Answers from a part of the tables, against all of them: they may say less, but nothing else.

use std::fs;
use std::path::Path;

use fanorona_core::{Board, Position, RuleSet, Side, SplitMix64, Turn, Value};
use fanorona_tablebase::{TableValue, Tables};
use fanorona_tests::partial::{Answer, Compared, Told, leave_some, position_with};
use fanorona_tests::{directory, effort};
use serde_json::Value as Json;

use crate::{fanorona, json, words};

const RULES: RuleSet = RuleSet::STANDARD;

/// The most stones of the tables.
const STONES: u64 = 4;

/// A game of some random turns, with its text.
fn game(start: Position, random: &mut SplitMix64) -> (Vec<Position>, String) {
    let mut positions = vec![start];
    let mut text = format!("[Board \"{}\"]\n[Start \"{start}\"]\n\n", start.board());
    while let position = positions[positions.len() - 1]
        && positions.len() < 5
        && RULES.outcome(&position).is_none()
    {
        let turns = RULES.turns(&position);
        let turn = &turns[random.below(turns.len() as u64) as usize];
        let number =
            if positions.len() == 1 && position.to_move() == Side::Black { "1... " } else { "" };
        text += &format!("{number}{} ", turn.text(start.board()));
        positions.push(position.play_unchecked(turn));
    }
    (positions, text + "*\n")
}

/// Compares the review of a game.
fn check_game(found: &Json, positions: &[Position], truth: &impl Fn(&Position) -> TableValue) {
    let is_true = |told: &Json, so: TableValue, what: &Position| {
        assert!(Told::of_json(told).is_true((so.value, so.dtw)), "{what}: {told}, {so:?} is so");
    };
    is_true(found, truth(&positions[0]), &positions[0]);
    let turns = found["turns"].as_array().expect("a list");
    assert_eq!(turns.len() + 1, positions.len());
    for (turn, pair) in turns.iter().zip(positions.windows(2)) {
        let (before, best, played) = (pair[0], truth(&pair[0]), truth(&pair[1]).before_turn());
        is_true(turn, played, &before);
        let legal = RULES.turns(&before);
        let worth = |turn: &Turn| truth(&before.play_unchecked(turn)).before_turn();
        if let Some(share) = turn.get("share") {
            let holding = legal.iter().filter(|turn| worth(turn).value == best.value).count();
            assert_eq!(
                (&share["holding"], &share["turns"]),
                (&holding.into(), &legal.len().into())
            );
        }
        let is_so = match turn["mistake"].as_str() {
            Some("loses_win") => (best.value, played.value) == (Value::Win, Value::Loss),
            Some("misses_win") => (best.value, played.value) == (Value::Win, Value::Draw),
            Some("loses_draw") => (best.value, played.value) == (Value::Draw, Value::Loss),
            Some("slower") => best.value == played.value && best.dtw != played.dtw,
            Some("doubtful") | None => true,
            Some(other) => panic!("{other} is no mistake"),
        };
        assert!(is_so, "{before}: {turn}, {best:?}");
        if let Some(lost) = turn.get("turns_lost") {
            let lost = lost.as_u64().map(|lost| lost as u16);
            assert_eq!(
                played.dtw.zip(best.dtw).map(|(played, best)| played - best),
                lost,
                "{turn}"
            );
        }
        for better in turn["better"].as_array().into_iter().flatten() {
            let better = RULES.parse_turn(&before, better.as_str().expect("a text"));
            let better = better.expect("a turn");
            let better = worth(&better);
            let is_better = better.best_first(&played).is_lt() || turn["mistake"] == "doubtful";
            assert!(is_better, "{before}: {turn}");
        }
    }
}

#[test]
fn a_part_of_the_tables_says_nothing_else_than_all() {
    let mut random = SplitMix64::new(56);
    let mut compared = Compared::default();
    let mut games = 0;
    for board in ["3x3", "5x3", "5x5"] {
        let all = directory().expect("a directory");
        for metric in ["wdl", "dtw"] {
            let dir = all.path().display();
            let args =
                format!("build --board {board} --stones {STONES} --metric {metric} --tables {dir}");
            fanorona(words(&args)).assert().success();
        }
        let board: Board = board.parse().expect("a board");
        let tables = Tables::open(all.path(), board, RULES).expect("tables");
        let truth = |position: &Position| tables.probe(position).expect("they are complete");
        let pair = |position: &Position| (truth(position).value, truth(position).dtw);
        for _ in 0..effort(8, 200) {
            let some = directory().expect("a directory");
            leave_some(all.path(), some.path(), &mut random).expect("links");
            let mut position = || {
                let stones = 2 + random.below(STONES - 1);
                position_with(board, &RULES, stones, &mut random)
            };
            let positions: Vec<_> = (0..20).map(|_| position()).collect();
            let (of_game, text) = game(positions[0], &mut random);
            let write = |name: &str, text: &str| {
                let path = some.path().join(name);
                fs::write(&path, text).expect("it can be written");
                path.display().to_string()
            };
            let list: String = positions.iter().map(|position| format!("{position}\n")).collect();
            let (list, text) = (write("positions", &list), write("game", &text));
            let with_tables =
                |args: String| format!("{args} --tables {}", Path::display(some.path()));

            let limits = "--nodes 100 --threads 1";
            let of_board = format!("{limits} --board {board}");
            for batch in [
                format!("probe --batch {list} --board {board}"),
                format!("analyze --batch {list} --json {of_board}"),
            ] {
                let found = fanorona(words(&with_tables(batch))).output().expect("it runs");
                let lines: Vec<_> = found.stdout.split(|byte| *byte == b'\n').collect();
                let lines = lines.iter().filter(|line| !line.is_empty());
                let lines: Vec<Json> =
                    lines.map(|line| serde_json::from_slice(line).expect("JSON")).collect();
                assert_eq!(lines.len(), positions.len());
                for (line, position) in lines.iter().zip(&positions) {
                    assert_eq!(line["position"], position.to_string());
                    compared.check(&RULES, pair, &Answer::of_json(line));
                }
            }
            let alone = json(&with_tables(format!("\"{}\" {limits}", positions[1])));
            compared.check(&RULES, pair, &Answer::of_json(&alone));
            let review = json(&with_tables(format!("analyze --game {text} {limits}")));
            check_game(&review["games"][0], &of_game, &truth);
            games += 1;
        }
    }
    println!("{compared:?}, {games} games");
    assert!(compared.distances > 100 && compared.without > 50, "{compared:?}");
}
