//! Plays matches between levels on 9x5, from random openings. Each opening is played twice, with
//! colours exchanged.
//!
//!     cargo run --release -p fanorona-benches --example match -- \
//!         GAMES SEED NODES [PAIR...] [--threads N] [--any-opening]
//!
//! A pair such as `5:4` is a match of level 5 against level 4. Without pairs, each level plays the
//! one below. NODES is what full strength searches for each turn. Games run on all processors, or on
//! as many threads as asked for; the result does not depend on their number.
//!
//! An opening is six random turns. It is left out if a search of 20,000 positions gives one side an
//! advantage of more than 0.50, unless `--any-opening` is given. A game ends as a draw by threefold
//! repetition or after 50 turns without a capture. Standard error has the score after each game.

use std::env;
use std::error::Error;
use std::time::Instant;

use fanorona_engine::{Level, Limits};

mod arena;

use arena::{COLUMNS, EnginePlayer, Match};

const USAGE: &str =
    "arguments: GAMES SEED NODES [PAIR...] [--threads N] [--any-opening], with pairs such as 5:4";

/// A game ends as a draw after this number of turns without a capture.
const WITHOUT_CAPTURE: u32 = 50;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args: Vec<String> = env::args().skip(1).collect();
    let settings = Match::from_args(&mut args, WITHOUT_CAPTURE)?;
    let [nodes, pairs @ ..] = &args[..] else {
        return Err(USAGE.into());
    };
    let limits = Limits { nodes: Some(nodes.parse()?), ..Limits::default() };
    let pairs = match pairs {
        [] => {
            let all: Vec<Level> = Level::all().collect();
            all.windows(2).map(|pair| (pair[1], pair[0])).collect()
        }
        pairs => pairs.iter().map(|text| pair(text)).collect::<Result<Vec<_>, _>>()?,
    };
    println!("level  against  {COLUMNS}  seconds");
    for (one, other) in pairs {
        let started = Instant::now();
        let score = settings.play(|number| {
            let seed = settings.seed.wrapping_add(number);
            let player = |level| EnginePlayer::new(level, seed, limits, WITHOUT_CAPTURE);
            Ok((player(one)?, player(other)?))
        })?;
        let seconds = started.elapsed().as_secs_f64();
        println!("{one:>5}  {other:>7}  {score}  {seconds:>7.0}");
    }
    Ok(())
}

fn pair(text: &str) -> Result<(Level, Level), Box<dyn Error>> {
    let (one, other) = text.split_once(':').ok_or(USAGE)?;
    Ok((one.parse()?, other.parse()?))
}
