//! The questions that every face answers alike: `tests/questions.tsv`.
//!
//! Its lines have fields between tabs. A line with `tables` first names tables that are built before: the
//! board, the rule set, the most stones, and the metric. A line with `ask` first has a board, a rule set,
//! a position, the most positions of a search on one thread, what is known of the position, and each
//! turn, best first, with what is known of it. What is known is `AT_LEAST AT_MOST DISTANCE SOURCE`: values
//! as −1, 0 and 1, and `-` where there is no distance or no source.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Tables that are built before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tables {
    /// The board.
    pub board: String,
    /// The rule set.
    pub rules: String,
    /// The most stones.
    pub stones: u32,
    /// `dtw` or `wdl`.
    pub metric: String,
}

/// A question with its answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// The board.
    pub board: String,
    /// The rule set.
    pub rules: String,
    /// The position.
    pub position: String,
    /// The most positions of a search.
    pub nodes: u64,
    /// What is known of the position, then each turn with what is known of it.
    pub answer: Vec<String>,
}

/// The file.
pub fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("questions.tsv")
}

/// The tables and the questions of the file.
///
/// # Panics
///
/// If it is not right.
pub fn read() -> (Vec<Tables>, Vec<Question>) {
    let text = std::fs::read_to_string(path()).expect("the questions can be read");
    let (mut tables, mut questions) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let fields: Vec<_> = line.split('\t').map(str::to_owned).collect();
        match &fields[..] {
            [kind, board, rules, stones, metric] if kind == "tables" => tables.push(Tables {
                board: board.clone(),
                rules: rules.clone(),
                stones: stones.parse().expect("a number"),
                metric: metric.clone(),
            }),
            [kind, board, rules, position, nodes, answer @ ..] if kind == "ask" => {
                questions.push(Question {
                    board: board.clone(),
                    rules: rules.clone(),
                    position: position.clone(),
                    nodes: nodes.parse().expect("a number"),
                    answer: answer.to_vec(),
                });
            }
            _ => panic!("not a line of questions: {line}"),
        }
    }
    (tables, questions)
}

/// The text of the file.
pub fn text(tables: &[Tables], questions: &[Question]) -> String {
    let mut text = String::new();
    for Tables { board, rules, stones, metric } in tables {
        writeln!(text, "tables\t{board}\t{rules}\t{stones}\t{metric}").expect("a text");
    }
    for Question { board, rules, position, nodes, answer } in questions {
        let answer = answer.join("\t");
        writeln!(text, "ask\t{board}\t{rules}\t{position}\t{nodes}\t{answer}").expect("a text");
    }
    text
}

/// An answer as the file has it, from the JSON form of a position and the list of its turns.
///
/// # Panics
///
/// If something is not there.
pub fn answer(position: &Value, turns: &Value) -> Vec<String> {
    let turn = |found: &Value| format!("{} {}", text_of(&found["turn"]), known(found));
    let turns = turns.as_array().expect("a list").iter().map(turn);
    [known(position)].into_iter().chain(turns).collect()
}

fn text_of(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// What is known, from its JSON form.
fn known(found: &Value) -> String {
    let number = |name: &str| match text_of(&found[name]) {
        "win" => 1,
        "draw" => 0,
        "loss" => -1,
        other => panic!("'{other}' is not a value"),
    };
    let [least, most] = match found["value"] == "unknown" {
        true => ["at_least", "at_most"],
        false => ["value"; 2],
    };
    let dtw = found["dtw"].as_u64().map_or("-".to_owned(), |dtw| dtw.to_string());
    format!("{} {} {dtw} {}", number(least), number(most), found["source"].as_str().unwrap_or("-"))
}

/// Compares answers with those of the file, and prints how many are equal.
///
/// # Panics
///
/// If one is not.
pub fn compare(face: &str, questions: &[Question], answers: &[Vec<String>]) {
    let pairs = questions.iter().zip(answers);
    let other: Vec<_> = pairs.filter(|(question, answer)| question.answer != **answer).collect();
    println!("{face}: {} of {} answers are equal", answers.len() - other.len(), questions.len());
    assert_eq!(answers.len(), questions.len());
    if let Some((question, answer)) = other.first() {
        let Question { board, rules, position, .. } = question;
        panic!("{face}, {board} {rules} {position}:\n{answer:?}\n{:?}", question.answer);
    }
}
