//! Builds small tables, and probes a position and its turns.
//!
//! ```sh
//! cargo run --release -p fanorona-tablebase --example probe
//! ```

use std::error::Error;
use std::sync::atomic::AtomicBool;

use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Board, Position, RuleSet};
use fanorona_tablebase::{TableError, Tables};

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let dir = tempfile::tempdir()?;
    let (board, rules) = (Board::tsivy(), RuleSet::STANDARD);

    // All positions with up to three stones, with distances. `()` prints no progress.
    let options = BuildOptions::new(dir.path(), board, rules, 3);
    let report = build(&options, &(), &AtomicBool::new(false))?;
    println!("{} tables", report.tables.len());

    let tables = Tables::open(dir.path(), board, rules)?;
    let position: Position = "9/9/2W1B4/9/8W w".parse()?;
    let value = tables.probe(&position)?;
    println!("{position}: {}, {:?} turns", value.value, value.dtw);
    for ranked in tables.rank(&position)? {
        let turn = ranked.turn.text(board);
        println!("  {turn}: {}, {:?} turns", ranked.value.value, ranked.value.dtw);
    }

    // A missing table is an error that says what to build.
    let larger: Position = "9/9/2W1B4/9/W7W w".parse()?;
    match tables.probe(&larger) {
        Err(TableError::Missing { slice, .. }) => println!("there is no table of slice {slice}"),
        other => println!("{other:?}"),
    }
    Ok(())
}
