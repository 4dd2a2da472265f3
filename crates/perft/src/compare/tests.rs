//! Programs with one mistake each, which have to be found.

use std::convert::Infallible;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, MAX_STEPS, Position, RuleSet, StepKind};
use fanorona_tests::effort;

use super::candidate::Candidate;
use super::variant::Variant;
use super::written::Taking;
use super::*;
use crate::suite::{self, Entry};

fn entries(name: &str) -> Vec<Entry> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/perft");
    let text = fs::read_to_string(data.join(name)).expect("it can be read");
    suite::parse(&text).expect("it is a suite")
}

/// How a program writes a turn.
type Notation = fn(Board, &Candidate) -> String;

fn usual(board: Board, turn: &Candidate) -> String {
    turn.text(board)
}

/// `d3-e3+,d4-`
fn with_signs(board: Board, turn: &Candidate) -> String {
    let mut text = board.coordinates(turn.origin).to_string();
    for (i, (to, taking)) in turn.steps.iter().enumerate() {
        text += if i > 0 { "," } else { "" };
        text += &board.coordinates(*to).to_string();
        text += match taking {
            Taking::One(StepKind::Approach) => "+",
            Taking::One(StepKind::Withdrawal) => "-",
            _ => "",
        };
    }
    text
}

/// `d3-f4xe5,e6`: the ends, and what is captured.
fn with_captured(board: Board, turn: &Candidate) -> String {
    let name = |point| board.coordinates(point).to_string();
    let captured: Vec<_> = turn.captured.iter().map(name).collect();
    format!("{}-{} x {}", name(turn.origin), name(turn.destination()), captured.join(","))
}

/// Only the points.
fn bare(board: Board, turn: &Candidate) -> String {
    turn.text(board).replace(['A', 'W'], "").to_uppercase()
}

fn program(
    rules: RuleSet,
    fault: Option<Fault>,
    notation: Notation,
) -> impl Fn(&RuleSet, &Position, u8) -> Result<String, Infallible> + Sync {
    move |_, position, depth| {
        let variant = Variant::new(&rules, fault);
        let turns = variant.divide(position, depth, &mut 100_000_000).expect("little work");
        let most = if let Some(Fault::Room(most)) = fault { most } else { usize::MAX };
        let board = position.board();
        let line = |(turn, nodes): &(Candidate, u128)| {
            if turn.steps.is_empty() {
                format!("pass: {nodes}\n")
            } else {
                format!("{}: {nodes}\n", notation(board, turn))
            }
        };
        Ok(turns.iter().take(most).map(line).collect())
    }
}

/// A program that prints the count alone.
fn counter(
    rules: RuleSet,
    fault: Option<Fault>,
) -> impl Fn(&RuleSet, &Position, u8) -> Result<String, Infallible> + Sync {
    move |_, position, depth| {
        let variant = Variant::new(&rules, fault);
        let turns = variant.divide(position, depth, &mut 100_000_000).expect("little work");
        let sum: u128 = turns.iter().map(|(_, nodes)| nodes).sum();
        Ok(format!("{sum}\n"))
    }
}

fn compare(
    rules: RuleSet,
    entries: &[Entry],
    program: &(impl Fn(&RuleSet, &Position, u8) -> Result<String, Infallible> + Sync),
) -> Compare {
    let board = entries[0].position.board();
    let comparison =
        Comparison { entries, max_nodes: 300, ..Comparison::new(rules, board.start(), 3) };
    comparison.run(program, &AtomicBool::new(false), |_| {}).expect("it answers")
}

#[test]
fn programs_that_agree_agree_in_every_notation() {
    let entries = entries("standard-9x5.perft");
    let rules = RuleSet::STANDARD;
    for notation in [usual, with_signs, with_captured, bare] as [Notation; 4] {
        let result = compare(rules, &entries, &program(rules, None, notation));
        assert!(result.agrees(), "{result:?}");
        assert_eq!((result.differ, result.depth), (0, 3));
        assert!(result.entries > 80 && result.themes.len() > 10);
    }
    assert!(compare(rules, &entries, &counter(rules, None)).agrees());
}

/// Every mistake that the suites show is found and named, from turns in two notations and from
/// counts alone.
#[test]
fn every_mistake_is_named() {
    let suites = [
        ("standard-9x5.perft", RuleSet::STANDARD),
        ("forced-relay.perft", RuleSet::FORCED_RELAY),
        ("free-capture.perft", RuleSet::FREE_CAPTURE),
        ("first-capture-single.perft", RuleSet::FIRST_CAPTURE_SINGLE),
        ("vela.perft", RuleSet::VELA),
    ];
    for (suite, rules) in &suites[..effort(1, suites.len())] {
        let entries = entries(suite);
        let few = |fault: &Fault| match fault {
            Fault::RelayEnds(steps) => [2, 3, 8, 10, 12].contains(steps),
            _ => true,
        };
        let mut faults = Fault::all(rules, Board::tsivy(), 100);
        assert!(faults.contains(&Fault::RelayEnds(MAX_STEPS as u8 - 1)));
        faults.retain(few);
        for fault in faults {
            let found = [
                compare(*rules, &entries, &program(*rules, Some(fault), usual)),
                compare(*rules, &entries, &program(*rules, Some(fault), with_signs)),
                compare(*rules, &entries, &counter(*rules, Some(fault))),
            ];
            for (i, result) in found.into_iter().enumerate() {
                let causes: Vec<_> = result.causes.iter().map(|cause| cause.fault).collect();
                // The board is its own mirror image, so the counts are right.
                let is_mirrored = fault == Fault::UpsideDown && i == 2;
                let is_hidden = result.agrees() && (is_mirrored || may_be_hidden(rules, &fault));
                let what = || format!("{rules}, {fault:?} in form {i}: {result:#?}");
                assert!(is_hidden || causes == [fault], "{}", what());
                assert!(is_hidden || result.causes[0].explained >= result.answered, "{}", what());
            }
        }
    }
}

/// Relays that end late are another mistake than a first capture with many steps.
#[test]
fn a_first_capture_of_many_steps_is_named() {
    let rules = RuleSet::FIRST_CAPTURE_SINGLE;
    let fault = Fault::OtherRules(RuleSet { first_capture_single: false, ..rules });
    let entries = entries("first-capture-single.perft");
    let result = compare(rules, &entries, &program(rules, Some(fault), usual));
    let causes: Vec<_> = result.causes.iter().map(|cause| cause.fault).collect();
    assert_eq!(causes, [fault]);
}

/// Two mistakes at once: one of them is named, and it does not explain everything; or none.
#[test]
fn two_mistakes_are_not_taken_for_one() {
    let entries = entries("standard-9x5.perft");
    let free: RuleSet = "standard+direction-free".parse().expect("a rule set");
    for fault in [Fault::RelayEnds(3), Fault::BothLines, Fault::BeyondGap] {
        let program = program(free, Some(fault), usual);
        let result = compare(RuleSet::STANDARD, &entries, &program);
        assert!(!result.agrees(), "{fault:?}");
        let explains_all = |cause: &Cause| cause.explained == cause.answers;
        assert!(!result.causes.iter().any(explains_all), "{fault:?}: {result:#?}");
    }
}

/// Output that is no answer is an error that names the position.
#[test]
fn answers_of_another_depth_are_refused() {
    let deeper = |_: &RuleSet, position: &Position, depth: u8| {
        program(RuleSet::STANDARD, None, usual)(&RuleSet::STANDARD, position, depth + 1)
    };
    let comparison = Comparison::new(RuleSet::STANDARD, Board::tsivy().start(), 2);
    let error = comparison.run(&deeper, &AtomicBool::new(false), |_| {}).unwrap_err();
    assert!(error.to_string().contains("does its depth begin at another number?"), "{error}");
}

/// Whether the suites may not show a mistake.
fn may_be_hidden(rules: &RuleSet, fault: &Fault) -> bool {
    match fault {
        Fault::GoesOn => *rules != RuleSet::STANDARD,
        // Only some of them have so many turns, and a count alone is right.
        Fault::Room(_) => true,
        // In the second phase of the vela both sides have captured.
        Fault::OtherRules(other) => rules.vela.is_some() && other.first_capture_single,
        _ => false,
    }
}
