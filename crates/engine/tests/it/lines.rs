//! Several lines, and searches of some turns alone.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Board, Position, RuleSet, SplitMix64, Turn, Value};
use fanorona_engine::{Analysis, Choice, End, Engine, Level, Limits, Options, Score};
use fanorona_knowledge::Knowledge;
use fanorona_tablebase::{Metric, Tables};

const RULES: RuleSet = RuleSet::STANDARD;

fn engine(board: Board, level: Level, tables: Option<Arc<Tables>>, full_width: bool) -> Engine {
    let mut options = Options::default();
    (options.level, options.memory, options.full_width) = (level, 1 << 20, full_width);
    options.seed = Some(1);
    let known = Knowledge::new(board, RULES, tables, None).expect("they are of the game");
    Engine::new(known, options).expect("an engine")
}

fn lines(
    engine: &mut Engine,
    position: &Position,
    choice: Choice<'_>,
    limits: Limits,
) -> Vec<Analysis> {
    let stop = AtomicBool::new(false);
    let mut last = Vec::new();
    let note = |lines: &[Analysis]| last = lines.to_vec();
    let found = engine.analyze_lines(position, &[], &choice, &limits, &stop, note);
    let found = found.expect("nothing fails");
    if found[0].end == End::Depth {
        let answer = |lines: &[Analysis]| {
            lines.iter().map(|line| (line.turn.clone(), line.score)).collect::<Vec<_>>()
        };
        assert_eq!(answer(&last), answer(&found), "{position}: the last progress is the answer");
    }
    found
}

fn depth(depth: u32) -> Limits {
    Limits { depth: Some(depth), ..Limits::default() }
}

/// Positions some random turns after the start.
fn positions(board: Board, count: u64) -> impl Iterator<Item = Position> {
    (0..count).filter_map(move |seed| {
        let mut random = SplitMix64::new(seed);
        let mut position = board.start();
        for _ in 0..4 + seed % 9 {
            let turns = RULES.turns(&position);
            let turn = turns.get(random.below(turns.len().max(1) as u64) as usize)?;
            position = position.play_unchecked(turn);
        }
        RULES.outcome(&position).is_none().then_some(position)
    })
}

/// The turns with distinct successors.
fn distinct(position: &Position) -> Vec<Turn> {
    let mut seen = std::collections::HashSet::new();
    let mut turns = RULES.turns(position);
    turns.retain(|turn| seen.insert(position.play_unchecked(turn)));
    turns
}

/// An estimate as a number that can be compared with other scores.
fn worth(score: Score) -> i32 {
    match score {
        Score::Estimate(estimate) => estimate,
        Score::Exact(known) | Score::Proved(known) => {
            let turns = i32::from(known.turns.unwrap_or(1_000));
            match known.value {
                Value::Win => 100_000 - turns,
                Value::Draw => 0,
                Value::Loss => turns - 100_000,
            }
        }
    }
}

#[test]
fn each_line_has_the_score_of_a_search_of_its_turn_alone() {
    let mut compared = 0;
    for position in positions(Board::dimy(), 40) {
        let board = position.board();
        let turns = distinct(&position);
        let all = Choice { turns: None, lines: usize::MAX };
        let found = lines(&mut engine(board, Level::FULL, None, true), &position, all, depth(3));
        assert_eq!(found.len(), turns.len(), "{position}");
        for line in &found {
            let turn = line.turn.clone().expect("the game goes on");
            assert_eq!(line.line.first(), Some(&turn));
            let alone = Choice { turns: Some(&[turn]), lines: 1 };
            let mut engine = engine(board, Level::FULL, None, true);
            let alone = lines(&mut engine, &position, alone, depth(3));
            assert_eq!((alone.len(), alone[0].score), (1, line.score), "{position}");
            compared += 1;
        }
        assert!(found.is_sorted_by_key(|line| -worth(line.score)), "{position}");
        let one = lines(
            &mut engine(board, Level::FULL, None, true),
            &position,
            Choice::default(),
            depth(3),
        );
        assert_eq!(one[0].score, found[0].score, "{position}");
    }
    assert!(compared > 100, "{compared}");
}

#[test]
fn one_line_is_the_usual_search() {
    for level in Level::all() {
        for position in positions(Board::tsivy(), 3) {
            let limits = Limits { nodes: Some(3_000), ..Limits::default() };
            let board = position.board();
            let stop = AtomicBool::new(false);
            let usual = engine(board, level, None, false)
                .analyze(&position, &[], &limits, &stop, |_| {})
                .expect("nothing fails");
            let one =
                lines(&mut engine(board, level, None, false), &position, Choice::default(), limits);
            let answer = |found: &Analysis| {
                (found.turn.clone(), found.score, found.nodes, found.depth, found.line.clone())
            };
            assert_eq!(answer(&usual), answer(&one[0]), "{level} {position}");
        }
    }
}

#[test]
fn only_legal_turns_restrict_a_search() {
    let start = Board::dimy().start();
    let mut engine = engine(Board::dimy(), Level::FULL, None, false);
    let turns = RULES.turns(&start);
    for turn in &turns {
        let alone = Choice { turns: Some(std::slice::from_ref(turn)), lines: 3 };
        let found = lines(&mut engine, &start, alone, depth(2));
        assert_eq!((found.len(), found[0].turn.as_ref()), (1, Some(turn)));
    }
    // A turn of another position.
    let other: Position = "5/5/1W1B1/5/5 w".parse().expect("a position");
    let illegal = RULES.parse_turn(&other, "b3-c3A").expect("a turn");
    for illegal in [&[illegal][..], &[]] {
        let found = lines(&mut engine, &start, Choice { turns: Some(illegal), lines: 0 }, depth(2));
        assert!(found[0].turn.as_ref().is_some_and(|turn| turns.contains(turn)));
    }
}

#[test]
fn a_stopped_search_has_no_turn_twice() {
    for nodes in [1, 5, 40, 100, 300, 1_000, 3_000] {
        for position in positions(Board::dimy(), 10) {
            let choice = Choice { turns: None, lines: 4 };
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let mut engine = engine(position.board(), Level::FULL, None, false);
            let found = lines(&mut engine, &position, choice, limits);
            let turns: std::collections::HashSet<_> =
                found.iter().map(|line| line.turn.clone()).collect();
            assert_eq!(turns.len(), found.len(), "{position} {nodes}");
            assert!((1..=4).contains(&found.len()));
        }
    }
}

#[test]
fn tables_give_every_line_its_value() {
    let board = Board::tsivy();
    for metric in [Metric::Dtw, Metric::Wdl] {
        let dir = tempfile::tempdir().expect("a directory");
        let options = BuildOptions::new(dir.path(), board, RULES, 4).with_metric(metric);
        build(&options, &(), &AtomicBool::new(false)).expect("it can be built");
        let tables = Arc::new(Tables::open(dir.path(), board, RULES).expect("they are there"));
        let mut engine = engine(board, Level::FULL, Some(tables.clone()), false);
        for text in
            ["B7B/9/9/9/W7W w", "9/2W6/4B4/6W2/8B w", "W8/9/4B4/4B4/8B b", "9/3W5/9/5B3/9 w"]
        {
            let position: Position = text.parse().expect("a position");
            let limits = Limits { nodes: Some(2_000), ..Limits::default() };
            let choice = Choice { turns: None, lines: usize::MAX };
            let found = lines(&mut engine, &position, choice, limits);
            let turns = distinct(&position);
            assert_eq!(found.len(), turns.len(), "{text}");
            for line in &found {
                let turn = line.turn.as_ref().expect("the game goes on");
                let after = tables.probe(&position.play_unchecked(turn)).expect("a value");
                let (Score::Exact(known) | Score::Proved(known)) = line.score else {
                    panic!("{text}: {:?}", line.score)
                };
                assert_eq!(known.value, -after.value, "{text}");
                if let Score::Exact(known) = line.score {
                    assert_eq!(known.turns, after.dtw.map(|turns| turns + 1), "{text}");
                }
            }
            assert!(found.is_sorted_by_key(|line| line.score.value().map(|value| -value)));
            // The worst turn alone is found too.
            let worst = found.last().and_then(|line| line.turn.clone()).expect("a turn");
            let choice = Choice { turns: Some(std::slice::from_ref(&worst)), lines: 5 };
            let alone = lines(&mut engine, &position, choice, limits);
            assert_eq!((alone.len(), alone[0].turn.as_ref()), (1, Some(&worst)), "{text}");
        }
    }
}
