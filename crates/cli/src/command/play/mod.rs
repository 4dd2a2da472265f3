//! `play`: a game in the terminal, against the program or with it.

mod input;
mod session;

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clap::Args;
use fanorona_engine::{Game, GameResult, Level, Limits, Record};

use self::session::{Engines, Session, SideOption, in_words};
use crate::destination::{Destination, output_beside};
use crate::failure::Failure;
use crate::files::read_game;
use crate::interrupt;
use crate::options::{BookOptions, PlayOptions, PositionOptions, between, seconds};
use crate::output::Output;

/// Play a game in the terminal
#[derive(Debug, Args)]
#[command(after_help = "\
Turns and commands are read from standard input, one on each line; 'help' lists the commands. \
Levels: 1 beginner, 2 novice, 3 casual, 4 club, 5 strong, 6 expert, 7 master, 8 full, 9 unbeatable. \
The first seven use neither tables nor --time, which is for levels 8 and 9 and for hints.

Level 9 cannot lose from a position that is proved to be at least a draw for it. It needs a proof of \
the start, which is a part of this program for many boards, and the tables that the proof needs: on 9x5 \
those to 8 stones. Certificates of --book are trusted; check them with fanorona check.

Of several games in the file of --load, the last one continues.

Examples:
  fanorona play --board 5x5 --side none --level 2 --save game.txt
  fanorona analyze --board 5x3 --certificate 5x3.cert
  fanorona play --board 5x3 --side none --level 9 --book 5x3.cert --time 20ms")]
pub(crate) struct Play {
    #[command(flatten)]
    position: PositionOptions,

    #[command(flatten)]
    play: PlayOptions,

    #[command(flatten)]
    book: BookOptions,

    /// Level of this program: 1 to 9, or a name
    // People want an opponent that they can beat.
    #[arg(long, value_name = "LEVEL", default_value = "4")]
    level: Level,

    /// The side that you play: both for two people, none for the program against itself
    #[arg(long, value_name = "SIDE", default_value = "white")]
    side: SideOption,

    /// Continue the game in this file, with its board, rules and draw rules
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "rules", "text", "after", "draws"])]
    load: Option<PathBuf>,

    /// Write the game to this file (- for standard output) at its end, and when you quit
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Time for each search or turn
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = seconds)]
    time: f64,

    /// Seed of what is random: the same seed, the same result [default: another one in each game]
    #[arg(long, value_name = "N", value_parser = between(0, u64::MAX))]
    seed: Option<u64>,
}

impl Play {
    pub(crate) fn run(mut self) -> anyhow::Result<()> {
        self.position.take_back(&mut self.book.book);
        let save = Destination::of("the game", "--save", &self.save);
        if let Some(save) = &save {
            save.check()?;
        }
        if !self.book.files().is_empty() && self.level != Level::UNBEATABLE {
            return Err(Failure::input("--book is for --level 9, which does not play here"));
        }
        let output = output_beside(Output::Text, save.as_slice())?;
        let loaded = self.load.as_ref().map(|file| load(file, output)).transpose()?;
        let game = match &loaded {
            Some(loaded) => loaded.game().clone(),
            None => self.new_game()?,
        };
        interrupt::install()?;
        let (board, rules) = (game.position().board(), *game.rules());
        let mut player = self.play.player(board, rules, self.level)?;
        player.draw_rules = *game.draws();
        player.book = self.book.files().to_vec();
        player.starts = self.book.has_starts();
        player.threads = thread::available_parallelism().map_or(1, usize::from);
        player.seed = self.seed;
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
            limits: Limits { time: Some(Duration::from_secs_f64(self.time)), ..Limits::default() },
            save,
            output,
        };
        session.play()
    }

    fn new_game(&self) -> anyhow::Result<Game> {
        let (root, turns) = self.position.start_and_turns()?;
        let mut game = Game::with_draws(root.rules, root.position, self.play.draws);
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
}

/// Reads a game in a file.
fn load(file: &Path, output: Output) -> anyhow::Result<Record> {
    let name = file.display();
    let (record, count) = read_game(file)?;
    if count > 1 {
        output.text(format_args!("'{name}' has {count} games; this is the last one"));
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
