//! Commands and their answers.

use std::collections::HashSet;
use std::io::{self, Write};

use fanorona_engine::{Engine, Game, Limits};
use fanorona_knowledge::Knowledge;
use fanorona_ugi::protocol::{Basis, Info, InfoScore, Message};
use fanorona_ugi::server::{MAX_LINE_BYTES, Session, Settings};

use crate::dialogue::Dialogue;

/// A position that White wins with its next turn.
const WON: &str = "9/9/2W1B4/9/9 w";

#[test]
fn it_introduces_itself() {
    // Some programs begin a text with a byte order mark.
    for (hello, ok) in [("ugi", "ugiok"), ("uci", "uciok"), ("\u{feff}uci", "uciok")] {
        let mut dialogue = Dialogue::start();
        dialogue.send(hello);
        let lines = dialogue.until(ok);
        assert!(lines[0].starts_with("id name fanorona "), "{lines:?}");
        assert!(lines[1].starts_with("id author "), "{lines:?}");
        for line in &lines[2..lines.len() - 1] {
            let Ok(message) = line.parse();
            assert!(matches!(message, Message::Option(_)), "{line}");
        }
        assert_eq!(dialogue.ask("isready", "readyok"), "readyok");
    }
}

#[test]
fn a_search_has_limits() {
    let mut dialogue = Dialogue::start();
    for go in [
        "go depth 2",
        "go nodes 200",
        "go movetime 20",
        "go mate 1",
        "go depth 1 mate 3",
        "go mate 1 depth 30",
        "go depth 30 nodes 200",
        "go p1time 200 p2time 200 p1inc 10 p2inc 10",
        "go wtime 200 btime 200",
        "go wtime 200 movestogo 1",
        "go wtime -5 btime 10",
    ] {
        dialogue.send("position startpos");
        let (infos, turn) = dialogue.search(go);
        assert!(turn.is_some(), "{go}");
        if go.contains("depth 2") {
            assert_eq!(infos.last().and_then(|(_, info)| info.depth), Some(2));
        }
        if go.contains("mate") {
            assert_eq!(infos.last().and_then(|(_, info)| info.depth), Some(1));
        }
    }
    // Without a position, it is the start.
    let (_, turn) = Dialogue::start().search("go depth 1");
    assert!(turn.is_some());
}

/// A win that a search with reductions does not see at this depth.
#[test]
fn a_mate_is_searched_to_the_full_depth() {
    let mut dialogue = Dialogue::start();
    dialogue.send("position fen 3B4B/4BB1BB/W8/9/9 b");
    let (infos, _) = dialogue.search("go mate 3");
    let score = |infos: &[(_, Info)]| infos.last().and_then(|(_, info)| info.score);
    assert_eq!(score(&infos), Some(InfoScore::Mate(3)));
    let (infos, turn) = dialogue.search("go mate 2");
    let estimate = score(&infos);
    assert!(matches!(estimate, Some(InfoScore::Cp(_))) && turn.is_some(), "{estimate:?}");
}

#[test]
fn it_counts() {
    let mut dialogue = Dialogue::start();
    dialogue.send("position startpos\ngo perft 3");
    let lines = dialogue.until("Nodes searched");
    let counts = ["d2-e3A: 127", "e2-e3A: 30", "f2-e3A: 77", "d3-e3A: 54", "d3-e3W: 436", ""];
    assert_eq!(lines[..6], counts);
    assert_eq!(lines[6..], ["Nodes searched: 724"]);
    assert_eq!(dialogue.ask("go perft 0", "Nodes searched"), "Nodes searched: 1");
    // A count that is stopped has no sum.
    dialogue.send("go perft 30");
    assert_eq!(dialogue.ask("isready", "readyok"), "readyok");
    dialogue.send("stop");
    assert_eq!(
        dialogue.until("info string").pop().as_deref(),
        Some("info string the count was stopped")
    );
    assert!(dialogue.search("go depth 1").1.is_some());
    // The end of the session waits for the sum.
    let mut last = Dialogue::start();
    last.send("go perft 4");
    last.send_last("quit");
    assert_eq!(last.until("Nodes searched").pop().as_deref(), Some("Nodes searched: 18026"));
    let said = dialogue.said("position fen x\ngo perft 1");
    assert!(said.iter().any(|line| line.contains("there is no position to search")), "{said:?}");
}

#[test]
fn the_answer_is_that_of_the_engine() {
    let mut dialogue = Dialogue::start();
    dialogue.send("setoption name Board value 5x5");
    let start = "B4/5/5/5/2WWW w";
    // Black is lost, but can make the position occur for the third time.
    let turns = "c1-c2 a5-a4 c2-c1 a4-a5 c1-c2 a5-a4 c2-c1";
    dialogue.send(&format!("position fen {start} moves {turns}"));
    let (infos, turn) = dialogue.search("go nodes 20000");
    assert_eq!(turn.as_deref(), Some("a4-a5"));

    let mut game = Game::new(Settings::default().rules, start.parse().expect("a position"));
    for text in turns.split(' ') {
        let turn = game.rules().parse_turn(game.position(), text).expect("a turn");
        game.play(turn);
    }
    let mut options = Settings::default().player;
    (options.memory, options.seed) = (1 << 20, Some(1));
    let board = game.position().board();
    let mut engine =
        Engine::new(Knowledge::of_rules(board, *game.rules()), options).expect("an engine");
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    let stop = std::sync::atomic::AtomicBool::new(false);
    let found = engine
        .analyze(game.position(), game.earlier(), &limits, &stop, |_| {})
        .expect("nothing fails");
    let (basis, info) = infos.last().expect("a report");
    assert_eq!(*basis, Basis(found.score).to_string());
    assert_eq!(info.score, Some(found.score.into()));
    // The nodes of the last depth that was finished.
    assert!(info.nodes <= Some(found.nodes) && info.depth == Some(found.depth));
    let line: Vec<_> = found.line.iter().map(|turn| turn.text(board).to_string()).collect();
    assert_eq!(info.pv, line);
}

#[test]
fn commands_are_answered_during_a_search() {
    let mut dialogue = Dialogue::start();
    dialogue.send("position startpos\ngo infinite");
    for (line, answer) in [
        ("isready", "readyok"),
        ("query p1turn", "response true"),
        ("setoption name Hash value 2", "info string an option is refused while a search runs"),
        ("uginewgame", "info string a new game is refused while a search runs"),
        ("go depth 1", "info string another search is refused while a search runs"),
    ] {
        let answer_there = dialogue.ask(line, answer);
        assert!(answer_there.starts_with(answer));
    }
    // The next search may follow at once.
    dialogue.send("stop\nposition startpos moves d3-e3A\ngo depth 1");
    dialogue.until("bestmove");
    assert!(dialogue.until("bestmove").len() > 1, "the second search has a report");
    // Nothing runs now.
    assert_eq!(dialogue.said("stop"), [""; 0]);
}

#[test]
fn an_infinite_search_waits_for_stop() {
    for go in ["go infinite", "go infinite wtime 1 btime 1 movetime 1", "go infinite depth 1"] {
        let mut dialogue = Dialogue::start();
        dialogue.send(&format!("position fen {WON}\n{go}"));
        // The search is over soon, because the game is won.
        let lines = dialogue.until("info depth");
        assert!(lines.last().is_some_and(|line| line.contains("score mate 1")), "{lines:?}");
        let said = dialogue.said("");
        assert!(said.iter().all(|line| line.starts_with("info")), "{said:?}");
        assert_eq!(dialogue.ask("stop", "bestmove"), "bestmove c3-d3A");
        assert_eq!(dialogue.said("stop"), [""; 0], "there is one bestmove for each go");
    }
}

#[test]
fn lines_and_turns_can_be_chosen() {
    let mut dialogue = Dialogue::start();
    dialogue.send("setoption name MultiPV value 3\nposition startpos");
    let (infos, turn) = dialogue.search("go depth 2");
    let last = &infos[infos.len() - 3..];
    let numbers: Vec<_> = last.iter().map(|(_, info)| info.multipv).collect();
    assert_eq!(numbers, [Some(1), Some(2), Some(3)]);
    assert_eq!(last[0].1.pv.first(), turn.as_ref());
    let scores: Vec<_> = last
        .iter()
        .map(|(_, info)| match info.score {
            Some(InfoScore::Cp(score)) => score,
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");

    let worst = last[2].1.pv[0].clone();
    let (infos, turn) = dialogue.search(&format!("go depth 2 searchmoves {worst}"));
    assert_eq!(turn, Some(worst));
    assert!(infos.iter().all(|(_, info)| info.multipv == Some(1)), "there is one turn");
    dialogue.send("setoption name MultiPV value 1");
    let (infos, _) = dialogue.search("go depth 2");
    assert!(infos.iter().all(|(_, info)| info.multipv.is_none()));
    // A turn that is not legal is named, and left out.
    dialogue.send("go depth 1 searchmoves a1-a2 d3-e3A");
    let lines = dialogue.until("bestmove");
    assert!(lines[0].starts_with("info string searchmoves: ") && lines[0].contains("a1-a2"));
    assert!(lines.last().is_some_and(|line| line.starts_with("bestmove d3-e3A")));
}

#[test]
fn turns_are_read_in_small_letters() {
    let mut dialogue = Dialogue::start();
    dialogue.send("position startpos moves d3e3a d4-d3a");
    let small = dialogue.said("d");
    dialogue.send("position startpos moves d3-e3A d4-d3A");
    assert_eq!(small, dialogue.said("d"));
}

#[test]
fn all_turns_are_shown() {
    let mut dialogue = Dialogue::start();
    dialogue.send("position fen W1BWBBBBB/1BB2BB2/BW1B2B1B/WBW1B2B1/2BWBBB1B w");
    let said = dialogue.said("d");
    let turns = said.iter().find_map(|line| line.split_once("turns: "));
    assert_eq!(turns.map(|(_, turns)| turns.split(' ').count()), Some(10_464));
}

#[test]
fn a_wrong_position_is_named_and_not_played() {
    for (line, part) in [
        ("position startpos moves d3-e3A a1-a2", "turn 2 'a1-a2' at 'BBBBBBBBB/"),
        ("position startpos moves zebra", "turn 1 'zebra'"),
        ("position fen nonsense w", "'nonsense w'"),
        ("position fen B4/5/5/5/2WWW w", "is of 5x5, and the option Board is 9x5"),
    ] {
        let mut dialogue = Dialogue::start();
        dialogue.send("position startpos moves d3-e3A");
        let said = dialogue.said(line);
        assert!(said.len() == 1 && said[0].contains(part), "{line}: {said:?}");
        assert_eq!(dialogue.ask("go depth 1", "bestmove"), "bestmove 0000");
        assert_eq!(dialogue.ask("query gameover", "response"), "response none");
        dialogue.said("d");
        // A new position, or a new game, is one again.
        dialogue.send("position startpos");
        assert_eq!(dialogue.ask("query gameover", "response"), "response false");
    }
}

#[test]
fn a_game_that_is_over_has_no_turn() {
    let mut dialogue = Dialogue::start();
    dialogue.send(&format!("position fen {WON} moves c3-d3A"));
    let (infos, turn) = dialogue.search("go depth 3");
    assert_eq!(turn, None);
    let (basis, info) = infos.last().expect("a report");
    assert_eq!(basis, "basis proved loss in at most 0");
    assert_eq!(info.score, Some(InfoScore::Mate(0)));
}

#[test]
fn draw_rules_are_part_of_the_game() {
    let repeated = "position fen B7B/9/9/9/W7W w moves a1-b1 a5-b5 b1-a1 b5-a5 a1-b1 a5-b5 b1-a1 \
                    b5-a5";
    let mut dialogue = Dialogue::start();
    dialogue.send(repeated);
    assert_eq!(dialogue.ask("query result", "response"), "response draw");
    // An option that is set later counts for the game so far.
    dialogue.send("setoption name Draws value none");
    assert_eq!(dialogue.ask("query result", "response"), "response none");
    dialogue.send("setoption name Draws value without-capture-8");
    assert_eq!(dialogue.ask("query gameover", "response"), "response true");
    dialogue.send("setoption name Draws value without-capture-9");
    assert_eq!(dialogue.ask("query gameover", "response"), "response false");
    // Another board is another game.
    dialogue.send("setoption name Board value 3x3");
    let said = dialogue.said("d");
    assert!(said[0].contains("3x3, standard, draws: without-capture-9"), "{said:?}");
    assert!(said[1].ends_with("BBB/B1W/WWW w"), "{said:?}");
}

#[test]
fn options_change_the_play() {
    let mut dialogue = Dialogue::start();
    for option in ["Level value 1", "Seed value 3", "Hash value 2", "Threads value 2", "Clear Hash"]
    {
        assert_eq!(dialogue.said(&format!("setoption name {option}")), [""; 0]);
    }
    let (infos, _) = dialogue.search("go depth 9");
    assert_eq!(infos.last().and_then(|(_, info)| info.depth), Some(1), "level 1 has depth 1");
    let said = dialogue.said("setoption name level value 12");
    assert_eq!(
        said,
        ["info string the option Level cannot be '12'; it is a whole number from 1 to 9"]
    );
    assert!(dialogue.said("setoption name Elo value 1")[0].contains("no option 'Elo'"));
    // A level that lacks what it needs says so, and the game goes on at full strength.
    let said = dialogue.said("setoption name Level value 9");
    assert!(said[0].contains("playing at level 8: "), "{said:?}");
    assert!(dialogue.search("go depth 1").1.is_some());
}

#[test]
fn each_game_has_a_seed_of_its_own_unless_one_is_set() {
    let mut dialogue = Dialogue::start();
    dialogue.send("setoption name Level value 1");
    let mut turns = |seed: &str| -> HashSet<_> {
        dialogue.send(&format!("setoption name Seed value {seed}"));
        let game = |_| {
            dialogue.send("uginewgame\nposition startpos moves d3-e3A");
            dialogue.search("go").1
        };
        (0..40).map(game).collect()
    };
    assert_eq!(turns("3").len(), 1);
    assert!(turns("-1").len() > 1);
    assert_eq!(turns("4").len(), 1);
}

#[test]
fn what_is_unknown_is_ignored() {
    let mut dialogue = Dialogue::start();
    assert_eq!(dialogue.said("\n   \t\nregister name x code y\ndebug on\ndebug off"), [""; 0]);
    let said = dialogue.said("xyzzy plugh");
    assert_eq!(said, ["info string 'xyzzy plugh' is no command of UGI or UCI"]);
    assert_eq!(dialogue.ask("hello query p1turn", "response"), "response true");
}

#[test]
fn a_search_that_panics_gives_a_turn_and_the_session_goes_on() {
    let failure = "info string the search failed; the next one is by a new engine";
    // Before any report the turn is any that may be played, and behind one that of the report.
    for (text, go, expected) in [
        ("info depth 1 ", "go depth 4 searchmoves f2-e3A", "bestmove f2-e3A"),
        ("info depth 3 ", "go depth 4 searchmoves f2-e3A d3-e3A", ""),
    ] {
        let mut dialogue = Dialogue::panicking_at(text);
        dialogue.send(&format!("position startpos\n{go}"));
        let lines = dialogue.until("bestmove");
        let [before @ .., said, best] = lines.as_slice() else { panic!("{lines:?}") };
        assert_eq!(said, failure);
        let last = before.last().and_then(|line| line.split(" pv ").nth(1));
        let reported = last.and_then(|pv| pv.split(' ').next());
        let expected = reported.map_or(expected.to_owned(), |turn| format!("bestmove {turn}"));
        assert_eq!(*best, expected);
        assert_eq!(dialogue.ask("isready", "readyok"), "readyok");
        assert!(dialogue.search("go depth 4").1.is_some());
    }
    let mut dialogue = Dialogue::panicking_at("info depth 0 ");
    dialogue.send(&format!("position fen {WON} moves c3-d3A"));
    dialogue.send("go depth 1");
    assert_eq!(dialogue.until("bestmove"), [failure, "bestmove 0000"]);
}

#[test]
fn quit_ends_a_search() {
    let mut dialogue = Dialogue::start();
    dialogue.send("go infinite");
    dialogue.send_last("quit");
    assert!(dialogue.until("bestmove").last().is_some());
}

/// The output for a whole input.
fn printed(input: impl io::Read) -> String {
    let (reader, writer) = io::pipe().expect("a pipe");
    let read = std::thread::spawn(move || io::read_to_string(reader).expect("it is text"));
    let mut settings = Settings::default();
    settings.player.memory = 1 << 20;
    Session::new(settings, writer).run(io::BufReader::new(input));
    read.join().expect("it does not panic")
}

#[test]
fn the_end_of_the_input_ends_the_session() {
    let text = printed(&b"uci\r\nisready\r\ngo infinite"[..]);
    assert!(text.contains("\nuciok\nreadyok\n"), "{text}");
    assert!(text.lines().last().is_some_and(|line| line.starts_with("bestmove ")), "{text}");
    assert_eq!(printed(&b""[..]), "");
}

#[test]
fn long_lines_and_bytes_that_are_no_text_do_no_harm() {
    let mut input = vec![b'x'; MAX_LINE_BYTES + 1];
    input.extend(b"\n\xff\xfe quit now\0\nisready\n");
    let text = printed(&input[..]);
    assert_eq!(text, "info string a line of more than 1048576 bytes is ignored\n");
    let text = printed(&b"\xff\0\nisready"[..]);
    assert!(text.starts_with("info string '") && text.ends_with("\nreadyok\n"), "{text}");
}

#[test]
fn a_session_ends_when_nobody_reads() {
    struct Gone;
    impl Write for Gone {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
    }
    // The other program asks for ever.
    let forever = io::Read::chain(&b"isready\n"[..], io::repeat(b'\n'));
    Session::new(Settings::default(), Gone).run(io::BufReader::new(forever));
}
