//! Proves the value of a start, and writes the proof to a certificate.
//!
//! ```console
//! $ cargo run --release -p fanorona-solver --example prove -- 3x5 3x5.cert
//! white wins by b2-b3A
//! 3x5.cert: 29 positions
//! ```

use std::env;
use std::error::Error;
use std::io::{self, Write};
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, RuleSet};
use fanorona_solver::{Claim, DEFAULT_MEMORY, Limits, Solver};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    match &args[..] {
        [board, file] => prove(board.parse()?, file, &mut io::stdout()),
        _ => Err("give a board, as in 3x5, and a file for the certificate".into()),
    }
}

/// Proves the value of the start, and writes what is proved.
pub(crate) fn prove(board: Board, file: &str, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let (rules, start) = (RuleSet::STANDARD, board.start());
    let mut solver = Solver::new(rules, board, None, DEFAULT_MEMORY)?;
    // One thread finds the same proof each time.
    let limits = Limits::default().with_threads(1);
    let stop = AtomicBool::new(false);
    let analysis = solver.analyze(&start, &limits, &stop, |_| {})?;

    let (bounds, mut positions) = (analysis.bounds(), 0);
    for claim in Claim::of_bounds(bounds, start.to_move()) {
        write!(out, "{claim}")?;
        if let Some(turn) = solver.strategy(claim, &limits, &stop).turn(&start)? {
            write!(out, " by {}", turn.text(board))?;
        }
        writeln!(out)?;
    }
    let maker = solver.certify(&start, bounds, &limits, &stop, |found| positions = found)?;
    maker.ok_or("nothing is proved")?.write(file, &stop)?;
    writeln!(out, "{file}: {positions} positions")?;
    Ok(())
}
