//! The game as it goes on.

use std::fmt::Write as _;
use std::path::Path;
use std::time::SystemTime;

use anyhow::Context;
use clap::ValueEnum;
use fanorona_core::{Position, Side, Turn};
use fanorona_engine::inquiry::{Inquiry, Means, Opinion};
use fanorona_engine::{
    Analysis, Engine, Game, GameEnd, GameResult, Level, Limits, Options, Record,
};
use fanorona_knowledge::Knowledge;

use super::input::{HELP, Input};
use crate::advice;
use crate::command::analyze::verdict::{standing, view};
use crate::destination::Destination;
use crate::failure::{Failure, describe};
use crate::interrupt;
use crate::lines::Lines;
use crate::output::Output;

/// The sides that people play.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum SideOption {
    White,
    Black,
    Both,
    None,
}

impl SideOption {
    /// Whether a person plays this side.
    pub(super) fn has(self, side: Side) -> bool {
        match self {
            Self::White => side == Side::White,
            Self::Black => side == Side::Black,
            Self::Both => true,
            Self::None => false,
        }
    }
}

/// Builds engines for the game.
pub(super) struct Engines {
    pub player: Options,
    pub known: Knowledge,
}

impl Engines {
    pub(super) fn build(&self, level: Level) -> anyhow::Result<Engine> {
        let mut options = self.player.clone();
        options.level = level;
        Ok(Engine::new(self.known.clone(), options)?)
    }
}

/// A game with its players.
pub(super) struct Session<'t> {
    pub game: Game,
    /// The game that was loaded, whose annotations are kept.
    pub loaded: Option<Record>,
    /// The result, if somebody has resigned or a draw is agreed.
    pub result: GameResult,
    /// The sides that people play.
    pub people: SideOption,
    /// The program, unless two people play.
    pub opponent: Option<Engine>,
    pub engines: Engines,
    /// The limits of full strength.
    pub limits: Limits,
    pub save: Option<Destination<'t>>,
    pub output: Output,
}

/// The step after a line of input.
enum Next {
    /// The next line, with the board drawn before it or not.
    Line { draw: bool },
    /// Nothing: the game is over, or the person has left.
    End,
}

impl Session<'_> {
    /// Plays to the end of the game or of the input; then saves the game.
    pub(super) fn play(&mut self) -> anyhow::Result<()> {
        let played = self.play_turns();
        if interrupt::requested() {
            return Err(self.interrupted());
        }
        played?;
        self.print_turns();
        if let Some(save) = &self.save {
            save.write(self.record()?.to_string().as_bytes())?;
            self.output.text(format_args!("saved in {}", save.name()));
        }
        Ok(())
    }

    fn play_turns(&mut self) -> anyhow::Result<()> {
        // Standard input is opened when a person is to move for the first time.
        let mut lines = None;
        let mut draw = true;
        while !interrupt::requested() {
            if draw {
                self.draw();
            }
            if let Some(end) = self.game.end() {
                self.output.text(ended(end));
                break;
            }
            if !self.people.has(self.game.position().to_move()) {
                self.answer()?;
                draw = true;
                continue;
            }
            let lines = match &mut lines {
                Some(lines) => lines,
                empty => empty.insert(Lines::open(Path::new("-"))?),
            };
            let Some(input) = self.ask(lines)? else { break };
            match self.obey(input)? {
                Next::Line { draw: next } => draw = next,
                Next::End => break,
            }
        }
        Ok(())
    }

    fn draw(&self) {
        let position = self.game.position();
        self.output.text(format_args!("\n{}\n\n{position}", position.diagram()));
        if let Some(turn) = self.game.turns().last() {
            let side = position.to_move().other();
            self.output.text(format_args!("last turn: {side} {}", in_full(position, turn)));
        }
    }

    /// Asks until a line makes sense. `None` at the end of the input, and after Ctrl-C.
    fn ask(&self, lines: &mut Lines) -> anyhow::Result<Option<Input>> {
        loop {
            self.output.prompt(format_args!("{}> ", self.game.position().to_move()));
            let Some(line) = lines.next_line()? else {
                self.output.text("");
                if !interrupt::requested() {
                    self.output.text("the input has ended before the game");
                }
                return Ok(None);
            };
            match line.problem.map_or_else(|| Input::read(&self.game, &line.text), Err) {
                Ok(input) => return Ok(Some(input)),
                Err(problem) => {
                    self.output.text(format_args!("{problem}; 'help' lists the commands"));
                }
            }
        }
    }

    /// Does what a person asks for.
    fn obey(&mut self, input: Input) -> anyhow::Result<Next> {
        let mut draw = false;
        match input {
            Input::Turn(turn) => {
                self.game.play(turn);
                draw = true;
            }
            Input::Turns => self.list_turns(),
            Input::Hint => self.hint()?,
            Input::Undo => draw = self.undo(),
            Input::Board => draw = true,
            Input::Record => self.output.text(self.record()?.to_string().trim_end()),
            Input::Save(file) => self.save_in(&file)?,
            Input::Help => self.output.text(HELP),
            Input::Resign => {
                let winner = self.game.position().to_move().other();
                self.result = GameResult::Won(winner);
                self.output.text(format_args!("{} resigns: {winner} wins", winner.other()));
                return Ok(Next::End);
            }
            Input::Draw if self.opponent.is_none() => {
                self.result = GameResult::Draw;
                self.output.text("the game is a draw, as agreed");
                return Ok(Next::End);
            }
            Input::Draw => self.output.text("the program does not agree on draws; play on"),
            Input::Quit => return Ok(Next::End),
        }
        Ok(Next::Line { draw })
    }

    fn list_turns(&self) {
        let position = self.game.position();
        let mut text = String::new();
        for (i, turn) in self.game.rules().turns(position).iter().enumerate() {
            // Writing to a string does not fail.
            let _ = writeln!(text, "{:>4}  {}", i + 1, in_full(position, turn));
        }
        self.output.text(text.trim_end());
    }

    /// Takes back turns until the person who asks, or one of two, is to move again.
    fn undo(&mut self) -> bool {
        let turns = if self.opponent.is_some() { 2 } else { 1 };
        // Without a turn of the person there is nothing to take back.
        if self.game.turns().len() < turns {
            self.output.text("there is no turn to take back");
            return false;
        }
        (0..turns).all(|_| self.game.undo())
    }

    /// Writes the game to a file that is named in the game. If that fails, the game goes on.
    fn save_in(&self, file: &Path) -> anyhow::Result<()> {
        let destination = Destination { what: "the game", option: "save", path: file };
        let text = self.record()?.to_string();
        let written = destination.check().and_then(|()| destination.write(text.as_bytes()));
        match written {
            Ok(()) => self.output.text(format_args!("saved in {}", destination.name())),
            Err(error) => self.output.text(describe(&error)),
        }
        Ok(())
    }

    fn record(&self) -> anyhow::Result<Record> {
        let name = |side| match &self.opponent {
            Some(engine) if !self.people.has(side) => {
                format!("fanorona, level {}", in_words(engine.options().level))
            }
            _ => String::new(),
        };
        let mut record = Record::new(self.game.clone());
        if let Some(loaded) = &self.loaded {
            let (turns, before) = (self.game.turns(), loaded.game().turns());
            let same = turns.iter().zip(before).take_while(|(a, b)| a == b).count();
            for at in 0..=same {
                let note = loaded.annotation(at).cloned().unwrap_or_default();
                record = record.with_annotation(at, note);
            }
        }
        let record = record
            .with_players(&name(Side::White), &name(Side::Black))
            .context("the name of a level is a name")?
            .with_date(SystemTime::now());
        if self.game.end().is_some() {
            return Ok(record);
        }
        record.with_result(self.result).context("the game has not ended by the rules")
    }

    fn hint(&mut self) -> anyhow::Result<()> {
        let Limits { time, nodes, .. } = self.limits;
        let Engines { player, known } = &self.engines;
        // What is proved of the start helps whoever asks, at every level.
        let known = match player.starts {
            true => known.clone().with_start()?,
            false => known.clone(),
        };
        let (memory, threads) = (Some(player.memory), player.threads);
        let mut means =
            Means { nodes, memory, threads, opinion: Opinion::Proof, ..Means::default() };
        if let Some(time) = time {
            means = means.within(time);
        }
        let position = self.game.position();
        let mut inquiry = Inquiry::new(&known, means).after(self.game.earlier());
        let answer = inquiry.ask(position, interrupt::flag(), |_| {})?;
        if let Some(turn) = answer.advised().filter(|_| !interrupt::requested()) {
            let estimate = answer.estimate.map(|found| found.score);
            let found = standing(position.to_move(), &answer.assessment(), estimate);
            let turn = turn.text(position.board());
            self.output.text(format_args!("hint: {turn}   {found}"));
        }
        Ok(())
    }

    /// The program's turn.
    fn answer(&mut self) -> anyhow::Result<()> {
        let opponent = self.opponent.as_mut().context("two people play without the program")?;
        let is_full = opponent.options().level >= Level::FULL;
        let limits = if is_full { self.limits } else { Limits::default() };
        let found = think(opponent, &self.game, &limits)?;
        // A turn that was not thought to its end is not played.
        if !interrupt::requested() {
            self.report(&format!("{} plays", self.game.position().to_move()), &found);
            if let Some(turn) = found.turn {
                self.game.play(turn);
            }
        }
        Ok(())
    }

    fn report(&self, what: &str, found: &Analysis) {
        if let Some(turn) = &found.turn {
            let board = self.game.position().board();
            let turn = turn.text(board);
            let view = view(self.game.position().to_move(), found);
            self.output.text(format_args!("{what} {turn}   {view}"));
        }
    }

    /// The turns of the game on one line.
    fn turns_text(&self) -> String {
        let board = self.game.position().board();
        let texts = self.game.turns().iter().map(|turn| turn.text(board).to_string());
        texts.collect::<Vec<_>>().join(" ")
    }

    fn print_turns(&self) {
        if !self.game.turns().is_empty() {
            self.output.text(format_args!("turns: {}", self.turns_text()));
        }
    }

    /// The error of a game that Ctrl-C ended: how to continue it.
    fn interrupted(&self) -> anyhow::Error {
        let saved = self.save.as_ref().map(|save| {
            let text = self.record()?.to_string();
            save.write(text.as_bytes()).map(|()| save)
        });
        let text = match saved {
            Some(Ok(save)) if save.is_standard_output() => "the game is printed".to_owned(),
            Some(Ok(save)) => {
                format!("continue the game with --load {}", advice::quoted(save.path))
            }
            Some(Err(error)) => describe(&error),
            None if self.game.turns().is_empty() => "no turn was played".to_owned(),
            None => format!("the turns were {}", self.turns_text()),
        };
        Failure::Interrupted(text).into()
    }
}

/// A level with its name.
pub(super) fn in_words(level: Level) -> String {
    format!("{level} ({})", level.name())
}

/// A turn with the stones that it takes.
fn in_full(position: &Position, turn: &Turn) -> String {
    let board = position.board();
    let mut text = turn.text(board).to_string();
    if !turn.captured().is_empty() {
        text += "  takes";
    }
    for point in turn.captured() {
        text += &format!(" {}", board.coordinates(point));
    }
    text
}

fn think(engine: &mut Engine, game: &Game, limits: &Limits) -> anyhow::Result<Analysis> {
    let (position, earlier) = (game.position(), game.earlier());
    Ok(engine.analyze(position, earlier, limits, interrupt::flag(), |_| {})?)
}

fn ended(end: GameEnd) -> String {
    match end {
        GameEnd::Won(side) => format!("the game is over: {side} has won"),
        GameEnd::NoTurn => "the game is a draw: the side to move has no turn".to_owned(),
        GameEnd::Threefold => {
            "the game is a draw: the position has occurred three times".to_owned()
        }
        GameEnd::WithoutCapture => {
            "the game is a draw: too many turns without a capture".to_owned()
        }
    }
}
