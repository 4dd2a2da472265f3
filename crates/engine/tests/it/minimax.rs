//! The search compared with a slow minimax that has no pruning, no table and no order.

use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Outcome, Position, Preset, RuleSet, SplitMix64};
use fanorona_engine::{Engine, Limits, Options, Score, estimate};
use fanorona_knowledge::Knowledge;

/// Scores as the engine defines them.
const MATE: i32 = 32_000;
const QUIESCENCE_PLIES: u32 = 2;

/// Play under a rule set.
struct Minimax(RuleSet);

impl Minimax {
    /// The score of a position after `depth` more turns, for the side to move.
    fn score(&self, line: &mut Vec<Position>, depth: u32) -> i32 {
        let position = *line.last().expect("a line has a position");
        let ply = line.len() as i32 - 1;
        if position.own().is_empty() {
            return ply - MATE;
        }
        if line[..line.len() - 1].contains(&position) {
            return 0;
        }
        if depth == 0 {
            return self.quiescence(&position, ply, QUIESCENCE_PLIES);
        }
        match self.0.outcome(&position) {
            Some(Outcome::Drawn) => return 0,
            Some(Outcome::Won(_)) => return ply - MATE,
            None => {}
        }
        let mut best = i32::MIN;
        for after in self.0.successors(&position) {
            line.push(after);
            best = best.max(-self.score(line, depth - 1));
            line.pop();
        }
        best
    }

    fn quiescence(&self, position: &Position, ply: i32, plies: u32) -> i32 {
        if position.own().is_empty() {
            return ply - MATE;
        }
        match self.0.outcome(position) {
            Some(Outcome::Drawn) => return 0,
            Some(Outcome::Won(_)) => return ply - MATE,
            None => {}
        }
        let mut best = estimate(position);
        if plies > 0 {
            for after in self.0.successors(position) {
                if after.own().len() < position.opponent().len() {
                    best = best.max(-self.quiescence(&after, ply + 1, plies - 1));
                }
            }
        }
        best
    }
}

/// A score as a number of the engine.
fn number(score: Score) -> i32 {
    match score {
        Score::Estimate(score) => score,
        Score::Proved(known) => {
            let turns = i32::from(known.turns.expect("a win by search has a distance"));
            match known.value {
                fanorona_core::Value::Win => MATE - turns,
                fanorona_core::Value::Loss => turns - MATE,
                fanorona_core::Value::Draw => unreachable!("a search proves no draw"),
            }
        }
        Score::Exact(_) => unreachable!("there are no tables"),
    }
}

/// Positions of a board by random play, which is not over.
fn positions(rules: &RuleSet, board: Board, seed: u64, count: usize) -> Vec<Position> {
    let mut random = SplitMix64::new(seed);
    let mut found = vec![board.start()];
    // Small boards may not have this number of positions.
    for _ in 0..4 * count {
        if found.len() == count {
            break;
        }
        let mut position = board.start();
        for _ in 0..random.below(14) {
            let turns = rules.turns(&position);
            let index = random.below(turns.len() as u64) as usize;
            let Some(turn) = turns.get(index) else { break };
            position = position.play_unchecked(turn);
        }
        if rules.outcome(&position).is_none() && !found.contains(&position) {
            found.push(position);
        }
    }
    found
}

fn rule_sets(board: Board) -> Vec<RuleSet> {
    let mut rule_sets: Vec<RuleSet> = RuleSet::PRESETS.to_vec();
    let most = board.max_stones() as u8;
    for rules in &mut rule_sets {
        if let Preset::Vela(vela) = &mut rules.preset {
            vela.stones = Some(most / 2);
        }
    }
    let draw = "standard+no-turns-draw".parse().expect("a rule set");
    rule_sets.push(draw);
    rule_sets
}

fn compare(board: Board, depth: u32, count: usize) {
    for rules in rule_sets(board) {
        let mut options = Options::default();
        options.full_width = true;
        options.memory = 1 << 20;
        let mut engine =
            Engine::new(Knowledge::of_rules(board, rules), options).expect("an engine");
        let minimax = Minimax(rules);
        for position in positions(&rules, board, u64::from(depth), count) {
            let limits = Limits { depth: Some(depth), ..Limits::default() };
            let stop = AtomicBool::new(false);
            // What repeats depends on the root, so earlier searches must not matter.
            engine.clear();
            let found =
                engine.analyze(&position, &[], &limits, &stop, |_| {}).expect("it searches");
            let expected = minimax.score(&mut vec![position], depth);
            // A win that was proved sooner ends the search sooner, with the same distance.
            assert_eq!(number(found.score), expected, "{position} {rules} depth {depth}");
            // The turn is one that has this score.
            let turn = found.turn.expect("the game is not over");
            let after = position.play_unchecked(&turn);
            let of_turn = -minimax.score(&mut vec![position, after], found.depth - 1);
            assert_eq!(of_turn, expected, "{position} {rules} depth {depth}");
        }
    }
}

#[test]
fn the_smallest_board_to_depth_4() {
    compare(Board::telo(), 4, 40);
}

#[test]
fn a_small_board_to_depth_3() {
    compare(Board::new(5, 3).expect("a board"), 3, 25);
}

#[test]
fn the_square_board_to_depth_2() {
    compare(Board::dimy(), 2, 10);
}
