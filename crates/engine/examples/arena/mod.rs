//! Games between players, for the examples that play matches.

use std::error::Error;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use fanorona_core::{Board, RuleSet, Side, SplitMix64, Turn};
use fanorona_engine::{DrawRules, Engine, EngineError, Game, GameEnd, Level, Limits, Options};

/// The random turns that a game begins with.
const OPENING_TURNS: usize = 6;

/// A game ends as a draw after this number of turns without a capture.
const TURNS_WITHOUT_CAPTURE: u32 = 100;

/// The memory of an engine.
const MEMORY: usize = 16 << 20;

/// One side of a game.
pub(crate) trait Player {
    /// The turn to play. The game is not over.
    fn turn(&mut self, game: &Game) -> Result<Turn, EngineError>;
}

/// The engine with its limits for each turn.
pub(crate) struct EnginePlayer {
    engine: Engine<'static>,
    limits: Limits,
}

impl EnginePlayer {
    /// The engine at a level, on 9x5 under the standard rules, with one thread and no tables.
    pub(crate) fn new(level: Level, seed: u64, limits: Limits) -> Result<Self, EngineError> {
        let mut options = Options::default();
        options.level = level;
        options.memory = MEMORY;
        options.seed = seed;
        options.without_capture = Some(TURNS_WITHOUT_CAPTURE);
        let engine = Engine::new(RuleSet::STANDARD, Board::tsivy(), None, options)?;
        Ok(Self { engine, limits })
    }
}

impl Player for EnginePlayer {
    fn turn(&mut self, game: &Game) -> Result<Turn, EngineError> {
        let stop = AtomicBool::new(false);
        let (position, earlier) = (game.position(), game.earlier());
        let found = self.engine.analyze(position, earlier, &self.limits, &stop, |_| {})?;
        found.turn.ok_or(EngineError::NoTurn { position: *position })
    }
}

/// Wins, draws and losses of the first player.
#[derive(Clone, Copy, Default)]
pub(crate) struct Score {
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
}

impl Score {
    /// The points as a percentage; a draw is half a point.
    pub(crate) fn percent(self) -> f64 {
        let games = self.wins + self.draws + self.losses;
        100.0 * (self.wins as f64 + self.draws as f64 / 2.0) / games as f64
    }
}

/// The columns of a table of results.
impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { wins, draws, losses } = self;
        write!(f, "{wins:>4}  {draws:>5}  {losses:>6}  {:>5.1} %", self.percent())
    }
}

/// The heading of these columns.
pub(crate) const COLUMNS: &str = "wins  draws  losses    score";

/// Plays games of two players from random openings. Games 2n and 2n + 1 have the same opening, with
/// colours exchanged. `players` makes the players of a game from its number.
///
/// The openings depend on the seed alone. If the players depend on nothing but the game, so does the
/// score.
pub(crate) fn play_match<A: Player, B: Player>(
    games: u64,
    seed: u64,
    threads: usize,
    players: impl Fn(u64) -> Result<(A, B), EngineError> + Sync,
) -> Result<Score, EngineError> {
    let next = AtomicU64::new(0);
    let sum = Mutex::new(Score::default());
    let work = || -> Result<(), EngineError> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= games {
                return Ok(());
            }
            let (mut first, mut second) = players(number)?;
            let first_side = if number.is_multiple_of(2) { Side::White } else { Side::Black };
            let winner = play(&mut first, &mut second, first_side, opening(seed, number / 2))?;
            let mut sum = sum.lock().unwrap_or_else(|lock| lock.into_inner());
            match winner {
                Some(side) if side == first_side => sum.wins += 1,
                Some(_) => sum.losses += 1,
                None => sum.draws += 1,
            }
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    Ok(sum.into_inner().unwrap_or_else(|lock| lock.into_inner()))
}

/// A game of 9x5 after some random turns, which is not over.
fn opening(seed: u64, number: u64) -> Game {
    let (board, rules) = (Board::tsivy(), RuleSet::STANDARD);
    let mut random = SplitMix64::stream(seed, number);
    loop {
        let draws = DrawRules::default().without_capture(TURNS_WITHOUT_CAPTURE);
        let mut game = Game::with_draws(rules, board.start(), draws);
        while game.turns().len() < OPENING_TURNS && game.end().is_none() {
            let turns = rules.turns(game.position());
            game.play(turns[random.below(turns.len() as u64) as usize].clone());
        }
        if game.end().is_none() {
            return game;
        }
    }
}

/// Plays a game to its end; the side that wins.
fn play(
    first: &mut impl Player,
    second: &mut impl Player,
    first_side: Side,
    mut game: Game,
) -> Result<Option<Side>, EngineError> {
    loop {
        match game.end() {
            Some(GameEnd::Won(side)) => return Ok(Some(side)),
            Some(_) => return Ok(None),
            None => {}
        }
        let turn = if game.position().to_move() == first_side {
            first.turn(&game)?
        } else {
            second.turn(&game)?
        };
        game.play(turn);
    }
}

/// The number of threads after `--threads`, which is taken out of the arguments; without it, one for
/// each processor.
pub(crate) fn threads(args: &mut Vec<String>) -> Result<usize, Box<dyn Error>> {
    let Some(at) = args.iter().position(|arg| arg == "--threads") else {
        return Ok(thread::available_parallelism().map_or(1, usize::from));
    };
    let given: Vec<String> = args.drain(at..(at + 2).min(args.len())).collect();
    let number = given.get(1).and_then(|text| text.parse().ok()).filter(|number| *number > 0);
    number.ok_or_else(|| "--threads needs a number, 1 or more".into())
}
