//! What a program is told from one game to the next.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_core::{Board, RuleSet};
use fanorona_engine::{DrawRules, Game};
use fanorona_tests::scripted::Script;
use fanorona_ugi::client::{Program, ProgramCommand, ProgramSettings};
use fanorona_ugi::protocol::Dialect;

/// Nobody stops.
static GO_ON: AtomicBool = AtomicBool::new(false);

fn start(script: &Script) -> Program {
    let command = ProgramCommand::new(script.program(), script.arguments());
    let mut settings = ProgramSettings::new(command);
    settings.timeout = Duration::from_secs(20);
    settings.dialect = Some(Dialect::Ugi);
    Program::start(&settings, &GO_ON).expect("it starts")
}

/// Each option is sent when its value is another one than before, and only then.
#[test]
fn each_game_has_its_own_rules() {
    let games = [
        ("standard", "threefold"),
        ("free-capture", "threefold"),
        ("standard", "none"),
        ("free-capture", "none"),
        ("free-capture", "none"),
        ("standard", "threefold"),
        ("free-capture", "threefold"),
    ];
    let mut lines = "> ugi\n< option name Rules type string default standard\n\
                     < option name Draws type string default threefold\n< ugiok\n\
                     > isready\n< readyok\n"
        .to_owned();
    let mut now = games[0];
    for game in games {
        if now.0 != game.0 {
            lines += &format!("> setoption name Rules value {}\n", game.0);
        }
        if now.1 != game.1 {
            lines += &format!("> setoption name Draws value {}\n", game.1);
        }
        lines += "> uginewgame\n> isready\n< readyok\n";
        now = game;
    }
    let script = Script::new(&(lines + "> quit\n"));
    let mut program = start(&script);
    for (rules, draws) in games {
        let rules: RuleSet = rules.parse().expect("rules");
        let draws: DrawRules = draws.parse().expect("draw rules");
        let game = Game::with_draws(rules, Board::dimy().start(), draws);
        program.new_game(&game, &GO_ON).expect("it knows the game");
    }
    drop(program);
    script.assert_done();
}

/// A program that also answers in the other dialect is not ready before it answers in this one.
#[test]
fn the_answer_is_that_to_the_greeting() {
    let script = Script::new(
        "> ugi\n< id name Both\n< uciok\n< option name Late type check default true\n< ugiok\n\
         > isready\n< readyok\n> quit\n",
    );
    let program = start(&script);
    assert_eq!(program.options().len(), 1);
    drop(program);
    script.assert_done();
}
