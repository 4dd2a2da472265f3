//! Prints positions with known results, for `tools/fit_evaluation.py`.
//!
//!     cargo run --release -p fanorona-benches --example positions -- tables DIR STONES COUNT SEED
//!     cargo run --release -p fanorona-benches --example positions -- games COUNT NODES SEED
//!
//! `tables` draws positions of 9x5 with up to STONES stones at random and takes their values from
//! the tables in DIR. `games` plays games of the engine against itself from random openings, with
//! NODES positions for each turn, and prints each position with the game's result. A line has the
//! result for the side to move (1, 0.5 or 0), the phase, and the features.

use std::env;
use std::error::Error;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, PointSet, Position, RuleSet, Side, SplitMix64, Stones, Value};
use fanorona_engine::{Engine, Game, GameEnd, Limits, Options, features, phase};
use fanorona_knowledge::Knowledge;
use fanorona_tablebase::Tables;

const USAGE: &str = "arguments: tables DIR STONES COUNT SEED, or games COUNT NODES SEED";

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["tables", dir, stones, count, seed] => {
            from_tables(dir, stones.parse()?, count.parse()?, seed.parse()?)
        }
        ["games", count, nodes, seed] => from_games(count.parse()?, nodes.parse()?, seed.parse()?),
        _ => Err(USAGE.into()),
    }
}

fn print(position: &Position, result: &str) {
    let features = features(position).map(|feature| feature.to_string()).join(" ");
    println!("{result} {} {features}", phase(position));
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
        let result = match tables.probe(&position)?.value {
            Value::Win => "1",
            Value::Draw => "0.5",
            Value::Loss => "0",
        };
        print(&position, result);
        found += 1;
    }
    Ok(())
}

fn from_games(count: u64, nodes: u64, seed: u64) -> Result<(), Box<dyn Error>> {
    let (board, rules) = (Board::tsivy(), RuleSet::STANDARD);
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
        let opening = game.turns().len();
        engine.clear();
        while game.end().is_none() && game.turns().len() < 300 {
            let found = engine.analyze(game.position(), game.earlier(), &limits, &stop, |_| {})?;
            let Some(turn) = found.turn else { break };
            game.play(turn);
        }
        for position in game.earlier().iter().skip(opening) {
            print(
                position,
                match game.end() {
                    Some(GameEnd::Won(side)) if side == position.to_move() => "1",
                    Some(GameEnd::Won(_)) => "0",
                    _ => "0.5",
                },
            );
        }
    }
    Ok(())
}
