//! `play`: a game in the terminal, against the program or with it.

mod input;
mod players;
mod session;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use fanorona_engine::{Game, GameResult, Limits, Record};

use self::players::{Engines, SideOption, in_words};
use self::session::Session;
use crate::destination::{Destination, output_beside};
use crate::failure::Failure;
use crate::files::read_game;
use crate::interrupt;
use crate::options::{PlayerOptions, PositionOptions, at_least, seconds};
use crate::output::Output;

/// Play a game in the terminal
// People want an opponent that they can beat, and need the processors for nothing else meanwhile.
#[derive(Debug, Args)]
#[command(mut_arg("level", |level| level.default_value("4")))]
#[command(mut_arg("threads", |threads| threads.default_value("0")))]
#[command(after_help = "\
Turns and commands are read from standard input, one on each line; 'help' lists the commands. \
Levels: 1 beginner, 2 novice, 3 casual, 4 club, 5 strong, 6 expert, 7 master, 8 full, 9 unbeatable. \
The first seven use neither tables nor --time. Level 8 uses all that you give it.

Level 9 cannot lose from a position that is proved to be at least a draw for it. It needs a proof of \
the start, as certificates that you name with --book and the tables that these need. On 9x5 that is \
data/proofs/9x5-standard.proof and the tables to 8 stones. The certificates are believed; check them \
with fanorona check.

Examples:
  fanorona play --board 5x5 --side none --level 2 --save game.txt
  fanorona analyze --board 5x3 --certificate 5x3.cert
  fanorona play --board 5x3 --side none --level 9 --book 5x3.cert --nodes 1000")]
pub(crate) struct Play {
    #[command(flatten)]
    position: PositionOptions,

    #[command(flatten)]
    player: PlayerOptions,

    /// The side that you play: both for two people, none for the program against itself
    #[arg(long, value_name = "SIDE", default_value = "white")]
    side: SideOption,

    /// Continue the game in this file, with its board, rules and draw rules
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "rules", "text", "after", "draws"])]
    load: Option<PathBuf>,

    /// The number of the game in the file of --load [default: the last one]
    #[arg(long, value_name = "N", value_parser = at_least(1usize), requires = "load")]
    game: Option<usize>,

    /// Write the game to this file (- for standard output) at its end, when you quit, and at Ctrl-C
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Time for each turn at levels 8 and 9 and for each hint [default: 2s, unless --nodes is given]
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    time: Option<f64>,

    /// Positions to search for each turn at levels 8 and 9 and for each hint
    #[arg(long, value_name = "N", value_parser = at_least(1u64))]
    nodes: Option<u64>,
}

impl Play {
    pub(crate) fn run(mut self) -> anyhow::Result<()> {
        self.player.play.book.give_back(&mut self.position);
        let save = self.destination();
        if let Some(save) = &save {
            save.check()?;
        }
        self.player.play.check_book(&[self.player.level])?;
        let output = output_beside(Output::Text, save.as_slice())?;
        let loaded = self.load.as_ref().map(|file| load(file, self.game, output)).transpose()?;
        let game = match &loaded {
            Some(loaded) => loaded.game().clone(),
            None => self.new_game()?,
        };
        interrupt::install()?;
        let (board, rules) = (game.position().board(), *game.rules());
        let mut player = self.player.player(board, rules)?;
        player.draw_rules = *game.draws();
        let known = player.open(board, rules)?;
        let (level, engines) = (player.level, Engines { player, known });
        let opponent = match self.side {
            SideOption::Both => None,
            _ => Some(engines.build(level)?),
        };
        output.text(format_args!("{board}, {rules}, draws: {}", game.draws()));
        if opponent.is_some() {
            output.text(format_args!("the program plays at level {}", in_words(level)));
        }
        if self.side != SideOption::None {
            output.text("'help' lists the commands");
        }
        let mut session = Session {
            game,
            loaded,
            result: GameResult::Unfinished,
            people: self.side,
            opponent,
            engines,
            limits: self.limits(),
            save,
            output,
        };
        session.play()
    }

    fn destination(&self) -> Option<Destination<'_>> {
        let path = self.save.as_deref()?;
        Some(Destination { what: "the game", option: "--save", path })
    }

    fn new_game(&self) -> anyhow::Result<Game> {
        let (root, turns) = self.position.start_and_turns()?;
        let mut game = Game::with_draws(root.rules, root.position, self.player.play.draws);
        for turn in turns {
            if game.end().is_some() {
                let position = game.position();
                return Err(Failure::input(format!(
                    "the game ends at '{position}', before the last turn of --after"
                )));
            }
            game.play(turn);
        }
        Ok(game)
    }

    /// The limits of full strength.
    fn limits(&self) -> Limits {
        let time = self.time.map(Duration::from_secs_f64);
        Limits { depth: None, nodes: self.nodes, time }.or_default_time()
    }
}

/// Reads a game in a file.
fn load(file: &Path, number: Option<usize>, output: Output) -> anyhow::Result<Record> {
    let name = file.display();
    let (record, count) = read_game(file, number)?;
    if count > 1 {
        let number = number.unwrap_or(count);
        output.text(format_args!("'{name}' has {count} games; this is game {number}"));
    }
    let is_over = record.game().end().is_some();
    if !is_over && record.result() != GameResult::Unfinished {
        output.text(format_args!(
            "the result in '{name}' is {}; the game continues from its last position",
            record.result()
        ));
    }
    Ok(record)
}
