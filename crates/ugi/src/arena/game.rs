//! One game of a match.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fanorona_core::Side;
use fanorona_engine::{Game, GameEnd, GameResult};

use super::error::MatchError;
use super::player::{Ask, Forfeit, Player, PlayerError};
use super::time::{Clocks, TimeControl};
use crate::client::Found;

/// Why a game has ended.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Ending {
    /// By the rules, or by the draw rules of the match.
    Rules(GameEnd),
    /// The match allows no more turns: a draw.
    Length,
    /// This side has lost without being beaten.
    Forfeit(Side, Forfeit),
}

impl Ending {
    /// The tag `Termination` of the game's record, in the words of PGN; `None` if its turns say it.
    pub fn termination(&self) -> Option<&'static str> {
        match self {
            Self::Rules(_) => None,
            Self::Length => Some("adjudication"),
            Self::Forfeit(_, Forfeit::IllegalTurn(_)) => Some("rules infraction"),
            Self::Forfeit(_, Forfeit::Time(_)) => Some("time forfeit"),
            Self::Forfeit(_, Forfeit::Crash(_)) => Some("abandoned"),
        }
    }
}

/// `threefold`, `length`, or what a forfeit was.
impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rules(end) => f.pad(end.name()),
            Self::Length => f.pad("length"),
            Self::Forfeit(side, forfeit) => write!(f, "{side} forfeits, {forfeit}"),
        }
    }
}

/// How games are played.
#[derive(Clone, Copy, Debug)]
pub(super) struct GameRules {
    /// White's and Black's.
    pub controls: [TimeControl; 2],
    pub margin: Duration,
    pub timeout: Duration,
    pub max_turns: usize,
}

/// A game that is over.
#[derive(Clone, Debug)]
pub(super) struct Finished {
    pub game: Game,
    /// The turns after the opening.
    pub answers: Vec<Found>,
    pub result: GameResult,
    pub ending: Ending,
}

impl Finished {
    /// A game that a side has lost without being beaten.
    pub(super) fn forfeited(game: Game, answers: Vec<Found>, side: Side, forfeit: Forfeit) -> Self {
        let result = GameResult::Won(side.other());
        Self { game, answers, result, ending: Ending::Forfeit(side, forfeit) }
    }
}

impl GameRules {
    /// Plays a game from its opening to its end; `None` if it was stopped.
    ///
    /// `players` are White's and Black's. After a forfeit, that player cannot be used again.
    pub(super) fn play(
        &self,
        mut game: Game,
        players: [&mut dyn Player; 2],
        stop: &[&AtomicBool; 2],
    ) -> Result<Option<Finished>, MatchError> {
        let mut clocks = Clocks::new(self.controls);
        let [white, black] = players;
        for (side, player) in [(Side::White, &mut *white), (Side::Black, &mut *black)] {
            if let Err(error) = player.new_game(&game) {
                let Some(forfeit) = forfeit(error)? else { return Ok(None) };
                return Ok(Some(Finished::forfeited(game, Vec::new(), side, forfeit)));
            }
        }
        let mut answers = Vec::new();
        loop {
            if let Some((result, ending)) = self.end(&game) {
                return Ok(Some(Finished { game, answers, result, ending }));
            }
            if stop.iter().any(|stop| stop.load(Ordering::Relaxed)) {
                return Ok(None);
            }
            let side = game.position().to_move();
            let allowed = clocks.allowed(side).map(|allowed| allowed + self.margin);
            let player = match side {
                Side::White => &mut *white,
                Side::Black => &mut *black,
            };
            let deadline = allowed.unwrap_or(self.timeout);
            let ask = Ask { game: &game, go: clocks.go(side), deadline, stop: stop[0] };
            let error = match player.turn(&ask) {
                Ok(found) if found.elapsed <= deadline => {
                    clocks.spend(side, found.elapsed);
                    game.play(found.turn.clone());
                    answers.push(found);
                    continue;
                }
                Ok(_) => PlayerError::Forfeit(Forfeit::Time(deadline)),
                Err(error) => error,
            };
            let Some(forfeit) = forfeit(error)? else { return Ok(None) };
            return Ok(Some(Finished::forfeited(game, answers, side, forfeit)));
        }
    }

    /// The result of a game that has ended.
    fn end(&self, game: &Game) -> Option<(GameResult, Ending)> {
        let is_long = game.turns().len() >= self.max_turns;
        match game.end() {
            Some(end) => Some((Some(end).into(), Ending::Rules(end))),
            None => is_long.then_some((GameResult::Draw, Ending::Length)),
        }
    }
}

/// How an error loses the game; `None` if the match was stopped.
fn forfeit(error: PlayerError) -> Result<Option<Forfeit>, MatchError> {
    match error {
        PlayerError::Forfeit(forfeit) => Ok(Some(forfeit)),
        PlayerError::Stopped => Ok(None),
        PlayerError::Broken(error) => Err(MatchError::Player(error)),
    }
}
