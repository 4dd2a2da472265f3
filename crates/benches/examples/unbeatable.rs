//! Plays games of the level that cannot lose from the start of 9x5, half of them with each colour.
//!
//!     cargo run --release -p fanorona-benches --example unbeatable -- \
//!         OPPONENT GAMES SEED SECONDS --book FILE --tables DIR [--log FILE] [--threads N]
//!
//! OPPONENT is `full` or `random`. Both sides search each turn for at most SECONDS on one thread, and
//! full strength has the same tables. Two games of the same players from the same position would be
//! almost the same game. So the opponent begins with 0, 1, 2 or 3 random turns, one number after the
//! other. They depend on the seed alone. A game ends as a draw by threefold repetition or after 100
//! turns without a capture.
//!
//! `--log` writes a line of JSON for each game. `--threads` is the number of games that run at the same
//! time: at most one for each free processor, or the players get less time than they are given. The
//! exit status is 1 if a game was lost, or if at one of its turns nothing was proved.

use std::collections::HashSet;
use std::env;
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use fanorona_core::{Board, RuleSet, Side, SplitMix64, Turn, Value};
use fanorona_engine::{DrawRules, Engine, EngineError, Game, GameEnd, Level, Limits, Options};
use fanorona_knowledge::Book;
use fanorona_knowledge::Knowledge;
use fanorona_tablebase::{Tables, TablesOptions};

/// A game ends as a draw after this number of turns without a capture.
const TURNS_WITHOUT_CAPTURE: u32 = 100;

/// The memory of an engine.
const MEMORY: usize = 64 << 20;

/// The cache of the tables.
const CACHE: usize = 512 << 20;

/// Opponents begin with fewer random turns than this.
const OPENINGS: u64 = 4;

/// The players of the games.
struct Setting {
    known: Knowledge,
    opponent: Level,
    /// Whether the opponent plays all turns at random.
    is_random: bool,
    seed: u64,
    time: Duration,
}

/// A game that is over.
struct Played {
    number: u64,
    side: Side,
    game: Game,
    end: GameEnd,
    /// The turns of the unbeatable level at which nothing was proved.
    unproved: u32,
    /// The sum over its turns of the depths, and their number.
    depths: (u64, u64),
    seconds: f64,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let mut args: Vec<String> = env::args().skip(1).collect();
    let mut option = |name: &str| -> Option<String> {
        let at = args.iter().position(|arg| arg == name)?;
        args.drain(at..(at + 2).min(args.len())).nth(1)
    };
    let book = option("--book").ok_or("--book names the certificate")?;
    let tables = option("--tables").ok_or("--tables names the directory of the tables")?;
    let log = option("--log").map(File::create).transpose()?;
    let all = || Ok(thread::available_parallelism().map_or(1, usize::from));
    let threads = option("--threads").map_or_else(all, |text| text.parse())?;
    let [opponent, games, seed, seconds] = &args[..] else {
        return Err("arguments: OPPONENT GAMES SEED SECONDS".into());
    };
    let is_random = match opponent.as_str() {
        "full" => false,
        "random" => true,
        other => return Err(format!("'{other}' is neither 'full' nor 'random'").into()),
    };
    let (board, rules) = (Board::tsivy(), RuleSet::STANDARD);
    let options = TablesOptions { cache_bytes: CACHE, ..TablesOptions::default() };
    let tables = Arc::new(Tables::open_dirs(&[tables], board, rules, options)?);
    let setting = Setting {
        known: Knowledge::new(board, rules, Some(tables), Some(Arc::new(Book::open([book])?)))?,
        opponent: Level::FULL,
        is_random,
        seed: seed.parse()?,
        time: Duration::from_secs_f64(seconds.parse()?),
    };
    let log = Mutex::new(log);
    let played = play_all(&setting, games.parse()?, threads, |played| {
        println!("{}", played.line());
        let mut log = log.lock().unwrap_or_else(|lock| lock.into_inner());
        log.as_mut().map_or(Ok(()), |log| writeln!(log, "{}", played.json()))
    })?;
    Ok(summary(&played))
}

/// Plays all games, and reports each when it ends.
fn play_all(
    setting: &Setting,
    games: u64,
    threads: usize,
    report: impl Fn(&Played) -> std::io::Result<()> + Sync,
) -> Result<Vec<Played>, Box<dyn Error>> {
    let next = AtomicU64::new(0);
    let all = Mutex::new(Vec::new());
    let work = || -> Result<(), Box<dyn Error + Send + Sync>> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= games {
                return Ok(());
            }
            let played = setting.play(number)?;
            report(&played)?;
            all.lock().unwrap_or_else(|lock| lock.into_inner()).push(played);
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(result) => result.map_err(|error| -> Box<dyn Error> { error }),
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    Ok(all.into_inner().unwrap_or_else(|lock| lock.into_inner()))
}

/// Prints the sums.
fn summary(played: &[Played]) -> ExitCode {
    let count = |result| played.iter().filter(|played| played.result() == result).count();
    let (wins, draws, losses) = (count("win"), count("draw"), count("loss"));
    let distinct: HashSet<String> = played.iter().map(Played::turns).collect();
    let unproved: u32 = played.iter().map(|played| played.unproved).sum();
    println!(
        "{} games, {} different: {wins} wins, {draws} draws, {losses} losses; {unproved} turns \
         without a proof",
        played.len(),
        distinct.len()
    );
    if losses == 0 && unproved == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

impl Setting {
    fn engine(&self, level: Level) -> Result<Engine, EngineError> {
        let mut options = Options::player(level);
        options.memory = MEMORY;
        options.draw_rules.without_capture = Some(TURNS_WITHOUT_CAPTURE);
        Engine::new(self.known.clone(), options)
    }

    fn play(&self, number: u64) -> Result<Played, EngineError> {
        let (started, rules) = (Instant::now(), self.known.rules());
        let side = if number.is_multiple_of(2) { Side::White } else { Side::Black };
        let mut random = SplitMix64::stream(self.seed, number);
        let mut random_turns = if self.is_random { u64::MAX } else { number / 2 % OPENINGS };
        let (mut unbeatable, mut opponent) =
            (self.engine(Level::UNBEATABLE)?, self.engine(self.opponent)?);
        let limits = Limits { time: Some(self.time), ..Limits::default() };
        let draws = DrawRules::default().without_capture(TURNS_WITHOUT_CAPTURE);
        let mut game = Game::with_draws(rules, self.known.board().start(), draws);
        let (mut unproved, mut depths) = (0, (0, 0));
        let end = loop {
            if let Some(end) = game.end() {
                break end;
            }
            let position = *game.position();
            let is_mine = position.to_move() == side;
            if !is_mine && random_turns > 0 {
                random_turns -= 1;
                let turns: Vec<Turn> = rules.turns(&position);
                game.play(turns[random.below(turns.len() as u64) as usize].clone());
                continue;
            }
            let player = if is_mine { &mut unbeatable } else { &mut opponent };
            let stop = AtomicBool::new(false);
            let found = player.analyze(&position, game.earlier(), &limits, &stop, |_| {})?;
            if is_mine {
                unproved += u32::from(found.facts.bounds.at_least < Value::Draw);
                depths = (depths.0 + u64::from(found.depth), depths.1 + 1);
            }
            game.play(found.turn.ok_or(EngineError::NoTurn { position })?);
        };
        let seconds = started.elapsed().as_secs_f64();
        Ok(Played { number, side, game, end, unproved, depths, seconds })
    }
}

impl Played {
    /// The result for the unbeatable level.
    fn result(&self) -> &'static str {
        match self.end {
            GameEnd::Won(side) if side == self.side => "win",
            GameEnd::Won(_) => "loss",
            _ => "draw",
        }
    }

    fn end(&self) -> &'static str {
        match self.end {
            GameEnd::Won(_) => "won",
            GameEnd::NoTurn => "no-turn",
            GameEnd::Threefold => "threefold",
            GameEnd::WithoutCapture => "without-capture",
        }
    }

    fn turns(&self) -> String {
        let board = self.game.position().board();
        let texts = self.game.turns().iter().map(|turn| turn.text(board).to_string());
        texts.collect::<Vec<_>>().join(" ")
    }

    fn line(&self) -> String {
        let Self { number, side, game, unproved, seconds, .. } = self;
        let (result, end, turns) = (self.result(), self.end(), game.turns().len());
        let depth = self.depths.0 as f64 / self.depths.1.max(1) as f64;
        format!(
            "game {number}, {side}: {result} ({end}), {turns} turns, {unproved} without a proof, \
             mean depth {depth:.1}, {seconds:.1} s, {}",
            game.position()
        )
    }

    fn json(&self) -> String {
        let Self { number, side, game, unproved, .. } = self;
        let (result, end, turns) = (self.result(), self.end(), self.turns());
        format!(
            "{{\"game\":{number},\"side\":\"{side}\",\"result\":\"{result}\",\"end\":\"{end}\",\
             \"unproved\":{unproved},\"position\":\"{}\",\"turns\":\"{turns}\"}}",
            game.position()
        )
    }
}
