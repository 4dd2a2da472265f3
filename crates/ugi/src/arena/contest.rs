//! A match: pairs of games between two players.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;
use std::time::Duration;

use fanorona_core::Side;
use fanorona_engine::{Game, GameResult};
use serde::Serialize;

use super::error::MatchError;
use super::game::{Ending, Finished, GameRules};
use super::opening::Openings;
use super::player::{Forfeit, Player};
use super::sprt::{Sprt, Verdict};
use super::tally::{Pairs, Tally};
use super::time::TimeControl;
use crate::client::Found;

/// The games in a row that a player's program may not survive; after them a match ends.
pub const MAX_DEATHS: u64 = 6;

/// How a match is played.
///
/// Games come in pairs: both have the same opening, and the players exchange colours.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Match {
    /// Where the games begin. Pair n has the opening n.
    pub openings: Openings,
    /// The most games; an even number.
    pub games: u64,
    /// End the match when this test has an answer.
    pub sprt: Option<Sprt>,
    /// The limits of the first player and of the second.
    pub controls: [TimeControl; 2],
    /// The time that a turn may take beyond its limit: programs and the system are not exact.
    pub margin: Duration,
    /// The longest time for a turn where a time control has no limit.
    pub timeout: Duration,
    /// A game with this number of turns, those of the opening included, is a draw.
    pub max_turns: usize,
    /// The games at a time; at least 1. If there are more than processors, players lose time to
    /// each other.
    pub concurrency: usize,
}

/// A game of a match that is over.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct PlayedGame {
    /// Its number, from 0. Games 2n and 2n + 1 are a pair.
    pub number: u64,
    /// The side of the first player.
    pub first_side: Side,
    pub game: Game,
    /// The turns after the opening, and what the players said.
    pub answers: Vec<Found>,
    pub result: GameResult,
    /// Why it has ended.
    pub ending: Ending,
}

impl PlayedGame {
    /// The turns of its opening.
    pub fn opening(&self) -> usize {
        self.game.turns().len() - self.answers.len()
    }

    /// The points of the first player, in half points.
    fn half_points(&self) -> usize {
        match self.result {
            GameResult::Won(side) if side == self.first_side => 2,
            GameResult::Won(_) => 0,
            GameResult::Draw | GameResult::Unfinished => 1,
        }
    }
}

/// The results of a match so far.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Standing {
    /// All games, for the first player.
    #[serde(flatten)]
    pub score: Tally,
    /// The games of the first player as White.
    pub as_white: Tally,
    /// The games of the first player as Black.
    pub as_black: Tally,
    /// All complete pairs, for the first player.
    pub pairs: Pairs,
    /// The games that the first player and the second have lost by a forfeit.
    pub forfeits: [u64; 2],
    /// The last games in a row that the program of the first player, and of the second, has not
    /// survived.
    #[serde(skip)]
    pub deaths: [u64; 2],
}

impl Standing {
    fn add(&mut self, games: &[PlayedGame]) {
        for game in games {
            let points = game.half_points();
            self.score.add(points);
            match game.first_side {
                Side::White => self.as_white.add(points),
                Side::Black => self.as_black.add(points),
            }
            let mut dead = None;
            if let Ending::Forfeit(side, forfeit) = &game.ending {
                let loser = usize::from(*side != game.first_side);
                self.forfeits[loser] += 1;
                dead = matches!(forfeit, Forfeit::Crash(_)).then_some(loser);
            }
            for (player, deaths) in self.deaths.iter_mut().enumerate() {
                *deaths = if dead == Some(player) { *deaths + 1 } else { 0 };
            }
        }
        if let [one, other] = games {
            self.pairs.add(one.half_points() + other.half_points());
        }
    }
}

/// How a match has ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MatchEnd {
    /// All games are played.
    Games,
    /// The test has an answer.
    Sprt(Verdict),
    /// The program of this player, 0 or 1, has not survived [`MAX_DEATHS`] games in a row.
    Died(usize),
    /// It was stopped.
    Stopped,
}

/// A message of the workers: the games of a pair with its number, or why there are none.
type Sent = Result<(u64, Vec<PlayedGame>), MatchError>;

impl Match {
    /// A match of some games with a time control of both players, a margin of 100 ms, a time-out of a
    /// minute, and one game at a time.
    pub fn new(openings: Openings, games: u64, control: TimeControl) -> Self {
        Self {
            openings,
            games,
            sprt: None,
            controls: [control; 2],
            margin: Duration::from_millis(100),
            timeout: Duration::from_secs(60),
            max_turns: 400,
            concurrency: 1,
        }
    }

    /// Plays the match. `start` starts the player with the number 0 or 1; it is called for each game
    /// at a time, and again after a forfeit. From the second game on, a player that cannot be started
    /// forfeits. `report` gets the games of each pair in the order of their numbers, with what the
    /// match has come to.
    ///
    /// When `stop` is set, the match ends soon; games that are not over do not count. The result
    /// depends on the number of games at a time only as far as the players do.
    ///
    /// # Errors
    /// If a player cannot be started for the first game and `stop` is not set, or if there is no opening.
    pub fn play<P: Player, E: std::error::Error + Send + Sync + 'static>(
        &self,
        start: impl Fn(usize) -> Result<P, E> + Sync,
        stop: &AtomicBool,
        mut report: impl FnMut(&[PlayedGame], &Standing),
    ) -> Result<(Standing, MatchEnd), MatchError> {
        if !self.games.is_multiple_of(2) {
            return Err(MatchError::Odd(self.games));
        }
        let (next, done) = (AtomicU64::new(0), AtomicBool::new(false));
        let start = |number| start(number).map_err(|error| MatchError::Player(Box::new(error)));
        let (sender, received) = mpsc::channel::<Sent>();
        thread::scope(|scope| {
            for _ in 0..self.concurrency.max(1) {
                let (sender, next, stop) = (sender.clone(), &next, [stop, &done]);
                let start = &start;
                scope.spawn(move || self.work(next, stop, start, &sender));
            }
            drop(sender);
            let collected = self.collect(received, stop, &mut report);
            // The other workers end after their turns.
            done.store(true, Ordering::Relaxed);
            collected
        })
    }

    /// Plays pairs until none is left.
    fn work<P: Player>(
        &self,
        next: &AtomicU64,
        stop: [&AtomicBool; 2],
        start: &impl Fn(usize) -> Result<P, MatchError>,
        sender: &Sender<Sent>,
    ) {
        let mut players = [None, None];
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= self.games / 2 || is_set(&stop) {
                return;
            }
            let sent = self.play_pair(number, &mut players, &stop, start);
            let is_error = sent.is_err();
            // Nobody listens when the match is over.
            if sender.send(sent.map(|games| (number, games))).is_err() || is_error {
                return;
            }
        }
    }

    /// The games of a pair, as far as they come to an end.
    fn play_pair<P: Player>(
        &self,
        number: u64,
        players: &mut [Option<P>; 2],
        stop: &[&AtomicBool; 2],
        start: &impl Fn(usize) -> Result<P, MatchError>,
    ) -> Result<Vec<PlayedGame>, MatchError> {
        let opening = self.openings.opening(number)?;
        let rules = |controls| GameRules {
            controls,
            margin: self.margin,
            timeout: self.timeout,
            max_turns: self.max_turns,
        };
        let mut games = Vec::new();
        for (number, first_side) in [(2 * number, Side::White), (2 * number + 1, Side::Black)] {
            let [first, second] = &mut *players;
            let both = ready(first, 0, start).and_then(|one| Ok((one, ready(second, 1, start)?)));
            let sides = [first_side, first_side.other()];
            let finished = match both {
                Ok((one, other)) => {
                    let mut both: [&mut dyn Player; 2] = [one, other];
                    let mut controls = self.controls;
                    if first_side == Side::Black {
                        both.reverse();
                        controls.reverse();
                    }
                    rules(controls).play(opening.clone(), both, stop)?
                }
                // A stop ends waiting for a program that starts, too.
                Err(_) if is_set(stop) => None,
                Err((_, error)) if number == 0 => return Err(error),
                Err((player, error)) => {
                    let forfeit = Forfeit::Crash(error.to_string());
                    Some(Finished::forfeited(opening.clone(), Vec::new(), sides[player], forfeit))
                }
            };
            let Some(finished) = finished else { break };
            let Finished { game, answers, result, ending } = finished;
            if let Ending::Forfeit(side, _) = ending {
                players[usize::from(side != first_side)] = None;
            }
            games.push(PlayedGame { number, first_side, game, answers, result, ending });
        }
        Ok(games)
    }

    /// Counts the games of each pair in the order of their numbers, until the match is over.
    fn collect(
        &self,
        received: mpsc::Receiver<Sent>,
        stop: &AtomicBool,
        report: &mut impl FnMut(&[PlayedGame], &Standing),
    ) -> Result<(Standing, MatchEnd), MatchError> {
        let mut standing = Standing::default();
        let (mut waiting, mut expected) = (BTreeMap::new(), 0);
        for sent in received {
            let (number, games) = sent?;
            waiting.insert(number, games);
            while let Some(games) = waiting.remove(&expected) {
                expected += 1;
                if games.is_empty() {
                    continue;
                }
                standing.add(&games);
                report(&games, &standing);
                let is_dead = |deaths: &u64| *deaths >= MAX_DEATHS;
                if let Some(player) = standing.deaths.iter().position(is_dead) {
                    return Ok((standing, MatchEnd::Died(player)));
                }
                let verdict = self.sprt.map(|sprt| sprt.state(&standing.pairs).verdict);
                if let Some(verdict @ (Verdict::H0 | Verdict::H1)) = verdict {
                    return Ok((standing, MatchEnd::Sprt(verdict)));
                }
            }
        }
        // Pairs behind one that was stopped.
        for games in waiting.into_values().filter(|games| !games.is_empty()) {
            standing.add(&games);
            report(&games, &standing);
        }
        let is_whole = standing.score.games() == self.games;
        let is_stopped = !is_whole && stop.load(Ordering::Relaxed);
        Ok((standing, if is_stopped { MatchEnd::Stopped } else { MatchEnd::Games }))
    }
}

fn is_set(stop: &[&AtomicBool; 2]) -> bool {
    stop.iter().any(|stop| stop.load(Ordering::Relaxed))
}

/// A player that is started if it is not there. An error has its number.
fn ready<'p, P: Player>(
    player: &'p mut Option<P>,
    number: usize,
    start: &impl Fn(usize) -> Result<P, MatchError>,
) -> Result<&'p mut P, (usize, MatchError)> {
    match player {
        Some(player) => Ok(player),
        None => Ok(player.insert(start(number).map_err(|error| (number, error))?)),
    }
}
