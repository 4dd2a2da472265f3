//! Programs with one mistake each, which have to be found.

use std::convert::Infallible;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use fanorona_core::{Board, MAX_STEPS, Position, RuleSet, Setup, StepKind};
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
    mistake: Option<Mistake>,
    notation: Notation,
) -> impl Fn(&RuleSet, &Position, u8) -> Result<String, Infallible> + Sync {
    move |_, position, depth| {
        let variant = Variant::new(&rules, mistake.as_slice());
        let turns = variant.divide(position, depth, &mut 100_000_000).expect("little work");
        let listed: Vec<_> = variant.listed(&turns).into_iter().map(|turn| &turns[turn]).collect();
        let sum: u128 = listed.iter().map(|(_, nodes)| nodes).sum();
        let board = position.board();
        let line = |(turn, nodes): &(Candidate, u128)| {
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
    mistake: Option<Mistake>,
) -> impl Fn(&RuleSet, &Position, u8) -> Result<String, Infallible> + Sync {
    move |_, position, depth| {
        let variant = Variant::new(&rules, mistake.as_slice());
        let turns = variant.divide(position, depth, &mut 100_000_000).expect("little work");
        Ok(format!("{}\n", variant.sum(&turns, depth).expect("it is certain")))
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
        let few = |mistake: &Mistake| match mistake {
            Mistake::RelayEnds(steps) => [2, 3, 8, 10, 12].contains(steps),
            // What follows depends on which turns are left out, or has too many stones.
            Mistake::Room(_) | Mistake::SameEndsOnce | Mistake::StoneStays => false,
            _ => true,
        };
        let mut mistakes = Mistake::all(rules, Board::tsivy(), 100);
        assert!(mistakes.contains(&Mistake::RelayEnds(MAX_STEPS as u8 - 1)));
        mistakes.retain(few);
        for mistake in mistakes {
            let found = [
                compare(*rules, &entries, &program(*rules, Some(mistake), usual)),
                compare(*rules, &entries, &program(*rules, Some(mistake), with_signs)),
                compare(*rules, &entries, &counter(*rules, Some(mistake))),
            ];
            for (i, result) in found.into_iter().enumerate() {
                let causes: Vec<_> =
                    result.causes.iter().map(|cause| cause.mistakes.clone()).collect();
                // The board is its own mirror image, so the counts are right.
                let is_mirrored = mistake == Mistake::UpsideDown && i == 2;
                let is_hidden = result.agrees() && (is_mirrored || may_be_hidden(rules, &mistake));
                let what = || format!("{rules}, {mistake:?} in form {i}: {result:#?}");
                assert!(is_hidden || causes == [[mistake]], "{}", what());
                assert!(is_hidden || result.causes[0].explained >= result.differ, "{}", what());
            }
        }
    }
}

/// Relays that end late are another mistake than a first capture with many steps.
#[test]
fn a_first_capture_of_many_steps_is_named() {
    let rules = RuleSet::FIRST_CAPTURE_SINGLE;
    let mistake = Mistake::OtherRules(RuleSet::STANDARD);
    let entries = entries("first-capture-single.perft");
    let result = compare(rules, &entries, &program(rules, Some(mistake), usual));
    let causes: Vec<_> = result.causes.iter().map(|cause| cause.mistakes.clone()).collect();
    assert_eq!(causes, [[mistake]]);
}

/// Two mistakes at once are named together.
#[test]
fn two_mistakes_are_named_together() {
    let entries = entries("standard-9x5.perft");
    let free: RuleSet = "standard+direction-free".parse().expect("a rule set");
    let beyond = Mistake::Beyond { gaps: true, own: true };
    for mistake in [Mistake::RelayEnds(3), Mistake::BothLines, beyond] {
        let program = program(free, Some(mistake), usual);
        let result = compare(RuleSet::STANDARD, &entries, &program);
        let causes: Vec<_> = result.causes.iter().map(|cause| cause.mistakes.clone()).collect();
        assert_eq!(causes.len(), 1, "{mistake:?}: {causes:?}");
        assert!(causes[0].len() == 2 && causes[0].contains(&mistake), "{mistake:?}: {causes:?}");
        assert!(causes[0].contains(&Mistake::SameDirection), "{mistake:?}: {causes:?}");
    }
}

/// The position that is reported is the smallest: without any one of its stones, the answers agree, or
/// differ the other way. So it is with a program that only counts.
#[test]
fn no_stone_of_a_reported_position_is_superfluous() {
    let (entries, rules) = (entries("standard-9x5.perft"), RuleSet::STANDARD);
    let mistakes = [
        Mistake::SameDirection,
        Mistake::Back,
        Mistake::LineEnds(1),
        Mistake::RelayEnds(2),
        Mistake::NotIntoCaptured,
        Mistake::Only(StepKind::Approach),
    ];
    for mistake in mistakes {
        let programs = [counter(rules, Some(mistake))];
        let counted = programs.iter().map(|program| compare(rules, &entries, program));
        for result in
            counted.chain([compare(rules, &entries, &program(rules, Some(mistake), usual))])
        {
            let Difference { position, depth, expected, found, .. } = &result.differences[0];
            let counts = |position: &Position| {
                let count = |variant: Variant<'_>| {
                    let turns = variant.divide(position, *depth, &mut 1_000_000).expect("few");
                    turns.iter().map(|(_, nodes)| nodes).sum::<u128>()
                };
                (count(Variant::new(&rules, &[])), count(Variant::new(&rules, &[mistake])))
            };
            assert_eq!(counts(position), (*expected, *found), "{mistake:?}");
            assert_eq!(*depth, 1, "{mistake:?}: {result:#?}");
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
                assert!(!differs, "{mistake:?} at '{position}' is at '{smaller}' too");
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
    let turns: Vec<(Candidate, u128)> = ["d3-e3A", "d3-e3W"]
        .map(|text| rules.parse_turn(&position, text).expect("it is legal"))
        .map(|turn| (Candidate::legal(&position, &turn), 1))
        .into();
    for exact in ["d3-e3A", "d3-e3W"] {
        let text = format!("d3-e3: 1\n{exact}: 1\n");
        let reply = reply::Reply::read(board, &text).expect("it is an answer");
        let matching = matching::Matching::new(&position, &turns, &reply.lines);
        assert!(matching.is_complete(), "{exact}: {matching:?}");
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
fn may_be_hidden(rules: &RuleSet, mistake: &Mistake) -> bool {
    match mistake {
        Mistake::GoesOn => *rules != RuleSet::STANDARD,
        _ => false,
    }
}
