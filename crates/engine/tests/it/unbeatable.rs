//! The level that cannot lose.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_builder::{BuildOptions, build};
use fanorona_core::{Board, ErrorKind, Position, RuleSet, Side, SplitMix64, Stones, Value};
use fanorona_engine::{
    Analysis, DrawRules, Engine, EngineError, Game, GameEnd, Level, Limits, Options, Score,
};
use fanorona_knowledge::Book;
use fanorona_knowledge::Knowledge;
use fanorona_tablebase::{Metric, Tables};
use fanorona_tests::effort;
use serde_json::json;

static NEVER: AtomicBool = AtomicBool::new(false);

/// A certificate under `data/proofs`.
fn proof(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/proofs");
    path.join(format!("{name}.proof"))
}

fn book(name: &str) -> Arc<Book> {
    Arc::new(Book::open([proof(name)]).expect("it is kept"))
}

fn built(dir: &Path, board: Board, stones: u32, metric: Metric) -> Arc<Tables> {
    let rules = RuleSet::STANDARD;
    let options = BuildOptions::new(dir, board, rules, stones).with_metric(metric);
    build(&options, &(), &NEVER).expect("it can be built");
    Arc::new(Tables::open(dir, board, rules).expect("they are there"))
}

fn options(level: Level) -> Options {
    let mut options = Options::default();
    (options.level, options.memory) = (level, 1 << 20);
    options
}

fn known(book: &Arc<Book>, tables: Option<&Arc<Tables>>) -> Knowledge {
    let (tables, own_book) = (tables.cloned(), Some(book.clone()));
    Knowledge::new(book.board(), book.rules(), tables, own_book).expect("they are of one game")
}

fn unbeatable(book: &Arc<Book>, tables: Option<&Arc<Tables>>) -> Engine {
    let options = options(Level::UNBEATABLE);
    Engine::new(known(book, tables), options).expect("nothing is missing")
}

fn think(engine: &mut Engine, position: &Position, earlier: &[Position]) -> Analysis {
    think_within(engine, position, earlier, Limits { nodes: Some(200), ..Limits::default() })
}

fn think_within(
    engine: &mut Engine,
    position: &Position,
    earlier: &[Position],
    limits: Limits,
) -> Analysis {
    engine.analyze(position, earlier, &limits, &NEVER, |_| {}).expect("the files can be read")
}

/// Plays a side against all replies. Every position in which the side is to move is visited once.
struct Exhaustive<'e> {
    engine: &'e mut Engine,
    /// Has the value after each turn that the engine may play.
    truth: &'e Knowledge,
    side: Side,
    /// The proved value for the side.
    least: Value,
    visited: HashSet<Position>,
    /// The most positions to visit.
    most: usize,
}

impl Exhaustive<'_> {
    /// `path` has the positions of the game before this one.
    fn play(&mut self, position: &Position, path: &mut Vec<Position>) {
        let rules = self.engine.rules();
        if let Some(outcome) = rules.outcome(position) {
            assert!(outcome.value_for(self.side) >= self.least, "{position}: {outcome:?}");
            return;
        }
        if position.to_move() == self.side {
            if self.least == Value::Win {
                assert!(!path.contains(position), "{position} comes up again, and the win is gone");
            }
            if self.visited.len() >= self.most || !self.visited.insert(*position) {
                return;
            }
            let found = think(self.engine, position, path);
            assert!(found.assessment().bounds.at_least >= self.least, "{position}: {found:?}");
            // The proof of the last turn is found again without time.
            let no_time = Limits { time: Some(Duration::ZERO), ..Limits::default() };
            let hurried = think_within(self.engine, position, path, no_time).assessment();
            assert!(hurried.bounds.at_least >= self.least, "{position}: {hurried:?}");
            let turn = found.turn.expect("the game is not over");
            assert!(rules.turns(position).contains(&turn), "{position}");
            let after = position.play_unchecked(&turn);
            let value = self.truth.lookup(&after).expect("the files can be read");
            let value = value.before_turn();
            assert!(value.bounds.at_least >= self.least, "{position}, {turn:?}: {value:?}");
            path.push(*position);
            self.play(&after, path);
        } else {
            path.push(*position);
            rules.successors(position).iter().for_each(|after| self.play(after, path));
        }
        path.pop();
    }
}

#[test]
fn all_replies_are_met() {
    for name in [
        "3x3-standard",
        "3x3-free-capture",
        "5x3-standard",
        "5x3-forced-relay",
        "3x5-standard",
        "3x5-free-capture",
    ] {
        let book = book(name);
        let known = known(&book, None);
        let most = effort(1_000, 100_000);
        let visited = meets_all_replies(&book, &known, Side::White, Value::Win, most);
        assert!(visited.len() > 3, "{name}");
    }
}

/// In a drawn game it leaves the book by turns that it proves itself, and still cannot lose.
#[test]
fn all_replies_are_met_outside_the_book() {
    let book = book("5x3-free-capture");
    let dir = fanorona_tests::directory().expect("a directory");
    let (board, rules) = (book.board(), book.rules());
    let options = BuildOptions::new(dir.path(), board, rules, 2 * board.max_stones());
    build(&options.with_metric(Metric::Wdl), &(), &NEVER).expect("it can be built");
    let tables = Tables::open(dir.path(), board, rules).expect("they are there");
    let truth = Knowledge::new(board, rules, Some(Arc::new(tables)), None).expect("one game");
    for side in [Side::White, Side::Black] {
        let visited = meets_all_replies(&book, &truth, side, Value::Draw, effort(400, 4_000));
        let known = known(&book, None);
        let is_inside = |position: &&Position| {
            let found = known.assess(position).expect("the book can be read");
            found.bounds.at_least >= Value::Draw
        };
        let inside: Vec<_> = visited.iter().filter(is_inside).collect();
        let outside = visited.len() - inside.len();
        assert!(outside > 4, "{outside} of {}, {side}", visited.len());
        // Without the game's earlier positions it stays in the book.
        let mut engine = unbeatable(&book, None);
        for position in inside {
            let turn = think(&mut engine, position, &[]).turn.expect("the game is not over");
            let after =
                known.lookup(&position.play_unchecked(&turn)).expect("the book can be read");
            assert!(after.before_turn().bounds.at_least >= Value::Draw, "{position}");
        }
    }
}

/// Plays the level from the start against all replies, and returns the positions in which it moved,
/// at most so many.
fn meets_all_replies(
    book: &Arc<Book>,
    truth: &Knowledge,
    side: Side,
    least: Value,
    most: usize,
) -> HashSet<Position> {
    let mut engine = unbeatable(book, None);
    let visited = HashSet::new();
    let mut all = Exhaustive { engine: &mut engine, truth, side, least, visited, most };
    all.play(&book.board().start(), &mut Vec::new());
    all.visited
}

/// The start of 5x5 is a draw, proved with tables of 6 stones.
#[test]
fn games_on_5x5_are_not_lost() {
    let book = book("5x5-standard");
    let dir = fanorona_tests::directory().expect("a directory");
    let tables = built(dir.path(), book.board(), 6, Metric::Wdl);
    let rules = book.rules();
    for (number, level) in (0..effort(6, 60)).zip([None, Some(Level::FULL)].into_iter().cycle()) {
        let side = if number % 4 < 2 { Side::White } else { Side::Black };
        let mut engine = unbeatable(&book, Some(&tables));
        let opponent = options(level.unwrap_or(Level::FULL));
        let mut opponent = Engine::new(known(&book, Some(&tables)), opponent).expect("an engine");
        let mut random = SplitMix64::stream(3, number);
        let mut game = Game::new(rules, book.board().start());
        let end = loop {
            if let Some(end) = game.end() {
                break end;
            }
            let position = *game.position();
            let turn = if position.to_move() == side {
                let found = think(&mut engine, &position, game.earlier());
                assert!(found.facts.bounds.at_least >= Value::Draw, "{position}: {found:?}");
                found.turn.expect("the game is not over")
            } else if level.is_none() || game.turns().len() < 2 {
                let turns = rules.turns(&position);
                turns[random.below(turns.len() as u64) as usize].clone()
            } else {
                let found = think(&mut opponent, &position, game.earlier());
                found.turn.expect("the game is not over")
            };
            game.play(turn);
        };
        assert_ne!(end, GameEnd::Won(side.other()), "game {number}");
    }
}

/// With tables, the turn keeps the value and leaves the smallest share of replies that hold. A won
/// game is won.
#[test]
fn turns_by_tables_are_the_hardest_for_the_opponent() {
    let book = book("5x5-standard");
    let dir = fanorona_tests::directory().expect("a directory");
    let tables = built(dir.path(), book.board(), 6, Metric::Wdl);
    let mut engine = unbeatable(&book, Some(&tables));
    let rules = book.rules();
    let mut random = SplitMix64::new(5);
    let (mut seen, mut chosen) = ([0; 3], 0);
    while seen.iter().any(|seen| *seen < effort(10, 100)) {
        let Some(position) = random_position(&rules, book.board(), &mut random) else { continue };
        let ranking = tables.rank(&position).expect("tables");
        let value = ranking[0].value.value;
        seen[value as usize] += 1;
        let found = think(&mut engine, &position, &[]);
        assert_eq!(found.assessment().value(), Some(value), "{position}");
        assert_eq!(found.score.value(), Some(value), "{position}");
        let after = position.play_unchecked(&found.turn.expect("a turn"));
        let good: Vec<_> = ranking.iter().filter(|r| r.value.value == value).collect();
        assert!(good.iter().any(|ranked| ranked.after == after), "{position}");
        if value == Value::Win {
            continue;
        }
        // Of all positions after replies, those that keep what the opponent has.
        let share = |after: &Position| {
            let replies = rules.successors(after);
            let value_of = |reply: &Position| tables.probe(reply).expect("a value").value;
            let holding = replies.iter().filter(|reply| value_of(reply) == value).count();
            holding as f64 / replies.len() as f64
        };
        let shares: Vec<f64> = good.iter().map(|ranked| share(&ranked.after)).collect();
        let least = shares.iter().copied().fold(f64::INFINITY, f64::min);
        assert!((share(&after) - least).abs() < 1e-9, "{position}: {shares:?}");
        // Where all is decided, nobody waits for a search.
        assert!(found.depth <= 1, "{position}: {}", found.depth);
        chosen += usize::from(shares.iter().any(|share| share - least > 1e-9));
    }
    assert!(chosen > 5, "{chosen}");
}

/// A turn after which the game is drawn by repetition is no win, and one to an earlier position is the
/// last choice.
#[test]
fn positions_that_occurred_are_avoided() {
    let book = book("5x3-standard");
    let dir = fanorona_tests::directory().expect("a directory");
    let tables = built(dir.path(), book.board(), 5, Metric::Dtw);
    let rules = book.rules();
    let [mut with_book, mut with_tables] = [
        unbeatable(&book, Some(&tables)),
        Engine::new(known(&book, Some(&tables)), options(Level::FULL)).expect("nothing is missing"),
    ];
    let (mut random, mut seen) = (SplitMix64::new(8), [0; 2]);
    for _ in 0..400 {
        let mut position = book.board().start();
        for _ in 0..random.below(10) {
            let next = rules.successors(&position);
            let Some(after) = next.get(random.below(next.len().max(1) as u64) as usize) else {
                break;
            };
            position = *after;
        }
        for (engine, stones) in [(&mut with_book, 9), (&mut with_tables, 5)] {
            let turns = engine.known().turns(&position).expect("the files can be read");
            let best = |not: Option<Position>| {
                let turns = turns.iter().filter(move |turn| Some(turn.after) != not);
                turns.map(|turn| turn.assessment.bounds.at_least).max().unwrap_or(Value::Loss)
            };
            // Full strength knows what tables hold, and takes any draw.
            let is_full = engine.options().level == Level::FULL;
            let least = if is_full { Value::Win } else { Value::Draw };
            if best(None) < least || Stones::of(&position).count() > stones {
                continue;
            }
            let after = |turn: Analysis| position.play_unchecked(&turn.turn.expect("a turn"));
            let first = after(think(engine, &position, &[]));
            let again = after(think(engine, &position, &[first, first]));
            if is_full {
                assert_eq!(after(think(engine, &position, &[first])), first, "{position}");
            }
            if best(Some(first)) == best(None) && rules.outcome(&first).is_none() {
                assert_ne!(first, again, "{position}");
                seen[usize::from(best(None) == Value::Win)] += 1;
            }
        }
    }
    assert!(seen.iter().all(|seen| *seen > 0), "{seen:?}");
}

/// The distance of the score is that of the turn, which need not be the one that loses latest.
#[test]
fn a_lost_game_has_the_distance_of_the_turn() {
    let book = book("5x5-standard");
    let dir = fanorona_tests::directory().expect("a directory");
    let tables = built(dir.path(), book.board(), 6, Metric::Dtw);
    let mut engine = unbeatable(&book, Some(&tables));
    let mut random = SplitMix64::new(6);
    let (mut lost, mut sooner) = (0, 0);
    while lost < effort(20, 200) || sooner == 0 {
        let rules = book.rules();
        let Some(position) = random_position(&rules, book.board(), &mut random) else { continue };
        let ranking = tables.rank(&position).expect("tables");
        if ranking[0].value.value != Value::Loss {
            continue;
        }
        let found = think(&mut engine, &position, &[]);
        let played = ranking.iter().find(|ranked| Some(&ranked.turn) == found.turn.as_ref());
        let played = played.expect("a legal turn").value;
        assert_eq!(found.assessment().table_value(), Some(played), "{position}");
        assert_eq!(Some(found.line.len()), played.dtw.map(usize::from), "{position}");
        lost += 1;
        sooner += u32::from(played.dtw < ranking[0].value.dtw);
    }
}

/// A random position with six stones, if it is not over.
fn random_position(rules: &RuleSet, board: Board, random: &mut SplitMix64) -> Option<Position> {
    let mut position = board.start();
    while Stones::of(&position).count() > 6 {
        let next = rules.successors(&position);
        position = *next.get(random.below(next.len() as u64) as usize)?;
    }
    rules.outcome(&position).is_none().then_some(position)
}

#[test]
fn missing_parts_are_named() {
    let rules = RuleSet::STANDARD;
    let level = || options(Level::UNBEATABLE);
    let dimy = Board::dimy();
    let error = Engine::new(Knowledge::of_rules(dimy, rules), level()).unwrap_err();
    assert!(matches!(error, EngineError::MissingBook { board, .. } if board == dimy), "{error}");
    let book = book("5x5-standard");
    let error = Engine::new(known(&book, None), level()).unwrap_err();
    let EngineError::MissingTables { missing, .. } = &error else { panic!("{error}") };
    assert_eq!((missing.board, missing.stones()), (dimy, 6));
    assert!(error.to_string().contains("wdl tables of 5x5 under standard up to 6 stones"));
    let dir = fanorona_tests::directory().expect("a directory");
    let tables = built(dir.path(), dimy, 4, Metric::Dtw);
    let error = Engine::new(known(&book, Some(&tables)), level()).unwrap_err();
    let EngineError::MissingTables { missing, .. } = &error else { panic!("{error}") };
    assert!(missing.slices.iter().all(|slice| slice.stones() > 4), "{error}");
    let check = |tables| Engine::check_unbeatable(&known(&book, tables));
    assert!(check(None).is_err() && check(Some(&tables)).is_err());
    let tables = built(dir.path(), dimy, 6, Metric::Wdl);
    check(Some(&tables)).expect("nothing is missing");
    // Other levels need nothing.
    assert!(Engine::new(Knowledge::of_rules(dimy, rules), options(Level::FULL)).is_ok());
}

/// The book is read with the engine, and not for the first turn.
#[test]
fn a_damaged_book_is_refused_at_once() {
    let dir = fanorona_tests::directory().expect("a directory");
    let (from, to) = (proof("7x3-standard"), dir.path().join("damaged.proof"));
    let mut bytes = fs::read(from).expect("it is kept");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&to, bytes).expect("it can be written");
    let damaged = Arc::new(Book::open([to]).expect("its header is whole"));
    let error = Engine::new(known(&damaged, None), options(Level::UNBEATABLE)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DamagedFile, "{error}");
}

/// Tables to the last stone need no book.
#[test]
fn tables_with_the_start_are_enough() {
    let dir = fanorona_tests::directory().expect("a directory");
    let board = Board::telo();
    let tables = built(dir.path(), board, 8, Metric::Dtw);
    let level = options(Level::UNBEATABLE);
    let known = Knowledge::new(board, RuleSet::STANDARD, Some(tables), None).expect("one game");
    let mut engine = Engine::new(known.clone(), level).expect("an engine");
    let start = board.start();
    let found = think(&mut engine, &start, &[]);
    assert_eq!(found.facts.value(), Some(Value::Win));
    assert!(matches!(found.score, Score::Exact(known) if known.value == Value::Win));
    let (visited, most) = (HashSet::new(), usize::MAX);
    let (engine, side, least) = (&mut engine, Side::White, Value::Win);
    let mut all = Exhaustive { engine, truth: &known, side, least, visited, most };
    all.play(&start, &mut Vec::new());
    assert!(all.visited.len() > 3);
}

/// Where nothing is proved, it plays like full strength, and says that nothing is proved.
#[test]
fn other_positions_are_searched() {
    let book = book("5x3-standard");
    let mut engine = unbeatable(&book, None);
    let mut full =
        Engine::new(Knowledge::of_rules(book.board(), book.rules()), options(Level::FULL))
            .expect("an engine");
    let mut random = SplitMix64::new(9);
    let mut unknown = 0;
    for _ in 0..50 {
        let mut position = book.board().start();
        for _ in 0..6 {
            let next = book.rules().successors(&position);
            position =
                next.get(random.below(next.len() as u64) as usize).copied().unwrap_or(position);
        }
        engine.clear();
        full.clear();
        let found = think(&mut engine, &position, &[]);
        if found.facts.bounds.at_least == Value::Loss && book.rules().outcome(&position).is_none() {
            unknown += 1;
            let expected = think(&mut full, &position, &[]);
            assert_eq!((found.turn, found.score), (expected.turn, expected.score), "{position}");
        }
    }
    assert!(unknown > 5, "{unknown}");
}

/// The recorded games against full strength and against random turns are legal games without a
/// loss, half of them with each side, and end as recorded.
#[test]
fn recorded_games_are_not_lost() {
    for name in ["unbeatable-9x5-full.jsonl", "unbeatable-9x5-random.jsonl"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/runs").join(name);
        let lines = fs::read_to_string(path).expect("it is kept");
        let (mut games, mut white) = (0, 0);
        for line in lines.lines() {
            let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
            let text = |key: &str| row[key].as_str().expect("a text");
            let draws = DrawRules::default().without_capture(100);
            let mut game = Game::with_draws(RuleSet::STANDARD, Board::tsivy().start(), draws);
            for turn in text("turns").split(' ') {
                assert_eq!(game.end(), None, "{name} {games}");
                let turn = game.rules().parse_turn(game.position(), turn).expect("a legal turn");
                game.play(turn);
            }
            let (result, end) = match game.end().expect("the game is over") {
                GameEnd::Won(side) if side.to_string() == text("side") => ("win", "won"),
                GameEnd::Won(_) => ("loss", "won"),
                GameEnd::NoTurn => ("draw", "no-turn"),
                GameEnd::Threefold => ("draw", "threefold"),
                GameEnd::WithoutCapture => ("draw", "without-capture"),
            };
            assert_eq!((result, end), (text("result"), text("end")), "{name} {games}");
            assert_eq!(game.position().to_string(), text("position"));
            assert_ne!(result, "loss", "{name} {games}");
            assert_eq!((&row["unproved"], &row["game"]), (&json!(0), &json!(games)));
            games += 1;
            white += usize::from(text("side") == "white");
        }
        assert_eq!((games, white), (200, 100), "{name}");
    }
}
