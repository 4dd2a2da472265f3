//! Checks the counts of suite files, up to a million nodes each.
//!
//! ```console
//! $ cargo run --release -p fanorona-perft --example check_suite -- data/perft/options.perft
//! ```

use std::error::Error;
use std::sync::atomic::AtomicBool;

use fanorona_perft::{LevelOptions, suite};

/// The suite that is checked without arguments: the start of 9x5.
const SUITE: &str = "
id start
rules standard
count turns
position BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w
perft 1 5
perft 2 39
perft 3 724
perft 4 18026
";

fn main() -> Result<(), Box<dyn Error>> {
    let mut texts = Vec::new();
    for file in std::env::args().skip(1) {
        texts.push((file.clone(), std::fs::read_to_string(&file)?));
    }
    if texts.is_empty() {
        texts.push(("built in".to_owned(), SUITE.to_owned()));
    }
    let stop = AtomicBool::new(false);
    for (name, text) in texts {
        let entries = suite::parse(&text).map_err(|error| format!("{name}, {error}"))?;
        let report =
            suite::check(&entries, Some(1_000_000), &LevelOptions::default(), &stop, |_| {})?;
        println!("{name}: {} counts checked, {} skipped", report.checked, report.skipped);
        for it in &report.mismatches {
            println!(
                "{} at depth {}: {} instead of {}",
                it.entry.id, it.depth, it.found, it.expected
            );
        }
        if !report.is_good() {
            return Err(format!("{name} has counts that differ").into());
        }
    }
    Ok(())
}
