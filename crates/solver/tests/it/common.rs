//! Helpers of the tests: small boards solved by going over all positions until nothing changes,
//! tables in a directory that goes away, and random positions.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Board, PointSet, Position, RuleSet, Setup, Side, SplitMix64, Stones, Value};
use fanorona_solver::{Analysis, Limits, Solver};
use fanorona_tablebase::{Metric, Tables};
use fanorona_tests::MadeOnce;

pub fn board(name: &str) -> Board {
    name.parse().expect("a board")
}

pub fn rules(name: &str) -> RuleSet {
    name.parse().expect("a rule set")
}

/// All positions of 3x3, of those that are alike only one.
pub fn positions() -> Vec<Position> {
    let board = Board::telo();
    let sets = || (0..1 << 9).map(PointSet::from_bits);
    let all = sets().flat_map(|white| sets().map(move |black| (white, black)));
    let positions = all.flat_map(|(white, black)| {
        [Side::White, Side::Black]
            .into_iter()
            .filter_map(move |to_move| Setup { board, white, black, to_move }.try_into().ok())
    });
    let stones = |position: &Position| (position.stones(Side::White), position.stones(Side::Black));
    positions
        .filter(|position: &Position| {
            let images =
                board.symmetries().iter().map(|s| stones(&position.transformed(*s).unwrap()));
            images.min() == Some(stones(position))
        })
        .collect()
}

/// The values of all positions of 3x3 that are no draws, with the turns that they are away from the
/// end.
pub fn solve(rules: &RuleSet) -> Arc<Decided> {
    static ALL: MadeOnce<RuleSet, Decided> = MadeOnce::new();
    ALL.get(*rules, || solve_anew(rules))
}

/// Positions that are no draws.
pub type Decided = HashMap<Position, (Value, u32)>;

fn solve_anew(rules: &RuleSet) -> Decided {
    let board = Board::telo();
    let image = |position: &Position| {
        let images = board.symmetries().iter().map(|s| position.transformed(*s).unwrap());
        let stones = |p: &Position| (p.stones(Side::White), p.stones(Side::Black));
        images.min_by_key(stones).expect("there are eight")
    };
    let mut decided = HashMap::new();
    let mut open = Vec::new();
    for position in positions() {
        match rules.outcome(&position).map(|outcome| outcome.value_for(position.to_move())) {
            None => {
                let after = rules.successors(&position);
                open.push((position, after.iter().map(image).collect::<Vec<_>>()));
            }
            Some(Value::Draw) => {}
            Some(value) => drop(decided.insert(position, (value, 0))),
        }
    }
    for distance in 1.. {
        let mut found = Vec::new();
        for (position, after) in &open {
            let mut values = after.iter().map(|after| decided.get(after).map(|(value, _)| *value));
            if values.clone().any(|value| value == Some(Value::Loss)) {
                found.push((*position, (Value::Win, distance)));
            } else if values.all(|value| value == Some(Value::Win)) {
                found.push((*position, (Value::Loss, distance)));
            }
        }
        if found.is_empty() {
            break;
        }
        decided.extend(found);
        open.retain(|(position, _)| !decided.contains_key(position));
    }
    decided
}

/// The value of a position, from those that are no draws.
pub fn value(decided: &Decided, position: &Position) -> Value {
    let images = position.board().symmetries().iter().map(|s| position.transformed(*s).unwrap());
    let mut found = images.filter_map(|image| decided.get(&image));
    found.next().map_or(Value::Draw, |(value, _)| *value)
}

/// Tables in a directory that goes when it is dropped.
pub struct Built {
    _dir: tempfile::TempDir,
    pub tables: Tables,
}

pub fn tables(board: Board, rules: RuleSet, stones: u32, metric: Metric) -> Built {
    let dir = fanorona_tests::directory().expect("a directory");
    let options = BuildOptions::new(dir.path(), board, rules, stones).with_metric(metric);
    build(&options, &(), &AtomicBool::new(false)).expect("it can be built");
    let tables = Tables::open(dir.path(), board, rules).expect("tables are there");
    Built { _dir: dir, tables }
}

/// An analysis that nothing ends but a proof.
pub fn analyze(solver: &mut Solver<'_>, position: &Position, threads: usize) -> Analysis {
    let limits = Limits::default().with_threads(threads);
    solver.analyze(position, &limits, &AtomicBool::new(false), |_| {}).expect("tables are good")
}

/// Random numbers, the same ones each time.
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    pub fn below(&mut self, n: u32) -> u32 {
        (self.0.next_u64() >> 33) as u32 % n
    }

    /// A position with this number of stones, at least one for each side.
    pub fn position(&mut self, board: Board, stones: u32) -> Position {
        loop {
            let (mut own, mut opponent) = (0_u64, 0_u64);
            let mine = 1 + self.below(stones - 1);
            while own.count_ones() < mine {
                own |= 1 << self.below(board.num_points());
            }
            while opponent.count_ones() < stones - mine {
                opponent |= (1 << self.below(board.num_points())) & !own;
            }
            let side = if self.below(2) == 0 { Side::White } else { Side::Black };
            let stones = Stones::from_bits(own, opponent);
            if let Ok(position) = Position::from_mover(board, stones, side) {
                return position;
            }
        }
    }
}
