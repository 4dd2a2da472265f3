//! The files under `data/positions`: texts of positions and turns as programs and people write them.
//! The Python reference reads the same files.

use std::path::Path;

use fanorona_core::{Position, RuleSet};

/// The lines of a file that are no comments, with their numbers.
fn lines(file: &str) -> Vec<(usize, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/positions");
    let text = std::fs::read_to_string(folder.join(file)).expect("the file is there");
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#'));
    lines.map(|(number, line)| (number, line.to_owned())).collect()
}

#[test]
fn valid_positions_are_read() {
    let lines = lines("valid.txt");
    assert!(lines.len() >= 30, "{}", lines.len());
    for (number, line) in lines {
        let (text, normal) = line.split_once(" -> ").expect("a text and its normal form");
        let position: Position = text.parse().unwrap_or_else(|e| panic!("line {number}: {e}"));
        assert_eq!(position.to_string(), normal, "line {number}");
        assert_eq!(normal.parse(), Ok(position), "line {number}");
    }
}

#[test]
fn broken_positions_are_refused() {
    let lines = lines("invalid.txt");
    assert!(lines.len() >= 35, "{}", lines.len());
    for (number, line) in lines {
        let (text, why) = line.split_once('\t').expect("a text and what is wrong with it");
        assert!(text.parse::<Position>().is_err(), "line {number}, '{text}': {why}");
    }
}

#[test]
fn turns_are_read_or_refused() {
    let lines = lines("turns.txt");
    assert!(lines.len() >= 90, "{}", lines.len());
    let mut refused = 0;
    for (number, line) in lines {
        let fields: Vec<&str> = line.split('\t').collect();
        let [rules, position, text, expected, ..] = fields[..] else {
            panic!("line {number} has too few fields")
        };
        let rules: RuleSet = rules.parse().unwrap_or_else(|e| panic!("line {number}: {e}"));
        let position: Position = position.parse().unwrap_or_else(|e| panic!("line {number}: {e}"));
        let read = rules.parse_turn(&position, text);
        if expected == "illegal" {
            let why = fields.get(4).expect("a refusal has a reason");
            assert!(read.is_err(), "line {number}, '{text}': {why}");
            refused += 1;
        } else {
            let turn = read.unwrap_or_else(|e| panic!("line {number}: {e}"));
            assert_eq!(turn.text(position.board()).to_string(), expected, "line {number}");
            assert_eq!(rules.play(&position, &turn), Ok(position.play_unchecked(&turn)));
        }
    }
    assert!(refused >= 40, "{refused}");
}
