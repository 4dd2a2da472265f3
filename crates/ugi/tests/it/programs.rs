//! Talking to other programs: line by line against a script, and with those that misbehave.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use fanorona_core::{Board, RuleSet};
use fanorona_engine::{DrawRules, Game};
use fanorona_tests::scripted::Script;
use fanorona_ugi::client::{ClientError, Direction, Program, ProgramCommand, ProgramSettings};
use fanorona_ugi::protocol::{Clock, Dialect, Go, Info, InfoScore, SideClock};

/// Nobody stops.
static GO_ON: AtomicBool = AtomicBool::new(false);

/// A generous limit for what should take a moment.
const SOON: Duration = Duration::from_secs(20);

fn settings(script: &Script) -> ProgramSettings {
    let command = ProgramCommand::new(script.program(), script.arguments());
    let mut settings = ProgramSettings::new(command);
    settings.timeout = SOON;
    settings.dialect = Some(Dialect::Ugi);
    settings
}

fn start(script: &Script) -> Result<Program, ClientError> {
    Program::start(&settings(script), &GO_ON)
}

/// A game of 5x5 with these turns.
fn game(turns: &[&str]) -> Game {
    let mut game = Game::new(RuleSet::STANDARD, Board::dimy().start());
    for turn in turns {
        let turn = game.rules().parse_turn(game.position(), turn).expect("it is legal");
        game.play(turn);
    }
    game
}

fn movetime(milliseconds: u64) -> Go {
    Go { movetime: Some(Duration::from_millis(milliseconds)), ..Go::default() }
}

#[test]
fn a_game_is_led_line_by_line() {
    let script = Script::new(
        "> ugi\n< id name The  Engine\n< id author somebody\n\
         < option name Hash type spin default 16 min 1 max 64\n\
         < option name Board type combo default 9x5 var 9x5 var 5x5\n\
         < option name Rules type string default standard\n\
         < option name Clear type button\n< ugiok\n\
         > setoption name Hash value 32\n> setoption name Clear\n> isready\n< readyok\n\
         > setoption name Board value 5x5\n> uginewgame\n> isready\n< readyok\n\
         > position startpos\n> isready\n< bestmove b3-c3A\n< readyok\n\
         > go movetime 250\n< info depth 2 score cp 12\n< info string  nothing\n\
         < info depth 3 score cp 35 nodes 77 pv c2-c3A\n< info depth 4 currmove c2-c3A\n\
         < bestmove c2c3A\n\
         > position startpos moves c2-c3A\n> isready\n< readyok\n\
         > go p1time 1500 p2time 2500 p1inc 100 p2inc 0\n< bestmove c4-c5 ponder x\n\
         > uginewgame\n> isready\n< readyok\n> quit\n",
    );
    let mut settings = settings(&script);
    settings.options = vec![("hash".to_owned(), "032".to_owned()), ("Clear".into(), "".into())];
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = lines.clone();
    settings.trace = Some(Arc::new(move |direction, line: &str| {
        kept.lock().expect("it is whole").push((direction, line.to_owned()));
    }));
    let mut program = Program::start(&settings, &GO_ON).expect("it starts");
    assert_eq!((program.name(), program.options().len()), ("The  Engine", 4));
    assert!(program.knows_rules(&RuleSet::STANDARD));
    let before = game(&[]);
    program.new_game(&before, &GO_ON).expect("it knows the game");
    let found = program.go(&before, &movetime(250), SOON, &GO_ON).expect("it answers");
    assert_eq!(found.turn.text(Board::dimy()).to_string(), "c2-c3A");
    let Info { depth, score, nodes, .. } = found.info;
    assert_eq!((depth, score, nodes), (Some(3), Some(InfoScore::Cp(35)), Some(77)));
    let side = |time, increment| SideClock {
        time: Some(Duration::from_millis(time)),
        increment: Duration::from_millis(increment),
    };
    let clock = Clock { white: side(1500, 100), black: side(2500, 0), moves_to_go: None };
    let go = Go { clock, ..Go::default() };
    let after = game(&["c2-c3A"]);
    let error = program.go(&after, &go, SOON, &GO_ON).expect_err("it is not legal");
    assert!(matches!(error, ClientError::IllegalTurn { ref text, .. } if text == "c4-c5"));
    assert!(program.is_broken());
    program.new_game(&before, &GO_ON).expect("it goes on");
    drop(program);
    script.assert_done();
    let lines = lines.lock().expect("it is whole");
    assert!(lines.contains(&(Direction::Received, "info depth 4 currmove c2-c3A".to_owned())));
    assert_eq!(lines.last(), Some(&(Direction::Sent, "quit".to_owned())));
}

#[test]
fn uci_has_its_own_words() {
    let script = Script::new(
        "> uci\n< id name x\n< ugiok\n< uciok\n> isready\n< readyok\n> ucinewgame\n> isready\n\
         < readyok\n> position fen *\n> isready\n< readyok\n\
         > go wtime 1000 btime 1000 winc 0 binc 0\n< bestmove 0000\n",
    );
    let mut settings = settings(&script);
    settings.dialect = Some(Dialect::Uci);
    let mut program = Program::start(&settings, &GO_ON).expect("it starts");
    let game = game(&[]);
    program.new_game(&game, &GO_ON).expect("it answers");
    let second = SideClock { time: Some(Duration::from_secs(1)), increment: Duration::ZERO };
    let clock = Clock { white: second, black: second, moves_to_go: None };
    let go = Go { clock, ..Go::default() };
    let error = program.go(&game, &go, SOON, &GO_ON).expect_err("it gives no turn");
    assert!(matches!(error, ClientError::NoTurn));
    script.assert_done();
}

/// A program that says that it does not know `ugi`, one that answers late and by both protocols, and
/// one that ends at the word `ugi`.
#[test]
fn the_protocol_is_found_out() {
    let ready = "> isready\n< readyok\n";
    let unknown = "> ugi\n< Unknown command: 'ugi'\n> uci\n";
    let late = "< id name a\n< option name A type button\n< ugiok\n> isready\n";
    let by_uci = "< id name b\n< option name B type button\n< uciok\n";
    let scripts = [
        format!("{unknown}{by_uci}{ready}{ready}> ucinewgame\n{ready}"),
        format!("{unknown}{late}{by_uci}< readyok\n{ready}{ready}> ucinewgame\n{ready}"),
        format!("> uci\n{by_uci}{ready}> ucinewgame\n{ready}"),
    ];
    for script in scripts {
        let script = Script::new(&script);
        let mut settings = settings(&script);
        settings.dialect = None;
        let mut program = Program::start(&settings, &GO_ON).expect("it speaks UCI");
        let options: Vec<_> = program.options().iter().map(|option| &option.name[..]).collect();
        assert_eq!((program.name(), options), ("b", vec!["B"]));
        program.new_game(&game(&[]), &GO_ON).expect("it answers");
    }
}

#[test]
fn a_program_that_cannot_be_used_is_refused() {
    let settings = ProgramSettings::new(ProgramCommand::new("no-such-program-here", ["x"]));
    let error = Program::start(&settings, &GO_ON).expect_err("it is not there");
    assert_eq!(error.to_string(), "cannot start 'no-such-program-here x'");

    // It ends at once.
    let script = Script::new("exit 5\n");
    let error = start(&script).expect_err("it ends");
    assert!(
        matches!(error, ClientError::Ended(Some(status)) if status.code() == Some(5)),
        "{error}"
    );

    // It says nothing.
    let script = Script::new("> ugi\nhang\n");
    let mut silent = self::settings(&script);
    silent.timeout = Duration::from_millis(300);
    let began = Instant::now();
    let error = Program::start(&silent, &GO_ON).expect_err("it is silent");
    let expected = "the program has not sent ugiok within 0.3 s";
    assert_eq!(error.to_string(), expected, "the limit, and not what was left of it");
    assert!(began.elapsed() < SOON);

    // It has other options.
    let greeting = "> ugi\n< option name Hash type spin default 1 min 1 max 9\n< ugiok\n";
    for (name, value, message) in [
        ("Threads", "1", "the program has no option 'Threads'; it has Hash"),
        ("Hash", "10", "the option Hash cannot be '10'; it is a whole number from 1 to 9"),
    ] {
        let script = Script::new(&format!("{greeting}hang\n"));
        let mut settings = self::settings(&script);
        settings.options = vec![(name.to_owned(), value.to_owned())];
        let error = Program::start(&settings, &GO_ON).expect_err("it is refused");
        assert_eq!(error.to_string(), message);
    }

    // It declares options without end.
    let many = "< option name A type button\n".repeat(2000);
    let error = start(&Script::new(&format!("> ugi\n{many}< ugiok\nhang\n")));
    assert!(matches!(error, Err(ClientError::TooManyOptions { most: 1000 })));

    // It cannot play this game.
    let script = Script::new(
        "> ugi\n< option name Rules type combo default vela var vela\n< ugiok\n> isready\n\
         < readyok\nhang\n",
    );
    let mut program = start(&script).expect("it starts");
    assert!(!program.knows_rules(&RuleSet::STANDARD));
    let error = program.new_game(&game(&[]), &GO_ON).expect_err("it plays the vela alone");
    assert!(matches!(error, ClientError::OptionValue(_)), "{error}");
}

/// A value cannot hold a second command.
#[test]
fn a_line_end_in_a_value_is_a_space() {
    let script = Script::new(
        "> ugi\n< option name Note type string default <empty>\n< ugiok\n\
         > setoption name Note value a quit b\n> setoption name Note value <empty>\n> isready\n\
         < readyok\n",
    );
    let mut settings = settings(&script);
    let note = |value: &str| ("Note".to_owned(), value.to_owned());
    settings.options = vec![note("a\nquit\rb"), note(" ")];
    Program::start(&settings, &GO_ON).expect("it starts");
    script.assert_done();
}

/// An answer to `go perft` is complete with its usual endings: what comes later is not waited for.
#[test]
fn the_usual_endings_of_a_count_end_it() {
    let position = Board::dimy().start();
    let question = "> position *\n> isready\n< readyok\n> go perft 1\n> isready\n";
    let turns = "< b3-c3A: 1\n< c2-c3A: 1\n";
    // With what the program is asked once more: whether it is ready, in case a sum follows.
    for (ending, asked_again) in [
        ("< 2\n", ""),
        ("< Nodes searched: 2\n", ""),
        ("< total = 2\n", ""),
        ("<\n", "> isready\n< Nodes searched: 2\n< readyok\n"),
        ("<\n", "> isready\n< readyok\n"),
    ] {
        for is_ready_first in [true, false] {
            let answer = match is_ready_first {
                true => format!("< readyok\n{turns}{ending}{asked_again}"),
                false => format!("{turns}{ending}< readyok\n"),
            };
            let script = format!("> ugi\n< ugiok\n> isready\n< readyok\n{question}{answer}");
            let script = Script::new(&(script + "sleep 150\n< late 7\n> quit\n"));
            let mut program = start(&script).expect("it starts");
            let output = program.perft(&position, 1, SOON, &GO_ON).expect("it answers");
            assert!(output.starts_with("b3-c3A: 1\nc2-c3A: 1\n"), "{answer}: {output}");
            assert!(!output.contains("late"), "{answer}: {output}");
            let has_sum = answer.contains("Nodes searched");
            assert_eq!(output.contains("Nodes searched: 2"), has_sum, "{answer}: {output}");
            drop(program);
            script.assert_done();
        }
    }
}

/// Faults of a program, each with the words of its error.
#[test]
fn a_program_that_misbehaves_is_an_error_in_time() {
    let greeting =
        "> ugi\n< ugiok\n> isready\n< readyok\n> position *\n> isready\n< readyok\n> go *\n";
    let ask = |what: &str| {
        let script = Script::new(&format!("{greeting}{what}\n"));
        let mut program = start(&script).expect("it starts");
        let began = Instant::now();
        let found = program.go(&game(&[]), &movetime(10), Duration::from_millis(700), &GO_ON);
        assert!(began.elapsed() < SOON, "{what}");
        assert_eq!(program.is_broken(), found.is_err());
        drop(program);
        assert!(began.elapsed() < SOON, "{what}: it is not ended");
        assert_eq!(script.wrong(), None);
        found
    };
    use ClientError as Error;
    let late = |found| matches!(found, Err(Error::Silent { expected: "bestmove", .. }));
    assert!(late(ask("hang")));
    assert!(late(ask("flood 0")));
    assert!(late(ask("sleep 1500\n< bestmove c2-c3A")));
    assert!(late(ask("< bestmove\n< best move\n< readyok\nhang")));
    assert!(matches!(ask("exit 9"), Err(Error::Ended(Some(status))) if status.code() == Some(9)));
    for illegal in ["a1-a9", "nonsense", "c2-c3W", "\u{1b}[31m", &"x".repeat(1000)] {
        let found = ask(&format!("< bestmove {illegal}\nhang"));
        let Err(Error::IllegalTurn { text, .. }) = found else { panic!("{illegal}: {found:?}") };
        assert!(text.len() <= 100 && !text.contains('\u{1b}'), "{text}");
    }
    assert!(matches!(ask("< bestmove (none)\nhang"), Err(Error::NoTurn)));
    // Garbage before an answer does not matter.
    let found = ask("binary\nflood 2000\n< hello\n<  bestmove  c2c3 \nhang").expect("it answers");
    assert_eq!(found.turn.text(Board::dimy()).to_string(), "c2-c3A");
}

#[test]
fn a_program_that_does_not_read_blocks_nobody() {
    let script =
        Script::new("> ugi\n< option name Note type string\n< ugiok\n> isready\n< readyok\nhang\n");
    let mut program = start(&script).expect("it starts");
    let note = "x".repeat(60_000);
    let began = Instant::now();
    let error = (0..1000).find_map(|_| program.set_option("Note", &note).err());
    assert!(matches!(error, Some(ClientError::NotReading)), "{error:?}");
    assert!(began.elapsed() < SOON);
}

#[test]
fn waiting_ends_when_it_is_stopped() {
    let script = Script::new("> ugi\n< ugiok\n> isready\n< readyok\nhang\n");
    let mut program = start(&script).expect("it starts");
    let stop = AtomicBool::new(false);
    let began = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(100));
            stop.store(true, Ordering::Relaxed);
        });
        let error = program.go(&game(&[]), &Go::default(), SOON, &stop).expect_err("it hangs");
        assert!(matches!(error, ClientError::Stopped));
    });
    assert!(began.elapsed() < SOON / 2);
    assert!(program.is_broken());
}

/// A search that ends when it is asked to does not break the program.
#[test]
fn a_stopped_program_can_be_asked_again() {
    let script = Script::new(
        "> ugi\n< ugiok\n> isready\n< readyok\n> position *\n> isready\n< readyok\n\
         > go movetime 9000\n> stop\n< info depth 1\n< bestmove c2-b3\n\
         > position *\n> isready\n< readyok\n> go movetime 10\n< bestmove c2-c3A\n",
    );
    let mut program = start(&script).expect("it starts");
    let (stop, game) = (AtomicBool::new(false), game(&[]));
    thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(200));
            stop.store(true, Ordering::Relaxed);
        });
        let error = program.go(&game, &movetime(9000), SOON, &stop).expect_err("it is stopped");
        assert!(matches!(error, ClientError::Stopped));
    });
    assert!(!program.is_broken());
    program.go(&game, &movetime(10), SOON, &GO_ON).expect("it answers");
    script.assert_done();
}

/// The children of a wrapper are killed with it.
#[cfg(unix)]
#[test]
fn what_a_wrapper_has_started_is_ended_too() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("pid");
    let script = format!("sleep 1000 & echo $! > {}; echo ugiok; wait", file.display());
    let mut settings = ProgramSettings::new(ProgramCommand::new("sh", ["-c", &script]));
    settings.timeout = Duration::from_millis(500);
    // It is never ready.
    let error = Program::start(&settings, &GO_ON).expect_err("it does not answer");
    assert!(matches!(error, ClientError::Silent { expected: "readyok", .. }), "{error}");
    let pid = std::fs::read_to_string(&file).expect("it was started");
    let began = Instant::now();
    let is_there = || {
        let status = std::process::Command::new("kill").args(["-0", pid.trim()]).output();
        let is_zombie = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()))
            .is_ok_and(|stat| stat.contains(") Z "));
        status.expect("kill starts").status.success() && !is_zombie
    };
    while is_there() {
        assert!(began.elapsed() < SOON, "it still runs");
        thread::sleep(Duration::from_millis(20));
    }
}

/// The draw rules are offered too.
#[test]
fn a_program_gets_the_settings_of_the_game() {
    let script = Script::new(
        "> ugi\n< option name Draws type string default threefold\n\
         < option name Rules type string default standard\n< ugiok\n> isready\n< readyok\n\
         > setoption name Rules value free-capture\n\
         > setoption name Draws value threefold+without-capture-50\n> uginewgame\n> isready\n\
         < readyok\n> uginewgame\n> isready\n< readyok\n",
    );
    let mut program = start(&script).expect("it starts");
    let rules = "free-capture".parse().expect("rules");
    let draws = DrawRules::default().without_capture(50);
    let game = Game::with_draws(rules, Board::dimy().start(), draws);
    for _ in 0..2 {
        program.new_game(&game, &GO_ON).expect("it answers");
    }
    script.assert_done();
}

/// Rules that cannot be played on the next board are given up before.
#[test]
fn a_program_can_change_the_board_and_the_rules() {
    let script = Script::new(
        "> ugi\n< option name Board type string default 9x5\n\
         < option name Rules type string default vela\n< ugiok\n> isready\n< readyok\n\
         > setoption name Rules value standard\n> setoption name Board value 5x5\n\
         > setoption name Rules value free-capture\n> uginewgame\n> isready\n< readyok\n",
    );
    let mut program = start(&script).expect("it starts");
    let rules = "free-capture".parse().expect("rules");
    let game = Game::new(rules, Board::dimy().start());
    program.new_game(&game, &GO_ON).expect("it answers");
    script.assert_done();
}
