//! Plays matches between levels from random openings, each opening twice with colours exchanged.
//!
//!     cargo run --release -p fanorona-engine --example match -- GAMES SEED NODES [LEVEL LEVEL]
//!
//! Without levels, each level plays the one below. NODES is what full strength searches for each
//! turn. Games run on all processors; the result does not depend on their number. A game ends as
//! a draw by threefold repetition or after 100 turns without a capture.

use std::env;
use std::error::Error;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use fanorona_core::{Board, RuleSet, Side, SplitMix64};
use fanorona_engine::{DrawRules, Engine, EngineError, Game, GameEnd, Level, Limits, Options};

/// Wins, draws and losses of the first level.
type Score = [u32; 3];

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    let [games, seed, nodes, levels @ ..] = &args[..] else {
        return Err("arguments: GAMES SEED NODES [LEVEL LEVEL]".into());
    };
    let (games, seed, nodes) = (games.parse()?, seed.parse()?, nodes.parse()?);
    let levels: Vec<Level> = levels.iter().map(|text| text.parse()).collect::<Result<_, _>>()?;
    let pairs: Vec<[Level; 2]> = match levels[..] {
        [] => {
            let all: Vec<Level> = Level::all().collect();
            all.windows(2).map(|pair| [pair[1], pair[0]]).collect()
        }
        [one, other] => vec![[one, other]],
        _ => return Err("give two levels or none".into()),
    };
    println!("level  against  wins  draws  losses  score");
    for pair in pairs {
        let [wins, draws, losses] = play_match(pair, games, seed, nodes)?;
        let score = f64::from(2 * wins + draws) / f64::from(2 * (wins + draws + losses));
        println!(
            "{:>5}  {:>7}  {wins:>4}  {draws:>5}  {losses:>6}  {:.1} %",
            pair[0],
            pair[1],
            100.0 * score
        );
    }
    Ok(())
}

fn play_match(pair: [Level; 2], games: u64, seed: u64, nodes: u64) -> Result<Score, EngineError> {
    let next = AtomicU64::new(0);
    let sum = Mutex::new([0; 3]);
    let work = || -> Result<(), EngineError> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= games {
                return Ok(());
            }
            let index = match play(pair, number, seed, nodes)? {
                Some(0) => 0,
                None => 1,
                Some(_) => 2,
            };
            sum.lock().unwrap_or_else(|lock| lock.into_inner())[index] += 1;
        }
    };
    thread::scope(|scope| {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    Ok(sum.into_inner().unwrap_or_else(|lock| lock.into_inner()))
}

/// Plays one game; the index of the level that wins.
fn play(
    pair: [Level; 2],
    number: u64,
    seed: u64,
    nodes: u64,
) -> Result<Option<usize>, EngineError> {
    let (board, rules) = (Board::tsivy(), RuleSet::STANDARD);
    let engine = |level| {
        let mut options = Options::default();
        options.level = level;
        options.memory = 16 << 20;
        options.seed = seed.wrapping_add(number);
        Engine::new(rules, board, None, options)
    };
    let mut engines = [engine(pair[0])?, engine(pair[1])?];
    // Two games running have the same opening.
    let mut random = SplitMix64::stream(seed, number / 2);
    let mut game =
        Game::with_draws(rules, board.start(), DrawRules::default().without_capture(100));
    for _ in 0..6 {
        let turns = rules.turns(game.position());
        let index = random.below(turns.len() as u64) as usize;
        let Some(turn) = turns.into_iter().nth(index) else { break };
        game.play(turn);
    }
    let white = (number % 2) as usize;
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let stop = AtomicBool::new(false);
    loop {
        match game.end() {
            Some(GameEnd::Won(Side::White)) => return Ok(Some(white)),
            Some(GameEnd::Won(Side::Black)) => return Ok(Some(1 - white)),
            Some(_) => return Ok(None),
            None => {}
        }
        let mover = match game.position().to_move() {
            Side::White => white,
            Side::Black => 1 - white,
        };
        let engine = &mut engines[mover];
        let found = engine.analyze(game.position(), game.earlier(), &limits, &stop, |_| {})?;
        let Some(turn) = found.turn else { return Ok(None) };
        game.play(turn);
    }
}
