//! `moves`: draws a position and lists its turns.

use std::path::PathBuf;

use clap::Args;
use comfy_table::Row;
use fanorona_core::{Coordinates, Outcome, Position};
use serde::Serialize;

use crate::destination::{Destination, output_beside};
use crate::options::{OutputOptions, PositionOptions, Root};
use crate::output::table;
use crate::svg::board;

/// Draw a position and list its legal turns
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fanorona moves --after \"d3-e3A d4-d3A\"
  fanorona moves \"9/9/2W1B4/9/9 w\" --svg board.svg")]
pub(crate) struct Moves {
    /// Also draw to this file (- for standard output)
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    #[command(flatten)]
    position: PositionOptions,

    #[command(flatten)]
    form: OutputOptions,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    root: Root,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
    turns: Vec<TurnReport>,
}

#[derive(Serialize)]
struct TurnReport {
    turn: String,
    /// The position after the turn.
    position: Position,
    /// The points whose stones are captured.
    captured: Vec<Coordinates>,
}

impl Moves {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let svg = Destination::of("the picture", "--svg", &self.svg);
        let output = output_beside(self.form.output(), svg.as_slice())?;
        let root = self.position.resolve()?;
        let report = report(root);
        if let Some(svg) = svg {
            let picture = board::board(&root.position, &root.to_string());
            svg.write(picture.into_string().as_bytes())?;
        }

        output.json(&report);
        output.text(root.position.diagram());
        output.text(format_args!("\n{}", root.position));
        output.text(headline(&report));
        if !report.turns.is_empty() {
            output.text(format_args!("\n{}", turn_table(&report.turns)));
        }
        Ok(())
    }
}

fn report(root: Root) -> Report {
    let Root { board, rules, position } = root;
    let turns = rules.turns(&position).into_iter().map(|turn| TurnReport {
        turn: turn.text(position.board()).to_string(),
        position: position.play_unchecked(&turn),
        captured: turn.captured().iter().map(|point| board.coordinates(point)).collect(),
    });
    Report { root, outcome: rules.outcome(&position), turns: turns.collect() }
}

fn headline(report: &Report) -> String {
    match (&report.outcome, report.turns.len()) {
        (Some(Outcome::Won(side)), _) => format!("the game is over: {side} has won"),
        (Some(Outcome::Drawn), _) => "the game is over: drawn".to_owned(),
        (None, 1) => format!("{} to move, 1 turn", report.root.position.to_move()),
        (None, n) => format!("{} to move, {n} turns", report.root.position.to_move()),
    }
}

fn turn_table(turns: &[TurnReport]) -> String {
    let mut table = table(&["", "turn", "captures"], &[1, 2]);
    table.add_rows(turns.iter().enumerate().map(|(i, turn)| {
        let captured: Vec<_> = turn.captured.iter().map(ToString::to_string).collect();
        Row::from([(i + 1).to_string(), turn.turn.clone(), captured.join(" ")])
    }));
    table.trim_fmt()
}
