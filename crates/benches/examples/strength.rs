//! Plays matches of the engine at full strength against simple opponents on 9x5, from random openings.
//! Each opening is played twice, with colours exchanged.
//!
//!     cargo run --release -p fanorona-benches --example strength -- \
//!         GAMES SEED SECONDS [OPPONENT...] [--threads N] [--any-opening]
//!
//! The engine searches each turn on one thread, without tables, for SECONDS. The opponents:
//!
//! - `random`: any legal turn;
//! - `greedy`: a turn that takes the most stones;
//! - `material-4`: minimax to a fixed depth of four turns that counts stones and nothing else.
//!
//! Each chooses at random among turns that are equally good to it. Their choices and the openings
//! depend on the seed alone, the engine's turns on the speed of the machine too. `--threads` is the
//! number of games that run at the same time: at most one for each free processor, or the engine gets
//! less time than it is given. Openings are as in the example `match`. A
//! game ends as a draw by threefold repetition or after 100 turns without a capture.

use std::env;
use std::error::Error;
use std::time::{Duration, Instant};

use fanorona_core::{Outcome, Position, RuleSet, SplitMix64, Turn};
use fanorona_engine::{EngineError, Game, Level, Limits};

mod arena;

use arena::{COLUMNS, EnginePlayer, Match, Player};

const USAGE: &str = "arguments: GAMES SEED SECONDS [OPPONENT...] [--threads N] [--any-opening]";

/// The depth of the plain search.
const DEPTH: u32 = 4;

/// A game ends as a draw after this number of turns without a capture.
const WITHOUT_CAPTURE: u32 = 100;

/// More than any material.
const WIN: i32 = 1_000;

/// More than any score.
const INFINITY: i32 = 10_000;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args: Vec<String> = env::args().skip(1).collect();
    let settings = Match::from_args(&mut args, WITHOUT_CAPTURE)?;
    let [seconds, opponents @ ..] = &args[..] else {
        return Err(USAGE.into());
    };
    let time = Duration::try_from_secs_f64(seconds.parse()?)?;
    let limits = Limits { time: Some(time), ..Limits::default() };
    println!("{:<10}  {COLUMNS}  seconds", "opponent");
    let all = [Opponent::Random, Opponent::Greedy, Opponent::Material(DEPTH)];
    if let Some(name) = opponents.iter().find(|name| !all.iter().any(|one| one.name() == **name)) {
        return Err(format!("'{name}' is not an opponent").into());
    }
    let is_wanted = |one: &Opponent| opponents.is_empty() || opponents.contains(&one.name());
    for opponent in all.into_iter().filter(is_wanted) {
        let started = Instant::now();
        let score = settings.play(|number| {
            let seed = settings.seed;
            let engine = EnginePlayer::new(Level::FULL, seed, limits, WITHOUT_CAPTURE)?;
            // The openings use the streams from 0.
            let random = SplitMix64::stream(seed, u64::MAX - number);
            Ok((engine, SimplePlayer { opponent, random }))
        })?;
        let seconds = started.elapsed().as_secs_f64();
        println!("{:<10}  {score}  {seconds:>7.0}", opponent.name());
    }
    Ok(())
}

/// How an opponent chooses.
#[derive(Clone, Copy)]
enum Opponent {
    Random,
    Greedy,
    /// Minimax to this depth, with the difference of the stones.
    Material(u32),
}

impl Opponent {
    fn name(self) -> String {
        match self {
            Self::Random => "random".to_owned(),
            Self::Greedy => "greedy".to_owned(),
            Self::Material(depth) => format!("material-{depth}"),
        }
    }
}

struct SimplePlayer {
    opponent: Opponent,
    random: SplitMix64,
}

impl Player for SimplePlayer {
    fn turn(&mut self, game: &Game) -> Result<Turn, EngineError> {
        let position = game.position();
        let mut turns = game.rules().turns(position);
        // A random order, of which the first best one counts.
        for i in (1..turns.len()).rev() {
            turns.swap(i, self.random.below(i as u64 + 1) as usize);
        }
        let best = match self.opponent {
            Opponent::Random => turns.into_iter().next(),
            Opponent::Greedy => {
                turns.sort_by_key(|turn| std::cmp::Reverse(turn.captured().len()));
                turns.into_iter().next()
            }
            Opponent::Material(depth) => {
                let (mut best, mut best_turn) = (-INFINITY, None);
                for turn in turns {
                    let after = position.play_unchecked(&turn);
                    let score = -material(game.rules(), &after, depth - 1, -INFINITY, -best);
                    if score > best || best_turn.is_none() {
                        (best, best_turn) = (score, Some(turn));
                    }
                }
                best_turn
            }
        };
        best.ok_or(EngineError::NoTurn { position: *position })
    }
}

/// The score of a position after `depth` more turns, for the side to move: alpha-beta, which finds
/// what minimax finds.
fn material(rules: &RuleSet, position: &Position, depth: u32, mut alpha: i32, beta: i32) -> i32 {
    match rules.outcome(position) {
        Some(Outcome::Won(side)) => {
            // Sooner is better.
            let win = WIN + depth as i32;
            return if side == position.to_move() { win } else { -win };
        }
        Some(Outcome::Drawn) => return 0,
        None if depth == 0 => {
            return position.own().len() as i32 - position.opponent().len() as i32;
        }
        None => {}
    }
    let mut successors = rules.successors(position);
    successors.sort_by_key(|after| after.own().len());
    let mut best = i32::MIN;
    for after in successors {
        best = best.max(-material(rules, &after, depth - 1, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}
