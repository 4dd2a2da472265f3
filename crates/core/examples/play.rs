//! Plays a game in which each side makes the turn that takes the most stones.
//!
//! ```console
//! $ cargo run -p fanorona-core --example play -- 5x5
//! ```

use std::error::Error;

use fanorona_core::{Board, RuleSet};

/// Two careful sides could play forever.
const MAX_TURNS: usize = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let size = std::env::args().nth(1).unwrap_or("9x5".to_owned());
    let board: Board = size.parse()?;
    let rules = RuleSet::STANDARD;
    let mut position = board.start();
    println!("{position}");
    for number in 1..=MAX_TURNS {
        // If several turns capture the same number, the last one in the list.
        let turns = rules.turns(&position);
        let Some(turn) = turns.iter().max_by_key(|turn| turn.captured().len()) else { break };
        let (side, text) = (position.to_move(), turn.text(board));
        position = position.play_unchecked(turn);
        println!("{number:>3}. {side:5}  {text}\n     {position}");
    }
    match rules.outcome(&position) {
        Some(outcome) => println!("the game is over: {outcome:?}"),
        None => println!("the game goes on"),
    }
    Ok(())
}
