//! Limits, stops, repetition, levels and threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use fanorona_core::{Board, Position, RuleSet, Side, SplitMix64, Stones, Turn, Value};
use fanorona_engine::{
    Analysis, Choice, End, Engine, Game, GameEnd, Level, Limits, Options, Score,
};
use fanorona_knowledge::Knowledge;
use fanorona_tests::strategies::{cases, cases_of_play, mostly_small_boards};
use proptest::prelude::*;

fn options(level: Level) -> Options {
    let mut options = Options::default();
    options.level = level;
    options.memory = 1 << 20;
    options.seed = Some(1);
    options
}

fn player(board: Board, rules: RuleSet, options: Options) -> Engine {
    Engine::new(Knowledge::of_rules(board, rules), options).expect("an engine")
}

fn think(engine: &mut Engine, game: &Game, limits: Limits) -> Analysis {
    let stop = AtomicBool::new(false);
    let found = engine.analyze(game.position(), game.earlier(), &limits, &stop, |_| {});
    found.expect("there are no tables that could fail")
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

fn game(text: &str) -> Game {
    Game::new(RuleSet::STANDARD, text.parse().expect("a position"))
}

fn play(game: &mut Game, turns: &[&str]) {
    for text in turns {
        let turn = game.rules().parse_turn(game.position(), text).expect("a legal turn");
        game.play(turn);
    }
}

#[test]
fn limits_end_a_search() {
    let board = Board::tsivy();
    let game = Game::new(RuleSet::STANDARD, board.start());
    let mut engine = player(board, RuleSet::STANDARD, options(Level::FULL));
    let found = think(&mut engine, &game, Limits { depth: Some(3), ..Limits::default() });
    assert_eq!((found.end, found.depth), (End::Depth, 3));
    let found = think(&mut engine, &game, nodes(5_000));
    assert_eq!(found.end, End::Nodes);
    assert!(found.nodes <= 5_001 && found.depth >= 1, "{} {}", found.nodes, found.depth);
    let time = Some(Duration::from_millis(50));
    let found = think(&mut engine, &game, Limits { time, ..Limits::default() });
    assert_eq!(found.end, End::Time);
    // Even a search that may do nothing has a turn.
    let found = think(&mut engine, &game, nodes(0));
    assert!(found.turn.is_some());
    assert_eq!((found.depth, found.score.value()), (0, None));
}

#[test]
fn a_stop_ends_a_search() {
    let board = Board::tsivy();
    let mut options = options(Level::FULL);
    options.threads = 2;
    let mut engine = player(board, RuleSet::STANDARD, options);
    let stop = AtomicBool::new(false);
    let found = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            stop.store(true, Ordering::Relaxed);
        });
        engine.analyze(&board.start(), &[], &Limits::default(), &stop, |_| {}).unwrap()
    });
    assert_eq!(found.end, End::Stopped);
    assert!(found.turn.is_some() && found.nodes > 0);
    let found = engine.analyze(&board.start(), &[], &Limits::default(), &stop, |_| {}).unwrap();
    assert_eq!(found.end, End::Stopped, "it was stopped before it began");
    assert!(found.turn.is_some());
}

#[test]
fn progress_comes_with_each_depth() {
    let board = Board::dimy();
    let mut engine = player(board, RuleSet::STANDARD, options(Level::FULL));
    let limits = Limits { depth: Some(5), ..Limits::default() };
    let mut depths = Vec::new();
    let stop = AtomicBool::new(false);
    let found = engine.analyze(&board.start(), &[], &limits, &stop, |now| depths.push(now.depth));
    assert_eq!(depths, (1..=found.unwrap().depth).collect::<Vec<_>>());
}

#[test]
fn a_finished_game_has_no_turn() {
    for (text, rules, value) in [
        ("3/1W1/3 w", "standard", Value::Win),
        ("3/1W1/3 b", "standard", Value::Loss),
        ("W2/BB1/BB1 w", "standard+no-turns-draw", Value::Draw),
    ] {
        let rules: RuleSet = rules.parse().unwrap();
        let position: Position = text.parse().unwrap();
        if rules.outcome(&position).is_none() {
            continue;
        }
        let mut engine = player(position.board(), rules, options(Level::FULL));
        let found = think(&mut engine, &Game::new(rules, position), nodes(100));
        assert_eq!((found.turn, found.score.value()), (None, Some(value)), "{text}");
    }
}

#[test]
fn a_position_of_another_board_is_refused() {
    let mut engine = player(Board::telo(), RuleSet::STANDARD, options(Level::FULL));
    let start = Board::dimy().start();
    let found = engine.analyze(&start, &[], &nodes(1), &AtomicBool::new(false), |_| {});
    assert!(found.unwrap_err().to_string().contains("5x5"));
    let error = Engine::new(Knowledge::of_rules(Board::telo(), RuleSet::VELA), Options::default());
    assert!(error.is_err(), "the vela has no number of stones on 3x3");
}

#[test]
fn the_same_search_has_the_same_result() {
    let game = Game::new(RuleSet::STANDARD, Board::tsivy().start());
    let run = |level, seed| {
        let mut options = options(level);
        options.seed = Some(seed);
        let mut engine = player(Board::tsivy(), RuleSet::STANDARD, options);
        let found = think(&mut engine, &game, nodes(20_000));
        (found.turn, found.score, found.nodes, found.depth)
    };
    for level in Level::all() {
        assert_eq!(run(level, 1), run(level, 1), "{level}");
    }
    // The noise of the lowest level depends on the seed.
    let turns =
        (0..20).map(|seed| run(Level::LOWEST, seed).0).collect::<std::collections::HashSet<_>>();
    assert!(turns.len() > 1, "{turns:?}");
}

#[test]
fn a_level_does_not_depend_on_what_was_searched_before() {
    let board = Board::dimy();
    let other = game("W3B/5/2B2/1W3/4W w");
    let start = Game::new(RuleSet::STANDARD, board.start());
    for level in Level::all().take(7) {
        let mut engine = player(board, RuleSet::STANDARD, options(level));
        let first = think(&mut engine, &start, Limits::default());
        think(&mut engine, &other, Limits::default());
        let second = think(&mut engine, &start, Limits::default());
        assert_eq!((first.turn, first.nodes), (second.turn, second.nodes), "{level}");
    }
}

#[test]
fn threads_find_what_one_thread_finds() {
    for text in ["BBB/B1W/WWW w", "3/2W/BW1 w"] {
        let position: Position = text.parse().unwrap();
        let values: Vec<_> = [1, 4]
            .into_iter()
            .map(|threads| {
                let mut options = options(Level::FULL);
                options.threads = threads;
                let mut engine = player(position.board(), RuleSet::STANDARD, options);
                let game = Game::new(RuleSet::STANDARD, position);
                let limits = Limits { depth: Some(14), ..Limits::default() };
                think(&mut engine, &game, limits).score.value()
            })
            .collect();
        assert_eq!(values[0], values[1], "{text}");
        assert!(values[0].is_some(), "{text} is decided near by");
    }
}

#[test]
fn a_lost_side_takes_the_third_repetition() {
    // One stone against three on an open board: Black only waits, and is glad of a draw.
    let mut game = game("B4/5/5/5/2WWW w");
    play(&mut game, &["c1-c2", "a5-a4", "c2-c1", "a4-a5", "c1-c2", "a5-a4", "c2-c1"]);
    let mut engine = player(Board::dimy(), RuleSet::STANDARD, options(Level::FULL));
    let found = think(&mut engine, &game, nodes(20_000));
    let turn = found.turn.expect("the game goes on");
    assert_eq!(turn.text(Board::dimy()).to_string(), "a4-a5", "{:?}", found.score);
    game.play(turn);
    assert_eq!(game.end(), Some(GameEnd::Threefold));
}

#[test]
fn without_threefold_the_past_does_not_matter() {
    let mut game = game("B4/5/5/5/2WWW w");
    let start = *game.position();
    play(&mut game, &["c1-c2", "a5-a4", "c2-c1", "a4-a5", "c1-c2", "a5-a4", "c2-c1", "a4-a5"]);
    assert_eq!(*game.position(), start);
    let mut options = options(Level::FULL);
    options.draw_rules.repetition = false;
    let mut engine = player(Board::dimy(), RuleSet::STANDARD, options);
    let with_past = think(&mut engine, &game, nodes(5_000));
    engine.clear();
    let fresh = think(&mut engine, &Game::new(RuleSet::STANDARD, start), nodes(5_000));
    assert_eq!((with_past.turn, with_past.score), (fresh.turn, fresh.score));
}

#[test]
fn turns_without_a_capture_are_counted() {
    // Three against one, and Black is to move after three quiet turns.
    let mut game = game("B4/5/5/5/2WWW w");
    play(&mut game, &["c1-c2", "a5-a4", "c2-c1"]);
    let score = |threefold, without_capture| {
        let mut options = options(Level::FULL);
        options.draw_rules.repetition = threefold;
        options.draw_rules.without_capture = without_capture;
        let mut engine = player(Board::dimy(), RuleSet::STANDARD, options);
        let limits = Limits { depth: Some(4), ..Limits::default() };
        think(&mut engine, &game, limits).score
    };
    for threefold in [true, false] {
        assert_eq!(score(threefold, Some(4)), Score::Estimate(0), "any turn is the fourth");
        let Score::Estimate(worse) = score(threefold, None) else { panic!("nothing is near") };
        assert!(worse < 0, "{worse}");
        assert_eq!(score(threefold, Some(50)), score(threefold, None), "the draw is far away");
    }
}

#[test]
fn a_win_in_the_last_turn_is_no_draw() {
    // The capture ends the game, and the turns without one.
    let mut options = options(Level::FULL);
    options.draw_rules.without_capture = Some(1);
    let position: Position = "9/9/2W1B4/9/9 w".parse().unwrap();
    let mut engine = player(position.board(), RuleSet::STANDARD, options);
    let found = think(&mut engine, &Game::new(RuleSet::STANDARD, position), nodes(100));
    assert_eq!(found.score.value(), Some(Value::Win));
}

#[test]
fn contempt_keeps_stones_at_full_strength() {
    let (board, rules) = (Board::tsivy(), RuleSet::STANDARD);
    // The stones that short searches take in positions at random, and the estimates of those in
    // which nothing can be taken.
    let play = |level, contempt| {
        let (mut taken, mut quiet) = (0, Vec::new());
        for seed in 0..60 {
            let mut random = SplitMix64::new(seed);
            let mut game = Game::new(rules, board.start());
            for _ in 0..4 + seed {
                let turns = rules.turns(game.position());
                let turn = turns.get(random.below(turns.len().max(1) as u64) as usize);
                turn.into_iter().for_each(|turn| game.play(turn.clone()));
            }
            let mut options = options(level);
            options.contempt = contempt;
            let limits = Limits { depth: Some(1), ..Limits::default() };
            let found = think(&mut player(board, rules, options), &game, limits);
            match (found.turn.map_or(0, |turn| turn.captured().len()), found.score) {
                (0, Score::Estimate(score)) => quiet.push(score),
                (stones, _) => taken += stones,
            }
        }
        (taken, quiet)
    };
    let (without, with) = (play(Level::FULL, 0), play(Level::FULL, Options::MAX_CONTEMPT));
    assert!(with.0 < without.0, "{} {}", with.0, without.0);
    // The scores are reported without contempt, unless it changed the line.
    let pairs: Vec<_> = without.1.iter().zip(&with.1).collect();
    let is_near = |(a, b): &&(&i32, &i32)| a.abs_diff(**b) == 0;
    let near = pairs.iter().filter(is_near).count();
    assert!(near >= 10 && 10 * near >= 9 * pairs.len(), "{near} of {}", pairs.len());
    assert_eq!(play(Level::LOWEST, 0), play(Level::LOWEST, Options::MAX_CONTEMPT));
}

/// At full strength the seed decides between turns with nearly the same score, and nothing else.
#[test]
fn full_strength_varies_among_turns_that_are_as_good() {
    let (board, rules) = (Board::dimy(), RuleSet::STANDARD);
    let limits = Limits { depth: Some(2), ..Limits::default() };
    let search = |game: &Game, contempt, seed, only: Option<&[Turn]>| {
        let mut options = options(Level::FULL);
        (options.contempt, options.seed, options.full_width) = (contempt, Some(seed), true);
        let choice = Choice { turns: only, lines: 1 };
        let found = player(board, rules, options).analyze_lines(
            game.position(),
            &[],
            &choice,
            &limits,
            &AtomicBool::new(false),
            |_| {},
        );
        let found = found.expect("there are no tables that could fail").swap_remove(0);
        let last = found.line.iter().fold(*game.position(), |at, turn| at.play_unchecked(turn));
        // The score with the contempt at the end of the line, which is not reported.
        let score = match found.score {
            Score::Estimate(score) if score != 0 => {
                Score::Estimate(score + (contempt * Stones::of(&last).count()) as i32)
            }
            score => score,
        };
        (found.turn.expect("the game goes on"), score, found.nodes)
    };
    let is_near = |one, other| match (one, other) {
        (Score::Estimate(one), Score::Estimate(other)) => (one - other).abs() < 3,
        (one, other) => one == other,
    };
    let mut varied = 0;
    for number in 0..150 {
        // A position that is its own image in a mirror, so that many turns are as good as another.
        let mut random = SplitMix64::new(number);
        let mut point = || b"..WB"[random.below(4) as usize] as char;
        let rank = |[a, b, c]: [char; 3]| [a, b, c, b, a].iter().collect::<String>();
        let ranks: Vec<_> = (0..5).map(|_| rank([point(), point(), point()])).collect();
        let Ok(position) = format!("{} w", ranks.join("/")).parse() else { continue };
        let game = Game::new(rules, position);
        if game.is_over() {
            continue;
        }
        let (first, best, _) = search(&game, Options::CONTEMPT, 0, None);
        let mut played = vec![first];
        for seed in 1..8 {
            let (turn, score, _) = search(&game, Options::CONTEMPT, seed, None);
            assert!(is_near(score, best), "{}: {score:?} {best:?}", game.position());
            if !played.contains(&turn) {
                played.push(turn);
            }
        }
        for turn in &played {
            let (_, score, _) =
                search(&game, Options::CONTEMPT, 0, Some(std::slice::from_ref(turn)));
            assert!(is_near(score, best), "{}: {score:?} {best:?}", game.position());
        }
        varied += usize::from(played.len() > 1);
        // Analysis does not depend on it.
        assert_eq!(search(&game, 0, 1, None), search(&game, 0, 2, None));
    }
    assert!(varied >= 10, "{varied}");
}

#[test]
fn an_engine_works_on_another_thread() {
    let board = Board::dimy();
    let mut engine = player(board, RuleSet::STANDARD, options(Level::FULL));
    let work = move || {
        let found =
            engine.analyze(&board.start(), &[], &nodes(500), &AtomicBool::new(false), |_| {});
        found.expect("there are no tables that could fail").turn
    };
    assert!(thread::spawn(work).join().expect("it does not panic").is_some());
}

#[test]
fn whole_games_between_levels_end() {
    let board = Board::dimy();
    let vela = "vela+stones-5".parse().expect("a rule set");
    let rule_sets = [
        RuleSet::STANDARD,
        RuleSet::FIRST_CAPTURE_SINGLE,
        RuleSet::FORCED_RELAY,
        RuleSet::FREE_CAPTURE,
        vela,
    ];
    for rules in rule_sets {
        let mut game = Game::new(rules, board.start());
        let mut players =
            [5, 2].map(|level| player(board, rules, options(Level::new(level).unwrap())));
        while game.end().is_none() && game.turns().len() < 400 {
            let player = &mut players[game.turns().len() % 2];
            let found = think(player, &game, nodes(1_000));
            let turn = found.turn.expect("the game goes on");
            assert!(rules.turns(game.position()).contains(&turn), "{} {rules}", game.position());
            game.play(turn);
        }
        assert!(game.end().is_some(), "{rules}: {}", game.position());
    }
}

/// Who takes the most stones each turn, as people do at first, is about as strong as the lowest level,
/// and weaker than the next ones.
#[test]
fn the_lowest_levels_can_be_beaten_by_taking_stones() {
    const GAMES: u64 = 40;
    let board = Board::tsivy();
    let has_won = |level, seed| {
        let mut options = options(level);
        options.seed = Some(seed);
        let mut engine = player(board, RuleSet::STANDARD, options);
        let mut random = SplitMix64::new(seed);
        let mut game = Game::new(RuleSet::STANDARD, board.start());
        while !game.is_over() && game.turns().len() < 200 {
            let turn = if game.position().to_move() == Side::White {
                let turns = game.rules().turns(game.position());
                let most = turns.iter().map(|turn| turn.captured().len()).max();
                let best: Vec<_> =
                    turns.into_iter().filter(|turn| Some(turn.captured().len()) == most).collect();
                best[random.below(best.len() as u64) as usize].clone()
            } else {
                think(&mut engine, &game, Limits::default()).turn.expect("the game goes on")
            };
            game.play(turn);
        }
        game.end() == Some(GameEnd::Won(Side::White))
    };
    let wins = [1, 2, 3].map(|level| {
        let level = Level::new(level).unwrap();
        (0..GAMES).filter(|&seed| has_won(level, seed)).count() as u64
    });
    assert!((GAMES / 3..GAMES * 2 / 3).contains(&wins[0]), "{wins:?}");
    assert!(wins.is_sorted_by(|a, b| a > b), "{wins:?}");
}

proptest! {
    #![proptest_config(cases(60))]

    /// Any position under any rule set: a legal turn, a legal line, and a proof that is none of an
    /// estimate.
    #[test]
    fn any_position_has_a_legal_answer((rules, position) in cases_of_play(mostly_small_boards())) {
        let mut engine =
            player(position.board(), rules, options(Level::FULL));
        let game = Game::new(rules, position);
        let found = think(&mut engine, &game, nodes(300));
        prop_assert_eq!(found.turn.is_none(), rules.outcome(&position).is_some());
        if found.turn.is_some() && !found.line.is_empty() {
            prop_assert_eq!(found.line.first(), found.turn.as_ref());
        }
        let mut now = position;
        for turn in &found.line {
            prop_assert!(rules.turns(&now).contains(turn), "{now} {rules}");
            now = now.play_unchecked(turn);
        }
        if let Score::Estimate(score) = found.score {
            prop_assert!(score.abs() <= 15_000);
        }
    }
}
