//! The turns of a proof, played against everything that the other side can do.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicBool;

use crate::common::{Random, analyze, board, positions, rules, solve, tables, value};
use fanorona_core::{Board, Position, RuleSet, Side, Value};
use fanorona_solver::{Claim, ClaimKind, Limits, Question, Solver, Strategy};
use fanorona_tablebase::{Metric, Tables};
use fanorona_tests::effort;

fn limits() -> Limits {
    Limits::default().with_threads(1)
}

/// That a side wins, or that its opponent holds.
fn claim(attacker: Side, wins: bool) -> Claim {
    if wins {
        Claim { side: attacker, kind: ClaimKind::Wins }
    } else {
        Claim { side: attacker.other(), kind: ClaimKind::Holds }
    }
}

/// Whether the attacker's win is known without a proof.
fn known(
    rules: &RuleSet,
    tables: Option<&Tables>,
    position: &Position,
    question: Question,
) -> Option<bool> {
    let value = match rules.outcome(position) {
        Some(outcome) => outcome.value_for(position.to_move()),
        None => tables?.probe(position).ok()?.value,
    };
    Some(value == if position.to_move() == question.attacker { Value::Win } else { Value::Loss })
}

/// Follows a strategy for a win; gives the turns of both sides that it takes at most. Goes round in
/// no circle, or this would not end.
fn longest_win(
    strategy: &mut Strategy<'_, '_>,
    game: (&RuleSet, Option<&Tables>, Question),
    position: &Position,
    seen: &mut HashMap<Position, Option<u32>>,
) -> u32 {
    let (rules, tables, question) = game;
    match known(rules, tables, position, question) {
        Some(wins) => {
            assert!(wins, "{position}");
            return 0;
        }
        None => {
            if let Some(turns) = seen.get(position) {
                return turns.expect("a win with a cycle");
            }
        }
    }
    seen.insert(*position, None);
    let turns = if position.to_move() == question.attacker {
        let turn = strategy.turn(position).expect("it can be found").expect("there is one");
        1 + longest_win(strategy, game, &position.play_unchecked(&turn), seen)
    } else {
        assert_eq!(strategy.turn(position).expect("it can be asked"), None);
        let after = rules.successors(position);
        let longest = after.iter().map(|after| longest_win(strategy, game, after, seen)).max();
        1 + longest.expect("the game is not over")
    };
    seen.insert(*position, Some(turns));
    turns
}

/// Follows a strategy that holds, wherever the attacker goes.
fn hold(
    strategy: &mut Strategy<'_, '_>,
    (rules, tables, question): (&RuleSet, Option<&Tables>, Question),
    position: &Position,
) -> usize {
    let mut waiting = vec![*position];
    let mut seen = HashSet::new();
    while let Some(position) = waiting.pop() {
        if let Some(wins) = known(rules, tables, &position, question) {
            assert!(!wins, "{position}");
        } else if seen.insert(position) {
            if position.to_move() == question.attacker {
                waiting.extend(rules.successors(&position));
            } else {
                let turn =
                    strategy.turn(&position).expect("it can be found").expect("there is one");
                waiting.push(position.play_unchecked(&turn));
            }
        }
    }
    seen.len()
}

/// Follows the strategies of everything that is true of a position.
fn follow(solver: &mut Solver<'_>, rules: &RuleSet, tables: Option<&Tables>, position: &Position) {
    let value = analyze(solver, position, 1).value().expect("it is proved");
    let mover = position.to_move();
    let never = AtomicBool::new(false);
    for (attacker, wins) in [(mover, value == Value::Win), (mover.other(), value == Value::Loss)] {
        let (question, claim) = (Question { attacker }, claim(attacker, wins));
        let game = (rules, tables, question);
        let mut strategy = solver.strategy(claim, &limits(), &never);
        if wins {
            longest_win(&mut strategy, game, position, &mut HashMap::new());
        } else {
            hold(&mut strategy, game, position);
        }
    }
}

#[test]
fn strategies_of_3x3_do_what_they_say() {
    for name in ["standard", "free-capture", "vela+stones-2", "standard+no-turns-draw"] {
        let rules = rules(name);
        // With little memory, nearly everything has to be searched again.
        for (memory, step) in [(1 << 20, effort(30, 3)), (1 << 10, effort(200, 60))] {
            let mut solver = Solver::new(rules, Board::telo(), None, memory).expect("memory");
            for position in positions().iter().step_by(step) {
                follow(&mut solver, &rules, None, position);
            }
        }
    }
}

#[test]
fn strategies_end_in_tables() {
    for (name, stones, memory) in [("5x3", 9, 1 << 22), ("5x5", 6, 1 << 24), ("5x3", 8, 1 << 12)] {
        let (board, rules) = (board(name), RuleSet::STANDARD);
        let built = tables(board, rules, 4, Metric::Wdl);
        let mut solver = Solver::new(rules, board, Some(&built.tables), memory).expect("memory");
        let mut random = Random::new(7);
        for _ in 0..effort(5, 20) {
            let position = random.position(board, stones);
            follow(&mut solver, &rules, Some(&built.tables), &position);
        }
    }
}

/// Tables of the vela's first phase answer. But its proofs go on to the second phase, because
/// certificates name no other tables.
#[test]
fn proofs_of_the_vela_end_in_its_second_phase() {
    let (board, rules) = (Board::telo(), rules("vela+stones-2"));
    let whole = tables(board, rules, 8, Metric::Wdl);
    let second = tables(board, rules.without_vela(), 8, Metric::Wdl);
    let second = Tables::open(second.tables.dir(), board, rules).expect("they are there");
    let decided = solve(&rules);
    let mut solver = Solver::new(rules, board, Some(&whole.tables), 1 << 20).expect("memory");
    let mut first_phase = 0;
    for position in positions().iter().step_by(effort(30, 3)) {
        let found = analyze(&mut solver, position, 1);
        assert_eq!(found.value(), Some(value(&decided, position)), "{position}");
        assert_eq!(found.search.nodes, 0, "{position}: a table or the rules have it");
        follow(&mut solver, &rules, Some(&second), position);
        first_phase += usize::from(rules.endgame_of(position).vela().is_some());
    }
    assert!(first_phase > effort(50, 500), "{first_phase}");
}

#[test]
fn what_is_not_proved_has_no_strategy() {
    let rules = RuleSet::STANDARD;
    let decided = solve(&rules);
    let mut solver = Solver::new(rules, Board::telo(), None, 1 << 20).expect("memory");
    let never = AtomicBool::new(false);
    for position in positions().iter().step_by(5) {
        let claim = Claim { side: position.to_move(), kind: ClaimKind::Wins };
        let wins = value(&decided, position) == Value::Win;
        let over = rules.outcome(position).is_some();
        let mut strategy = solver.strategy(claim, &limits(), &never);
        let turn = strategy.turn(position).expect("it can be asked");
        assert_eq!(turn.is_some(), wins && !over, "{position}");
        let claim = Claim { side: position.to_move(), kind: ClaimKind::Holds };
        let holds = value(&decided, position) != Value::Loss;
        let mut strategy = solver.strategy(claim, &limits(), &never);
        let turn = strategy.turn(position).expect("it can be asked");
        assert_eq!(turn.is_some(), holds && !over, "{position}");
    }
}
