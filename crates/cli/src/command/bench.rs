//! `bench`: fixed work with known answers.

use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use clap::Args;
use comfy_table::Row;
use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Board, PointSet, Position, RuleSet, Setup, Side, Value};
use fanorona_engine::inquiry::{End, Inquiry, Means};
use fanorona_engine::{Analysis, Engine, Limits, Options};
use fanorona_knowledge::Knowledge;
use fanorona_perft::{Counting, parallel_perft};
use fanorona_tablebase::Tables;
use serde::Serialize;

use crate::failure::Failure;
use crate::human::{duration, grouped};
use crate::interrupt;
use crate::options::{CommonOptions, mapped};
use crate::output::table;
use crate::progress::spinner;

const PERFT_DEPTH: u8 = 6;
const PERFT_TURNS: u64 = 9_205_774;

const STONES: u32 = 5;
/// Wins, draws and losses of all slices with up to five stones.
const COUNTS: [u64; 3] = [21_283_596, 7_059_097, 10_483_127];

/// The most stones of a probed position.
const PROBED_STONES: u32 = 4;

const PROBES: u64 = 1_000_000;
/// The sum of the answers' values (loss 0, draw 1, win 2) and distances.
const PROBE_SUM: u64 = 6_858_379;

/// White wins. A search proves that with some million positions.
const SEARCHED: &str = "1B1BBBBB1/1BBBB1BBB/1W1WW2BW/2WWWBW1W/WWWW2WW1 w";

/// The memory of the search, in bytes.
const SEARCH_MEMORY: usize = 256 << 20;

/// The positions that the engine visits.
const ENGINE_NODES: u64 = 4_000_000;

/// The positions of the engine's signature, beside the start, and the depth of their searches.
const SIGNED: [&str; 2] = [SEARCHED, "3B4B/4BB1BB/W8/9/W7W b"];
const SIGNED_DEPTH: u32 = 10;

/// Measure the speed of fixed work, to compare machines and versions
#[derive(Debug, Args)]
#[command(after_help = "\
The work, on 9x5 under the standard rules:
  perft           perft to depth 6
  build           tables of up to 5 stones
  probe           a million random positions of 2 to 4 stones, one by one
  search          a proof for a position of 31 stones, on one thread and on all
  engine          4 million positions of the player's search, on one thread and
                  on all; and the time to depth 10 in three positions, with the
                  positions visited, which change only when the search does

All answers are checked. If one is wrong, the exit status is 1.

Example:
  fanorona bench")]
pub(crate) struct Bench {
    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Serialize)]
struct Report {
    board: Board,
    rules: RuleSet,
    benches: Vec<Measured>,
}

/// How fast something was.
#[derive(Serialize)]
struct Measured {
    name: &'static str,
    seconds: f64,
    rate: f64,
    unit: &'static str,
}

impl Report {
    /// Does everything, up to the first wrong answer.
    fn run(&mut self) -> anyhow::Result<()> {
        let (board, rules) = (self.board, self.rules);
        let dir = tempfile::tempdir().context("there is no temporary directory to build in")?;
        self.measure("perft", "turns/s", || {
            let start = board.start();
            let stop = interrupt::flag();
            let turns = parallel_perft(&rules, &start, PERFT_DEPTH, Counting::Turns, stop)?;
            compare("perft", turns, Some(PERFT_TURNS.into()))?;
            Ok(PERFT_TURNS)
        })?;
        let options = BuildOptions::new(dir.path(), board, rules, STONES);
        self.measure("build", "positions/s", || {
            let built = build(&options, &(), interrupt::flag())?;
            let mut counts = [0; 3];
            for table in &built.tables {
                let found = &table.metadata().statistics;
                for (sum, more) in counts.iter_mut().zip([found.win, found.draw, found.loss]) {
                    *sum += more;
                }
            }
            compare("build", counts, COUNTS)?;
            Ok(COUNTS.iter().sum())
        })?;
        let tables = Arc::new(Tables::open_dirs(&[dir.path()], board, rules, mapped())?);
        self.measure("probe", "probes/s", || {
            compare("probe", probe(&tables)?, PROBE_SUM)?;
            Ok(PROBES)
        })?;
        self.measure("search, one thread", "positions/s", || search(&tables, 1))?;
        let threads = rayon::current_num_threads();
        self.measure("search", "positions/s", || search(&tables, threads))?;
        let by_nodes = Limits { nodes: Some(ENGINE_NODES), ..Limits::default() };
        let start = board.start();
        let nodes = |threads| {
            let found = engine(&start, threads, &by_nodes)?;
            // The start is a draw, so a search proves nothing about it.
            compare("engine", found.score.value(), None)?;
            Ok(found.nodes)
        };
        self.measure("engine, one thread", "positions/s", || nodes(1))?;
        self.measure("engine", "positions/s", || nodes(threads))?;
        let name = "engine, signature";
        let (nodes, seconds) = self.timed(name, signature)?;
        self.benches.push(Measured { name, seconds, rate: nodes as f64, unit: "positions in all" });
        Ok(())
    }

    /// Does some work, which returns its amount, and records how fast it was.
    fn measure(
        &mut self,
        name: &'static str,
        unit: &'static str,
        work: impl FnOnce() -> anyhow::Result<u64>,
    ) -> anyhow::Result<()> {
        let (amount, seconds) = self.timed(name, work)?;
        self.benches.push(Measured { name, seconds, rate: amount as f64 / seconds, unit });
        Ok(())
    }

    /// Does some work; its result, and the seconds that it took.
    fn timed<T>(
        &self,
        name: &'static str,
        work: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<(T, f64)> {
        let progress = spinner(name.to_owned());
        let started = Instant::now();
        let result = work();
        let seconds = started.elapsed().as_secs_f64();
        progress.finish_and_clear();
        if interrupt::requested() {
            let done: Vec<_> = self.benches.iter().map(|bench| bench.name).collect();
            let done = if done.is_empty() { "nothing".to_owned() } else { done.join(", ") };
            let finished = format!("{name} was not finished; finished before: {done}");
            return Err(Failure::Interrupted(finished).into());
        }
        Ok((result?, seconds))
    }
}

impl Bench {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.common.output();
        self.common.start_threads()?;
        interrupt::install()?;
        let (board, rules) = (Board::tsivy(), RuleSet::STANDARD);
        let mut report = Report { board, rules, benches: Vec::new() };
        let result = report.run();
        output.json(&report);
        let mut rows = table(&["bench", "time", "rate", "unit"], &[0, 3]);
        for Measured { name, seconds, rate, unit } in &report.benches {
            let (time, rate) = (duration(*seconds), grouped(format_args!("{rate:.0}")));
            rows.add_row(Row::from([*name, &time, &rate, unit]));
        }
        output.text(rows.trim_fmt());
        result
    }
}

fn compare<T: PartialEq + std::fmt::Debug>(
    name: &str,
    found: T,
    expected: T,
) -> anyhow::Result<()> {
    if found == expected {
        return Ok(());
    }
    Err(Failure::Check(format!("{name}: expected {expected:?}, found {found:?}")).into())
}

/// Proves the value of a position, and returns the number of positions searched.
fn search(tables: &Arc<Tables>, threads: usize) -> anyhow::Result<u64> {
    let position: Position = SEARCHED.parse().context("the position is a good one")?;
    let (board, rules) = (tables.board(), tables.rules());
    let known = Knowledge::new(board, rules, Some(tables.clone()), None)?;
    let means = Means { memory: Some(SEARCH_MEMORY), threads, ..Means::default() };
    let answer = Inquiry::new(&known, means).ask(&position, interrupt::flag(), |_| {})?;
    if answer.end() == End::Proved {
        compare("search", answer.assessment().value(), Some(Value::Win))?;
    }
    Ok(answer.nodes().0)
}

/// Searches a position with a new engine, without tables.
fn engine(position: &Position, threads: usize, limits: &Limits) -> anyhow::Result<Analysis> {
    let (board, rules) = (position.board(), RuleSet::STANDARD);
    let mut options = Options::default();
    options.threads = threads;
    let mut engine = Engine::new(Knowledge::of_rules(board, rules), options)?;
    Ok(engine.analyze(position, &[], limits, interrupt::flag(), |_| {})?)
}

/// The positions that searches on one thread to a fixed depth visit. No machine changes them.
fn signature() -> anyhow::Result<u64> {
    let limits = Limits { depth: Some(SIGNED_DEPTH), ..Limits::default() };
    let signed = SIGNED.iter().map(|text| text.parse().context("the position is a good one"));
    let start = Ok(Board::tsivy().start());
    let nodes = |position: anyhow::Result<Position>| Ok(engine(&position?, 1, &limits)?.nodes);
    std::iter::once(start).chain(signed).map(nodes).sum()
}

/// Probes random positions, on one thread, and returns the sum of the answers.
fn probe(tables: &Tables) -> anyhow::Result<u64> {
    let mut random = 1;
    let mut sum = 0;
    for _ in 0..PROBES {
        let position = random_position(tables.board(), &mut random);
        let found = tables.probe(&position)?;
        sum += found.value as u64 + found.dtw.map_or(0, u64::from);
    }
    Ok(sum)
}

/// White to move, two to four stones, at least one of each colour.
fn random_position(board: Board, random: &mut u64) -> Position {
    let mut below = |n: u32| {
        // A linear congruential generator, whose high bits are good enough here.
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (((*random >> 32) * u64::from(n)) >> 32) as u32
    };
    loop {
        let (mut white, mut black) = (0_u64, 0_u64);
        let stones = 2 + below(PROBED_STONES - 1);
        for i in 0..stones {
            let point = 1 << below(board.num_points());
            // The first two stones differ in colour, the others are as they come.
            let side = if i < 2 { i } else { below(2) };
            if side == 0 { white |= point } else { black |= point }
        }
        let [white, black] = [white, black].map(PointSet::from_bits);
        if (white | black).len() == stones
            && let Ok(position) =
                Position::try_from(Setup { board, white, black, to_move: Side::White })
        {
            return position;
        }
    }
}
