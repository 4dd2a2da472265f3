//! Prints the turns that a position has under one rule set and not under another.
//!
//! ```console
//! $ cargo run -p fanorona-core --example compare_rules -- standard+direction-free "9/9/BW2B2BB/9/9 w"
//! ```

use std::collections::BTreeSet;
use std::error::Error;

use fanorona_core::{Position, RuleSet};

/// A relay can continue here. Under most rule sets it may stop instead.
const POSITION: &str = "9/9/3B5/9/2W1B4 w";

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let rules: RuleSet = args.next().as_deref().unwrap_or("forced-relay").parse()?;
    let position: Position = args.next().as_deref().unwrap_or(POSITION).parse()?;
    rules.check(position.board())?;

    let texts = |rules: &RuleSet| -> BTreeSet<String> {
        let turns = rules.turns(&position);
        turns.iter().map(|turn| turn.text(position.board()).to_string()).collect()
    };
    let (ours, standard) = (texts(&rules), texts(&RuleSet::STANDARD));
    println!("{position}: {} turns under {rules}, {} under standard", ours.len(), standard.len());
    for turn in ours.difference(&standard) {
        println!("{turn}: only under {rules}");
    }
    for turn in standard.difference(&ours) {
        // A turn that is not legal comes with the reason.
        let why = rules.parse_turn(&position, turn).expect_err("it is not listed");
        println!("{turn}: only under standard ({why})");
    }
    Ok(())
}
