//! What is said of wrong generators: the right name, or that no known mistake explains their answers.

mod generator;

use std::convert::Infallible;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Position, RuleSet};
use fanorona_perft::compare::{Compare, Comparison};
use fanorona_perft::suite::{self, Entry};
use fanorona_tests::effort;

use self::generator::Generator;

/// Each is one line away from the right generator below, or two lines where a `+` joins them. With what
/// is said: the name, or nothing where no known mistake is the right one.
const GENERATORS: &[(&str, &str)] = &[
    ("no direction rule", "same-direction"),
    ("no direction rule from the third step on", "same-direction-later"),
    ("no direction rule from the fourth step on", "same-direction-later"),
    ("no direction rule before the third step", "same-direction-first"),
    ("the direction of the first step counts", "first-direction"),
    // All steps that repeat a direction are such.
    ("no direction rule after a withdrawal", "same-direction"),
    ("no direction twice in a turn", "other-rules"),
    ("back to the start once", "back-to-start"),
    ("back to the start often", "often-to-start"),
    ("back to all but the start", "back-to-way"),
    ("back to any point", "back"),
    ("back to all but the point just left", "back-later"),
    ("not into a captured point", "not-into-captured"),
    ("relays go on by approach", "relay-by-approach"),
    ("relays go on by withdrawal", "relay-by-withdrawal"),
    ("relays go on after approach", "relay-after-approach"),
    ("relays keep their kind of capture", "relay-same-kind"),
    ("captured stones stand during the turn", "captured-stand"),
    ("the last step's stones are gone after the turn", "last-step-gone"),
    ("nothing is gone after the turn", "nothing-gone"),
    ("the stone stays at the start, too", "stone-stays"),
    ("three stones of a line", "short-lines"),
    ("one stone of a line", "nearest-stone"),
    ("lines go on behind a gap", "beyond-empty"),
    ("lines go on behind own stones", "beyond-own"),
    ("lines end before the edge", "edge-safe"),
    ("both lines at once", "both-lines"),
    ("approach goes before withdrawal", "approach-first"),
    ("the longer line goes first", "longer-first"),
    ("no withdrawal", "omits-withdrawal"),
    ("no captures along diagonals", "straight-captures"),
    ("relays end after five steps", "relay-ends"),
    ("relays go on while they can", "other-rules"),
    ("paikas beside captures", "other-rules"),
    ("paikas of stones that cannot capture", "capturer-stays"),
    ("approaches oblige", "obliged-by-approach"),
    ("the most stones", "most-stones"),
    ("one turn for each result", "same-result-once"),
    ("one turn for each start and end", "same-ends-once"),
    ("diagonals everywhere", "all-diagonals"),
    ("no step to the north-east", "lacks-direction"),
    ("room for 100 turns", "room"),
    ("no direction rule + both lines at once", "same-direction+both-lines"),
    ("back to the start once + relays end after five steps", "back-to-start+relay-ends"),
    ("not into a captured point + relays go on by approach", "not-into-captured+relay-by-approach"),
    ("lines end before the edge + no direction rule", "same-direction+edge-safe"),
    ("one stone of a line + paikas beside captures", "nearest-stone+other-rules"),
    ("no direction rule along diagonals", ""),
    ("no direction rule at every third step", ""),
    ("no direction rule for Black", ""),
    ("back to the start from the fourth step on", ""),
    ("back to the start by withdrawal", ""),
    ("not into points of the first capture", ""),
    ("the first step's stones stand during the turn", ""),
    ("the first step's stones are gone after the turn", ""),
    ("two stones of a line by withdrawal", ""),
    ("lines go on behind a gap by approach", ""),
    ("lines go on behind one gap", ""),
    ("relays end after three steps if they begin by withdrawal", ""),
    ("relays end on weak points", ""),
    ("relays end at the edge", ""),
    ("relays need a capture of two stones to go on", ""),
    ("Black has no relays", ""),
    ("Black has no withdrawal", ""),
    ("stones in a corner are safe", ""),
    ("stones in a corner stay", ""),
    ("paikas go forward", ""),
    ("the last stone is safe", ""),
    ("no captures by approach along ranks", ""),
    ("approach goes before withdrawal in relays", ""),
    ("paikas of stones that can capture", ""),
];

fn entries() -> Vec<Entry> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/perft");
    let text = fs::read_to_string(data.join("standard-9x5.perft")).expect("it can be read");
    suite::parse(&text).expect("it is a suite")
}

/// Compares with a generator that prints its turns, or the count alone.
fn compare(generator: Generator, entries: &[Entry], has_turns: bool) -> Compare {
    let program = |_: &RuleSet, position: &Position, depth: u8| {
        let turns = generator.divide(position, depth);
        let sum: u64 = turns.iter().map(|(_, nodes)| nodes).sum();
        let line = |(turn, nodes): &(String, u64)| format!("{turn}: {nodes}\n");
        let lines = if has_turns { turns.iter().map(line).collect() } else { String::new() };
        Ok::<String, Infallible>(format!("{lines}total {sum}\n"))
    };
    let start = Board::tsivy().start();
    let mut comparison = Comparison::new(RuleSet::STANDARD, start, 3);
    comparison.entries = entries;
    comparison.run(&program, &AtomicBool::new(false), |_| {}).expect("it answers")
}

/// What is said of a program.
fn said(result: &Compare) -> String {
    let names: Vec<_> = result.causes.iter().map(|cause| cause.name.as_str()).collect();
    names.join(" or ")
}

#[test]
fn the_right_generator_agrees() {
    for has_turns in [true, false] {
        assert!(compare(Generator(""), &entries(), has_turns).agrees());
    }
}

/// Prints a table of what is said.
#[test]
fn wrong_generators_are_told_the_right_name_or_none() {
    let entries = entries();
    let mut wrong = Vec::new();
    for (i, (mistake, expected)) in GENERATORS.iter().enumerate() {
        let result = compare(Generator(mistake), &entries, true);
        let name = said(&result);
        let shown = match name.as_str() {
            "" => "none of the known mistakes",
            name => name,
        };
        println!("{mistake:<58} {shown}");
        if result.agrees() || name != *expected {
            wrong.push(format!("{mistake}: {name}, not {expected}"));
        }
        // Without a name, three positions are shown.
        let number = if name.is_empty() { 3 } else { 1 };
        assert_eq!(result.differences.len(), number, "{mistake}: {result:#?}");
        let stones = |number: usize| -> u32 {
            let position = result.differences[number].position;
            position.own().len() + position.opponent().len()
        };
        assert!((1..number).all(|i| stones(i - 1) <= stones(i)), "{mistake}: {result:#?}");
        let has_many = |cause: &fanorona_perft::compare::Cause| {
            cause.answers > 0 && cause.explained * 10 >= cause.answers * 9
        };
        assert!(result.causes.iter().all(has_many), "{mistake}: {result:#?}");
        // Counts alone tell less, but nothing else.
        if i % effort(3, 1) == 0 {
            let name = said(&compare(Generator(mistake), &entries, false));
            if ![*expected, ""].contains(&name.as_str()) {
                wrong.push(format!("{mistake}, by its counts: {name}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
