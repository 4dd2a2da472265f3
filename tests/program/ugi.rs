//! `ugi`: the program as an engine, over pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::{fanorona, refused, words};

/// A running engine. It is ended when it is dropped.
struct Engine {
    process: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Engine {
    fn start(args: &str) -> Self {
        Self::start_with(args, |_| {})
    }

    fn start_with(args: &str, adjust: impl FnOnce(&mut Command)) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_fanorona"));
        command.arg("ugi").args(words(args)).env_remove("FANORONA_TABLES");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        adjust(&mut command);
        let mut process = command.spawn().expect("it starts");
        let input = process.stdin.take();
        let output = BufReader::new(process.stdout.take().expect("it is piped"));
        Self { process, input, output }
    }

    fn send(&mut self, lines: &str) {
        let input = self.input.as_mut().expect("it is open");
        input.write_all(format!("{lines}\n").as_bytes()).expect("it reads");
    }

    /// The lines up to one that starts like this.
    fn until(&mut self, start: &str) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        while lines.last().is_none_or(|line| !line.starts_with(start)) {
            let mut line = String::new();
            let read = self.output.read_line(&mut line).expect("it is text");
            assert!(read > 0, "it ended after {lines:?}, before {start}");
            lines.push(line.trim_end().to_owned());
        }
        lines
    }

    fn ask(&mut self, lines: &str, start: &str) -> String {
        self.send(lines);
        self.until(start).pop().expect("there is a line")
    }

    /// The exit status.
    fn end(mut self) -> Option<i32> {
        drop(self.input.take());
        self.process.wait().expect("it ends").code()
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // It has ended already, unless the test failed.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn two_engines_play_a_game() {
    let args = "--board 5x5 --level 3";
    let mut engines = [Engine::start(args), Engine::start(args)];
    engines[0].ask("ugi", "ugiok");
    engines[1].ask("uci", "uciok");
    for engine in &mut engines {
        engine.send("setoption name Draws value threefold+without-capture-30");
    }
    let mut game = "position startpos moves".to_owned();
    let mut turns = 0;
    loop {
        for engine in &mut engines {
            engine.send(&game);
        }
        let result = engines[0].ask("query result", "response");
        assert_eq!(engines[1].ask("query result", "response"), result);
        if result != "response none" {
            break;
        }
        assert!(turns < 500, "{game}");
        let go = "go p1time 60000 p2time 60000 wtime 60000 btime 60000";
        let answer = engines[turns % 2].ask(go, "bestmove");
        let turn = answer.split(' ').nth(1).expect("a turn").to_owned();
        assert_ne!(turn, "0000", "{game}");
        game += &format!(" {turn}");
        turns += 1;
    }
    assert!(turns > 4, "{game}");
    engines[0].send("quit");
    for engine in engines {
        assert_eq!(engine.end(), Some(0));
    }
}

/// A damaged certificate that somebody has installed is left out, and the game goes on.
#[cfg(feature = "starts")]
#[test]
fn a_damaged_installed_certificate_costs_no_turn() {
    let dir = tempfile::tempdir().expect("a directory");
    let proofs = dir.path().join("fanorona/proofs");
    std::fs::create_dir_all(&proofs).expect("it can be made");
    std::fs::write(proofs.join("5x7-free-capture.proof"), "damaged").expect("it can be written");
    let mut engine = Engine::start_with("--board 5x3 --level 9", |command| {
        command.env("XDG_DATA_HOME", dir.path());
    });
    engine.ask("ugi", "ugiok");
    engine.send("setoption name Rules value free-capture\nsetoption name Board value 5x7\nisready");
    let said = engine.until("readyok");
    assert!(said.iter().any(|line| line.contains("playing without the book: ")), "{said:?}");
    let answer = engine.ask("position startpos\ngo nodes 100", "bestmove");
    assert!(!answer.contains("0000"), "{answer}");
}

#[test]
fn the_arguments_are_the_defaults() {
    let dir = tempfile::tempdir().expect("a directory");
    let tables = dir.path().display();
    let build = format!("build --board 3x3 --rules forced-relay --stones 4 --tables \"{tables}\"");
    fanorona(words(&build)).assert().success();
    let mut engine =
        Engine::start(&format!("--board 3x3 --rules forced-relay --tables \"{tables}\""));
    engine.send("ugi");
    let lines = engine.until("ugiok");
    for line in [
        "option name Board type string default 3x3",
        "option name Rules type string default forced-relay",
        &format!("option name TablesPath type string default {tables}"),
        "option name Level type spin default 8 min 1 max 9",
    ] {
        assert!(lines.iter().any(|found| found == line), "{line}\n{lines:?}");
    }
    // The tables hold this position.
    let line = engine.ask("position fen W1B/3/B1W w\ngo nodes 1000", "info string basis");
    assert!(line.starts_with("info string basis exact "), "{line}");
    engine.until("bestmove");
    assert_eq!(engine.end(), Some(0));
}

#[test]
fn the_end_of_the_input_ends_a_search() {
    let mut engine = Engine::start("");
    engine.send("go infinite");
    engine.until("info depth");
    drop(engine.input.take());
    engine.until("bestmove ");
    assert_eq!(engine.end(), Some(0));
}

#[test]
fn an_engine_that_nobody_reads_ends() {
    let mut process = Command::new(env!("CARGO_BIN_EXE_fanorona"))
        .arg("ugi")
        .env_remove("FANORONA_TABLES")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(process.stdout.take());
    let mut input = process.stdin.take().expect("it is piped");
    // It may end before it has read all, but it does not wait for the end of its input.
    let _ = input.write_all(b"isready\nisready\n");
    assert_eq!(process.wait().expect("it ends").code(), Some(0));
}

#[test]
fn wrong_arguments_are_refused_before_anything_is_said() {
    refused("ugi --board 4x4", 2, &["4x4"]);
    refused("ugi --rules vela --board 5x5", 2, &["vela"]);
    refused("ugi --level 10", 2, &["1 (beginner) to 8"]);
    refused("ugi --tables no/such/place", 2, &["no/such/place"]);
}
