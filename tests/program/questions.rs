//! The questions that every face answers alike, and the program's answers to them.
//!
//! `FANORONA_UPDATE_QUESTIONS=1 cargo test -p fanorona-cli --test program questions` writes the questions
//! and the program's answers into `tests/questions.tsv`. The tests of the other faces compare theirs.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use fanorona_core::{Board, PointSet, Position, RuleSet, Side, SplitMix64, Stones};
use fanorona_engine::inquiry::Answer;
use fanorona_knowledge::Knowledge;
use fanorona_tests::questions::{self, Question, Tables};
use serde_json::Value;

use crate::{fanorona, words};

/// Board, rule set, most stones and metric.
const TABLES: [(&str, &str, u32, &str); 4] = [
    ("5x5", "standard", 3, "dtw"),
    ("5x5", "standard", 4, "wdl"),
    ("3x3", "standard", 4, "dtw"),
    ("7x3", "free-capture", 3, "wdl"),
];

/// Games and their numbers of questions: with certificates and tables, with one of them, and without.
const GAMES: [(&str, &str, usize); 8] = [
    ("5x5", "standard", 70),
    ("3x3", "standard", 30),
    ("7x3", "free-capture", 70),
    ("3x9", "forced-relay", 48),
    ("9x5", "standard", 12),
    ("9x5", "forced-relay", 20),
    ("5x5", "vela+stones-1", 30),
    ("9x5", "free-capture", 20),
];

/// The most positions of a search.
const NODES: u64 = 300;

/// The most turns of a position, so that the file stays small.
const MAX_TURNS: usize = 40;

fn tables() -> Vec<Tables> {
    let table = |(board, rules, stones, metric): (&str, &str, u32, &str)| Tables {
        board: board.to_owned(),
        rules: rules.to_owned(),
        stones,
        metric: metric.to_owned(),
    };
    TABLES.map(table).to_vec()
}

/// A position with up to this many stones.
fn placed(random: &mut SplitMix64, board: Board, most: u64) -> Position {
    let stones = 2 + random.below(most - 1);
    let own = 1 + random.below(stones - 1);
    let mut free: Vec<_> = board.all_points().into_iter().collect();
    let mut take = |count: u64| -> PointSet {
        (0..count).map(|_| free.swap_remove(random.below(free.len() as u64) as usize)).collect()
    };
    let (own, opponent) = (take(own), take(stones - own));
    let side = if random.below(2) == 0 { Side::White } else { Side::Black };
    Position::from_mover(board, Stones { own, opponent }, side).expect("a position")
}

/// Positions of a game: its start, those of games in which White plays by what is known, those after any
/// other turn of these, and with few stones.
fn positions(known: &Knowledge, count: usize) -> Vec<Position> {
    let mut random = SplitMix64::stream(56, known.board().index() as u64);
    let start = known.board().start();
    let (mut found, mut seen) = (vec![start], HashSet::from([start]));
    let mut game = start;
    for i in 0.. {
        if found.len() == count {
            break;
        }
        let look = known.look(&game).expect("it is looked at");
        let turns = look.turns().expect("few turns");
        let any =
            (!turns.is_empty()).then(|| turns[random.below(turns.len() as u64) as usize].after);
        let next = match (i % 5, game.to_move()) {
            (0, _) => placed(&mut random, known.board(), 5),
            (1, _) => any.unwrap_or(start),
            (_, Side::White) => look.best().map_or(start, |best| best.after),
            (_, Side::Black) => any.unwrap_or(start),
        };
        if i % 5 > 1 {
            game = next;
        }
        let is_short = known.rules().turns(&next).len() <= MAX_TURNS;
        if is_short && seen.insert(next) {
            found.push(next);
        }
    }
    found
}

/// The program's answers to questions of one game, one after the other.
fn answers(dir: &Path, questions: &[&Question]) -> Vec<Vec<String>> {
    let Question { board, rules, nodes, .. } = questions[0];
    let args = format!(
        "analyze --batch - --json --threads 1 --board {board} --rules {rules} --nodes {nodes} \
         --tables \"{}\"",
        dir.display()
    );
    let lines: Vec<_> = questions.iter().map(|question| question.position.as_str()).collect();
    let output = fanorona(words(&args)).write_stdin(lines.join("\n")).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).expect("it is UTF-8");
    let answer = |line: &str| {
        let report: Value = serde_json::from_str(line).expect("it is JSON");
        questions::answer(&report, &report["turns"])
    };
    text.lines().map(answer).collect()
}

#[test]
fn the_program_answers_the_questions() {
    let dir = tempfile::tempdir().expect("a directory");
    for (board, rules, stones, metric) in TABLES {
        let args = format!("build --board {board} --rules {rules} --stones {stones}");
        let args = format!("{args} --metric {metric} --tables \"{}\"", dir.path().display());
        fanorona(words(&args)).assert().success();
    }
    let (mut asked, mut found) = (Vec::new(), Vec::new());
    let mut sources: BTreeMap<String, u32> = BTreeMap::new();
    for (board, rules, count) in GAMES {
        let (board, rules): (Board, RuleSet) = (board.parse().unwrap(), rules.parse().unwrap());
        let tables = fanorona_tablebase::Tables::open(dir.path(), board, rules).expect("tables");
        let known = Knowledge::new(board, rules, Some(Arc::new(tables)), None).expect("one game");
        let known = known.with_start().expect("it can be opened");
        let question = |position: &Position| Question {
            board: board.to_string(),
            rules: rules.to_string(),
            position: position.to_string(),
            nodes: NODES,
            answer: Vec::new(),
        };
        let positions = positions(&known, count);
        let is_known = |position: &&Position| {
            Answer::of_sources(&known, position).expect("an answer").is_proved()
        };
        // What one search finds would help the next.
        let (decided, open): (Vec<_>, Vec<_>) = positions.iter().partition(is_known);
        let decided: Vec<_> = decided.into_iter().map(question).collect();
        let open: Vec<_> = open.into_iter().map(question).collect();
        found.extend(answers(dir.path(), &decided.iter().collect::<Vec<_>>()));
        found.extend(open.iter().flat_map(|question| answers(dir.path(), &[question])));
        asked.extend(decided.into_iter().chain(open));
    }
    for answer in &found {
        let source = answer[0].rsplit(' ').next().expect("a source").to_owned();
        *sources.entry(source).or_default() += 1;
    }
    println!("{sources:?}");
    // All kinds are there, and proofs of starts and tables answer most of them.
    assert!(["rules", "table", "proof", "search", "-"].iter().all(|of| sources[*of] >= 5));
    if std::env::var_os("FANORONA_UPDATE_QUESTIONS").is_some() {
        let with = |(question, answer): (&Question, &Vec<String>)| Question {
            answer: answer.clone(),
            ..question.clone()
        };
        let asked: Vec<_> = asked.iter().zip(&found).map(with).collect();
        let text = questions::text(&tables(), &asked);
        std::fs::write(questions::path(), text).expect("it can be written");
    }
    let (recorded_tables, recorded) = questions::read();
    assert_eq!((recorded_tables, recorded.len()), (tables(), 300));
    let same = |a: &Question, b: &Question| a.position == b.position && a.rules == b.rules;
    assert!(asked.iter().zip(&recorded).all(|(a, b)| same(a, b)), "the questions are others");
    questions::compare("program", &recorded, &found);
}
