//! Whole games through the protocol.

use fanorona_core::{Board, RuleSet, Side};
use fanorona_engine::{DrawRules, Game, GameEnd, Level};
use fanorona_ugi::server::Settings;

use crate::dialogue::Dialogue;

/// Every board and rule set: each turn is legal, and the queries say what the game says.
#[test]
fn games_go_on_until_the_queries_say_that_they_are_over() {
    for (board, rules, draws) in [
        ("9x5", "standard", "threefold"),
        ("5x5", "first-capture-single", "threefold+without-capture-20"),
        ("5x3", "forced-relay+no-turns-draw", "without-capture-30"),
        ("3x3", "free-capture", "threefold"),
        ("5x5", "vela+stones-3", "threefold+without-capture-40"),
    ] {
        let mut settings = Settings::default();
        settings.player.memory = 1 << 20;
        settings.player.level = Level::new(2).expect("a level");
        let mut dialogue = Dialogue::new(settings);
        let options = format!(
            "setoption name Board value {board}\nsetoption name Rules value {rules}\n\
             setoption name Draws value {draws}\nuginewgame"
        );
        assert_eq!(dialogue.said(&options), [""; 0], "{board} {rules}");
        let board: Board = board.parse().expect("a board");
        let rules: RuleSet = rules.parse().expect("a rule set");
        let draws: DrawRules = draws.parse().expect("draw rules");
        let mut game = Game::with_draws(rules, board.start(), draws);
        let mut line = "position startpos moves".to_owned();
        loop {
            let result = match game.end() {
                None => "none",
                Some(GameEnd::Won(Side::White)) => "p1win",
                Some(GameEnd::Won(Side::Black)) => "p2win",
                Some(_) => "draw",
            };
            let mut ask = |query: &str| dialogue.ask(&format!("query {query}"), "response");
            assert_eq!(ask("result"), format!("response {result}"), "{line}");
            assert_eq!(ask("gameover"), format!("response {}", result != "none"));
            let is_first = game.position().to_move() == Side::White;
            assert_eq!(ask("p1turn"), format!("response {is_first}"));
            if game.end().is_some() {
                break;
            }
            assert!(game.turns().len() < 1_000, "{line}");
            let (_, text) = dialogue.search("go nodes 300");
            let text = text.expect("the game goes on");
            assert!(!text.contains(char::is_whitespace), "a turn is one word: {text}");
            game.play(rules.parse_turn(game.position(), &text).expect("a legal turn"));
            line += &format!(" {text}");
            dialogue.send(&line);
        }
    }
}
