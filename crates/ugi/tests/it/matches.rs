//! Whole matches, between programs that follow a script.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use fanorona_core::{Board, RuleSet, Side};
use fanorona_engine::{DrawRules, Game, GameResult, Record};
use fanorona_tests::scripted::Script;
use fanorona_ugi::arena::{
    Ask, Ending, Forfeit, MAX_DEATHS, Match, MatchEnd, MatchError, Openings, PlayedGame, Player,
    PlayerError, ProgramPlayer, RandomOpenings, Sprt, Standing, TimeControl, Verdict,
};
use fanorona_ugi::client::{ClientError, Found, ProgramCommand, ProgramSettings};
use fanorona_ugi::protocol::{Go, Info};

fn settings(script: &Script) -> ProgramSettings {
    let mut settings =
        ProgramSettings::new(ProgramCommand::new(script.program(), script.arguments()));
    settings.timeout = Duration::from_secs(20);
    settings
}

fn openings(turns: usize) -> Openings {
    let (rules, start) = (RuleSet::STANDARD, Board::dimy().start());
    let draws = DrawRules::default().without_capture(20);
    Openings::Random(RandomOpenings { rules, start, draws, turns, seed: 1, balanced: false })
}

fn contest(games: u64) -> Match {
    let mut contest =
        Match::new(openings(2), games, TimeControl::Movetime(Duration::from_secs(10)));
    contest.max_turns = 60;
    contest
}

fn play(
    contest: &Match,
    modes: [&str; 2],
    stop: &AtomicBool,
) -> Result<(Standing, MatchEnd, Vec<PlayedGame>), MatchError> {
    let scripts = modes.map(Script::player);
    let settings = scripts.each_ref().map(settings);
    let mut games = Vec::new();
    let (standing, end) = contest.play(
        |player| ProgramPlayer::start(&settings[player], stop),
        stop,
        |played, _| games.extend_from_slice(played),
    )?;
    for script in &scripts {
        assert_eq!(script.wrong(), None);
    }
    Ok((standing, end, games))
}

static GO_ON: AtomicBool = AtomicBool::new(false);

#[test]
fn games_are_played_in_pairs_and_counted() {
    let mut contest = contest(8);
    let (standing, end, games) = play(&contest, ["first", "last"], &GO_ON).expect("it is played");
    assert_eq!((end, games.len(), standing.score.games()), (MatchEnd::Games, 8, 8));
    for (i, played) in games.iter().enumerate() {
        assert_eq!(played.number, i as u64);
        assert_eq!(played.first_side, [Side::White, Side::Black][i % 2]);
        let other = &games[i ^ 1];
        assert_eq!(played.game.turns()[..2], other.game.turns()[..2], "the same opening");
        // Each side plays as its program does, and the result is that of the rules.
        for (at, turn) in played.game.turns().iter().enumerate().skip(2) {
            let position = played.game.earlier()[at];
            let turns = RuleSet::STANDARD.turns(&position);
            let is_first = position.to_move() == played.first_side;
            let expected = if is_first { turns.first() } else { turns.last() };
            assert_eq!(expected, Some(turn));
        }
        let (result, ending) = match played.game.end() {
            Some(end) => (Some(end).into(), Ending::Rules(end)),
            None => (GameResult::Draw, Ending::Length),
        };
        assert_eq!((played.result, &played.ending), (result, &ending));
        let record = Record::new(played.game.clone()).with_result(played.result);
        let text = record.expect("it fits").to_string();
        assert_eq!(text.parse::<Record>().expect("it is a game").to_string(), text);
    }
    // Counted again by hand.
    let points = |game: &PlayedGame| match game.result {
        GameResult::Won(side) => 2 * u64::from(side == game.first_side),
        _ => 1,
    };
    let count = |n| games.iter().filter(|game| points(game) == n).count() as u64;
    let score = standing.score;
    assert_eq!([score.losses, score.draws, score.wins], [count(0), count(1), count(2)]);
    let mut pairs = [0; 5];
    games.chunks(2).for_each(|pair| pairs[(points(&pair[0]) + points(&pair[1])) as usize] += 1);
    assert_eq!(standing.pairs.0, pairs);
    let of = |side| games.iter().filter(move |game| game.first_side == side).map(points).sum();
    for (score, side) in [(standing.as_white, Side::White), (standing.as_black, Side::Black)] {
        let found: u64 = of(side);
        assert_eq!((score.games(), 2 * score.wins + score.draws), (4, found));
    }
    // Three games at a time make no difference.
    contest.concurrency = 3;
    let again = play(&contest, ["first", "last"], &GO_ON).expect("it is played");
    assert_eq!(again.0, standing);
    let turns = |games: &[PlayedGame]| -> Vec<_> {
        games.iter().map(|game| game.game.turns().to_vec()).collect()
    };
    assert_eq!(turns(&again.2), turns(&games));
}

#[test]
fn whoever_misbehaves_loses_and_the_match_goes_on() {
    for (mode, name) in
        [("illegal", "illegal turn"), ("crash", "crash"), ("late", "time"), ("silent", "time")]
    {
        let mut contest = contest(2);
        contest.controls = [TimeControl::Movetime(Duration::from_millis(100)); 2];
        contest.margin = Duration::from_millis(if name == "time" { 200 } else { 9000 });
        let (standing, end, games) = play(&contest, ["first", mode], &GO_ON).expect(mode);
        assert_eq!((end, standing.score.wins), (MatchEnd::Games, 2), "{mode}: {games:?}");
        assert_eq!((standing.forfeits, standing.pairs.0), ([0, 2], [0, 0, 0, 0, 1]));
        for game in &games {
            assert!(game.ending.to_string().contains(&format!("forfeits, {name}: ")), "{mode}");
            assert!(matches!(game.ending, Ending::Forfeit(side, _) if side != game.first_side));
            // It has answered twice before, and the record keeps these turns.
            assert!((6..=7).contains(&game.game.turns().len()), "{mode}");
            assert!(game.game.end().is_none());
        }
    }
}

#[test]
fn clocks_run_out() {
    let mut contest = contest(2);
    let base = Duration::from_millis(200);
    contest.controls = [TimeControl::Clock { base, increment: Duration::ZERO }; 2];
    contest.margin = Duration::from_millis(100);
    let (standing, _, games) = play(&contest, ["first", "late"], &GO_ON).expect("it is played");
    assert_eq!(standing.score.wins, 2, "{games:?}");
    assert!(games.iter().all(|game| game.ending.termination() == Some("time forfeit")));
    // With an increment, the same program is in time.
    contest.controls = [TimeControl::Clock { base, increment: 10 * base }; 2];
    let (standing, ..) = play(&contest, ["first", "late"], &GO_ON).expect("it is played");
    assert_eq!(standing.forfeits, [0, 0]);
}

/// A program that ends in each game, and perhaps cannot be started again.
#[test]
fn a_player_that_has_died_for_good_ends_the_match() {
    let scripts = ["first", "crash"].map(Script::player);
    let settings = scripts.each_ref().map(settings);
    for most in [1, u64::MAX] {
        let starts = AtomicU64::new(0);
        let start = |player: usize| {
            if player == 1 && starts.fetch_add(1, Ordering::Relaxed) >= most {
                return Err(ClientError::Ended(None));
            }
            ProgramPlayer::start(&settings[player], &GO_ON)
        };
        let mut turns = Vec::new();
        let played = contest(40).play(start, &GO_ON, |games, _| {
            turns.extend(games.iter().map(|game| game.game.turns().len()));
        });
        let (standing, end) = played.expect("the result is kept");
        assert_eq!((end, standing.score.wins), (MatchEnd::Died(1), MAX_DEATHS));
        assert_eq!((standing.forfeits, standing.deaths), ([0, MAX_DEATHS], [0, MAX_DEATHS]));
        // The opening has two turns.
        let begun = turns.iter().filter(|turns| **turns > 2).count() as u64;
        assert_eq!(begun, most.min(MAX_DEATHS));
    }
}

/// A player whose program lives in one game of [`MAX_DEATHS`], or always.
struct Mortal<'a>(Option<&'a AtomicU64>);

impl Player for Mortal<'_> {
    fn new_game(&mut self, _: &Game) -> Result<(), PlayerError> {
        let games = self.0.map_or(0, |games| games.fetch_add(1, Ordering::Relaxed) + 1);
        let is_alive = games.is_multiple_of(MAX_DEATHS);
        if is_alive {
            Ok(())
        } else {
            Err(PlayerError::Forfeit(Forfeit::Crash("planted".to_owned())))
        }
    }

    fn turn(&mut self, ask: &Ask<'_>) -> Result<Found, PlayerError> {
        Slow(Duration::ZERO).turn(ask)
    }
}

#[test]
fn a_player_that_lives_again_goes_on() {
    let (games, contest) = (AtomicU64::new(0), contest(2 * MAX_DEATHS));
    let start = |player| Ok::<_, ClientError>(Mortal((player == 1).then_some(&games)));
    let (standing, end) = contest.play(start, &GO_ON, |_, _| {}).expect("it is played");
    assert_eq!((end, standing.score.games()), (MatchEnd::Games, 2 * MAX_DEATHS));
    assert_eq!((standing.forfeits, standing.deaths), ([0, 2 * (MAX_DEATHS - 1)], [0, 0]));
}

/// A player that needs this time for each turn, by what it says.
struct Slow(Duration);

impl Player for Slow {
    fn new_game(&mut self, _: &Game) -> Result<(), PlayerError> {
        Ok(())
    }

    fn turn(&mut self, ask: &Ask<'_>) -> Result<Found, PlayerError> {
        let turns = ask.game.rules().turns(ask.game.position());
        Ok(Found { turn: turns[0].clone(), elapsed: self.0, info: Info::default() })
    }
}

#[test]
fn the_time_and_the_turns_of_a_game_are_limited() {
    let mut contest = contest(2);
    contest.max_turns = 5;
    let seconds = Duration::from_secs;
    (contest.controls, contest.margin) = ([TimeControl::Movetime(seconds(9)); 2], seconds(1));
    let ends = |slow| {
        let mut ends = Vec::new();
        let start = |player: usize| Ok::<_, ClientError>(Slow([seconds(0), slow][player]));
        let played = contest.play(start, &GO_ON, |games, _| {
            ends.extend(
                games.iter().map(|game| (game.ending.to_string(), game.game.turns().len())),
            );
        });
        (played.expect("it is played").0.forfeits, ends)
    };
    assert_eq!(
        ends(seconds(10)),
        ([0, 0], vec![("length".to_owned(), 5); 2]),
        "the margin is given"
    );
    // The slow player is to move first in the second game.
    let late = seconds(10) + Duration::from_nanos(1);
    let forfeit = |side: Side| format!("{side} forfeits, time: no turn within 10 s");
    let expected = vec![(forfeit(Side::Black), 3), (forfeit(Side::White), 2)];
    assert_eq!(ends(late), ([0, 2], expected));
}

/// The limit goes with the player, whatever its side.
#[test]
fn each_player_has_its_own_limit() {
    struct Asked([TimeControl; 2], usize);

    impl Player for Asked {
        fn new_game(&mut self, _: &Game) -> Result<(), PlayerError> {
            Ok(())
        }

        fn turn(&mut self, ask: &Ask<'_>) -> Result<Found, PlayerError> {
            let found = match ask.go {
                Go { nodes: Some(nodes), movetime: None, .. } => TimeControl::Nodes(nodes),
                Go { movetime: Some(time), nodes: None, .. } => TimeControl::Movetime(time),
                _ => panic!("{:?}", ask.go),
            };
            assert_eq!(found, self.0[self.1]);
            Slow(Duration::ZERO).turn(ask)
        }
    }

    let mut contest = contest(4);
    contest.controls = [TimeControl::Nodes(7), TimeControl::Movetime(Duration::from_secs(2))];
    let start = |player| Ok::<_, ClientError>(Asked(contest.controls, player));
    let (standing, _) = contest.play(start, &GO_ON, |_, _| {}).expect("it is played");
    assert_eq!(standing.score.games(), 4);
}

#[test]
fn a_test_ends_a_match_that_is_decided() {
    let mut contest = contest(200);
    contest.sprt = Some(Sprt::new(0.0, 200.0).expect("a test"));
    let (standing, end, games) =
        play(&contest, ["first", "illegal"], &GO_ON).expect("it is played");
    assert_eq!(end, MatchEnd::Sprt(Verdict::H1));
    assert!(games.len() < 200 && standing.score.games() == games.len() as u64);
    // It ends with the pair that decides.
    let sprt = contest.sprt.expect("it is set");
    assert_eq!(sprt.state(&standing.pairs).verdict, Verdict::H1);
    let mut before = standing.pairs;
    before.0[4] -= 1;
    assert_eq!(sprt.state(&before).verdict, Verdict::Open);
}

#[test]
fn a_match_can_be_stopped() {
    /// Counts the turns that it is asked for after the stop.
    struct Watched<'a> {
        player: ProgramPlayer<'a>,
        stop: &'a AtomicBool,
        late: &'a AtomicU64,
    }

    impl Player for Watched<'_> {
        fn new_game(&mut self, game: &Game) -> Result<(), PlayerError> {
            self.player.new_game(game)
        }

        fn turn(&mut self, ask: &Ask<'_>) -> Result<Found, PlayerError> {
            self.late.fetch_add(self.stop.load(Ordering::Relaxed).into(), Ordering::Relaxed);
            self.player.turn(ask)
        }
    }

    let (stop, late) = (AtomicBool::new(false), AtomicU64::new(0));
    let contest = contest(1000);
    assert_eq!(contest.concurrency, 1);
    let scripts = ["first", "last"].map(Script::player);
    let settings = scripts.each_ref().map(settings);
    let start = |player: usize| {
        let player = ProgramPlayer::start(&settings[player], &stop)?;
        Ok::<_, ClientError>(Watched { player, stop: &stop, late: &late })
    };
    let (standing, end) = contest
        .play(start, &stop, |_, _| stop.store(true, Ordering::Relaxed))
        .expect("it is stopped");
    assert_eq!(end, MatchEnd::Stopped);
    // How many games end before the stop depends on the machine.
    assert!((2..1000).contains(&standing.score.games()), "{standing:?}");
    // A turn may begin while the stop is set, but none after it.
    assert!(late.into_inner() <= 1);
}

/// The second game of a pair waits for a player that is started again, and the match is stopped.
#[test]
fn a_match_can_be_stopped_while_a_player_starts() {
    let (stop, starts) = (AtomicBool::new(false), AtomicU64::new(0));
    let scripts = ["first", "illegal"].map(Script::player);
    let settings = scripts.each_ref().map(settings);
    let start = |player: usize| {
        // Both are started for the first game.
        let is_again = starts.fetch_add(1, Ordering::Relaxed) >= 2;
        stop.fetch_or(is_again, Ordering::Relaxed);
        ProgramPlayer::start(&settings[player], &stop)
    };
    let (standing, end) = contest(2).play(start, &stop, |_, _| {}).expect("it is stopped");
    assert_eq!((end, standing.score.games(), standing.forfeits), (MatchEnd::Stopped, 1, [0, 1]));
}

#[test]
fn a_player_that_cannot_be_started_ends_the_match() {
    let settings = ProgramSettings::new(ProgramCommand::new("no-such-program-here", [""; 0]));
    let start = |_| ProgramPlayer::start(&settings, &GO_ON);
    let error = contest(2).play(start, &GO_ON, |_, _| {}).expect_err("it is not there");
    let MatchError::Player(error) = error else { panic!("{error}") };
    assert!(matches!(error.downcast_ref(), Some(ClientError::Start { .. })));
    let odd = contest(3).play(start, &GO_ON, |_, _| {}).expect_err("3 are no pairs");
    assert!(odd.to_string().starts_with("3 games are not pairs"));
}
