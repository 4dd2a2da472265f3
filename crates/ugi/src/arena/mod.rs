//! Matches between two players, and what their results mean.
//!
//! A [`Match`] plays pairs of games: both games of a pair have the same opening, and the players
//! exchange colours. The players are programs ([`ProgramPlayer`]), or anything that is a
//! [`Player`]. The results are counted in a [`Standing`]; [`Pairs::estimate`] says how large the
//! difference is, and an [`Sprt`] ends a match when its question is answered.
//!
//! `docs/MATCHES.md` of the crate explains the numbers.

mod contest;
mod error;
mod game;
mod opening;
mod player;
mod program;
mod sprt;
mod tally;
mod time;

pub use contest::{MAX_DEATHS, Match, MatchEnd, PlayedGame, Standing};
pub use error::MatchError;
pub use game::Ending;
pub use opening::{OpeningError, Openings, RandomOpenings};
pub use player::{Ask, Forfeit, Player, PlayerError};
pub use program::ProgramPlayer;
pub use sprt::{Sprt, SprtError, SprtState, Verdict};
pub use tally::{Estimate, Pairs, Tally};
pub use time::TimeControl;
