//! Counts turns below a position, one depth after another, on all threads and with a hash table.
//!
//! ```console
//! $ cargo run --release -p fanorona-perft --example count -- "9/2W3B2/4W4/1B4WB1/9 w" 12
//! ```

use std::error::Error;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Position, RuleSet};
use fanorona_perft::{Counting, ParallelPerft, PerftNode, PerftTable};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let position = args.next().unwrap_or("9/2W3B2/4W4/1B4WB1/9 w".to_owned());
    let position: Position = position.parse()?;
    let depth = args.next().map_or(Ok(8), |depth| depth.parse())?;

    let (rules, board) = (RuleSet::STANDARD, position.board());
    let table = PerftTable::new(&rules, board, Counting::Turns, depth, 64 << 20)?;
    // Another thread could set this, for example when Ctrl-C is pressed.
    let stop = AtomicBool::new(false);
    let perft = ParallelPerft::with_table(&table, &stop);
    for depth in 1..=depth {
        let Some(nodes) = perft.count(&PerftNode::new(&position), depth) else { break };
        println!("{depth:>3} {nodes:>20}");
    }
    println!("{} of {} probes were hits", table.hits(), table.probes());
    Ok(())
}
