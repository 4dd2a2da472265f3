//! A player of **Fanorona** for every board and rule set.
//!
//! An [`Engine`] searches with iterative deepening alpha-beta on top of endgame tables, on one
//! thread or on all. Each [`Analysis`] says what its [`Score`] rests on: `exact` (a table),
//! `proved` (a search to the end of the game) or `estimate`.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use fanorona_core::{Board, RuleSet};
//! use fanorona_engine::{Engine, Game, Level, Limits, Options};
//! use fanorona_knowledge::Knowledge;
//!
//! // Two levels play a few turns against each other.
//! let mut game = Game::new(RuleSet::STANDARD, Board::dimy().start());
//! let engine = |level| {
//!     let mut options = Options::default();
//!     options.level = level;
//!     Engine::new(Knowledge::of_rules(Board::dimy(), *game.rules()), options)
//! };
//! let mut players = [engine(Level::LOWEST)?, engine(Level::new(3)?)?];
//! for ply in 0..6 {
//!     let (stop, limits) = (AtomicBool::new(false), Limits::default());
//!     let player = &mut players[ply % 2];
//!     let found = player.analyze(game.position(), game.earlier(), &limits, &stop, |_| {})?;
//!     let Some(turn) = found.turn else { break };
//!     game.play(turn);
//! }
//! assert!(!game.turns().is_empty());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The search
//! Principal variation search with aspiration windows, a transposition table of fixed size, late
//! turn reductions, shallow searches that decide a node far outside of its window (ProbCut), extension
//! of forced turns, and a quiescence search of captures. Threads share the table and nothing else
//! (lazy SMP). Successors come from [`fanorona_perft::Successors`], so turns that lead to the same
//! position count once.
//!
//! # Tables
//! Positions in tables are leaves with exact values. At the root, the engine plays by
//! [`Knowledge`](fanorona_knowledge::Knowledge), in whose order of turns tables with distances decide
//! alone. With win, draw and loss alone, the engine searches among the turns that keep the value:
//! a line that leaves the region of positions with this value is a leaf, a capture into a table of
//! fewer stones is progress, and repetition is avoided, so that a win is not given up.
//!
//! # Repetition
//! A rule set knows no repetition, because play without end is a draw. In the search a position
//! that repeats on the line is a draw. A [`Game`] adds what players want: the third occurrence of
//! a position ends it. [`DrawRules`] are the settings of a game, and [`Options`] has them for the
//! engine.
//!
//! The transposition table cannot see repetitions (the graph history interaction problem). This
//! affects estimates only: wins and losses are proved by lines without repetition.
//!
//! # Games as text
//! A [`Record`] is a game with its players, date, result and annotations. It is written as text with
//! a header. [`Records`] reads the games of a text that may come from anywhere, also in forms of other
//! programs. `docs/GAMES.md` of the crate describes them.
//!
//! # Questions
//! An [`Inquiry`](inquiry::Inquiry) answers what a position is worth, or each position of a game: from the
//! rules, tables, certificates, a search for proofs and the engine's estimate. All faces ask it. [`review`]
//! finds the mistakes of a game in the answers.
//!
//! # Threads
//! An [`Engine`] shares its tables and its book with others ([`Arc`](std::sync::Arc)) and is `Send`.
//! [`Engine::analyze`] ends within milliseconds of the stop flag being set.
//!
//! # Evaluation
//! The [`estimate()`] is that of a small network over six sets of points, the [`inputs`]. It was trained on
//! 9x5 by `tools/train_network.py`, from positions with known results.

#![deny(unsafe_code)]

mod analysis;
mod draw_rules;
mod engine;
mod error;
mod evaluation;
mod game;
mod holding;
pub mod inquiry;
mod level;
mod memory;
mod node;
mod options;
mod record;
pub mod review;
mod root;
mod score;
mod search;
mod unbeatable;

pub use analysis::{Analysis, Choice, End, Limits, MAX_DEPTH};
pub use draw_rules::{DrawRules, DrawRulesError};
pub use engine::Engine;
pub use error::{EngineError, innermost};
pub use evaluation::{estimate, inputs};
pub use game::{Game, GameEnd};
pub use level::{Handicap, Level, LevelError};
pub use options::{Options, random_seed};
pub use record::{
    Annotation, GameResult, MAX_NAME, MAX_RECORD_BYTES, MAX_RECORD_TURNS, Record, RecordError,
    RecordProblem, Records, Remark,
};
pub use score::{Known, Score};
