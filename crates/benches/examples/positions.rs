//! Prints positions with known results, for `tools/train_network.py`.
//!
//!     cargo run --release -p fanorona-benches --example positions -- tables DIR STONES COUNT SEED
//!     cargo run --release -p fanorona-benches --example positions -- games COUNT NODES SEED [DIR]
//!
//! `tables` draws positions of 9x5 with up to STONES stones at random and takes their values from
//! the tables in DIR. `games` plays games of the engine against itself from random openings, with
//! NODES positions for each turn. A position that a table in DIR holds has its value, and those before
//! it in the game have that value as their result; the others have the result of the game.
//!
//! A line has the result for the side to move (1, 0.5 or 0), the score of the search (`-` if it is not
//! an estimate) and the inputs of the network, as hexadecimal numbers.

use std::env;
use std::error::Error;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, PointSet, Position, RuleSet, Side, SplitMix64, Stones, Value};
use fanorona_engine::{Engine, Game, GameEnd, Limits, Options, Score, inputs};
use fanorona_knowledge::Knowledge;
use fanorona_tablebase::Tables;

const USAGE: &str = "arguments: tables DIR STONES COUNT SEED, or games COUNT NODES SEED [DIR]";

/// So many turns are played after the first position that the tables hold.
const AFTER_TABLES: u32 = 8;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["tables", dir, stones, count, seed] => {
            from_tables(dir, stones.parse()?, count.parse()?, seed.parse()?)
        }
        ["games", count, nodes, seed] => {
            from_games(count.parse()?, nodes.parse()?, seed.parse()?, None)
        }
        ["games", count, nodes, seed, dir] => {
            from_games(count.parse()?, nodes.parse()?, seed.parse()?, Some(dir))
        }
        _ => Err(USAGE.into()),
    }
}

fn print(position: &Position, value: Value, score: Option<Score>) {
    let result = match value {
        Value::Win => "1",
        Value::Draw => "0.5",
        Value::Loss => "0",
    };
    let score = match score {
        Some(Score::Estimate(score)) => score.to_string(),
        _ => "-".to_owned(),
    };
    let inputs = inputs(position).map(|set| format!("{:x}", set.bits())).join(" ");
    println!("{result} {score} {inputs}");
}

fn from_tables(dir: &str, stones: u64, count: u32, seed: u64) -> Result<(), Box<dyn Error>> {
    let (board, rules) = (Board::tsivy(), RuleSet::STANDARD);
    let tables = Tables::open(dir, board, rules)?;
    let mut random = SplitMix64::new(seed);
    let points: Vec<_> = board.all_points().iter().collect();
    let mut found = 0;
    while found < count {
        let mut sides = [PointSet::EMPTY; 2];
        // At least two stones, of random colours.
        for _ in 0..2 + random.below(stones.saturating_sub(1)) {
            let point = points[random.below(points.len() as u64) as usize];
            if !(sides[0] | sides[1]).contains(point) {
                sides[random.below(2) as usize] |= point;
            }
        }
        let Ok(position) =
            Position::from_mover(board, Stones { own: sides[0], opponent: sides[1] }, Side::White)
        else {
            continue;
        };
        if rules.outcome(&position).is_some() {
            continue;
        }
        print(&position, tables.probe(&position)?.value, None);
        found += 1;
    }
    Ok(())
}

fn from_games(count: u64, nodes: u64, seed: u64, dir: Option<&str>) -> Result<(), Box<dyn Error>> {
    let (board, rules) = (Board::tsivy(), RuleSet::STANDARD);
    let tables = dir.map(|dir| Tables::open(dir, board, rules)).transpose()?;
    let value = |position: &Position| match tables.as_ref().map(|tables| tables.probe(position)) {
        Some(Ok(found)) => Ok(Some(found.value)),
        Some(Err(error)) if !error.is_absent() => Err(error),
        _ => Ok(None),
    };
    let mut options = Options::default();
    options.memory = 4 << 20;
    let mut engine = Engine::new(Knowledge::of_rules(board, rules), options)?;
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let stop = AtomicBool::new(false);
    for number in 0..count {
        let mut random = SplitMix64::stream(seed, number);
        let mut game = Game::new(rules, board.start());
        for _ in 0..4 + random.below(12) {
            let turns = rules.turns(game.position());
            let index = random.below(turns.len() as u64) as usize;
            let Some(turn) = turns.into_iter().nth(index) else { break };
            game.play(turn);
        }
        engine.clear();
        let mut seen = Vec::new();
        // Turns after the first position that the tables hold.
        let mut known = 0;
        while game.end().is_none() && seen.len() < 300 && known < AFTER_TABLES {
            let position = *game.position();
            let found = engine.analyze(&position, game.earlier(), &limits, &stop, |_| {})?;
            let Some(turn) = found.turn else { break };
            let value = value(&position)?;
            known += u32::from(value.is_some());
            seen.push((position, value, found.score));
            game.play(turn);
        }
        let mut result = (
            Side::White,
            match game.end() {
                Some(GameEnd::Won(Side::White)) => Value::Win,
                Some(GameEnd::Won(Side::Black)) => Value::Loss,
                _ => Value::Draw,
            },
        );
        for (position, value, score) in seen.iter().rev() {
            let side = position.to_move();
            if let Some(value) = value {
                result = (side, *value);
            }
            let value = if side == result.0 { result.1 } else { -result.1 };
            print(position, value, Some(*score));
        }
    }
    Ok(())
}
