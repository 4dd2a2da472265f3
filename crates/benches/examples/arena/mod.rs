//! Games between players, for the examples that play matches.

use std::error::Error;
use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;

use fanorona_core::{Board, RuleSet, Side, SplitMix64, Turn};
use fanorona_engine::Score::Estimate;
use fanorona_engine::{
    Analysis, DrawRules, Engine, EngineError, Game, GameEnd, Level, Limits, Options,
};
use fanorona_knowledge::Knowledge;

/// The random turns that a game begins with.
const OPENING_TURNS: usize = 6;

/// Positions that are searched to see whether an opening is balanced.
const BALANCE_NODES: u64 = 20_000;

/// An opening is balanced if the estimate of this search is not larger, for either side.
const BALANCE: i32 = 50;

/// The memory of an engine.
const MEMORY: usize = 16 << 20;

/// One side of a game.
pub(crate) trait Player {
    /// The turn to play. The game is not over.
    fn turn(&mut self, game: &Game) -> Result<Turn, EngineError>;
}

/// The engine with its limits for each turn.
pub(crate) struct EnginePlayer {
    engine: Engine,
    limits: Limits,
}

impl EnginePlayer {
    /// The engine at a level, on 9x5 under the standard rules, with one thread and no tables. It
    /// knows after how many turns without a capture a game is drawn.
    pub(crate) fn new(
        level: Level,
        seed: u64,
        limits: Limits,
        without_capture: u32,
    ) -> Result<Self, EngineError> {
        let mut options = Options::player(level);
        options.memory = MEMORY;
        options.seed = Some(seed);
        options.draw_rules.without_capture = Some(without_capture);
        let engine = Engine::new(Knowledge::of_rules(Board::tsivy(), RuleSet::STANDARD), options)?;
        Ok(Self { engine, limits })
    }

    fn analyze(&mut self, game: &Game) -> Result<Analysis, EngineError> {
        let stop = AtomicBool::new(false);
        self.engine.analyze(game.position(), game.earlier(), &self.limits, &stop, |_| {})
    }
}

impl Player for EnginePlayer {
    fn turn(&mut self, game: &Game) -> Result<Turn, EngineError> {
        let turn = self.analyze(game)?.turn;
        turn.ok_or(EngineError::NoTurn { position: *game.position() })
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

/// How the games of a match are played.
#[derive(Clone, Copy)]
pub(crate) struct Match {
    pub games: u64,
    pub seed: u64,
    /// The games that are played at the same time.
    pub threads: usize,
    /// A game ends as a draw after this number of turns without a capture.
    pub without_capture: u32,
    /// Random openings that give one side an advantage count too.
    pub any_opening: bool,
}

impl Match {
    /// A match as the arguments ask for: GAMES and SEED, and the options `--threads N` and
    /// `--any-opening`. Takes them out of the arguments.
    pub(crate) fn from_args(
        args: &mut Vec<String>,
        without_capture: u32,
    ) -> Result<Self, Box<dyn Error>> {
        let mut threads = thread::available_parallelism().map_or(1, usize::from);
        if let Some(at) = args.iter().position(|arg| arg == "--threads") {
            let given: Vec<String> = args.drain(at..(at + 2).min(args.len())).collect();
            let number = given.get(1).and_then(|text| text.parse().ok());
            let number = number.filter(|number| *number > 0);
            threads = number.ok_or("--threads needs a number, 1 or more")?;
        }
        let count = args.len();
        args.retain(|arg| arg != "--any-opening");
        let any_opening = args.len() < count;
        if args.len() < 2 {
            return Err("the first arguments are GAMES and SEED".into());
        }
        let mut numbers = args.drain(..2).map(|text| text.parse());
        let mut number = || numbers.next().expect("there are two");
        Ok(Self { games: number()?, seed: number()?, threads, without_capture, any_opening })
    }

    /// Plays games of two players from random openings. Games 2n and 2n + 1 have the same opening,
    /// with colours exchanged. `players` makes the players of a game from its number.
    ///
    /// The openings depend on the seed alone. If the players depend on nothing but the game, so does
    /// the score.
    pub(crate) fn play<A: Player, B: Player>(
        self,
        players: impl Fn(u64) -> Result<(A, B), EngineError> + Sync,
    ) -> Result<Score, EngineError> {
        let next = AtomicU64::new(0);
        let sum = Mutex::new(Score::default());
        let work = || -> Result<(), EngineError> {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= self.games {
                    return Ok(());
                }
                let (mut first, mut second) = players(number)?;
                let first_side = if number.is_multiple_of(2) { Side::White } else { Side::Black };
                let game = self.opening(number / 2)?;
                let winner = play(&mut first, &mut second, first_side, game)?;
                let mut sum = sum.lock().unwrap_or_else(|lock| lock.into_inner());
                match winner {
                    Some(side) if side == first_side => sum.wins += 1,
                    Some(_) => sum.losses += 1,
                    None => sum.draws += 1,
                }
                eprintln!("{sum}");
            }
        };
        thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads).map(|_| scope.spawn(work)).collect();
            threads.into_iter().try_for_each(|thread| match thread.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            })
        })?;
        Ok(sum.into_inner().unwrap_or_else(|lock| lock.into_inner()))
    }

    /// A game of 9x5 after some random turns.
    fn opening(self, number: u64) -> Result<Game, EngineError> {
        let (board, rules) = (Board::tsivy(), RuleSet::STANDARD);
        let mut random = SplitMix64::stream(self.seed, number);
        loop {
            let draws = DrawRules::default().without_capture(self.without_capture);
            let mut game = Game::with_draws(rules, board.start(), draws);
            while game.turns().len() < OPENING_TURNS && game.end().is_none() {
                let turns = rules.turns(game.position());
                game.play(turns[random.below(turns.len() as u64) as usize].clone());
            }
            if game.end().is_none() && (self.any_opening || is_balanced(&game)?) {
                return Ok(game);
            }
        }
    }
}

/// Whether a short search sees no advantage for either side.
fn is_balanced(game: &Game) -> Result<bool, EngineError> {
    let limits = Limits { nodes: Some(BALANCE_NODES), ..Limits::default() };
    let mut judge = EnginePlayer::new(
        Level::FULL,
        0,
        limits,
        game.draws().without_capture.unwrap_or(u32::MAX),
    )?;
    let found = judge.analyze(game)?;
    Ok(matches!(found.score, Estimate(score) if score.abs() <= BALANCE))
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
