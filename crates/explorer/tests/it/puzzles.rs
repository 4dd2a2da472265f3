//! The puzzles of the page against tables that are built here: each has one solution.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use fanorona_core::{Board, Position, RuleSet, Stones, SymmetryGroup, Turn, Value as Worth};
use fanorona_tablebase::{Metric, Tables};
use fanorona_tests::effort;
use serde::Deserialize;

use crate::common::build_tables;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Where the puzzles come from.
    source: String,
    board: Board,
    rules: RuleSet,
    puzzles: Vec<Puzzle>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Puzzle {
    position: Position,
    /// The turns of both sides, from the solver's first to the solver's last.
    line: String,
    value: Worth,
    /// Turns of both sides to the end of a win, if it is known.
    distance: Option<u32>,
    rating: u32,
    grade: u8,
    themes: BTreeSet<String>,
}

fn web(path: &str) -> Vec<u8> {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("web");
    fs::read(web.join(path)).expect("it can be read")
}

fn file() -> File {
    serde_json::from_slice(&web("data/puzzles.json")).expect("it has the form of puzzles")
}

impl Puzzle {
    fn stones(&self) -> u32 {
        self.position.own().len() + self.position.opponent().len()
    }

    /// The positions of the line, each with the turn that is played there.
    fn moments(&self, rules: &RuleSet) -> Vec<(Position, Turn)> {
        let mut position = self.position;
        let mut moments = Vec::new();
        for text in self.line.split(' ') {
            let turn = rules.parse_turn(&position, text).expect("the line is legal");
            assert_eq!(turn.text(position.board()).to_string(), text, "as the API writes it");
            moments.push((position, turn.clone()));
            position = position.play_unchecked(&turn);
        }
        moments
    }
}

/// Checks that each turn of the solver is the only one that keeps the value of the puzzle, and that each
/// reply leaves it as it is.
fn check(puzzle: &Puzzle, rules: &RuleSet, value: impl Fn(&Position) -> Worth) {
    let what = format!("{} {}", puzzle.position, puzzle.line);
    for (i, (position, turn)) in puzzle.moments(rules).into_iter().enumerate() {
        let is_own = i % 2 == 0;
        let wanted = if is_own { puzzle.value } else { -puzzle.value };
        for other in rules.turns(&position) {
            let after = position.play_unchecked(&other);
            let found = match rules.outcome(&after) {
                Some(outcome) => outcome.value_for(position.to_move()),
                None => -value(&after),
            };
            let text = other.text(position.board());
            if other == turn {
                assert_eq!(found, wanted, "{what}: {text}");
            } else if is_own {
                assert!(found < wanted, "{what}: {text} is another solution");
            } else {
                assert!(found <= wanted, "{what}: {text} is a better reply");
            }
        }
    }
}

#[test]
fn puzzles_are_well_formed() {
    let File { source, board, rules, puzzles } = file();
    assert!(source.starts_with("tools/puzzles.py"));
    assert!(puzzles.len() >= 300, "{}", puzzles.len());
    let texts: serde_json::Map<_, _> = serde_json::from_slice(&web("lang/en.json")).unwrap();
    let symmetries = SymmetryGroup::new(board);
    let mut seen = BTreeSet::new();
    for puzzle in &puzzles {
        let what = format!("{} {}", puzzle.position, puzzle.line);
        assert_eq!(puzzle.position.board(), board, "{what}");
        let turns = puzzle.line.split(' ').count();
        assert!(turns % 2 == 1 && turns == puzzle.moments(&rules).len(), "{what}");
        // Nothing gives the turn away: there are others, and one of them takes as many stones.
        let (position, solution) = puzzle.moments(&rules).swap_remove(0);
        let taken =
            |turn: &Turn| position.opponent().len() - position.play_unchecked(turn).own().len();
        let others: Vec<_> =
            rules.turns(&position).into_iter().filter(|turn| *turn != solution).collect();
        assert!(others.len() >= 3, "{what}");
        assert!(others.iter().any(|other| taken(other) >= taken(&solution)), "{what}");
        assert!(rules.outcome(&position.play_unchecked(&solution)).is_none(), "{what}");
        assert!((1..=5).contains(&puzzle.grade) && puzzle.value != Worth::Loss, "{what}");
        // A win ends with a turn of the winner, and not with the first one.
        let is_win = puzzle.value == Worth::Win;
        assert!(
            puzzle.distance.is_none_or(|turns| is_win && turns > 1 && turns % 2 == 1),
            "{what}"
        );
        assert!(puzzle.distance.is_some() || !is_win || puzzle.stones() > 6, "{what}");
        for theme in &puzzle.themes {
            assert!(texts.contains_key(&format!("theme.{theme}")), "{what}: {theme}");
        }
        // No mirror image of another one, also with the colours swapped.
        let stones = symmetries.canonical(Stones::of(&position)).stones;
        assert!(seen.insert((stones.own.bits(), stones.opponent.bits())), "{what} twice");
    }
    // A harder grade has higher ratings.
    let ratings = |grade| puzzles.iter().filter(move |it| it.grade == grade).map(|it| it.rating);
    for grade in 1..5 {
        assert!(ratings(grade).max() < ratings(grade + 1).min(), "{grade}");
    }
}

/// By tables that are built here, in the thorough tests for all puzzles.
#[test]
fn each_puzzle_has_one_solution() {
    let File { board, rules, puzzles, .. } = file();
    let most = effort(5, 8);
    let dir = tempfile::tempdir().expect("a directory");
    build_tables(dir.path(), &board.to_string(), &rules.to_string(), most, Metric::Wdl);
    let tables = Tables::open(dir.path(), board, rules).expect("they are there");
    let probe = |position: &Position| tables.probe(position).expect("a table").value;
    let small = puzzles.iter().filter(|puzzle| puzzle.stones() <= most);
    let checked = small.inspect(|puzzle| check(puzzle, &rules, probe)).count();
    assert!(checked >= effort(200, puzzles.len()), "{checked} of {}", puzzles.len());
}
