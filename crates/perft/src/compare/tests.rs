//! Programs with one fault each, which have to be found.

use std::convert::Infallible;
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use fanorona_core::{Board, MAX_STEPS, Position, RuleSet, Setup, StepKind};
use fanorona_tests::effort;
use rayon::prelude::*;

use super::*;
use crate::slow::{Fault, SlowGenerator, SlowTurn, Taking};
use crate::suite::{self, Entry};

fn entries(name: &str) -> Vec<Entry> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/perft");
    let text = fs::read_to_string(data.join(name)).expect("it can be read");
    suite::parse(&text).expect("it is a suite")
}

/// How a program writes a turn.
type Notation = fn(Board, &SlowTurn) -> String;

fn usual(board: Board, turn: &SlowTurn) -> String {
    turn.text(board)
}

/// `d3-e3+,d4-`
fn with_signs(board: Board, turn: &SlowTurn) -> String {
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
fn with_captured(board: Board, turn: &SlowTurn) -> String {
    let name = |point| board.coordinates(point).to_string();
    let captured: Vec<_> = turn.captured.iter().map(name).collect();
    format!("{}-{} x {}", name(turn.origin), name(turn.destination()), captured.join(","))
}

/// Only the points.
fn bare(board: Board, turn: &SlowTurn) -> String {
    turn.text(board).replace(['A', 'W'], "").to_uppercase()
}

fn program(
    rules: RuleSet,
    fault: Option<Fault>,
    notation: Notation,
) -> impl Fn(&RuleSet, &Position, u8) -> Result<String, Infallible> + Sync {
    move |_, position, depth| {
        let slow = SlowGenerator::new(&rules, fault.as_slice());
        let turns = slow.divide(position, depth, &mut 100_000_000).expect("little work");
        let listed: Vec<_> = slow.listed(&turns).into_iter().map(|turn| &turns[turn]).collect();
        let sum: u128 = listed.iter().map(|(_, nodes)| nodes).sum();
        let board = position.board();
        let line = |(turn, nodes): &(SlowTurn, u128)| {
            if turn.steps.is_empty() {
                format!("pass: {nodes}\n")
            } else {
                format!("{}: {nodes}\n", notation(board, turn))
            }
        };
        let lines: String = listed.into_iter().map(line).collect();
        Ok(format!("{lines}total {sum}\n"))
    }
}

/// A program that prints the count alone.
fn counter(
    rules: RuleSet,
    fault: Option<Fault>,
) -> impl Fn(&RuleSet, &Position, u8) -> Result<String, Infallible> + Sync {
    move |_, position, depth| {
        let slow = SlowGenerator::new(&rules, fault.as_slice());
        let turns = slow.divide(position, depth, &mut 100_000_000).expect("little work");
        Ok(format!("{}\n", slow.sum(&turns, depth).expect("it is certain")))
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

/// Every fault that the suites show is found and named, from turns in two notations and from
/// counts alone.
#[test]
fn every_fault_is_named() {
    let suites = [
        ("standard-9x5.perft", RuleSet::STANDARD),
        ("forced-relay.perft", RuleSet::FORCED_RELAY),
        ("free-capture.perft", RuleSet::FREE_CAPTURE),
        ("first-capture-single.perft", RuleSet::FIRST_CAPTURE_SINGLE),
        ("vela.perft", RuleSet::VELA),
    ];
    let wrong = Mutex::new(Vec::new());
    for (suite, rules) in &suites[..effort(1, suites.len())] {
        let entries = entries(suite);
        let few = |fault: &Fault| match fault {
            Fault::RelayEnds(steps) => [2, 3, 8, 10, 12].contains(steps),
            // What follows depends on which turns are left out, or has too many stones.
            Fault::SameEndsOnce | Fault::StoneStays => false,
            _ => true,
        };
        let mut faults = Fault::all(rules, Board::tsivy());
        assert!(faults.contains(&Fault::RelayEnds(MAX_STEPS as u8 - 1)));
        faults.retain(few);
        faults.into_par_iter().for_each(|fault| {
            let found = [
                compare(*rules, &entries, &program(*rules, Some(fault), usual)),
                compare(*rules, &entries, &program(*rules, Some(fault), with_signs)),
                compare(*rules, &entries, &counter(*rules, Some(fault))),
            ];
            for (i, result) in found.into_iter().enumerate() {
                let causes: Vec<_> =
                    result.causes.iter().map(|cause| cause.faults.clone()).collect();
                // The board is its own mirror image, so the counts are right.
                let is_mirrored = fault == Fault::UpsideDown && i == 2;
                let is_hidden = result.agrees() && (is_mirrored || may_be_hidden(rules, &fault));
                let is_named = causes == [[fault]] || causes == [[plainer(rules, fault)]];
                let is_found = is_named && result.causes[0].explained >= result.differ;
                if !is_hidden && !is_found {
                    let text = format!("{rules}, {fault:?} in form {i}: {causes:?}");
                    wrong.lock().unwrap().push(text);
                }
            }
        });
    }
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Relays that end late are another fault than a first capture with many steps.
#[test]
fn a_first_capture_of_many_steps_is_named() {
    let rules = RuleSet::FIRST_CAPTURE_SINGLE;
    let fault = Fault::OtherRules(RuleSet::STANDARD);
    let entries = entries("first-capture-single.perft");
    let result = compare(rules, &entries, &program(rules, Some(fault), usual));
    let causes: Vec<_> = result.causes.iter().map(|cause| cause.faults.clone()).collect();
    assert_eq!(causes, [[fault]]);
}

/// Two faults at once are named together.
#[test]
fn two_faults_are_named_together() {
    let entries = entries("standard-9x5.perft");
    let free: RuleSet = "standard+direction-free".parse().expect("a rule set");
    let beyond = Fault::Beyond { gaps: true, own: true };
    for fault in [Fault::RelayEnds(3), Fault::BothLines, beyond] {
        let program = program(free, Some(fault), usual);
        let result = compare(RuleSet::STANDARD, &entries, &program);
        let causes: Vec<_> = result.causes.iter().map(|cause| cause.faults.clone()).collect();
        assert_eq!(causes.len(), 1, "{fault:?}: {causes:?}");
        assert!(causes[0].len() == 2 && causes[0].contains(&fault), "{fault:?}: {causes:?}");
        assert!(causes[0].contains(&Fault::SameDirection), "{fault:?}: {causes:?}");
    }
}

/// The position that is reported is the smallest: without any one of its stones, the answers agree, or
/// differ the other way. So it is with a program that only counts.
#[test]
fn no_stone_of_a_reported_position_is_superfluous() {
    let (entries, rules) = (entries("standard-9x5.perft"), RuleSet::STANDARD);
    let faults = [
        Fault::SameDirection,
        Fault::Back,
        Fault::LineEnds(1),
        Fault::RelayEnds(2),
        Fault::NotIntoCaptured,
        Fault::Only(StepKind::Approach),
    ];
    for fault in faults {
        let programs = [counter(rules, Some(fault))];
        let counted = programs.iter().map(|program| compare(rules, &entries, program));
        for result in counted.chain([compare(rules, &entries, &program(rules, Some(fault), usual))])
        {
            let Difference { position, depth, expected, found, .. } = &result.differences[0];
            let counts = |position: &Position| {
                let count = |slow: SlowGenerator<'_>| {
                    let turns = slow.divide(position, *depth, &mut 1_000_000).expect("few");
                    turns.iter().map(|(_, nodes)| nodes).sum::<u128>()
                };
                (
                    count(SlowGenerator::new(&rules, &[])),
                    count(SlowGenerator::new(&rules, &[fault])),
                )
            };
            assert_eq!(counts(position), (*expected, *found), "{fault:?}");
            assert_eq!(*depth, 1, "{fault:?}: {result:#?}");
            for point in (position.own() | position.opponent()).iter() {
                let mut setup = Setup::from(*position);
                setup.white -= point;
                setup.black -= point;
                let Ok(smaller) = Position::try_from(setup) else { continue };
                if smaller.own().is_empty() || smaller.opponent().is_empty() {
                    continue;
                }
                let (right, wrong) = counts(&smaller);
                let differs = if found < expected { wrong < right } else { wrong > right };
                assert!(!differs, "{fault:?} at '{position}' is at '{smaller}' too");
            }
        }
    }
}

/// A program may leave out turns with nothing below them.
#[test]
fn turns_with_nothing_below_may_be_left_out() {
    let (entries, rules) = (entries("standard-9x5.perft"), RuleSet::STANDARD);
    let (with_all, left_out) = (program(rules, None, usual), AtomicUsize::new(0));
    let short = |rules: &RuleSet, position: &Position, depth: u8| {
        let text = with_all(rules, position, depth)?;
        let (empty, lines): (Vec<&str>, Vec<_>) =
            text.lines().partition(|line| line.ends_with(": 0") || line.starts_with("total"));
        left_out.fetch_add(empty.len() - 1, Ordering::Relaxed);
        // It says so where nothing is left.
        let sum = if lines.is_empty() { "total 0" } else { "" };
        Ok(lines.join("\n") + sum)
    };
    let result = compare(rules, &entries, &short);
    assert!(result.agrees(), "{result:#?}");
    assert!(left_out.into_inner() > 0, "some turns end the game");
}

/// A line that can mean several turns leaves those to the others that can mean only one.
#[test]
fn lines_with_little_choice_come_first() {
    let (board, rules) = (Board::tsivy(), RuleSet::STANDARD);
    let position = board.start();
    let turns: Vec<(SlowTurn, u128)> = ["d3-e3A", "d3-e3W"]
        .map(|text| rules.parse_turn(&position, text).expect("it is legal"))
        .map(|turn| (SlowTurn::legal(&position, &turn), 1))
        .into();
    for exact in ["d3-e3A", "d3-e3W"] {
        let text = format!("d3-e3: 1\n{exact}: 1\n");
        let reply = reply::Reply::read(board, &text).expect("it is an answer");
        let matching = matching::Matching::new(&position, &turns, &reply.lines);
        let is_complete = matching.missing.is_empty() && matching.extra.is_empty();
        assert!(is_complete, "{exact}: {matching:?}");
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

/// Whether the positions of the suites on 9x5 may not show a fault.
fn may_be_hidden(rules: &RuleSet, fault: &Fault) -> bool {
    let is_vela = *rules == RuleSet::VELA;
    match fault {
        Fault::GoesOn => *rules != RuleSet::STANDARD,
        Fault::LineEnds(stones) => *rules != RuleSet::STANDARD && *stones > 2,
        // Only the first turn has to capture.
        Fault::ObligedBy(_) => *rules == RuleSet::FREE_CAPTURE || is_vela,
        Fault::PrefersLonger | Fault::Beyond { gaps: false, .. } => is_vela,
        _ => false,
    }
}

/// A plainer fault that gives the same answers.
fn plainer(rules: &RuleSet, fault: Fault) -> Fault {
    match fault {
        // They differ only in relays with all stones on the board.
        Fault::AnyLosses => Fault::OtherRules(RuleSet::STANDARD),
        Fault::OftenToStart if *rules == RuleSet::VELA => Fault::BackToStart,
        _ => fault,
    }
}
