//! The CPU time of single random probes of packed `wdl` tables, slice by slice.
//!
//! ```sh
//! FANORONA_TABLES=DIR cargo bench -p fanorona-benches --bench random_probes -- 4v5 5v4
//! ```
//!
//! Each slice gets 200,000 positions, all placements equally likely, each probed once: a second pass
//! would find their blocks in the cache. As many others come before them, as in a program that has run
//! for a while. `SEED` selects other positions. Files are mapped and in the page cache; unpacked tables
//! are ignored. The shares of wins, draws and losses must be those of the whole slice, up to chance.

use std::error::Error;
use std::hint::black_box;

use fanorona_core::{Board, Position, RuleSet, Side, SplitMix64, Value};
use fanorona_tablebase::{Access, Metric, Slice, Tables, TablesOptions};
use rustix::time::{ClockId, clock_gettime};

const POSITIONS: usize = 200_000;

/// The standard deviations that a share may be off: chance exceeds this once in 10^8 times.
const DEVIATIONS: f64 = 6.0;

fn main() -> Result<(), Box<dyn Error>> {
    let Some(dir) = std::env::var_os("FANORONA_TABLES") else {
        println!("random probes: FANORONA_TABLES names no directory of tables");
        return Ok(());
    };
    let slices: Vec<Slice> = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with("--"))
        .map(|word| word.parse())
        .collect::<Result<_, _>>()?;
    let seed = std::env::var("SEED").ok().map_or(Ok(1), |seed| seed.parse())?;
    let tables = open(&dir)?;
    for slice in slices {
        let mut random = SplitMix64::new(seed);
        let draw = || slice.random_position(tables.board(), Side::White, &mut random);
        let positions: Option<Vec<_>> = std::iter::repeat_with(draw).take(2 * POSITIONS).collect();
        let positions = positions.ok_or("the slice is not on the board")?;
        let (before, positions) = positions.split_at(POSITIONS);
        let table = tables.table(slice, Metric::Wdl)?.ok_or("the slice has no table")?;
        // Reads the file, so that it is in the page cache.
        table.checksum()?;
        tables.prepare(slice.stones())?;
        probe(&tables, before)?;
        let (counts, seconds) = probe(&tables, positions)?;
        let statistics = &table.metadata().statistics;
        for (value, all) in [
            (Value::Loss, statistics.loss),
            (Value::Draw, statistics.draw),
            (Value::Win, statistics.win),
        ] {
            let share = all as f64 / statistics.positions() as f64;
            let expected = share * POSITIONS as f64;
            let found = counts[value as usize] as f64;
            let deviation = (expected * (1.0 - share)).sqrt();
            assert!(
                (found - expected).abs() <= DEVIATIONS * deviation + 1.0,
                "{slice}: {counts:?}"
            );
        }
        let micros = seconds * 1e6 / POSITIONS as f64;
        println!("{slice} {micros:.3} µs, losses, draws and wins {counts:?}");
    }
    Ok(())
}

fn open(dir: &std::ffi::OsStr) -> Result<Tables, Box<dyn Error>> {
    // SAFETY: nothing changes or shortens tables while they are measured.
    let access = unsafe { Access::map() };
    let options = TablesOptions { access, unpacked: false, ..TablesOptions::default() };
    Ok(Tables::open_dirs(&[dir], Board::tsivy(), RuleSet::STANDARD, options)?)
}

/// Counts losses, draws and wins, and measures the CPU time.
fn probe(tables: &Tables, positions: &[Position]) -> Result<([u64; 3], f64), Box<dyn Error>> {
    let mut counts = [0; 3];
    let begin = clock_gettime(ClockId::ThreadCPUTime);
    for position in positions {
        counts[tables.probe_metric(black_box(position), Metric::Wdl)?.value as usize] += 1;
    }
    let end = clock_gettime(ClockId::ThreadCPUTime);
    let nanos = (end.tv_sec - begin.tv_sec) * 1_000_000_000 + (end.tv_nsec - begin.tv_nsec);
    Ok((counts, nanos as f64 / 1e9))
}
