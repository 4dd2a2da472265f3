//! The opponent.

use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_core::{Board, Position};
use fanorona_engine::{Analysis, DrawRules, End, Engine, Level, Limits, Options, Score};

use crate::book::BookHandle;
use crate::boundary::exports;
use crate::failure::Failure;
use crate::game::{CPosition, GameHandle};
use crate::grow::{self, GrowingOutput, Grows};
use crate::know::sources;
use crate::pointers::{Output, copies, copy, frees, give, handle};
use crate::pool::{ask, threads};
use crate::progress::{Listener, SearchReport, milliseconds};
use crate::stop::{StopHandle, flag_or};
use crate::tables::TablesHandle;
use crate::turn::CTurn;
use crate::value::{CAssessment, distance};

/// A player: `fanorona_opponent`.
#[derive(Debug)]
pub struct OpponentHandle(Mutex<Engine>);

impl OpponentHandle {
    /// Works with the engine, one thread at a time. After a panic it forgets its searches.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&mut Engine) -> T) -> T {
        let mut engine = self.0.lock().unwrap_or_else(|poisoned| {
            let mut engine = poisoned.into_inner();
            engine.clear();
            self.0.clear_poison();
            engine
        });
        work(&mut engine)
    }
}

/// How an opponent plays: `fanorona_opponent_options`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct OpponentOptions {
    /// The size of the struct.
    pub struct_size: usize,
    /// Bytes of the transposition table; 0 is the default.
    pub memory: u64,
    /// The seed of what varies in its play; 0 is another one each time.
    pub seed: u64,
    /// 1 to 9; 0 is 8, full strength.
    pub level: u32,
    /// Threads; 0 is one.
    pub threads: u32,
    /// A sum of flags.
    pub flags: u32,
    /// Turns without a capture that end the game as a draw; 0 is no limit.
    pub without_capture: u32,
    /// How much it avoids simple positions; −1 is not at all, 0 the default.
    pub contempt: i32,
    /// Always 0.
    pub reserved: u32,
}

// SAFETY: integers, the size first.
unsafe impl Grows for OpponentOptions {}

/// The flag that repetition ends nothing.
pub(crate) const NO_REPETITION: u32 = 1;

/// When a search ends: `fanorona_limits`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct OpponentLimits {
    /// The size of the struct.
    pub struct_size: usize,
    /// The most positions; 0 is no limit.
    pub nodes: u64,
    /// The most time; 0 is no limit.
    pub milliseconds: u64,
    /// The most turns to look ahead; 0 is no limit.
    pub depth: u32,
    /// Always 0.
    pub reserved: u32,
    /// Hears of the progress.
    pub progress: Listener,
}

// SAFETY: integers and pointers that may be NULL, the size first.
unsafe impl Grows for OpponentLimits {}

/// A turn to play, and what it rests on: `fanorona_choice`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Choice {
    /// The size of the struct.
    pub struct_size: usize,
    /// Positions searched.
    pub nodes: u64,
    /// Of them, those that a table decided.
    pub table_hits: u64,
    /// The time taken.
    pub milliseconds: u64,
    /// The value of the turn, as far as it is certain.
    pub assessment: CAssessment,
    /// The turns within which the game ends; −1 if unknown.
    pub turns: i32,
    /// The score, if nothing else is known.
    pub estimate: i32,
    /// The depth searched completely.
    pub depth: u32,
    /// Why the search ended.
    pub end: i32,
    /// The turn.
    pub turn: CTurn,
}

// SAFETY: integers and structs of integers, the size first.
unsafe impl Grows for Choice {}

exports! {
    /// Makes an opponent.
    fn fanorona_opponent_new(
        game: *const GameHandle,
        tables: *const TablesHandle,
        book: *const BookHandle,
        options: *const OpponentOptions,
        opponent: *mut *mut OpponentHandle,
    ) {
        // SAFETY: all pointers are NULL or as the header says.
        let (out, known, given) = unsafe {
            let out = Output::new(opponent, "opponent")?;
            out.write(std::ptr::null_mut());
            let known = sources(handle(game, "game")?, tables, book)?;
            (out, known, grow::read(options, "options")?)
        };
        let options = engine_options(&given)?;
        let threads = threads(given.threads)?;
        let engine = ask(&known, threads, || Engine::new(known.clone(), options))??;
        out.write(give(OpponentHandle(Mutex::new(engine))));
    }
}

fn engine_options(given: &OpponentOptions) -> Result<Options, Failure> {
    let wrong = |why| Failure::Argument { name: "options", why };
    let mut options = Options::player(Level::FULL);
    if let Some(asked) = grow::given(given.level) {
        let level = u8::try_from(asked).ok().and_then(|level| Level::new(level).ok());
        let why = || wrong(format!("ask for level {asked}, but the levels are 1 to 9"));
        options.level = level.ok_or_else(why)?;
    }
    if let Some(bytes) = grow::given(given.memory) {
        options.memory = usize::try_from(bytes).unwrap_or(usize::MAX);
    }
    options.contempt = match given.contempt {
        0 => options.contempt,
        -1 => 0,
        given => {
            let most = Options::MAX_CONTEMPT;
            let contempt = u32::try_from(given).ok().filter(|contempt| *contempt <= most);
            let why = || wrong(format!("have the contempt {given}, but it is -1 to {most}"));
            contempt.ok_or_else(why)?
        }
    };
    grow::check_reserved(given.reserved, "options")?;
    options.threads = threads(given.threads)?.get();
    options.seed = grow::given(given.seed);
    options.draw_rules = draw_rules(given.flags, given.without_capture, "options")?;
    Ok(options)
}

/// The draw rules of a game, from flags and a number of turns, which is 0 if there is no limit.
pub(crate) fn draw_rules(
    flags: u32,
    without_capture: u32,
    name: &'static str,
) -> Result<DrawRules, Failure> {
    grow::check_flags(flags, NO_REPETITION, name)?;
    let mut draws = DrawRules::default();
    draws.repetition = flags & NO_REPETITION == 0;
    draws.without_capture = grow::given(without_capture);
    Ok(draws)
}

frees!(fanorona_opponent_free, OpponentHandle);

exports! {
    /// Forgets all earlier searches.
    fn fanorona_opponent_forget(opponent: *const OpponentHandle) {
        // SAFETY: the pointer is NULL or as the header says.
        unsafe { handle(opponent, "opponent") }?.with(Engine::clear);
    }

    /// Chooses a turn.
    fn fanorona_opponent_choose(
        opponent: *const OpponentHandle,
        position: *const CPosition,
        earlier: *const CPosition,
        num_earlier: usize,
        limits: *const OpponentLimits,
        stop: *const StopHandle,
        choice: *mut Choice,
    ) {
        let own_flag = AtomicBool::new(false);
        // SAFETY: all pointers are NULL or as the header says.
        let (opponent, position, earlier, given, stop, out) = unsafe {
            let opponent = handle(opponent, "opponent")?;
            let position = copy(position, "position")?;
            let earlier = copies(earlier, num_earlier, "earlier")?;
            let limits = grow::read(limits, "limits")?;
            (
                opponent,
                position,
                earlier,
                limits,
                flag_or(stop, &own_flag)?,
                GrowingOutput::new(choice, "choice")?,
            )
        };
        grow::check_reserved(given.reserved, "limits")?;
        let limits = Limits {
            depth: grow::given(given.depth),
            nodes: grow::given(given.nodes),
            time: grow::given(given.milliseconds).map(Duration::from_millis),
        };
        out.write(opponent.with(|engine| {
            let board = engine.board();
            let position = position.on(board)?;
            let earlier: Vec<Position> =
                earlier.into_iter().map(|position| position.on(board)).collect::<Result<_, _>>()?;
            let report = |now: &Analysis| {
                let now = SearchReport::of_engine(board, now);
                // SAFETY: the engine calls this closure from one thread.
                unsafe { given.progress.call(&now, stop) };
            };
            let found = engine.analyze(&position, &earlier, &limits, stop, report)?;
            Choice::new(board, &found)
        })?);
    }
}

impl SearchReport {
    fn of_engine(board: Board, now: &Analysis) -> Self {
        Self {
            struct_size: size_of::<Self>(),
            nodes: now.nodes,
            table_hits: now.table_hits,
            milliseconds: milliseconds(now.elapsed),
            assessment: now.assessment().into(),
            memory_filled: now.memory_used,
            depth: now.depth,
            estimate: turns_and_estimate(now.score).1,
            has_turn: now.turn.is_some().into(),
            turn: now.turn.as_ref().map_or(CTurn::EMPTY, |turn| CTurn::new(board, turn)),
        }
    }
}

/// The turns within which the game ends, or −1, and the score if nothing else is known, or 0.
fn turns_and_estimate(score: Score) -> (i32, i32) {
    match score {
        Score::Exact(known) | Score::Proved(known) => (distance(known.turns), 0),
        Score::Estimate(estimate) => (distance(None), estimate),
    }
}

impl Choice {
    fn new(board: Board, found: &Analysis) -> Result<Self, Failure> {
        let turn = found.turn.as_ref().ok_or(Failure::GameOver)?;
        let (turns, estimate) = turns_and_estimate(found.score);
        Ok(Self {
            struct_size: 0,
            nodes: found.nodes,
            table_hits: found.table_hits,
            milliseconds: milliseconds(found.elapsed),
            assessment: found.assessment().into(),
            turns,
            estimate,
            depth: found.depth,
            end: match found.end {
                End::Decided => 0,
                End::Depth => 1,
                End::Nodes => 2,
                End::Time => 3,
                // `End` is non-exhaustive.
                _ => 4,
            },
            turn: CTurn::new(board, turn),
        })
    }
}
