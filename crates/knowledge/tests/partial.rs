//! Knowledge from a part of the tables, of any slices and of either metric, says nothing else than
//! complete tables with distances.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Position, RuleSet, SplitMix64, Value};
use fanorona_knowledge::{Assessment, Knowledge, Look, RankedTurn, StepTree};
use fanorona_tablebase::{Metric, TableValue, Tables};
use fanorona_tests::partial::{Answer, Compared, Told, Truth, leave_some, position_with};
use fanorona_tests::{directory, effort};

/// The most stones of the tables.
const STONES: u32 = 5;

const RULES: RuleSet = RuleSet::STANDARD;

fn told(found: &Assessment) -> Told {
    Told { at_least: found.bounds.at_least, at_most: found.bounds.at_most, dtw: found.dtw }
}

fn text(turn: &RankedTurn) -> String {
    turn.turn.text(turn.after.board()).to_string()
}

fn answer(look: &Look) -> Answer {
    let turns = look.turns().expect("few turns").iter();
    Answer {
        position: look.position,
        told: told(&look.assessment),
        best: look.best().map(text),
        turns: turns.map(|turn| (text(turn), told(&turn.assessment))).collect(),
    }
}

/// Compares everything that is known of positions.
fn check(
    known: &Knowledge,
    positions: &[Position],
    truth: impl Fn(&Position) -> Truth,
) -> Compared {
    let mut compared = Compared::default();
    for (position, together) in positions.iter().zip(known.look_many(positions)) {
        let look = known.look(position).expect("tables");
        let together = together.expect("tables");
        assert_eq!((look.assessment, &look.turns), (together.assessment, &together.turns));
        compared.check(&RULES, &truth, &answer(&look));
        let without_turns = |assessment: &Assessment| Answer {
            position: *position,
            told: told(assessment),
            best: None,
            turns: Vec::new(),
        };
        let mut alone = |found: &Assessment| compared.check(&RULES, &truth, &without_turns(found));
        alone(&known.lookup(position).expect("tables"));
        alone(&known.assess(position).expect("tables"));
        let least = known.at_least(position).expect("tables");
        assert!(least <= truth(position).0, "{position}");

        let turns = look.turns().expect("few turns");
        check_steps(&StepTree::of_turns(&RULES, position, turns), turns, &truth);
        let line = known.line(position, 12).expect("tables");
        let mut place = *position;
        for ranked in &line.line {
            let (value, dtw) = truth(&ranked.after);
            let truth = (-value, dtw.map(|dtw| dtw + 1));
            assert!(told(&ranked.assessment).is_true(truth), "{position}: {line:?}");
            place = place.play_unchecked(&ranked.turn);
            assert_eq!(place, ranked.after);
        }
    }
    compared
}

/// Compares what is known of each part of a relay with the best turn that begins with it.
fn check_steps(steps: &[StepTree], turns: &[RankedTurn], truth: &impl Fn(&Position) -> Truth) {
    for step in steps {
        let begins =
            |turn: &&RankedTurn| format!("{}-", text(turn)).starts_with(&format!("{}-", step.turn));
        let values = turns.iter().filter(begins).map(|turn| {
            let (value, dtw) = truth(&turn.after);
            TableValue { value, dtw }.before_turn()
        });
        let best = values.min_by(TableValue::best_first).expect("a turn begins so");
        assert!(told(&step.assessment).is_true((best.value, best.dtw)), "{step:?}");
        check_steps(&step.next, turns, truth);
    }
}

#[test]
fn a_part_of_the_tables_says_less_but_nothing_else() {
    let mut random = SplitMix64::new(56);
    let mut all = Compared::default();
    for (board, subsets) in [("3x3", 300), ("5x3", 700), ("5x5", 1000)] {
        let board = board.parse().expect("a board");
        let complete = directory().expect("a directory");
        for metric in Metric::ALL {
            let options =
                BuildOptions::new(complete.path(), board, RULES, STONES).with_metric(metric);
            build(&options, &(), &AtomicBool::new(false)).expect("they can be built");
        }
        let open = |dir: &Path| Arc::new(Tables::open(dir, board, RULES).expect("tables"));
        let tables = open(complete.path());
        let truth = |position: &Position| {
            let found = tables.probe(position).expect("they are complete");
            let dtw = found.dtw;
            assert!(dtw.is_some() || found.value == Value::Draw);
            (found.value, dtw)
        };
        for _ in 0..effort(subsets, 4 * subsets) {
            let some = directory().expect("a directory");
            leave_some(complete.path(), some.path(), &mut random).expect("links");
            let known = Knowledge::new(board, RULES, Some(open(some.path())), None);
            let known = known.expect("one game");
            let mut position = || {
                let stones = 2 + random.below(u64::from(STONES) - 1);
                position_with(board, &RULES, stones, &mut random)
            };
            let positions: Vec<_> = (0..12).map(|_| position()).collect();
            let found = check(&known, &positions, truth);
            all.answers += found.answers;
            all.values += found.values;
            all.distances += found.distances;
            all.without += found.without;
        }
    }
    println!("{all:?}");
    // The cases came up.
    assert!(all.distances > all.answers / 20 && all.without > all.answers / 20, "{all:?}");
}

/// The case that was told wrong.
#[test]
fn a_win_is_no_distance_while_a_turn_is_unknown() {
    let dir = directory().expect("a directory");
    let position: Position = "2B/2B/WWB w".parse().expect("a position");
    let build_to = |stones| {
        let options = BuildOptions::new(dir.path(), position.board(), RULES, stones);
        build(&options.with_metric(Metric::Dtw), &(), &AtomicBool::new(false)).expect("tables");
        let tables = Tables::open(dir.path(), position.board(), RULES).expect("tables");
        let known = Knowledge::new(position.board(), RULES, Some(Arc::new(tables)), None);
        known.expect("one game").look(&position).expect("tables")
    };
    let look = build_to(3);
    assert_eq!((look.assessment.value(), look.assessment.dtw), (Some(Value::Win), None));
    assert_eq!(look.turns().expect("turns")[0].assessment.dtw, Some(7));
    assert_eq!(build_to(4).assessment.dtw, Some(3));
}
