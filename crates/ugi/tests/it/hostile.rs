//! Input that no program should send.

use std::io;
use std::sync::{Arc, Mutex};

use fanorona_tests::strategies::cases;
use fanorona_ugi::protocol::{Command, Dialect, Message, OptionDeclaration};
use fanorona_ugi::server::{Session, Settings};
use proptest::prelude::*;

#[derive(Clone, Default)]
struct Printed(Arc<Mutex<Vec<u8>>>);

impl io::Write for Printed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no thread panics").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The output of a session.
fn printed(input: &[u8]) -> String {
    let printed = Printed::default();
    let mut settings = Settings::default();
    settings.player.memory = 1 << 20;
    Session::new(settings, printed.clone()).run(input);
    let bytes = std::mem::take(&mut *printed.0.lock().expect("no thread panics"));
    String::from_utf8(bytes).expect("it is text")
}

/// Words that have a meaning somewhere. Big tables and many threads would only be slow.
fn word() -> impl Strategy<Value = String> {
    let known = "ugi uci isready setoption name value position startpos fen moves go depth nodes \
                 movetime wtime btime p1time p2inc infinite ponder searchmoves stop ponderhit query \
                 result gameover p1turn d ucinewgame uginewgame debug on register quit MultiPV \
                 Board 3x3 9x5 Level Draws none d3-e3A a1-a2 3 0 -1 99999999999999999999 \
                 BBB/B1W/WWW w 9/9/2W1B4/9/9 b Rules vela forced-relay";
    let known: Vec<String> = known.split_whitespace().map(str::to_owned).collect();
    prop_oneof![9 => proptest::sample::select(known), 1 => "\\PC{0,8}"]
}

fn line() -> impl Strategy<Value = String> {
    proptest::collection::vec(word(), 0..8).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(cases(200))]

    /// Whatever comes in: it ends, each search has one answer, and only the protocol comes out.
    #[test]
    fn any_lines_are_answered_by_the_protocol(lines in proptest::collection::vec(line(), 0..25)) {
        let text = printed(lines.join("\n").as_bytes());
        for line in text.lines() {
            let Ok(message) = line.parse::<Message>();
            prop_assert!(!matches!(message, Message::Other(_)), "{line}");
            prop_assert_eq!(message.to_string(), line, "it is written as it is read");
        }
    }

    #[test]
    fn any_bytes_are_survived(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for line in printed(&bytes).lines() {
            prop_assert!(line.starts_with("info string "), "{line}");
        }
    }

    /// A command is written as it was read.
    #[test]
    fn commands_survive_a_round_trip(line in line()) {
        if let (Some(command), _) = Command::read(&line) {
            for dialect in [Dialect::Ugi, Dialect::Uci] {
                let written = command.line(dialect).to_string();
                prop_assert_eq!(Command::read(&written), (Some(command.clone()), vec![]), "{}", written);
            }
        }
    }

    /// Nothing that an engine prints is too much for the client's parser.
    #[test]
    fn any_text_is_a_message(text in "(info|option|bestmove|id)?[ a-z0-9<>-]{0,60}") {
        let Ok(message) = text.parse::<Message>();
        let Ok(again) = message.to_string().parse::<Message>();
        prop_assert_eq!(&again, &message);
        let _ = text.parse::<OptionDeclaration>();
    }
}
