//! Probes the positions of a file and writes their values to another: the Rust side of
//! `crates/python/benches/probe_many.py`.
//!
//! ```sh
//! cargo run --release -p fanorona-tablebase --example probe_many -- DIR POSITIONS VALUES
//! ```
//!
//! The file has two numbers of 64 bits for each position, little-endian: the stones of the side to
//! move and those of its opponent, on 9x5. The values are one byte each: 0 a loss, 1 a draw, 2 a win.
//! Prints the seconds of a first run, which opens the tables and fills the cache, and of a second.

use std::error::Error;
use std::time::Instant;
use std::{env, fs};

use fanorona_core::{Board, Position, RuleSet, Side, Stones};
use fanorona_tablebase::Tables;

/// The positions in the bytes of a file.
pub(crate) fn positions(board: Board, bytes: &[u8]) -> Result<Vec<Position>, Box<dyn Error>> {
    let (numbers, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() || numbers.len() % 2 != 0 {
        return Err("the file has no whole number of positions".into());
    }
    let position = |pair: &[[u8; 8]]| {
        let stones = Stones::from_bits(u64::from_le_bytes(pair[0]), u64::from_le_bytes(pair[1]));
        Ok(Position::from_mover(board, stones, Side::White)?)
    };
    numbers.chunks(2).map(position).collect()
}

/// The values of positions as bytes.
pub(crate) fn values(tables: &Tables, positions: &[Position]) -> Result<Vec<u8>, Box<dyn Error>> {
    let found = tables.probe_many(positions).into_iter();
    found.map(|found| Ok(found?.value as u8)).collect()
}

pub(crate) fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<_> = env::args_os().skip(1).collect();
    let [dir, from, to] = &args[..] else { return Err("give DIR, POSITIONS and VALUES".into()) };
    let board = Board::tsivy();
    let positions = positions(board, &fs::read(from)?)?;
    let begun = Instant::now();
    let tables = Tables::open(dir, board, RuleSet::STANDARD)?;
    let found = values(&tables, &positions)?;
    let cold = begun.elapsed();
    let begun = Instant::now();
    let again = values(&tables, &positions)?;
    println!("{} {}", cold.as_secs_f64(), begun.elapsed().as_secs_f64());
    assert!(found == again, "the second run found other values");
    fs::write(to, found)?;
    Ok(())
}
