//! Play with cycles: a search that ignores the path of a result gives wrong answers here, and this
//! one does not.

use std::collections::HashMap;

use crate::common::{analyze, positions, rules, solve, value};
use fanorona_core::{Board, Position, RuleSet, Side, Value};
use fanorona_solver::Solver;

/// Whether the attacker can force a win, by a search that takes a failure by repetition for a fact,
/// and remembers it for every other path: this is wrong.
fn wins_carelessly(
    rules: &RuleSet,
    position: &Position,
    attacker: Side,
    path: &mut Vec<Position>,
    memory: &mut HashMap<Position, bool>,
) -> bool {
    if let Some(outcome) = rules.outcome(position) {
        return outcome.value_for(attacker) == Value::Win;
    }
    if let Some(wins) = memory.get(position) {
        return *wins;
    }
    if path.contains(position) {
        return false;
    }
    path.push(*position);
    let attacks = position.to_move() == attacker;
    let mut after = rules.successors(position).into_iter();
    let wins = if attacks {
        after.any(|after| wins_carelessly(rules, &after, attacker, path, memory))
    } else {
        after.all(|after| wins_carelessly(rules, &after, attacker, path, memory))
    };
    path.pop();
    memory.insert(*position, wins);
    wins
}

fn is_misjudged(rules: &RuleSet, position: &Position, truth: Value) -> bool {
    let mover = position.to_move();
    let [wins, loses] = [mover, mover.other()].map(|attacker| {
        wins_carelessly(rules, position, attacker, &mut Vec::new(), &mut HashMap::new())
    });
    wins != (truth == Value::Win) || loses != (truth == Value::Loss)
}

#[test]
fn careless_searches_are_wrong_and_this_one_is_not() {
    for (name, texts) in
        [("standard", &["B1B/B1B/WW1 w"][..]), ("free-capture", &["3/B2/1W1 w", "3/B2/WB1 w"])]
    {
        let rules = rules(name);
        let decided = solve(&rules);
        for text in texts {
            let position: Position = text.parse().expect("a position");
            let truth = value(&decided, &position);
            assert!(is_misjudged(&rules, &position, truth), "{name} {text}");
            let mut solver = Solver::new(rules, Board::telo(), None, 1 << 20).expect("memory");
            let analysis = analyze(&mut solver, &position, 1);
            assert_eq!(analysis.value(), Some(truth), "{name} {text}");
        }
    }
}

#[test]
fn facts_of_one_search_are_true_in_the_next_ones() {
    // What is remembered of a search is used on other paths, in any order of the positions.
    let rules = rules("free-capture");
    let decided = solve(&rules);
    let positions = positions();
    for threads in [1, 2] {
        let mut solver = Solver::new(rules, Board::telo(), None, 1 << 20).expect("memory");
        let mut place = 0;
        for _ in 0..600 {
            place = (place + 1999) % positions.len();
            let analysis = analyze(&mut solver, &positions[place], threads);
            let truth = value(&decided, &positions[place]);
            assert_eq!(analysis.value(), Some(truth), "{}", positions[place]);
        }
    }
}
